//! What a search computes at each iteration, for four configurations of a chain at once.
//!
//! [`links`] holds the constants of the chain and [`configurations`] holds what is computed from them. [`kinematics`] writes
//! frames, residuals ([`residual`]) and the Jacobian. [`damped_step`] and [`fabrik`] compute a step from these. [`dispatch`]
//! chooses the vector instructions ([`lanes`]) and the sizes ([`dimension`]). [`svd`] computes the singular values of one
//! configuration.

mod configurations;
mod damped_step;
mod dimension;
mod dispatch;
mod fabrik;
mod fabrik_acceleration;
mod fabrik_cycle;
mod fabrik_fit;
mod frame;
mod kinematics;
use urdf_ik_mathematics::lanes;
mod ldl;
mod links;
mod normal_equations;
mod residual;
mod svd;

pub use configurations::Configurations;
pub use dispatch::Kernel;
pub use fabrik::FabrikScratch;
pub use lanes::{LANES, Lanes};
pub use residual::{Goal, Task};
pub use svd::Svd;
