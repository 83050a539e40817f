//! A publisher that several tasks can share.

use r2r::{QosProfile, WrappedTypesupport};

use super::interface::Interface;
use super::lock::Lock;
use super::quality_overrides::Role;
use super::spin::Spinner;
use crate::Result;

/// A topic on which any task can publish.
pub(crate) struct Publisher<T: WrappedTypesupport> {
    topic: String,
    // r2r's publisher is Send but not Sync.
    inner: Lock<r2r::Publisher<T>>,
}

impl<T: WrappedTypesupport + 'static> Publisher<T> {
    pub(crate) fn new(spinner: &mut Spinner, topic: Interface, quality: QosProfile) -> Result<Self> {
        let quality = spinner.quality(topic.name, Role::Publisher, quality)?;
        Self::named(spinner, topic.name.to_owned(), quality)
    }

    /// A publisher on a topic of this name, without overrides of its quality of service.
    pub(crate) fn named(spinner: &mut Spinner, topic: String, quality: QosProfile) -> Result<Self> {
        let inner = Lock::new(spinner.node.create_publisher(&topic, quality)?);
        Ok(Self { topic, inner })
    }

    /// Number of subscribers in other processes.
    pub(crate) fn subscribers(&self) -> usize {
        let publisher = self.inner.lock();
        publisher.get_inter_process_subscription_count().unwrap_or(0)
    }

    /// Publishes a message. A failure is only logged.
    pub(crate) fn publish(&self, message: &T) {
        let publisher = self.inner.lock();
        if let Err(e) = publisher.publish(message) {
            log::error!("cannot publish {}: {e}", self.topic);
        }
    }
}
