//! The picture of a reach: a vertical and a horizontal cut, with the arm.

use nalgebra::{Point3, Vector3};
use plotters::element::{Circle, PathElement, Rectangle};
use plotters::style::{Color, RGBColor, ShapeStyle};
use urdf_ik_plot::{
    self as plot, Chart, ChartFrame, FAINT_INK, INK, PlotArea, PlotAxis, SMALL, TEXT, TITLE, share_colour,
};

use super::grid::whole;
use super::map::ReachMap;
use crate::Result;

/// Width of the picture \[half pixels\].
const WIDTH: u32 = 1700;
/// Height of the title \[half pixels\].
const HEADER: u32 = 130;
/// Height of the colour scale \[half pixels\].
const FOOTER: u32 = 110;
/// Margins of each cut for its axes.
const FRAME: ChartFrame = ChartFrame { left: 180, right: 20, top: 70, bottom: 90 };
/// Steps of the colour scale, few enough to be distinct.
const STEPS: u8 = 10;
/// Names of the axes.
const NAMES: [&str; 3] = ["x", "y", "z"];

/// A cut: a layer of voxels. The fields are indices of axes.
struct Cut {
    right: usize,
    up: usize,
    across: usize,
}

/// The vertical cut (x and z) and the horizontal one (x and y).
const CUTS: [Cut; 2] = [Cut { right: 0, up: 2, across: 1 }, Cut { right: 0, up: 1, across: 2 }];

/// The content of the picture.
pub struct Slices<'a> {
    pub map: &'a ReachMap,
    /// A point of both cuts \[m\], in the base link's frame.
    pub centre: Point3<f64>,
    /// The arm as points \[m\] in the base link's frame: the tip link, the joints, and the base link last.
    pub arm: &'a [Point3<f64>],
}

impl Slices<'_> {
    /// The picture, as the text of an SVG file.
    ///
    /// # Errors
    /// A message if the picture cannot be drawn.
    pub fn svg(&self) -> Result<String> {
        let extent = self.extent();
        let across: i32 = CUTS.iter().map(|cut| extent.size(cut.right)).sum();
        let up = CUTS.iter().map(|cut| extent.size(cut.up)).max().unwrap_or(1);
        let frames = i32::try_from(CUTS.len())? * (FRAME.left + FRAME.right);
        // Half pixels of one voxel.
        let scale = (f64::from(WIDTH) - f64::from(frames)) / f64::from(across);
        let height = pixels(f64::from(up) * scale) + u32::try_from(FRAME.top + FRAME.bottom)?;
        plot::picture((WIDTH, HEADER + height + FOOTER), |area| {
            let title = format!("Reach of {} from {}", plot::short(&self.map.tip), plot::short(&self.map.base));
            plot::write(area, &title, (40, 48), TITLE, INK)?;
            plot::write(area, &self.in_words(), (40, 96), TEXT, FAINT_INK)?;
            let (_, rest) = area.split_vertically(HEADER);
            let (mut rest, footer) = rest.split_vertically(height);
            for cut in &CUTS {
                let width = pixels(f64::from(extent.size(cut.right)) * scale);
                let (panel, others) = rest.split_horizontally(width + u32::try_from(FRAME.left + FRAME.right)?);
                self.draw_cut(&panel, cut, &extent, up, 2.0 * self.map.grid.voxel / scale)?;
                rest = others;
            }
            draw_scale(&footer)
        })
    }

    fn in_words(&self) -> String {
        let (summary, voxel, orientations) = (self.map.summary(), self.map.grid.voxel, self.map.orientations);
        let (volume, percent) = (summary.volume, 100.0 * summary.mean_fraction);
        format!(
            "{volume:.2} m³ in voxels of {voxel} m, with {orientations} orientations each, of which {percent:.0} % can be reached"
        )
    }

    /// The extent of the reachable voxels, or of all if none is reachable.
    fn extent(&self) -> Extent {
        let reachable = self.map.reachable().map(|(voxel, _)| voxel);
        Extent::of(reachable).or_else(|| Extent::of(self.map.grid.voxels.iter())).unwrap_or_default()
    }

    fn draw_cut(&self, area: &PlotArea, cut: &Cut, extent: &Extent, height: i32, pixel: f64) -> Result {
        let voxel = self.map.grid.voxel;
        let layer = whole(self.centre[cut.across] / voxel);
        let axis = |axis: usize, size: i32| {
            let middle = 0.5 * f64::from(extent.lower[axis] + extent.upper[axis]) * voxel;
            let half = 0.5 * f64::from(size) * voxel;
            PlotAxis::even(middle - half, middle + half, 5.0, &format!("{} [m]", NAMES[axis]))
        };
        let title = format!("cut at {} = {:.2} m", NAMES[cut.across], f64::from(layer) * voxel);
        plot::write(area, &title, (FRAME.left, 34), TEXT, INK)?;
        let x = axis(cut.right, extent.size(cut.right));
        let mut chart = FRAME.draw(area, x, axis(cut.up, height))?;
        self.draw_voxels(&mut chart, cut, layer, pixel)?;
        self.draw_arm(&mut chart, cut)
    }

    /// Draws the voxels of a layer in runs of one colour. They overlap by a `pixel` \[m\] to leave no gaps.
    fn draw_voxels(&self, chart: &mut Chart, cut: &Cut, layer: i32, pixel: f64) -> Result {
        let mut cells: Vec<(i32, i32, u8)> = self
            .map
            .reachable()
            .filter(|(voxel, _)| voxel[cut.across] == layer)
            .map(|(voxel, fraction)| (voxel[cut.up], voxel[cut.right], step(fraction)))
            .collect();
        cells.sort_unstable();
        let voxel = self.map.grid.voxel;
        let edge = |at: i32, side: f64| (f64::from(at) + side) * voxel;
        for row in cells.chunk_by(|a, b| (a.0, a.1 + 1, a.2) == *b) {
            let (first, last) = (row[0], row[row.len() - 1]);
            let (left, right) = (edge(first.1, -0.5), edge(last.1, 0.5) + pixel);
            let corners = [(left, edge(first.0, 0.5)), (right, edge(first.0, -0.5) - pixel)];
            chart.draw_series([Rectangle::new(corners, step_colour(first.2).filled())])?;
        }
        Ok(())
    }

    fn draw_arm(&self, chart: &mut Chart, cut: &Cut) -> Result {
        let points: Vec<(f64, f64)> = self.arm.iter().map(|point| (point[cut.right], point[cut.up])).collect();
        for (colour, width, radius) in [(RGBColor(255, 255, 255), 14, 11), (INK, 6, 7)] {
            let style: ShapeStyle = colour.stroke_width(width);
            chart.draw_series([PathElement::new(points.clone(), style)])?;
            chart.draw_series(points.iter().map(|point| Circle::new(*point, radius, colour.filled())))?;
        }
        Ok(())
    }
}

