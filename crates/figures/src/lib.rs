//! The figures of docs/how-it-works.md and docs/teleop.md, drawn from what the library computes.
//!
//! ```
//! let (name, draw) = urdf_ik_figures::FIGURES[0];
//! assert_eq!(name, "passes");
//! assert!(draw()?.starts_with("<svg"));
//! # Ok::<(), urdf_ik_figures::Failure>(())
//! ```

#![forbid(unsafe_code)]

mod blocked;
mod circle;
mod cone;
mod example;
mod humanoid;
mod panel;
mod passes;
mod reach;
mod servo;
mod steps;
mod sub_base;
mod three_link;
mod two_link;

pub use urdf_ik_plot::{Failure, Result};

/// Draws a figure: the text of an SVG file.
pub type Draw = fn() -> Result<String>;

/// The figures by the names of their files.
pub const FIGURES: [(&str, Draw); 11] = [
    ("passes", passes::draw),
    ("reach", reach::draw),
    ("sub-base", sub_base::draw),
    ("cone", cone::draw),
    ("blocked", blocked::draw),
    ("humanoid", humanoid::draw),
    ("circle", circle::draw),
    ("steps", steps::draw),
    ("two-link", two_link::draw),
    ("three-link", three_link::draw),
    ("servo", servo::draw),
];
