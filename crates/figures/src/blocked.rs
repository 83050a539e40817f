//! Limits on a tree: cycles that block each other, and the least squares that finish them.

use nalgebra::{Point2, UnitQuaternion, Vector3};
use plotters::element::{PathElement, Text};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};
use urdf_ik::skeleton::{Configuration, Joint, Options, Problem, Segment, Skeleton, Solution};
use urdf_ik_plot::skeleton::cycles::{Cycle, distance, record};
use urdf_ik_plot::skeleton::limits;
use urdf_ik_plot::{self as plot, Area, Axis, Bones, Canvas, Chart, Frame, SERIES, View};

use super::example::{Example, flat};
use super::panel::{panel, titled};
use crate::Result;

/// A trunk of two segments with two arms: index of the point at which a segment begins, length \[m\], its range and its rest \[degrees\].
const SEGMENTS: [(usize, f64, [f64; 2], f64); 6] = [
    (0, 0.3, [-25.0, 25.0], 90.0),
    (1, 0.3, [-25.0, 25.0], 0.0),
    (2, 0.3, [-50.0, 70.0], 60.0),
    (3, 0.28, [0.0, 140.0], 0.0),
    (2, 0.3, [-70.0, 50.0], -60.0),
    (5, 0.28, [-140.0, 0.0], 0.0),
];
/// Points that have targets, and where these are \[m\].
const TARGETS: [(usize, [f64; 2]); 2] = [(4, [-0.16, 0.8]), (6, [0.73, 0.56])];
/// Colour of the tree after cycles.
const BODY: RGBColor = SERIES[0];
/// Colour of the tree after least squares.
const FINISHED: RGBColor = SERIES[2];
/// Iterations that are shown.
const ITERATIONS: u8 = 20;

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    let skeleton = skeleton()?;
    let seed = skeleton.at_rest();
    let example = Example::new(skeleton, seed, &TARGETS);
    let (skeleton, alone) = (&example.skeleton, &example.problem());
    let polished = &Problem { options: Options { polish: true, tolerance: 1e-4, ..alone.options }, ..*alone };
    let cycles = record(skeleton, alone, |cycles| cycles.len() == usize::from(ITERATIONS))?;
    let last = cycles.last().ok_or("no cycle was made")?;
    plot::drawing((1400, 1140), |area| {
        let (top, bottom) = area.split_vertically(680);
        let (left, right) = top.split_horizontally(700);
        draw_blocked(&left, skeleton, alone, last)?;
        draw_finished(&right, skeleton, polished, last)?;
        draw_distances(&bottom, skeleton, polished, &cycles)
    })
}

fn skeleton() -> Result<Skeleton> {
    let segments = SEGMENTS.map(|(parent, length, [lower, upper], rest)| {
        let rest = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::to_radians(rest));
        let joint = Joint::hinge(Vector3::z(), f64::to_radians(lower), f64::to_radians(upper)).with_rest(rest);
        Segment::new(parent, length).with_joint(joint)
    });
    Ok(Skeleton::in_plane(&segments)?)
}

fn solve(skeleton: &Skeleton, problem: &Problem) -> Result<Solution> {
    let mut solution = skeleton.solution();
    skeleton.solve(problem, &mut skeleton.scratch(&problem.options), &mut solution)?;
    Ok(solution)
}

fn canvas<'a, 'b>(area: &'a Area<'b>, title: &str, note: &str) -> Result<Canvas<'a, 'b>> {
    panel(area, title, note, [100, 40, 20], [[-0.6, -0.06], [0.8, 1.02]])
}

fn draw_tree(canvas: &Canvas, bones: Bones, configuration: &Configuration) -> Result {
    bones.draw(canvas, &flat(configuration), &SEGMENTS.map(|(parent, ..)| parent))
}

fn draw_marks(canvas: &Canvas) -> Result {
    plot::root(canvas, &Point2::origin())?;
    TARGETS.iter().try_for_each(|(_, target)| plot::target(canvas, &(*target).into()))
}

/// Where the cycles end: after the forward pass of one, and after its backward pass.
fn draw_blocked(area: &Area, skeleton: &Skeleton, problem: &Problem, last: &Cycle) -> Result {
    let canvas = canvas(area, "cycles can be blocked", "the backward pass undoes the forward pass")?;
    let limited = limits::binding(skeleton, &solve(skeleton, problem)?.limited);
    limits::draw(&canvas, &View::plane(), skeleton, &last.backward, &limited)?;
    draw_tree(&canvas, Bones::new(SERIES[1]).pale(0.6).thin(6), &last.forward)?;
    draw_tree(&canvas, Bones::new(BODY), &last.backward)?;
    draw_marks(&canvas)
}

/// The solution of the same problem with polish, from where the cycles ended.
fn draw_finished(area: &Area, skeleton: &Skeleton, problem: &Problem, last: &Cycle) -> Result {
    let canvas = canvas(area, "all joints at once", "least squares go on from there")?;
    let solution = solve(skeleton, problem)?;
    if !solution.is_solved() {
        return Err("the polish does not meet the targets".into());
    }
    draw_tree(&canvas, Bones::new(BODY).pale(0.28), &last.backward)?;
    draw_tree(&canvas, Bones::new(FINISHED), &solution.configuration)?;
    draw_marks(&canvas)
}

/// The largest distance to a target after each iteration, of `cycles` alone and of a problem with polish.
fn draw_distances(area: &Area, skeleton: &Skeleton, polished: &Problem, cycles: &[Cycle]) -> Result {
    titled(area, "largest distance to a target", "")?;
    let names = [(-6.0, "1 µm"), (-4.0, "0.1 mm"), (-2.0, "1 cm"), (0.0, "1 m")];
    let ticks = names.map(|(at, name)| (at, name.to_owned())).into();
    let y = Axis { from: -6.0, to: 0.0, ticks, name: String::new() };
    let x = Axis::even(0.0, f64::from(ITERATIONS), 10.0, "iteration");
    let mut chart = Frame { left: 150, right: 60, top: 80, bottom: 110 }.draw(area, x, y)?;
    let after = |count: u8| -> Result<Configuration> {
        let options = Options { iterations: usize::from(count), ..polished.options };
        Ok(solve(skeleton, &Problem { options, ..*polished })?.configuration)
    };
    let finished = (0..=ITERATIONS).map(after).collect::<Result<Vec<_>, _>>()?;
    let alone = [polished.seed].into_iter().chain(cycles.iter().map(|cycle| &cycle.backward));
    draw_curve(&mut chart, polished, alone, "cycles alone", BODY, -0.6)?;
    draw_curve(&mut chart, polished, finished.iter(), "then least squares", FINISHED, 0.6)
}

fn draw_curve<'a>(
    chart: &mut Chart,
    problem: &Problem,
    configurations: impl Iterator<Item = &'a Configuration>,
    name: &'static str,
    colour: RGBColor,
    above: f64,
) -> Result {
    let heights = configurations.map(|configuration| distance(problem, configuration).max(1e-6).log10());
    let curve: Vec<_> = (0..).map(f64::from).zip(heights).collect();
    let end = curve.last().copied().unwrap_or_default();
    chart.draw_series([PathElement::new(curve, colour.stroke_width(7))])?;
    let style = plot::style(plot::TEXT, colour, HPos::Right, VPos::Center);
    chart.draw_series([Text::new(name, (end.0, end.1 + above), style)])?;
    Ok(())
}
