//! Reports on targets and requests: statuses, refusals, counts, colours.

pub(crate) mod answers;
pub(crate) mod graph;
pub(crate) mod latest;
pub(crate) mod report;
pub(crate) mod reporter;
pub(crate) mod status;
pub(crate) mod warnings;

pub(crate) use answers::{ServiceResponse, answer_each};
pub(crate) use latest::{LatestTarget, LatestTargets};
pub(crate) use report::{Report, StatusColour, TargetOutcome};
pub(crate) use reporter::Reporter;
pub(crate) use status::{Fault, RefuseAs, Refused, fault, refused};
pub(crate) use warnings::Warnings;
