//! The chart of the distances to the targets after each iteration.

use plotters::element::PathElement;
use plotters::style::Color;
use urdf_ik_skeleton::SkeletonProblem;

use super::{SOLUTION, SkeletonPicture};
use crate::{ChartFrame, INK, PlotArea, PlotAxis, PlotResult, TEXT, write};

/// Greatest number of points of the curve.
const MAX_POINTS: usize = 120;
/// Smallest distance of the chart \[m\].
const MIN_DISTANCE: f64 = 1e-9;

/// Draws the chart of distances \[m\] over iterations. Each of its points is a separate solve with that maximum number
/// of iterations.
///
/// # Errors
/// An error of plotters or of the solver.
pub fn draw(area: &PlotArea, drawn: &SkeletonPicture) -> PlotResult {
    let iterations = drawn.solution.iterations;
    let step = iterations.div_ceil(MAX_POINTS);
    let (mut scratch, mut solution) = (drawn.skeleton.scratch(&drawn.problem.options), drawn.skeleton.solution());
    let mut curve = Vec::new();
    for count in (0..iterations).step_by(step).chain([iterations]) {
        let options = drawn.problem.options.with_iterations(count);
        drawn.skeleton.solve(&SkeletonProblem { options, ..*drawn.problem }, &mut scratch, &mut solution)?;
        let distance = solution.residuals.iter().map(|residual| residual.distance).fold(0.0, f64::max);
        curve.push((f64::from(u32::try_from(count)?), distance.max(MIN_DISTANCE).log10()));
    }
    write(area, "largest distance to a target after each iteration", (40, 30), TEXT, INK)?;
    let x = PlotAxis::even(0.0, f64::from(u32::try_from(iterations)?), 8.0, "");
    let mut chart = ChartFrame { left: 150, right: 60, top: 80, bottom: 60 }.draw(area, x, decades(&curve))?;
    chart.draw_series([PathElement::new(curve, SOLUTION.stroke_width(6))])?;
    Ok(())
}

/// An axis of decades of metres around the heights of a curve, with a name at each, or at every third if
/// there are many.
fn decades(curve: &[(f64, f64)]) -> PlotAxis {
    const NAMES: [&str; 13] =
        ["1 nm", "10 nm", "0.1 µm", "1 µm", "10 µm", "0.1 mm", "1 mm", "1 cm", "10 cm", "1 m", "10 m", "100 m", "1 km"];
    let heights = || curve.iter().map(|(_, height)| *height);
    let from = heights().fold(f64::INFINITY, f64::min).floor();
    let to = heights().fold(f64::NEG_INFINITY, f64::max).ceil().max(from + 1.0);
    let step = if to - from > 4.0 { 3 } else { 1 };
    let all = (-9..).map(f64::from).zip(NAMES).step_by(step);
    let ticks = all.filter(|(at, _)| (from..=to).contains(at)).map(|(at, name)| (at, name.to_owned())).collect();
    PlotAxis { from, to, ticks, name: String::new() }
}
