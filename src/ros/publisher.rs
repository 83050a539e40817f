//! A publisher that several tasks can share.

use r2r::{Node, QosProfile, WrappedTypesupport};

use super::interface::Interface;
use super::lock::Lock;
use crate::Result;

/// A topic on which any task can publish.
pub(crate) struct Publisher<T: WrappedTypesupport> {
    topic: Interface,
    // r2r's publisher is Send but not Sync.
    inner: Lock<r2r::Publisher<T>>,
}

impl<T: WrappedTypesupport + 'static> Publisher<T> {
    pub(crate) fn new(node: &mut Node, topic: Interface, quality: QosProfile) -> Result<Self> {
        Ok(Self { topic, inner: Lock::new(node.create_publisher(topic.name, quality)?) })
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
            log::error!("cannot publish {}: {e}", self.topic.name);
        }
    }
}
