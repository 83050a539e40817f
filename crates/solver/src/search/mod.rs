//! The search that every solver shares: attempts from the seed and from other starting points, inside joint limits.
//!
//! A solve runs one way. [`setup`] puts a problem into bounds, a start and goals. [`attempts`] go from the start and from the
//! [`seed_table`], four at a time, until one meets the targets or gives up; [`explore`] keeps the one to go on with. Where there is
//! one, [`null_space`] moves it towards what is preferred; where there is none, [`closest`] leads the best to a local minimum of the
//! error, and [`position_only`], if asked, to one of the orientation error at the position. The setup folds it to the turns nearest to the seed, and the [`verdict`] says what exactly these positions reach.
//!
//! Each stage is a type with its own memory, whose methods say what they take and give. Only a whole [`solve`] sees all of them.

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
mod interpolation;
mod iteration;
mod known_solutions;
mod null_space;
mod parallel;
mod plan;
mod position_only;
mod prepared_search;
mod seed_table;
mod self_motion;
mod setup;
mod solve;
mod verdict;

pub use all_solutions::OnSolution;
pub use explore::Run;
pub use plan::Iteration;
pub use prepared_search::{Posed, Search};
pub use seed_table::SeedTable;
pub use solve::SearchScratch;
