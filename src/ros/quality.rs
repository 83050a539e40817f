//! Compatibility of QoS profiles: by the rules of DDS, a publisher must offer at least the requested policies.

use std::time::Duration;

use r2r::QosProfile;
use r2r::qos::{DurabilityPolicy, LivelinessPolicy, ReliabilityPolicy};

/// QoS of a topic whose last message late subscribers receive.
pub(crate) fn latched() -> QosProfile {
    QosProfile::default().keep_last(1).transient_local()
}

/// A policy of which a publisher offers less than a subscription requests, so that its messages are not delivered.
pub(crate) struct Mismatch {
    pub policy: &'static str,
    pub offered: String,
    pub requested: String,
}

/// All incompatible policies.
pub(crate) fn mismatches(offered: &QosProfile, requested: &QosProfile) -> Vec<Mismatch> {
    let reliability = (&offered.reliability, &requested.reliability)
        == (&ReliabilityPolicy::BestEffort, &ReliabilityPolicy::Reliable);
    let durability = (&offered.durability, &requested.durability)
        == (&DurabilityPolicy::Volatile, &DurabilityPolicy::TransientLocal);
    let liveliness = (&offered.liveliness, &requested.liveliness)
        == (&LivelinessPolicy::Automatic, &LivelinessPolicy::ManualByTopic);
    let deadline = unbounded(offered.deadline) > unbounded(requested.deadline);
    let lease = unbounded(offered.liveliness_lease_duration) > unbounded(requested.liveliness_lease_duration);
    let written = |policy: fn(&QosProfile) -> String| (policy(offered), policy(requested));
    [
        ("reliability", reliability, written(|quality| format!("{:?}", quality.reliability))),
        ("durability", durability, written(|quality| format!("{:?}", quality.durability))),
        ("deadline", deadline, written(|quality| format!("{:?}", quality.deadline))),
        ("liveliness", liveliness, written(|quality| format!("{:?}", quality.liveliness))),
        ("liveliness lease", lease, written(|quality| format!("{:?}", quality.liveliness_lease_duration))),
    ]
    .into_iter()
    .filter(|(_, is_mismatch, _)| *is_mismatch)
    .map(|(policy, _, (offered, requested))| Mismatch { policy, offered, requested })
    .collect()
}

/// A duration of a profile, in which 0 means unlimited.
fn unbounded(duration: Duration) -> Duration {
    if duration.is_zero() { Duration::MAX } else { duration }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policies(offered: &QosProfile, requested: &QosProfile) -> Vec<&'static str> {
        mismatches(offered, requested).into_iter().map(|mismatch| mismatch.policy).collect()
    }

    #[test]
    fn a_publisher_may_offer_more_than_requested_and_not_less() {
        let seconds = Duration::from_secs;
        let weak = QosProfile::default().best_effort().volatile().liveliness(LivelinessPolicy::Automatic);
        let strong = QosProfile::default().reliable().transient_local().liveliness(LivelinessPolicy::ManualByTopic);
        let strong = strong.deadline(seconds(1)).liveliness_lease_duration(seconds(1));
        assert_eq!(policies(&weak, &weak), [""; 0]);
        assert_eq!(policies(&strong, &strong), [""; 0]);
        assert_eq!(policies(&strong, &weak), [""; 0]);
        let all = ["reliability", "durability", "deadline", "liveliness", "liveliness lease"];
        assert_eq!(policies(&weak, &strong), all);
    }

    #[test]
    fn a_longer_deadline_or_lease_is_less() {
        let with = |seconds| QosProfile::default().deadline(Duration::from_secs(seconds));
        assert_eq!(policies(&with(2), &with(1)), ["deadline"]);
        assert_eq!(policies(&with(1), &with(2)), [""; 0]);
        // The middleware's infinite duration equals no bound.
        assert_eq!(policies(&with(9_223_372_036), &with(0)), [""; 0]);
    }

    #[test]
    fn both_values_are_named() {
        let mismatch = mismatches(&QosProfile::default(), &latched()).pop().unwrap();
        assert_eq!((mismatch.offered.as_str(), mismatch.requested.as_str()), ("Volatile", "TransientLocal"));
    }
}
