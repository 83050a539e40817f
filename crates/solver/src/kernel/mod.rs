//! Batch kernel of a search iteration: forward kinematics, residuals, Jacobians and steps of four configurations of a
//! chain at once.
//!
//! [`links`] has the constants of the chain and [`configurations`] the values computed from them. [`kinematics`]
//! writes frames, residuals ([`residual`]) and the Jacobian. [`damped_step`] and [`fabrik`] compute a step from
//! these. [`dispatch`] chooses the SIMD instructions ([`lanes`]) and the compile-time sizes ([`dimension`]). [`svd`]
//! computes the singular values of one configuration.
//!
//! The kernel iterates four configurations at once: a vector unit computes four numbers as fast as one, and a search
//! has several starting points. The seed and the nearest entries of the seed table run side by side, and the first to
//! converge wins. The crate `fearless_simd` selects the instructions at run time without unsafe code in this crate.
//! Plain sums and products alone give the same bits on every processor.

mod configurations;
mod damped_step;
mod dimension;
mod dispatch;
mod fabrik;
mod fabrik_acceleration;
mod fabrik_cycle;
mod fabrik_fit;
mod frame;
mod goal_places;
mod goals;
mod kinematics;
mod ldl;
mod links;
mod normal_equations;
mod residual;
mod svd;

use urdf_ik_mathematics::lanes;

pub use configurations::Configurations;
pub use dispatch::Kernel;
pub use fabrik::FabrikScratch;
pub use goals::{Goals, Task};
pub use lanes::{LANES, Lanes};
#[cfg(test)]
pub use residual::PreparedTarget;
pub use svd::{RANK_TOLERANCE, Svd};
