//! The picture of `urdf_ik skeleton`: the passes of the first cycles, the solution, and the limits that bind.

mod distances;
mod limits;

use nalgebra::{Point2, Vector2, Vector3};
use plotters::style::RGBColor;
use urdf_ik::nalgebra;
use urdf_ik::skeleton::{Configuration, Problem, Skeleton, Solution};

use crate::Failure;
use crate::figures::cycles::{Cycle, record};
use crate::plot::{self, Area, Bones, Bounds, Canvas, FAINT_INK, INK, Legend, Margins, Pen, SERIES, TEXT, TITLE, View};

const WIDTH: u32 = 1400;
/// Room for the title, for the views, for the chart and for the legend [half pixels].
const HEADER: u32 = 120;
const VIEWS: u32 = 800;
const CHART: u32 = 420;
const FOOTER: u32 = 110;
/// Cycles whose passes are drawn.
const CYCLES: usize = 3;
/// Smallest size of what is drawn [m].
const LEAST_SIZE: f64 = 1e-6;

const SEED: RGBColor = FAINT_INK;
const FORWARD: RGBColor = SERIES[1];
const BACKWARD: RGBColor = SERIES[5];
const SOLUTION: RGBColor = SERIES[0];
const LIMIT: RGBColor = SERIES[4];

/// A solve, and what it is called.
pub struct Drawn<'a> {
    /// Name of the skeleton.
    pub title: &'a str,
    /// Names of its n + 1 points, the root first.
    pub names: &'a [String],
    pub skeleton: &'a Skeleton,
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
pub fn draw(drawn: &Drawn) -> Result<String, Failure> {
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
    plot::drawing((WIDTH, HEADER + VIEWS + chart + FOOTER), |area| {
        plot::write(area, &format!("How {} is solved", plot::short(drawn.title)), (40, 44), TITLE, INK)?;
        plot::write(area, &in_words(drawn), (40, 92), TEXT, FAINT_INK)?;
        let (views, rest) = area.split_vertically(HEADER).1.split_vertically(VIEWS);
        shown.draw_views(&views)?;
        let (chart, footer) = rest.split_vertically(chart);
        if is_moved {
            distances::draw(&chart, drawn)?;
        }
        legend().draw(&footer, 10)
    })
}

fn in_words(drawn: &Drawn) -> String {
    let Solution { iterations, restarts, accelerated, residuals, .. } = drawn.solution;
    let met = residuals.iter().filter(|residual| residual.outcome == urdf_ik::skeleton::Outcome::Solved).count();
    let of = residuals.len();
    let (cycles, again) = (count(*iterations, "iteration"), count(*restarts, "restart"));
    format!("{met} of {} met after {cycles}, {accelerated} of them accelerated, and {again}", count(of, "target"))
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn legend() -> Legend {
    let names = [
        ("before", SEED),
        ("after forward passes", FORWARD),
        ("after backward passes", BACKWARD),
        ("solution", SOLUTION),
        ("target", plot::TARGET),
        ("limit that binds", LIMIT),
    ];
    Legend::new(names.map(|(name, colour)| (name.to_owned(), Some(colour))).into(), 40, WIDTH - 40)
}

impl Shown<'_> {
    /// One view of a skeleton in the plane; of one in space, where z is up, that from the front and that from its right.
    fn draw_views(&self, area: &Area) -> Result<(), Failure> {
        if self.drawn.skeleton.is_planar() {
            let view = View::plane();
            return self.draw_view(area, &view, &self.bounds(&view));
        }
        let front = ("from the front", View::from(&Vector3::x(), &Vector3::z()));
        let side = ("from the right", View::from(&-Vector3::y(), &Vector3::z()));
        let bounds = [front.1, side.1].map(|view| self.bounds(&view));
        // One scale for both.
        let size = bounds[0].size().sup(&bounds[1].size());
        let (left, right) = area.split_horizontally(WIDTH / 2);
        for ((panel, (name, view)), bounds) in [left, right].iter().zip([front, side]).zip(bounds) {
            plot::write(panel, name, (40, 30), TEXT, INK)?;
            self.draw_view(panel, &view, &bounds.sized(size))?;
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
        bounds.sized(bounds.size().sup(&Vector2::repeat(LEAST_SIZE)))
    }

    fn draw_view(&self, area: &Area, view: &View, bounds: &Bounds) -> Result<(), Failure> {
        let canvas = Canvas::new(area, Margins { top: 80, side: 90, bottom: 40 }, bounds);
        let flat = |configuration: &Configuration| view.points(&configuration.points);
        let Drawn { problem, solution, .. } = self.drawn;
        Bones::new(SEED).pale(0.35).thin(6).draw(&canvas, &flat(problem.seed), &self.parents)?;
        for (cycle, share) in self.cycles.iter().zip([0.35, 0.55, 0.75]) {
            for (colour, configuration) in [(FORWARD, &cycle.forward), (BACKWARD, &cycle.backward)] {
                let bones = Bones::new(colour).pale(share).thin(4);
                bones.draw_lines(&canvas, &flat(configuration), &self.parents)?;
            }
        }
        limits::draw(&canvas, view, self.drawn)?;
        let points = flat(&solution.configuration);
        Bones::new(SOLUTION).thin(8).draw(&canvas, &points, &self.parents)?;
        for limited in limits::binding(self.drawn) {
            canvas.ring(&points[self.parents[limited]], 13, Pen::new(LIMIT, 5))?;
        }
        plot::root(&canvas, &points[0])?;
        self.draw_targets(&canvas, view, &points)
    }

    /// Targets by name, and what is left to them.
    fn draw_targets(&self, canvas: &Canvas, view: &View, points: &[Point2<f64>]) -> Result<(), Failure> {
        let middle = canvas.pixel(&nalgebra::center(&Bounds::around(points.iter().copied()).lower, &points[0])).0;
        for target in self.drawn.problem.targets {
            let at = view.point(&target.position);
            canvas.line(&[points[target.point], at], Pen::new(plot::TARGET, 3).dashed())?;
            plot::target(canvas, &at)?;
            let name = plot::short(&self.drawn.names[target.point]);
            let away = if canvas.pixel(&at).0 < middle { -1 } else { 1 };
            let half = plot::width_of(&name, plot::LABEL) / 2;
            plot::words(canvas, &name, &at, (away * (half + 28), 0), plot::TARGET)?;
        }
        Ok(())
    }
}
