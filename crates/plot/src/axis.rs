//! Charts with two axes.

use std::ops::Range;

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::{Cartesian2d, Color, SVGBackend};
use plotters::style::text_anchor::{HPos, VPos};

use super::{FAINT_INK, GRID, INK, PlotArea, SMALL, style, write};
use crate::PlotResult;

/// A chart whose coordinates are in the units of its axes.
pub type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<PlotAxis, PlotAxis>>;

/// An axis with its ticks.
#[derive(Clone)]
pub struct PlotAxis {
    /// Lower end, in the unit of the axis.
    pub from: f64,
    /// Upper end, in the unit of the axis.
    pub to: f64,
    /// Position of each tick, in the unit of the axis, and its label.
    pub ticks: Vec<(f64, String)>,
    /// Name of the quantity with its unit; may be empty.
    pub name: String,
}

impl PlotAxis {
    /// An axis from `from` to `to` with about `about` ticks, at multiples of 1, 2 or 5 times a power of ten.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of digits")]
    pub fn even(from: f64, to: f64, about: f64, name: &str) -> Self {
        let rough = (to - from) / about;
        let decade = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * decade >= rough).unwrap_or(10.0) * decade;
        let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let first = (from / step).ceil();
        let at = (0..).map(|index| (first + f64::from(index)) * step);
        // Not "-0".
        let ticks = at.take_while(|at| *at <= to + 1e-9 * step).map(|at| (at, format!("{:.digits$}", at + 0.0)));
        Self { from, to, ticks: ticks.take(100).collect(), name: name.to_owned() }
    }
}

impl Ranged for PlotAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    #[expect(clippy::cast_possible_truncation, reason = "inside the picture")]
    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let part = (value - self.from) / (self.to - self.from);
        first + (part * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // plotters calls this for light grid lines, then for bold ones.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.iter().map(|(at, _)| *at).collect() }
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for PlotAxis {
    fn format_ext(&self, at: &f64) -> String {
        self.ticks.iter().find(|(tick, _)| tick == at).map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// Left end of the name of the vertical axis \[half pixels\].
const NAME_LEFT: i32 = 40;

/// Margins of a chart around its plotting area \[half pixels\].
pub struct ChartFrame {
    /// Left margin, with the labels of the vertical axis.
    pub left: i32,
    /// Right margin.
    pub right: i32,
    /// Top margin.
    pub top: i32,
    /// Bottom margin, with the labels of the horizontal axis.
    pub bottom: i32,
}

impl ChartFrame {
    /// Draws the grid and the labels of both axes in `area`. Returns the chart for drawing data.
    ///
    /// # Errors
    /// An error of plotters if drawing fails.
    pub fn draw<'a, 'b>(&self, area: &'a PlotArea<'b>, x: PlotAxis, y: PlotAxis) -> PlotResult<Chart<'a, 'b>> {
        let x_name = x.name.clone();
        // plotters would rotate the name.
        let middle = (self.top + i32::try_from(area.dim_in_pixel().1)? - self.bottom) / 2;
        write(area, &y.name, (NAME_LEFT, middle), SMALL, INK)?;
        let mut chart = ChartBuilder::on(area)
            .margin_top(self.top)
            .margin_right(self.right)
            .set_label_area_size(LabelAreaPosition::Left, self.left)
            .set_label_area_size(LabelAreaPosition::Bottom, self.bottom)
            .build_cartesian_2d(x, y)?;
        let label = |horizontal, vertical| style(SMALL, FAINT_INK, horizontal, vertical);
        chart
            .configure_mesh()
            .bold_line_style(GRID.stroke_width(2))
            .axis_style(GRID.stroke_width(2))
            .x_label_style(label(HPos::Center, VPos::Top))
            .y_label_style(label(HPos::Right, VPos::Center))
            .axis_desc_style(style(SMALL, INK, HPos::Center, VPos::Center))
            .set_all_tick_mark_size(8)
            .x_desc(x_name)
            .draw()?;
        Ok(chart)
    }
}
