//! The picture of `urdf_ik evaluate`: the percentage of solved cases against the time of a solve.

use plotters::element::{PathElement, Polygon, Text};
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, VPos};
use urdf_ik_plot::{self as plot, Chart, ChartFrame, FAINT_INK, INK, PlotAxis, SERIES, SMALL, TEXT, TITLE};

use super::Result;

/// Width and height of the picture \[half pixels\].
const SIZE: (u32, u32) = (1280, 800);
/// Points of the curve. A step is at most half a pixel wide.
const POINTS: u32 = 1200;

/// The content of the picture.
pub struct Solved<'a> {
    /// The title: robot, solver and seeds.
    pub title: String,
    /// Times of the successful solves \[µs\], in ascending order.
    pub times: &'a [f64],
    /// Number of cases.
    pub cases: usize,
    /// Names and values \[µs\] of the median and of the 95th percentile over all cases.
    pub marks: [(&'static str, f64); 2],
}

impl Solved<'_> {
    /// The picture, as the text of an SVG file.
    ///
    /// # Errors
    /// A message if the picture cannot be drawn.
    pub fn svg(&self) -> Result<String> {
        plot::picture(SIZE, |area| {
            plot::write(area, &self.title, (40, 48), TITLE, INK)?;
            let solved = format!("{} of {} cases solved", self.times.len(), self.cases);
            plot::write(area, &solved, (40, 94), TEXT, FAINT_INK)?;
            let x = self.time_axis();
            let mut chart =
                ChartFrame { left: 140, right: 60, top: 130, bottom: 90 }.draw(area, x.clone(), share_axis())?;
            self.draw_curve(&mut chart, &x)?;
            self.draw_marks(&mut chart)
        })
    }

    /// An axis of decades from the fastest to the slowest solve; 0 is 1 µs.
    fn time_axis(&self) -> PlotAxis {
        let decade = |time: Option<f64>| time.unwrap_or(1.0).max(1e-3).log10();
        let slowest = self.marks.iter().map(|mark| mark.1).chain(self.times.last().copied()).reduce(f64::max);
        let from = decade(self.times.first().copied().or(slowest)).floor();
        let to = decade(slowest).ceil().max(from + 1.0);
        let whole = (0..32).map(|index| from + f64::from(index)).take_while(|at| *at <= to);
        let ticks = whole.map(|at| (at, time_in_words(10.0_f64.powf(at)))).collect();
        PlotAxis { from, to, ticks, name: "time of a solve".into() }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
    fn draw_curve(&self, chart: &mut Chart, x: &PlotAxis) -> Result {
        let curve: Vec<(f64, f64)> = (0..=POINTS)
            .map(|index| {
                let at = x.from + (x.to - x.from) * f64::from(index) / f64::from(POINTS);
                let count = self.times.partition_point(|time| time.log10() <= at);
                (at, 100.0 * count as f64 / self.cases as f64)
            })
            .collect();
        let curve = plot::straightened(&curve, 0.01);
        let below = [(x.from, 0.0)].into_iter().chain(curve.iter().copied()).chain([(x.to, 0.0)]);
        chart.draw_series([Polygon::new(below.collect::<Vec<_>>(), SERIES[0].mix(0.12))])?;
        chart.draw_series([PathElement::new(curve, SERIES[0].stroke_width(5))])?;
        Ok(())
    }

    fn draw_marks(&self, chart: &mut Chart) -> Result {
        for (row, (name, time)) in [10.0, 3.0].into_iter().zip(&self.marks) {
            let at = time.max(1e-3).log10();
            chart.draw_series([PathElement::new([(at, 0.0), (at, 100.0)], FAINT_INK.stroke_width(2))])?;
            let text = format!(" {name} {}", time_in_words(*time));
            chart.draw_series([Text::new(text, (at, row), plot::style(SMALL, INK, HPos::Left, VPos::Center))])?;
        }
        Ok(())
    }
}

fn share_axis() -> PlotAxis {
    let ticks = [0.0, 25.0, 50.0, 75.0, 100.0].map(|at| (at, format!("{at} %")));
    PlotAxis { from: 0.0, to: 102.0, ticks: ticks.into(), name: String::new() }
}

/// A time \[µs\] as text with a suitable unit.
fn time_in_words(time: f64) -> String {
    let (number, unit) = match time {
        _ if time >= 1e6 => (time / 1e6, "s"),
        _ if time >= 1e3 => (time / 1e3, "ms"),
        _ if time >= 1.0 => (time, "µs"),
        _ => (time * 1e3, "ns"),
    };
    let digits = usize::from(number < 10.0 && number.fract().abs() >= 1e-9);
    format!("{number:.digits$} {unit}")
}
