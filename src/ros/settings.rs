//! The settings in use: what the parameters say now.

use std::sync::{Arc, PoisonError, RwLock};

use urdf_ik_parameters::Settings;

/// The settings in use. They are replaced as a whole when a parameter changes.
pub(crate) struct SettingsInUse(RwLock<Arc<Settings>>);

impl SettingsInUse {
    pub(crate) fn new(settings: Settings) -> Self {
        Self(RwLock::new(Arc::new(settings)))
    }

    /// The present settings.
    pub(crate) fn now(&self) -> Arc<Settings> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace(&self, settings: Settings) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }
}
