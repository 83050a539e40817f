//! The picture of `urdf_ik skeleton`: the passes of the first cycles, the solution, and the limits that bind.

pub mod cycles;
mod distances;
pub mod limits;
mod names;

use nalgebra::{Point2, Vector2, Vector3};
use plotters::style::RGBColor;
use urdf_ik_skeleton::{Configuration, Outcome, Problem, Root, Skeleton, Solution};

use self::cycles::{Cycle, record};
use self::names::Names;
use crate::{
    self as plot, Area, Bones, Bounds, Canvas, FAINT_INK, INK, Legend, Margins, Pen, Result, SERIES, TEXT, TITLE, View,
};

/// Width of the picture \[half pixels\].
const WIDTH: u32 = 1400;
/// Room for the title \[half pixels\].
const HEADER: u32 = 120;
/// Room for the chart \[half pixels\].
const CHART: u32 = 420;
/// Room for the legend \[half pixels\].
const FOOTER: u32 = 110;
/// Room around a skeleton for words \[half pixels\].
const MARGINS: Margins = Margins { top: 80, side: 120, bottom: 40 };
/// Heights of the views without their margins \[half pixels\].
const HEIGHTS: [f64; 2] = [240.0, 720.0];
/// Cycles whose passes are drawn.
const CYCLES: usize = 2;
/// Smallest size of what is drawn \[m\].
const MIN_SIZE: f64 = 1e-6;

/// Colour of the figure where it starts.
const SEED: RGBColor = FAINT_INK;
/// Colour of forward passes.
const FORWARD: RGBColor = SERIES[1];
/// Colour of backward passes.
const BACKWARD: RGBColor = SERIES[5];
/// Colour of the solution.
const SOLUTION: RGBColor = SERIES[0];

/// A solve, and what it is called.
pub struct Drawn<'a> {
    /// Name of the skeleton.
    pub title: &'a str,
    /// Names of its n + 1 points, the root first.
    pub names: &'a [String],
    /// What is moved.
    pub skeleton: &'a Skeleton,
    /// Where its points are to be.
    pub problem: &'a Problem<'a>,
    /// The answer to the problem.
    pub solution: &'a Solution,
}

/// What all views show.
struct Shown<'a> {
    drawn: &'a Drawn<'a>,
    parents: Vec<usize>,
    cycles: Vec<Cycle>,
}

/// The picture, as SVG.
pub fn draw(drawn: &Drawn) -> Result<String> {
    let segments = (0..).map_while(|segment| drawn.skeleton.segment(segment));
    let parents = segments.map(|segment| segment.parent).collect();
    let is_moved = drawn.solution.iterations > 0;
    let cycles = if is_moved {
        record(drawn.skeleton, drawn.problem, |cycles| cycles.len() == CYCLES.min(drawn.solution.iterations))?
    } else {
        Vec::new()
    };
    let shown = Shown { drawn, parents, cycles };
    let chart = if is_moved { CHART } else { 0 };
    let views = shown.views();
    let height = height_of(&views);
    plot::drawing((WIDTH, HEADER + height + chart + FOOTER), |area| {
        plot::write(area, &format!("How {} is solved", plot::short(drawn.title)), (40, 44), TITLE, INK)?;
        plot::write(area, &in_words(drawn), (40, 92), TEXT, FAINT_INK)?;
        let (panels, rest) = area.split_vertically(HEADER).1.split_vertically(height);
        shown.draw_views(&panels, &views)?;
        let (chart, footer) = rest.split_vertically(chart);
        if is_moved {
            distances::draw(&chart, drawn)?;
        }
        legend().draw(&footer, 10)
    })
}

