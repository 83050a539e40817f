//! The picture of `urdf_ik path`: quantities of the motion over their limits, and the limiting ones over time.

mod limiting;
mod ratios;

use plotters::element::{PathElement, Rectangle};
use plotters::style::{Color, RGBColor};
use urdf_ik::motion::{PathProblem, Timing, Trajectory};
use urdf_ik::robot::Chain;
use urdf_ik_plot::{
    self as plot, Chart, ChartFrame, FAINT_INK, INK, Legend, PlotArea, PlotAxis, QUIET, SERIES, SMALL, TEXT, TITLE,
};

use self::limiting::{Span, spans};
use self::ratios::{LimitRatio, LimitedQuantity, Owner, ratios};
use super::Result;

/// Width of the picture \[half pixels\].
const WIDTH: u32 = 1800;
/// Height of the title \[half pixels\].
const HEADER: u32 = 124;
/// Height of the strip with the limiting quantities \[half pixels\].
const STRIP: u32 = 76;
/// Height of a row \[half pixels\].
const ROW: u32 = 240;
/// Height of the time axis below the last row \[half pixels\].
const TIME_AXIS: u32 = 90;
/// Left margin of the rows, for labels \[half pixels\].
const LEFT: i32 = 290;
/// Right margin of the rows \[half pixels\].
const RIGHT: i32 = 40;
/// Smallest ratio that counts as being at the limit, where a curve is thick. The speed profile has a margin below 1.
const AT_LIMIT: f64 = 0.97;

/// The rows from top to bottom: name and quantities.
const ROWS: [(&str, &[LimitedQuantity]); 5] = [
    ("tip", &[LimitedQuantity::TipAcceleration, LimitedQuantity::TipSpeed]),
    ("position", &[LimitedQuantity::Position]),
    ("velocity", &[LimitedQuantity::Velocity]),
    ("acceleration", &[LimitedQuantity::Acceleration]),
    ("jerk", &[LimitedQuantity::Jerk]),
];

/// The content of the picture.
struct Picture<'a> {
    chain: &'a Chain,
    times: Vec<f64>,
    ratios: Vec<LimitRatio>,
    spans: Vec<Span>,
    /// The joints with a colour: the ones that come nearest to their limits, in the order of the chain.
    shown: Vec<usize>,
}

/// The picture of a trajectory, as the text of an SVG file; `None` without motion.
///
/// # Errors
/// A message if the picture cannot be drawn.
pub fn svg(chain: &Chain, problem: &PathProblem, timing: &Timing, trajectory: &Trajectory) -> Result<Option<String>> {
    if trajectory.points.len() < 2 {
        return Ok(None);
    }
    let times: Vec<f64> = trajectory.points.iter().map(|point| point.time).collect();
    let ratios = ratios(chain, problem, timing, trajectory);
    let (spans, shown) = (spans(&ratios, &times), nearest_to_limits(chain, &ratios));
    Picture { chain, times, ratios, spans, shown }.svg().map(Some)
}

/// The joints that come nearest to their limits, as many as there are colours.
fn nearest_to_limits(chain: &Chain, ratios: &[LimitRatio]) -> Vec<usize> {
    let nearness = |joint: usize| {
        let own = ratios.iter().filter(|ratio| ratio.owner == Owner::Joint(joint));
        own.map(LimitRatio::greatest).fold(0.0, f64::max)
    };
    let mut joints: Vec<usize> = (0..chain.variables().len()).collect();
    joints.sort_by(|&a, &b| nearness(b).total_cmp(&nearness(a)));
    joints.truncate(SERIES.len());
    joints.sort_unstable();
    joints
}

