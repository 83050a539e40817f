//! The passes of FABRIK on a chain in the plane.

use nalgebra::Point2;
use plotters::style::RGBColor;
use urdf_ik::skeleton::Configuration;
use urdf_ik_plot::skeleton::cycles::{Cycle, until_met};
use urdf_ik_plot::{self as plot, Area, Bones, Canvas, FAINT_INK, INK, Pen, SERIES};

use super::example::{Example, flat};
use super::panel::panel;
use crate::Result;

/// Where the chain starts \[m\].
const SEED: [[f64; 2]; 5] = [[0.0, 0.0], [0.3, 0.05], [0.6, 0.02], [0.88, 0.14], [1.12, 0.3]];
/// Where its end is to be \[m\].
const TARGET: [f64; 2] = [0.4, 1.0];
/// Colour of the chain.
const CHAIN: RGBColor = SERIES[0];
/// How much is left of the colour of a chain that was before.
const BEFORE: f64 = 0.28;

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    let example = Example::chain(&SEED, TARGET)?;
    let (seed, cycles) = (&example.seed, until_met(&example.skeleton, &example.problem(), 50)?);
    let (Some(first), Some(last)) = (cycles.first(), cycles.last()) else { return Err("no cycle was needed".into()) };
    plot::drawing((1400, 1270), |area| {
        let panels = area.split_evenly((2, 2));
        draw_seed(&panels[0], seed)?;
        draw_pass(&panels[1], "2  forward: from the target to the root", seed, &first.forward, Pass::Forward)?;
        draw_pass(
            &panels[2],
            "3  backward: from the root to the end",
            &first.forward,
            &first.backward,
            Pass::Backward,
        )?;
        let title = format!("4  after {} cycles", cycles.len());
        draw_cycles(&panels[3], &title, &cycles, last)
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Forward,
    Backward,
}

fn canvas<'a, 'b>(area: &'a Area<'b>, title: &str, note: &str) -> Result<Canvas<'a, 'b>> {
    panel(area, title, note, [100, 50, 20], [[-0.08, -0.1], [1.22, 1.06]])
}

fn draw_seed(area: &Area, seed: &Configuration) -> Result {
    let canvas = canvas(area, "1  where it starts", "the end is to go to the target")?;
    let points = flat(seed);
    Bones::new(CHAIN).draw_chain(&canvas, &points)?;
    plot::root(&canvas, &points[0])?;
    plot::target(&canvas, &TARGET.into())?;
    let offsets = [(0, 46), (-4, -36), (0, 40), (20, 34), (24, -34)];
    for (index, (point, offset)) in points.iter().zip(offsets).enumerate() {
        plot::name(&canvas, &format!("p_{index}"), point, offset, INK)?;
    }
    for (index, ends) in (1..).zip(points.windows(2)) {
        let middle = nalgebra::center(&ends[0], &ends[1]);
        let offset = [(0, -28), (2, -30), (-16, -26), (-20, -24)][index - 1];
        plot::name(&canvas, &format!("l_{index}"), &middle, offset, CHAIN)?;
    }
    plot::words(&canvas, "target", &TARGET.into(), (70, 0), plot::TARGET)
}

/// A pass: the chain before and after, with the lines along which its points were drawn.
fn draw_pass(area: &Area, title: &str, before: &Configuration, after: &Configuration, pass: Pass) -> Result {
    let note = match pass {
        Pass::Forward => "each point is drawn towards where it was",
        Pass::Backward => "the same again from the root in its place",
    };
    let canvas = canvas(area, title, note)?;
    let (was, is) = (flat(before), flat(after));
    Bones::new(CHAIN).pale(BEFORE).draw_chain(&canvas, &was)?;
    let last = is.len() - 1;
    let placed = |point: usize| if pass == Pass::Forward { point + 1 } else { point - 1 };
    let drawn: Vec<usize> = if pass == Pass::Forward { (0..last).collect() } else { (1..=last).collect() };
    for &point in &drawn {
        canvas.line(&[is[placed(point)], was[point]], Pen::new(FAINT_INK, 3).dashed())?;
    }
    Bones::new(CHAIN).draw_chain(&canvas, &is)?;
    let moved = if pass == Pass::Forward { last } else { 0 };
    draw_move(&canvas, &was[moved], &is[moved])?;
    plot::root(&canvas, &Point2::origin())?;
    plot::target(&canvas, &TARGET.into())
}

/// An arrow from where a point was put to where the pass begins.
fn draw_move(canvas: &Canvas, from: &Point2<f64>, to: &Point2<f64>) -> Result {
    let along = (to - from).normalize();
    let (start, end) = (from + along * canvas.metres(16.0), to - along * canvas.metres(26.0));
    canvas.arrow(&start, &end, Pen::new(INK, 4))
}

fn draw_cycles(area: &Area, title: &str, cycles: &[Cycle], last: &Cycle) -> Result {
    let canvas = canvas(area, title, "the end is within a millimetre of the target")?;
    let before = &cycles[..cycles.len() - 1];
    for (index, cycle) in (1_u32..).zip(before) {
        let share = BEFORE * f64::from(index) / f64::from(u32::try_from(cycles.len())?) + 0.1;
        Bones::new(CHAIN).pale(share).draw_chain(&canvas, &flat(&cycle.backward))?;
    }
    Bones::new(CHAIN).draw_chain(&canvas, &flat(&last.backward))?;
    plot::root(&canvas, &Point2::origin())?;
    plot::target(&canvas, &TARGET.into())
}
