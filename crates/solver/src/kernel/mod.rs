//! What a search computes at each iteration, for four configurations of a chain at once.
//!
//! [`links`] holds the constants of the chain and [`configurations`] holds what is computed from them. [`kinematics`] writes
//! frames, residuals ([`residual`]) and the Jacobian. [`damped_step`] and [`fabrik`] compute a step from these. [`dispatch`]
//! chooses the vector instructions ([`lanes`]) and the sizes ([`dimension`]). [`svd`] computes the singular values of one
//! configuration.

pub mod configurations;
pub mod damped_step;
pub mod dimension;
pub mod dispatch;
pub mod fabrik;
pub mod fabrik_acceleration;
pub mod fabrik_cycle;
pub mod fabrik_fit;
pub mod frame;
pub mod kinematics;
pub(crate) use urdf_ik_mathematics::lanes;
pub mod ldl;
pub mod links;
pub mod normal_equations;
pub mod residual;
pub mod svd;