fn in_words(drawn: &Drawn) -> String {
    let Solution { iterations, restarts, accelerated, residuals, .. } = drawn.solution;
    let met = residuals.iter().filter(|residual| residual.outcome == Outcome::Solved).count();
    let of = residuals.len();
    let (cycles, again) = (count(*iterations, "iteration"), count(*restarts, "restart"));
    format!("{met} of {} met after {cycles}, {accelerated} of them accelerated, and {again}", count(of, "target"))
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The height at which views fill the width of their panels, within bounds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within bounds")]
fn height_of(views: &[(&'static str, View, Bounds)]) -> u32 {
    let panels = u32::try_from(views.len()).unwrap_or(1);
    let width = f64::from(WIDTH / panels) - f64::from(2 * MARGINS.side);
    let size = views.iter().fold(Vector2::zeros(), |size, (.., bounds)| bounds.size().sup(&size));
    let height = (width * size.y / size.x).clamp(HEIGHTS[0], HEIGHTS[1]);
    height as u32 + (MARGINS.top + MARGINS.bottom).unsigned_abs()
}

fn legend() -> Legend {
    let names = [
        ("before", SEED),
        ("forward passes", FORWARD),
        ("backward passes", BACKWARD),
        ("solution", SOLUTION),
        ("target", plot::TARGET),
        ("binding limit", limits::COLOUR),
    ];
    Legend::new(names.map(|(name, colour)| (name.to_owned(), Some(colour))).into(), 40, WIDTH - 40)
}

impl Shown<'_> {
    /// The views with the most to see: of a skeleton in the plane its plane, of one in space, where z is up, two of three. All have the
    /// same size \[m\], and so the same scale.
    fn views(&self) -> Vec<(&'static str, View, Bounds)> {
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        let mut views = if self.drawn.skeleton.is_planar() {
            vec![("", View::plane())]
        } else {
            vec![
                ("from the front", View::from(&x, &z)),
                ("from the right", View::from(&-y, &z)),
                ("from above", View::from(&z, &x)),
            ]
        };
        let area = |view: &View| self.bounds(view).size().product();
        if let Some(least) = (0..views.len()).min_by(|&a, &b| area(&views[a].1).total_cmp(&area(&views[b].1)))
            && views.len() > 1
        {
            views.remove(least);
        }
        let bounds: Vec<_> = views.iter().map(|(_, view)| self.bounds(view)).collect();
        let size = bounds.iter().fold(Vector2::zeros(), |size, bounds| bounds.size().sup(&size));
        views.into_iter().zip(bounds).map(|((name, view), bounds)| (name, view, bounds.sized(size))).collect()
    }

    fn draw_views(&self, area: &Area, views: &[(&'static str, View, Bounds)]) -> Result {
        for (panel, (name, view, bounds)) in area.split_evenly((1, views.len())).iter().zip(views) {
            plot::write(panel, name, (40, 30), TEXT, INK)?;
            self.draw_view(panel, view, bounds)?;
        }
        Ok(())
    }

    /// Every configuration that is drawn.
    fn configurations(&self) -> impl Iterator<Item = &Configuration> {
        let passes = self.cycles.iter().flat_map(|cycle| [&cycle.forward, &cycle.backward]);
        [self.drawn.problem.seed, &self.drawn.solution.configuration].into_iter().chain(passes)
    }

    fn bounds(&self, view: &View) -> Bounds {
        let points = self.configurations().flat_map(|configuration| &configuration.points);
        let targets = self.drawn.problem.targets.iter().map(|target| &target.position);
        let bounds = Bounds::around(points.chain(targets).map(|point| view.point(point)));
        bounds.sized(bounds.size().sup(&Vector2::repeat(MIN_SIZE)))
    }

    fn draw_view(&self, area: &Area, view: &View, bounds: &Bounds) -> Result {
        let canvas = Canvas::new(area, MARGINS, bounds);
        let flat = |configuration: &Configuration| view.points(&configuration.points);
        let Drawn { skeleton, problem, solution, .. } = self.drawn;
        Bones::new(SEED).pale(0.35).thin(6).draw(&canvas, &flat(problem.seed), &self.parents)?;
        for (cycle, share) in self.cycles.iter().zip([0.45, 0.75]) {
            for (colour, configuration) in [(FORWARD, &cycle.forward), (BACKWARD, &cycle.backward)] {
                let bones = Bones::new(colour).pale(share).thin(4);
                bones.draw_lines(&canvas, &flat(configuration), &self.parents)?;
            }
        }
        let limited = limits::binding(skeleton, &solution.limited);
        limits::draw(&canvas, view, skeleton, &solution.configuration, &limited)?;
        let points = flat(&solution.configuration);
        Bones::new(SOLUTION).thin(8).draw(&canvas, &points, &self.parents)?;
        if problem.root != Root::Free {
            plot::root(&canvas, &points[0])?;
        }
        self.draw_targets(&canvas, view, &points)
    }

    /// Targets by name, and what is left to them.
    fn draw_targets(&self, canvas: &Canvas, view: &View, points: &[Point2<f64>]) -> Result {
        let root = canvas.pixel(&points[0]).0;
        let mut names = Names::new(canvas, points);
        for target in self.drawn.problem.targets {
            let at = view.point(&target.position);
            canvas.line(&[points[target.point], at], Pen::new(plot::TARGET, 3).dashed())?;
            plot::target(canvas, &at)?;
            let name = plot::short(&self.drawn.names[target.point]);
            let offset = names.place(canvas.pixel(&at), plot::width_of(&name, plot::LABEL), root);
            plot::words(canvas, &name, &at, offset, plot::TARGET)?;
        }
        Ok(())
    }
}
