//! The chart of the distances to the targets after each iteration.

use plotters::element::PathElement;
use plotters::style::Color;
use urdf_ik_skeleton::{Options, Problem};

use super::{Drawn, SOLUTION};
use crate::{self as plot, Area, Axis, Frame, INK, Result, TEXT};

/// Numbers of iterations at which the distance is shown, at most.
const SHOWN: usize = 120;
/// The least distance that is shown \[m\].
const MIN_DISTANCE: f64 = 1e-9;

/// Draws the chart. Each of its points is a solve of its own that was allowed as many iterations.
pub fn draw(area: &Area, drawn: &Drawn) -> Result {
    let iterations = drawn.solution.iterations;
    let step = iterations.div_ceil(SHOWN);
    let (mut scratch, mut solution) = (drawn.skeleton.scratch(&drawn.problem.options), drawn.skeleton.solution());
    let mut curve = Vec::new();
    for count in (0..iterations).step_by(step).chain([iterations]) {
        let options = Options { iterations: count, ..drawn.problem.options };
        drawn.skeleton.solve(&Problem { options, ..*drawn.problem }, &mut scratch, &mut solution)?;
        let distance = solution.residuals.iter().map(|residual| residual.distance).fold(0.0, f64::max);
        curve.push((f64::from(u32::try_from(count)?), distance.max(MIN_DISTANCE).log10()));
    }
    plot::write(area, "largest distance to a target after each iteration", (40, 30), TEXT, INK)?;
    let x = Axis::even(0.0, f64::from(u32::try_from(iterations)?), 8.0, "");
    let mut chart = Frame { left: 150, right: 60, top: 80, bottom: 60 }.draw(area, x, decades(&curve))?;
    chart.draw_series([PathElement::new(curve, SOLUTION.stroke_width(6))])?;
    Ok(())
}

/// Whole decades of metres around the heights of a curve: a name for each, or for every third where there are many.
fn decades(curve: &[(f64, f64)]) -> Axis {
    const NAMES: [&str; 13] =
        ["1 nm", "10 nm", "0.1 µm", "1 µm", "10 µm", "0.1 mm", "1 mm", "1 cm", "10 cm", "1 m", "10 m", "100 m", "1 km"];
    let heights = || curve.iter().map(|(_, height)| *height);
    let from = heights().fold(f64::INFINITY, f64::min).floor();
    let to = heights().fold(f64::NEG_INFINITY, f64::max).ceil().max(from + 1.0);
    let step = if to - from > 4.0 { 3 } else { 1 };
    let all = (-9..).map(f64::from).zip(NAMES).step_by(step);
    let ticks = all.filter(|(at, _)| (from..=to).contains(at)).map(|(at, name)| (at, name.to_owned())).collect();
    Axis { from, to, ticks, name: String::new() }
}
