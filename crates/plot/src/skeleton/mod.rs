//! The picture of `urdf_ik skeleton`: the passes of the first cycles, the solution, and the limits that bind.

mod distances;
mod limits;
mod names;
mod passes;

use nalgebra::{Vector2, Vector3};
use plotters::element::DashedPathElement;
use plotters::style::{Color, RGBColor};
use urdf_ik_skeleton::{
    Outcome, Root, Skeleton, SkeletonConfiguration, SkeletonProblem, SkeletonSolution, SkeletonTarget,
};

use self::names::PlacedNames;
use self::passes::cycles;
use crate::canvas::{
    BOTTOM, Canvas, CanvasBounds, CanvasPoint, LABEL, Projection, SIDE, TARGET, TOP, bones, canvas, joints, root,
    target, words,
};
use crate::{FAINT_INK, INK, Legend, PlotResult, SERIES, TEXT, TITLE, drawing, pale, short, width_of, write};

/// Width of the picture \[half pixels\].
const WIDTH: u32 = 1400;
/// Height of the title \[half pixels\].
const HEADER: u32 = 120;
/// Height of the chart \[half pixels\].
const CHART: u32 = 420;
/// Height of the legend \[half pixels\].
const FOOTER: u32 = 110;
/// Smallest and greatest height of the views without their margins \[half pixels\].
const HEIGHTS: [f64; 2] = [240.0, 720.0];
/// Greatest number of cycles whose passes are drawn.
const CYCLES: usize = 2;
/// Smallest width and height of the views \[m\].
const MIN_SIZE: f64 = 1e-6;

/// Colour of the seed.
const SEED: RGBColor = FAINT_INK;
/// Colour of forward passes.
const FORWARD: RGBColor = SERIES[1];
/// Colour of backward passes.
const BACKWARD: RGBColor = SERIES[5];
/// Colour of the solution.
const SOLUTION: RGBColor = SERIES[0];

/// A solve of a skeleton, with the names for its picture.
pub struct SkeletonPicture<'a> {
    /// Name of the skeleton.
    pub title: &'a str,
    /// Names of the n + 1 points, the root first.
    pub names: &'a [String],
    /// The skeleton with n segments.
    pub skeleton: &'a Skeleton,
    /// The problem that was solved.
    pub problem: &'a SkeletonProblem<'a>,
    /// The solution of the problem.
    pub solution: &'a SkeletonSolution,
}

/// The content of all views.
struct SkeletonViews<'a> {
    drawn: &'a SkeletonPicture<'a>,
    parents: Vec<usize>,
    cycles: Vec<[SkeletonConfiguration; 2]>,
}

/// A view of the skeleton in a panel of its own.
struct Panel {
    title: &'static str,
    view: Projection,
    bounds: CanvasBounds,
}

/// Draws the picture. Returns the text of an SVG file.
///
/// # Errors
/// An error of plotters or of the solver.
pub fn draw(drawn: &SkeletonPicture) -> PlotResult<String> {
    let segments = (0..).map_while(|segment| drawn.skeleton.segment(segment));
    let parents = segments.map(|segment| segment.parent).collect();
    let iterations = drawn.solution.iterations;
    let shown =
        SkeletonViews { drawn, parents, cycles: cycles(drawn.skeleton, drawn.problem, CYCLES.min(iterations))? };
    let chart = if iterations > 0 { CHART } else { 0 };
    let panels = shown.panels();
    let height = height_of(&panels);
    drawing((WIDTH, HEADER + height + chart + FOOTER), |area| {
        write(area, &format!("How {} is solved", short(drawn.title)), (40, 44), TITLE, INK)?;
        write(area, &in_words(drawn), (40, 92), TEXT, FAINT_INK)?;
        let (views, rest) = area.split_vertically(HEADER).1.split_vertically(height);
        for (area, panel) in views.split_evenly((1, panels.len())).iter().zip(&panels) {
            write(area, panel.title, (40, 30), TEXT, INK)?;
            shown.draw_view(&canvas(area, &panel.bounds), &panel.view)?;
        }
        let (chart, footer) = rest.split_vertically(chart);
        if iterations > 0 {
            distances::draw(&chart, drawn)?;
        }
        legend().draw(&footer, 10)
    })
}