impl Picture<'_> {
    fn svg(&self) -> Result<String> {
        let legend = self.legend();
        let header = HEADER + legend.height();
        let rows = u32::try_from(ROWS.len())?;
        plot::picture((WIDTH, header + STRIP + rows * ROW + TIME_AXIS), |area| {
            let tip = plot::short(&self.chain.tips()[0].link);
            plot::write(area, &format!("A path of {tip} in {:.2} s", self.end()), (40, 48), TITLE, INK)?;
            plot::write(area, &limiting::sentence(&self.spans, self.chain), (40, 94), TEXT, FAINT_INK)?;
            legend.draw(area, i32::try_from(HEADER)?)?;
            let (_, area) = area.split_vertically(header);
            let (strip, mut rest) = area.split_vertically(STRIP);
            self.draw_strip(&strip)?;
            for (index, (name, quantities)) in ROWS.iter().enumerate() {
                let axis = if index + 1 == ROWS.len() { TIME_AXIS } else { 0 };
                let (row, below) = rest.split_vertically(ROW + axis);
                self.draw_row(&row, name, quantities, axis)?;
                rest = below;
            }
            Ok(())
        })
    }

    /// The joints and the tip, with their colours.
    fn legend(&self) -> Legend {
        let joint =
            |joint: &usize| (plot::short(&self.chain.variables()[*joint].name), self.colour(Owner::Joint(*joint)));
        let mut names: Vec<_> = self.shown.iter().map(joint).collect();
        names.extend([("speed of the tip".into(), Some(INK)), ("its acceleration".into(), Some(FAINT_INK))]);
        let others = self.chain.variables().len() - self.shown.len();
        if others > 0 {
            names.push((format!("not shown: {others} joints that stay farther from their limits"), None));
        }
        Legend::new(names, 40, WIDTH)
    }

    /// Draws the limiting quantities over time, in the colours of their owners.
    fn draw_strip(&self, area: &PlotArea) -> Result {
        let width = f64::from(WIDTH) - f64::from(LEFT + RIGHT);
        #[expect(clippy::cast_possible_truncation, reason = "inside the picture")]
        let x = |time: f64| LEFT + (time / self.end() * width) as i32;
        let (top, bottom) = (18, 58);
        plot::write(area, "limited by", (40, 38), SMALL, INK)?;
        area.draw(&Rectangle::new([(LEFT, top), (x(self.end()), bottom)], QUIET.filled()))?;
        for span in &self.spans {
            let (from, to) = (x(span.from), x(span.to));
            let colour = self.colour(span.owner).unwrap_or(FAINT_INK);
            area.draw(&Rectangle::new([(from, top), (to, bottom)], colour.filled()))?;
            let text = limiting::short_name(span.quantity);
            let room = to - from - plot::width_of(text, SMALL);
            if room > 12 {
                plot::write(area, text, (from + room / 2, 38), SMALL, plot::on(colour))?;
            }
        }
        Ok(())
    }

    fn draw_row(&self, area: &PlotArea, name: &str, quantities: &[LimitedQuantity], time_axis: u32) -> Result {
        let x = PlotAxis::even(0.0, self.end(), 10.0, "time [s]");
        let ticks = [-1.0, 0.0, 1.0].map(|at| (at, format!("{} %", 100.0 * at)));
        let y = PlotAxis { from: -1.2, to: 1.2, ticks: ticks.into(), name: name.into() };
        let bottom = i32::try_from(time_axis)?;
        let mut chart = ChartFrame { left: LEFT, right: RIGHT, top: 20, bottom }.draw(area, x, y)?;
        for limit in [-1.0, 1.0] {
            chart.draw_series([PathElement::new([(0.0, limit), (self.end(), limit)], FAINT_INK.stroke_width(2))])?;
        }
        for quantity in quantities {
            for ratio in self.ratios.iter().filter(|ratio| ratio.quantity == *quantity) {
                self.draw_ratio(&mut chart, ratio)?;
            }
        }
        Ok(())
    }

    /// Draws a curve, thick where it is at its limit.
    fn draw_ratio(&self, chart: &mut Chart, ratio: &LimitRatio) -> Result {
        let colour = match (self.colour(ratio.owner), ratio.quantity) {
            (_, LimitedQuantity::TipAcceleration) => FAINT_INK,
            (Some(colour), _) => colour,
            (None, _) => return Ok(()),
        };
        let points: Vec<(f64, f64)> = self.times.iter().copied().zip(ratio.values.iter().copied()).collect();
        let mut draw = |points: &[(f64, f64)], width: u32| {
            let line = PathElement::new(plot::straightened(points, 0.005), colour.stroke_width(width));
            chart.draw_series([line]).map(|_| ())
        };
        draw(&points, 4)?;
        let is_at_limit = |point: &(f64, f64)| point.1.abs() >= AT_LIMIT;
        for run in points.chunk_by(|a, b| is_at_limit(a) == is_at_limit(b)).filter(|run| is_at_limit(&run[0])) {
            draw(run, 10)?;
        }
        Ok(())
    }

    /// The colour of a curve; `None` for joints without a colour.
    fn colour(&self, owner: Owner) -> Option<RGBColor> {
        match owner {
            Owner::Tip => Some(INK),
            Owner::Joint(joint) => self.shown.iter().position(|shown| *shown == joint).map(|place| SERIES[place]),
        }
    }

    fn end(&self) -> f64 {
        self.times[self.times.len() - 1]
    }
}
