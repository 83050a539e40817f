//! Targets out of reach: a chain that is stretched, and one that is folded.

use std::f64::consts::PI;

use nalgebra::Point2;
use plotters::style::{Color, RGBColor};
use urdf_ik_plot::skeleton::cycles::record;
use urdf_ik_plot::{self as plot, Area, Bones, Canvas, FAINT_INK, INK, Pen, SERIES};

use super::example::{Example, flat};
use super::panel::panel;
use crate::Result;

/// Colour of the chain.
const CHAIN: RGBColor = SERIES[0];

/// A chain, what is asked of its end, and how it is shown.
struct Case {
    title: &'static str,
    seed: &'static [[f64; 2]],
    target: [f64; 2],
    /// Cycles that are drawn before the answer.
    cycles: usize,
    reach: &'static str,
}

/// A target beyond the reach.
const FAR: Case = Case {
    title: "too far: stretched",
    seed: &[[0.0, 0.0], [-0.12, 0.3], [0.12, 0.52], [0.42, 0.6]],
    target: [1.05, 0.66],
    cycles: 4,
    reach: "outer reach",
};
/// A target that is nearer than the chain can fold.
const NEAR: Case = Case {
    title: "too near: folded",
    seed: &[[0.0, 0.0], [0.62, 0.3], [0.8, 0.16], [0.7, 0.02]],
    target: [0.13, 0.16],
    cycles: 0,
    reach: "inner reach",
};

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    plot::drawing((1400, 540), |area| {
        let (left, right) = area.split_horizontally(700);
        draw_case(&left, &FAR)?;
        draw_case(&right, &NEAR)
    })
}

fn draw_case(area: &Area, case: &Case) -> Result {
    let example = Example::chain(case.seed, case.target)?;
    let (skeleton, problem, last) = (&example.skeleton, example.problem(), case.seed.len() - 1);
    let cycles = record(skeleton, &problem, |cycles| cycles.len() == case.cycles)?;
    let mut solution = skeleton.solution();
    skeleton.solve(&problem, &mut skeleton.scratch(&problem.options), &mut solution)?;
    let note = format!("the target is missed by {:.2} m", solution.residuals[0].distance);
    let canvas = panel(area, case.title, &note, [100, 40, 20], [[-1.0, -0.06], [1.18, 1.14]])?;
    let reach = skeleton.reach(0, last).ok_or("the chain has no end")?;
    draw_reach(&canvas, [reach.inner, reach.outer], case.reach)?;
    for shown in [&example.seed].into_iter().chain(cycles.iter().map(|cycle| &cycle.backward)) {
        Bones::new(CHAIN).pale(0.28).draw_chain(&canvas, &flat(shown))?;
    }
    let answer = flat(&solution.configuration);
    canvas.line(&[answer[last], case.target.into()], Pen::new(INK, 4).dashed())?;
    Bones::new(CHAIN).draw_chain(&canvas, &answer)?;
    plot::root(&canvas, &Point2::origin())?;
    plot::target(&canvas, &case.target.into())
}

/// Where the end can be, and the name of the border that is in the way.
fn draw_reach(canvas: &Canvas, [inner, outer]: [f64; 2], name: &str) -> Result {
    let root = Point2::origin();
    canvas.sector(&root, outer, [0.0, PI], CHAIN.mix(0.05))?;
    canvas.arc(&root, outer, [0.0, PI], Pen::new(FAINT_INK, 3).dashed())?;
    if inner > 0.0 {
        canvas.sector(&root, inner, [0.0, PI], RGBColor(255, 255, 255).to_rgba())?;
        canvas.arc(&root, inner, [0.0, PI], Pen::new(FAINT_INK, 3).dashed())?;
    }
    let radius = if name.starts_with("inner") { inner } else { outer };
    plot::words(canvas, name, &Point2::new(0.0, radius), (-60, -26), FAINT_INK)
}