/// The range of voxels along each axis.
#[derive(Default)]
struct Extent {
    lower: Vector3<i32>,
    upper: Vector3<i32>,
}

impl Extent {
    fn of<'a>(voxels: impl Iterator<Item = &'a Vector3<i32>>) -> Option<Self> {
        let one = |voxel: &Vector3<i32>| Self { lower: *voxel, upper: *voxel };
        voxels.map(one).reduce(|a, b| Self { lower: a.lower.inf(&b.lower), upper: a.upper.sup(&b.upper) })
    }

    /// Number of voxels along an axis, with one more at each end.
    fn size(&self, axis: usize) -> i32 {
        self.upper[axis] - self.lower[axis] + 3
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the picture")]
fn pixels(length: f64) -> u32 {
    length.round() as u32
}

/// Draws the colour scale.
fn draw_scale(area: &PlotArea) -> Result {
    /// Width of a colour \[half pixels\].
    const CELL: i32 = 60;
    let text = "orientations that can be reached";
    plot::write(area, text, (FRAME.left, 30), SMALL, INK)?;
    let left = FRAME.left + plot::width_of(text, SMALL) + 30;
    for step in 1..=STEPS {
        let x = left + CELL * i32::from(step - 1);
        area.draw(&Rectangle::new([(x, 14), (x + CELL, 46)], step_colour(step).filled()))?;
        let label = format!("{} %", 100 / u32::from(STEPS) * u32::from(step));
        if step % 2 == 0 {
            plot::write(area, &label, (x + CELL - plot::width_of(&label, SMALL) / 2, 68), SMALL, FAINT_INK)?;
        }
    }
    Ok(())
}

/// The step of the colour scale for a fraction above 0: 1 up to a tenth, and so on.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 10")]
fn step(fraction: f64) -> u8 {
    // A fraction of exactly three tenths belongs to the third step in spite of rounding.
    ((fraction * f64::from(STEPS) - 1e-9).ceil() as u8).clamp(1, STEPS)
}

fn step_colour(step: u8) -> RGBColor {
    share_colour(f64::from(step - 1) / f64::from(STEPS - 1))
}
