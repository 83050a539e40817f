//! A publisher that tasks can share.

use std::sync::{Mutex, PoisonError};

use r2r::{QosProfile, WrappedTypesupport};

use super::NodeError;

/// A topic to publish on, from any task.
pub(super) struct Publisher<T: WrappedTypesupport> {
    topic: &'static str,
    // r2r's publisher may move between threads but not be used by two at once.
    inner: Mutex<r2r::Publisher<T>>,
}

impl<T: WrappedTypesupport + 'static> Publisher<T> {
    pub(super) fn new(node: &mut r2r::Node, topic: &'static str, quality: QosProfile) -> Result<Self, NodeError> {
        Ok(Self { topic, inner: Mutex::new(node.create_publisher(topic, quality)?) })
    }

    /// Publishes; a failure is logged, since nobody who publishes could do more.
    pub(super) fn publish(&self, message: &T) {
        let publisher = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(e) = publisher.publish(message) {
            log::error!("cannot publish {}: {e}", self.topic);
        }
    }
}
