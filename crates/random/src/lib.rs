//! Pseudorandom numbers and random robots for unit tests, the same in each run.
//!
//! ```
//! use urdf_ik_random::random::Random;
//! use urdf_ik_random::robots::{Axes, Recipe};
//!
//! let (chain, _urdf) = Recipe::plain(Axes::Intersecting, 6).make(&mut Random::new(1));
//! assert_eq!(chain.variables().len(), 6);
//! ```

#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "not published")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]
#![allow(clippy::missing_panics_doc, reason = "tests alone use it")]

pub mod random;
pub mod robots;
