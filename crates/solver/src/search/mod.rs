//! The search that every solver shares: attempts from the seed and from other starting points, inside joint limits.
//!
//! A solve runs one way. [`setup`] puts a problem into bounds, a start and goals. [`attempts`] go from the start and from the
//! [`seed_table`], four at a time, until one meets the targets or gives up; [`explore`] keeps the one to go on with. Where there is
//! one, [`null_space`] moves it towards what is preferred; where there is none, [`closest`] leads the best to a local minimum of the
//! error. [`folding`] brings it to the turns nearest to the seed, and the [`verdict`] says what exactly these positions reach.

mod all_solutions;
mod attempts;
mod avoidance;
mod candidate;
mod clearance;
mod closest;
mod distinct;
mod explore;
mod flow;
mod folding;
mod given_up;
mod iteration;
mod null_space;
mod parallel;
mod polish;
mod prepared_search;
mod pseudoinverse;
mod scratch;
mod seed_table;
mod self_motion;
mod setup;
mod singular_values;
mod solve;
mod verdict;
mod widened;

pub use iteration::Iteration;
pub use prepared_search::Search;
pub use scratch::SearchScratch;
pub use seed_table::SeedTable;