fn in_words(drawn: &SkeletonPicture) -> String {
    let SkeletonSolution { iterations, restarts, accelerated, residuals, .. } = drawn.solution;
    let met = residuals.iter().filter(|residual| residual.outcome == Outcome::Solved).count();
    let of = residuals.len();
    let (cycles, again) = (count(*iterations, "iteration"), count(*restarts, "restart"));
    format!("{met} of {} met after {cycles}, {accelerated} of them accelerated, and {again}", count(of, "target"))
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The height at which views of the same size fill the width of their panels, within bounds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within bounds")]
fn height_of(panels: &[Panel]) -> u32 {
    let width = f64::from(WIDTH / u32::try_from(panels.len()).unwrap_or(1)) - f64::from(2 * SIDE);
    let size = panels[0].bounds.size;
    let height = (width * size.y / size.x).clamp(HEIGHTS[0], HEIGHTS[1]);
    height as u32 + (TOP + BOTTOM).unsigned_abs()
}

fn legend() -> Legend {
    let names = [
        ("before", SEED),
        ("forward passes", FORWARD),
        ("backward passes", BACKWARD),
        ("solution", SOLUTION),
        ("target", TARGET),
        ("binding limit", limits::COLOUR),
    ];
    Legend::new(names.map(|(name, colour)| (name.to_owned(), Some(colour))).into(), 40, WIDTH - 40)
}

impl SkeletonViews<'_> {
    /// The plane of a planar skeleton; in space, where z is up, the two of three views with the largest bounds. All
    /// bounds have the same size \[m\], and so the same scale.
    fn panels(&self) -> Vec<Panel> {
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        let panel = |title, right, up| {
            let view = Projection { right, up };
            Panel { title, view, bounds: self.bounds(&view) }
        };
        let mut panels = if self.drawn.skeleton.is_planar() {
            vec![panel("", x, y)]
        } else {
            vec![panel("from the front", y, z), panel("from the right", x, z), panel("from above", -y, x)]
        };
        let area = |index: &usize| panels[*index].bounds.size.product();
        if let Some(smallest) = (0..panels.len()).min_by(|a, b| area(a).total_cmp(&area(b)))
            && panels.len() > 1
        {
            panels.remove(smallest);
        }
        let size = panels.iter().fold(Vector2::repeat(MIN_SIZE), |size, panel| size.sup(&panel.bounds.size));
        for panel in &mut panels {
            panel.bounds.size = size;
        }
        panels
    }

    /// The bounds of all configurations and targets in a view.
    fn bounds(&self, view: &Projection) -> CanvasBounds {
        let all =
            [self.drawn.problem.seed, &self.drawn.solution.configuration].into_iter().chain(self.cycles.as_flattened());
        let targets = self.drawn.problem.targets.iter().map(|target| &target.position);
        let points = all.flat_map(|configuration| &configuration.points).chain(targets);
        CanvasBounds::around(points.map(|point| view.place(point)))
    }

    fn draw_view(&self, canvas: &Canvas, view: &Projection) -> PlotResult {
        let SkeletonPicture { skeleton, problem, solution, .. } = self.drawn;
        let places = |configuration: &SkeletonConfiguration| view.places(&configuration.points);
        let (seed, colour) = (places(problem.seed), pale(SEED, 0.35));
        bones(canvas, &seed, &self.parents, colour, 6)?;
        joints(canvas, &seed, &self.parents, colour, 6)?;
        for (cycle, share) in self.cycles.iter().zip([0.45, 0.75]) {
            for (colour, configuration) in [FORWARD, BACKWARD].into_iter().zip(cycle) {
                bones(canvas, &places(configuration), &self.parents, pale(colour, share), 4)?;
            }
        }
        limits::draw(canvas, view, skeleton, &solution.configuration, &solution.limited)?;
        let points = places(&solution.configuration);
        bones(canvas, &points, &self.parents, SOLUTION, 8)?;
        joints(canvas, &points, &self.parents, SOLUTION, 8)?;
        if problem.root != Root::Free {
            root(canvas, points[0])?;
        }
        self.draw_targets(canvas, view, &points)
    }

    /// Draws targets with their names, and dashed lines from the points that should be there.
    fn draw_targets(&self, canvas: &Canvas, view: &Projection, points: &[CanvasPoint]) -> PlotResult {
        let mut names = PlacedNames::new(canvas, points);
        for SkeletonTarget { point, position, .. } in self.drawn.problem.targets {
            let at = view.place(position);
            canvas.draw(&DashedPathElement::new([points[*point], at], 14, 12, TARGET.stroke_width(3)))?;
            target(canvas, at)?;
            let name = short(&self.drawn.names[*point]);
            let offset = names.place(canvas.map_coordinate(&at), width_of(&name, LABEL));
            words(canvas, &name, at, offset, TARGET)?;
        }
        Ok(())
    }
}
