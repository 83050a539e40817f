//! Numerical search, used by every solver: attempts from the seed and from other starting points within joint limits.
//!
//! A solve is a pipeline. [`setup`] derives bounds, start and goals from the problem. [`attempts`] run from the start
//! and from the [`seed_table`], four at a time, until they meet the targets or stall; [`explore`] picks one. A
//! successful attempt is improved by [`null_space`]. A failed one is led by [`closest`] to a local minimum of the
//! error, and on request by [`position_only`] to one of the orientation error at the position. If all solutions
//! collide, [`avoidance`] leads to a configuration near them. The setup folds the result to the revolutions nearest
//! to the seed, and the [`solution_evaluator`] measures exactly these positions.
//!
//! Each stage is a type with its own memory. Only [`solve`] connects them.

mod aimed_targets;
mod all_solutions;
mod attempts;
mod avoidance;
mod candidate;
mod clearance;
mod closest;
mod continuation;
mod determinant;
mod explore;
mod flow;
mod goal_conflict;
mod interpolation;
mod iteration;
mod known_solutions;
mod null_space;
mod objective;
mod parallel;
mod plan;
mod position_only;
mod prepared_search;
mod seed_table;
mod self_motion;
mod setup;
mod solution_evaluator;
mod solve;
mod speed_descent;

pub use all_solutions::OnSolution;
pub use explore::Run;
pub use plan::Iteration;
pub use prepared_search::{Search, SearchInput};
pub use seed_table::SeedTable;
pub use solve::SearchScratch;
