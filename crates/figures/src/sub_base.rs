//! Two branches that meet in a sub-base: what each suggests for it, and their centroid.

use nalgebra::Point2;
use plotters::style::RGBColor;
use urdf_ik::skeleton::{Configuration, Problem, Skeleton};
use urdf_ik_plot::skeleton::cycles::{record, until_met};
use urdf_ik_plot::{self as plot, Area, Bones, Canvas, FAINT_INK, INK, Pen, SERIES};

use super::example::{Example, flat};
use super::panel::panel;
use crate::Result;

/// The parents of the points from 1 on: two segments to the sub-base, two branches of two segments.
const PARENTS: [usize; 6] = [0, 1, 2, 3, 2, 5];
/// Where the points of the tree start \[m\].
const SEED: [[f64; 2]; 7] =
    [[0.0, 0.0], [-0.05, 0.24], [0.0, 0.48], [-0.2, 0.62], [-0.26, 0.84], [0.2, 0.62], [0.26, 0.84]];
/// Index of the point in which the branches meet.
const SUB_BASE: usize = 2;
/// Points that have targets, and where these are \[m\].
const TARGETS: [(usize, [f64; 2]); 2] = [(4, [-0.54, 0.32]), (6, [0.21, 0.58])];
/// Colour of the segments below the sub-base.
const BODY: RGBColor = SERIES[0];
/// Colours of the two branches.
const BRANCHES: [RGBColor; 2] = [SERIES[2], SERIES[4]];

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    let example = Example::tree(&SEED, &PARENTS, &TARGETS)?;
    let (skeleton, problem, seed) = (&example.skeleton, &example.problem(), &example.seed);
    let cycles = until_met(skeleton, problem, 200)?;
    let (Some(first), Some(last)) = (cycles.first(), cycles.last()) else { return Err("no cycle was needed".into()) };
    plot::drawing((1400, 1240), |area| {
        let panels = area.split_evenly((2, 2));
        draw_suggestions(&panels[0], skeleton, problem)?;
        let suggested = suggestions(skeleton, problem)?.map(|branch| flat(&branch)[SUB_BASE]);
        let (title, note) = ("2  forward: it moves to their centroid", "and draws the rest of the tree along");
        draw_pass(&panels[1], title, note, seed, &first.forward, &suggested)?;
        let (title, note) = ("3  backward: from the root to both ends", "all lengths are right again");
        draw_pass(&panels[2], title, note, &first.forward, &first.backward, &[])?;
        let title = format!("4  after {} cycles", cycles.len());
        draw_pass(&panels[3], &title, "both ends are within a millimetre", seed, &last.backward, &[])
    })
}

/// The forward pass of each branch alone.
fn suggestions(skeleton: &Skeleton, problem: &Problem) -> Result<[Configuration; 2]> {
    let alone = |index: usize| -> Result<Configuration> {
        let alone = Problem { targets: &problem.targets[index..=index], ..*problem };
        let mut cycles = record(skeleton, &alone, |cycles| cycles.len() == 1)?;
        Ok(cycles.remove(0).forward)
    };
    Ok([alone(0)?, alone(1)?])
}

fn canvas<'a, 'b>(area: &'a Area<'b>, title: &str, note: &str) -> Result<Canvas<'a, 'b>> {
    panel(area, title, note, [100, 40, 20], [[-0.6, -0.06], [0.4, 0.88]])
}

/// A tree: its body and its two branches.
fn draw_tree(canvas: &Canvas, points: &[Point2<f64>], share: f64) -> Result {
    for (colour, branch) in BRANCHES.into_iter().zip([[2, 3, 4], [2, 5, 6]]) {
        Bones::new(colour).pale(share).draw_chain(canvas, &branch.map(|point| points[point]))?;
    }
    Bones::new(BODY).pale(share).draw_chain(canvas, &points[..=SUB_BASE])
}

fn draw_marks(canvas: &Canvas) -> Result {
    plot::root(canvas, &Point2::origin())?;
    TARGETS.iter().try_for_each(|(_, target)| plot::target(canvas, &(*target).into()))
}

fn draw_suggestions(area: &Area, skeleton: &Skeleton, problem: &Problem) -> Result {
    let canvas =
        canvas(area, "1  forward: each branch from its target", "and each suggests another place for the sub-base")?;
    draw_tree(&canvas, &flat(problem.seed), 0.28)?;
    for ((branch, points), colour) in suggestions(skeleton, problem)?.iter().zip([[2, 3, 4], [2, 5, 6]]).zip(BRANCHES) {
        let all = flat(branch);
        Bones::new(colour).draw_chain(&canvas, &points.map(|point| all[point]))?;
        canvas.ring(&all[SUB_BASE], 18, Pen::new(colour, 4))?;
    }
    plot::words(&canvas, "sub-base", &flat(problem.seed)[SUB_BASE], (84, 30), FAINT_INK)?;
    draw_marks(&canvas)
}

fn draw_pass(
    area: &Area,
    title: &str,
    note: &str,
    before: &Configuration,
    after: &Configuration,
    suggested: &[Point2<f64>],
) -> Result {
    let canvas = canvas(area, title, note)?;
    draw_tree(&canvas, &flat(before), 0.25)?;
    draw_tree(&canvas, &flat(after), 1.0)?;
    if let [first, second] = suggested {
        canvas.line(&[*first, *second], Pen::new(INK, 3).dashed())?;
        for (place, colour) in suggested.iter().zip(BRANCHES) {
            canvas.ring(place, 18, Pen::new(colour, 4))?;
        }
        canvas.dot(&flat(after)[SUB_BASE], 12, INK)?;
    }
    draw_marks(&canvas)
}
