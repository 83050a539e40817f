//! FABRIK, forward and backward reaching inverse kinematics (Aristidou and Lasenby 2011), and what makes it fast.
//!
//! FABRIK knows no angles: it moves the joints of a chain one after the other along straight lines, from the tip to the root
//! and back, until the tip is at the target. One such cycle is a map from postures to postures whose fixed points are the
//! solutions, so that what accelerates fixed-point iterations accelerates FABRIK: Anderson's method mixes the last few cycles.
//!
//! [`points`] is the algorithm as it was published, on chains of points in the plane and in space.

mod anderson;
pub mod points;
