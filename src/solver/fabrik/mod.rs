//! FABRIK.

pub(in crate::solver) mod fit;
pub(in crate::solver) mod hinge;
pub(in crate::solver) mod mixing;
