//! Axes, and the frame that two of them make.

use std::ops::Range;

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::{Cartesian2d, Color, SVGBackend};
use plotters::style::text_anchor::{HPos, VPos};

use super::{Area, FAINT_INK, GRID, INK, SMALL, style, write};
use crate::Result;

/// A frame to draw in, in the units of its axes.
pub type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// An axis: its ends, and where it has lines, with what is written there.
#[derive(Clone)]
pub struct Axis {
    /// Its lower end.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
    /// Where it has lines, and what is written there.
    pub ticks: Vec<(f64, String)>,
    /// What it shows, with the unit; may be empty.
    pub name: String,
}

impl Axis {
    /// An axis with some `about` lines at even numbers.
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

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    #[expect(clippy::cast_possible_truncation, reason = "inside the picture")]
    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let part = (value - self.from) / (self.to - self.from);
        first + (part * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // plotters asks twice: for all lines in a light style, then for the bold ones.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.iter().map(|(at, _)| *at).collect() }
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, at: &f64) -> String {
        self.ticks.iter().find(|(tick, _)| tick == at).map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// Where the name of the upright axis begins.
const NAME_LEFT: i32 = 40;

/// Room around what is drawn in a frame \[half pixels\].
pub struct Frame {
    /// With the labels of the upright axis.
    pub left: i32,
    /// Without labels.
    pub right: i32,
    /// Without labels.
    pub top: i32,
    /// With the labels of the other axis.
    pub bottom: i32,
}

impl Frame {
    /// Draws the lines and the labels of two axes.
    pub fn draw<'a, 'b>(&self, area: &'a Area<'b>, x: Axis, y: Axis) -> Result<Chart<'a, 'b>> {
        let x_name = x.name.clone();
        // Upright, which is easier to read than what plotters would write.
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
