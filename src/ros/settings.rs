//! The settings in use: what the parameters say now.

use std::sync::Arc;

use super::lock::Lock;
use urdf_ik_parameters::Settings;

/// The settings in use. They are replaced as a whole when a parameter changes.
pub(crate) struct SettingsInUse(Lock<Arc<Settings>>);

impl SettingsInUse {
    pub(crate) fn new(settings: Settings) -> Self {
        Self(Lock::new(Arc::new(settings)))
    }

    /// The present settings.
    pub(crate) fn now(&self) -> Arc<Settings> {
        Arc::clone(&self.0.lock())
    }

    pub(crate) fn replace(&self, settings: Settings) {
        *self.0.lock() = Arc::new(settings);
    }
}
