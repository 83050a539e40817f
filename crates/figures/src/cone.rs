//! An irregular cone of four angles, in space and as a chart of its quadrants.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Point2, Point3, Vector3};
use plotters::style::{Color, RGBColor};
use urdf_ik::skeleton::Cone;
use urdf_ik_plot::{self as plot, Area, Bones, Bounds, Canvas, FAINT_INK, GRID, INK, Margins, Pen, SERIES, View};

use crate::Result;

/// The four angles of a shoulder [degrees].
const DEGREES: [(&str, f64, f64); 4] =
    [("left", 70.0, 0.0), ("up", 60.0, 90.0), ("right", 30.0, 180.0), ("down", 40.0, 270.0)];
/// Colours of the quadrants.
const COLOURS: [RGBColor; 4] = [SERIES[0], SERIES[2], SERIES[1], SERIES[4]];
/// Directions that are asked for: polar angle and azimuth [degrees].
const WANTED: [[f64; 2]; 6] = [[88.0, 40.0], [35.0, 60.0], [80.0, 130.0], [52.0, 205.0], [66.0, 305.0], [25.0, 330.0]];

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    let [left, up, right, down] = DEGREES.map(|(_, angle, _)| angle.to_radians());
    let cone = Cone { up, down, left, right };
    plot::drawing((1400, 860), |area| {
        let (space, chart) = area.split_horizontally(660);
        draw_space(&space, &cone)?;
        draw_chart(&chart, &cone)
    })
}

/// A direction by its angles \[rad\].
fn direction(polar: f64, azimuth: f64) -> Vector3<f64> {
    Vector3::new(polar.cos(), polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin())
}

/// The azimuths of a quadrant \[rad\].
fn quadrant(index: u8) -> impl Iterator<Item = f64> {
    (0..=24).map(move |step| FRAC_PI_2 * (f64::from(index) + f64::from(step) / 24.0))
}

fn draw_space(area: &Area, cone: &Cone) -> Result {
    plot::caption(area, (30, 44), "the directions that a joint allows", &[])?;
    let view = View::from(&Vector3::new(0.8, -0.75, 0.45), &Vector3::z());
    let margins = Margins { top: 90, side: 30, bottom: 30 };
    let canvas = Canvas::new(area, margins, &Bounds::new([-0.6, -0.86], [1.0, 0.92]));
    let joint = view.point(&Point3::origin());
    for (index, colour) in (0..).zip(COLOURS) {
        let border = quadrant(index).map(|azimuth| Point3::from(direction(cone.limit(azimuth), azimuth)));
        let border = view.points(&border.collect::<Vec<_>>());
        let mut surface = border.clone();
        surface.push(joint);
        canvas.fill(&surface, colour.mix(0.3))?;
        canvas.line(&border, Pen::new(colour, 5))?;
    }
    let axis = [Point3::origin(), Point3::new(1.42, 0.0, 0.0)].map(|point| view.point(&point));
    canvas.arrow(&axis[0], &axis[1], Pen::new(FAINT_INK, 3))?;
    plot::name(&canvas, "x", &axis[1], (18, 22), FAINT_INK)?;
    for ((name, angle, azimuth), colour) in DEGREES.into_iter().zip(COLOURS) {
        draw_angle(&canvas, &view, name, angle.to_radians(), azimuth.to_radians(), colour)?;
    }
    let before = [Point3::new(-0.7, 0.0, 0.0), Point3::origin()].map(|point| view.point(&point));
    Bones::new(FAINT_INK).draw_chain(&canvas, &before)?;
    let wanted = direction(WANTED[0][0].to_radians(), WANTED[0][1].to_radians());
    draw_wanted(&canvas, &view, &wanted, &cone.nearest(&wanted))
}

/// The arc from the axis to the border on one side.
fn draw_angle(canvas: &Canvas, view: &View, name: &str, angle: f64, azimuth: f64, colour: RGBColor) -> Result {
    let arc = (0..=24).map(|step| Point3::from(direction(angle * f64::from(step) / 24.0, azimuth)));
    let arc = view.points(&arc.collect::<Vec<_>>());
    canvas.line(&arc, Pen::new(colour, 3).dashed())?;
    let end = arc[arc.len() - 1];
    canvas.line(&[view.point(&Point3::origin()), end], Pen::new(colour, 3))?;
    let outwards = (end - view.point(&Point3::new(1.0, 0.0, 0.0))).normalize() * canvas.metres(40.0);
    plot::words(canvas, name, &(end + outwards), (0, 0), INK)
}

fn draw_wanted(canvas: &Canvas, view: &View, wanted: &Vector3<f64>, nearest: &Vector3<f64>) -> Result {
    let joint = Point3::origin();
    let bone = |tip: &Vector3<f64>| view.points(&[joint, joint + tip]);
    Bones::new(INK).pale(0.25).draw_chain(canvas, &bone(wanted))?;
    Bones::new(INK).draw_chain(canvas, &bone(nearest))
}

/// The chart: the polar angle as radius, as seen from the joint along its axis, left to the left.
fn draw_chart(area: &Area, cone: &Cone) -> Result {
    plot::caption(area, (40, 44), "its chart: degrees away from x", &[])?;
    let margins = Margins { top: 100, side: 40, bottom: 40 };
    let canvas = Canvas::new(area, margins, &Bounds::new([-98.0, -94.0], [94.0, 94.0]));
    for radius in [30.0, 60.0, 90.0] {
        canvas.circle(&Point2::origin(), radius, Pen::new(GRID, 3))?;
    }
    for (index, colour) in (0..).zip(COLOURS) {
        let mut border: Vec<_> = quadrant(index).map(|azimuth| on_chart(cone.limit(azimuth), azimuth)).collect();
        canvas.line(&border, Pen::new(colour, 5))?;
        border.push(Point2::origin());
        canvas.fill(&border, colour.mix(0.22))?;
    }
    for (name, angle, azimuth) in DEGREES {
        let end = on_chart(angle.to_radians(), azimuth.to_radians());
        canvas.line(&[Point2::origin(), end], Pen::new(FAINT_INK, 3))?;
        let outwards =
            end.coords.normalize() * canvas.metres(if azimuth.rem_euclid(180.0) == 0.0 { 62.0 } else { 34.0 });
        plot::words(&canvas, &format!("{name} {angle}°"), &(end + outwards), (0, 0), INK)?;
    }
    for [polar, azimuth] in WANTED {
        draw_on_chart(&canvas, cone, &direction(polar.to_radians(), azimuth.to_radians()))?;
    }
    Ok(())
}

/// Where a direction is on the chart, by its angles \[rad\].
fn on_chart(polar: f64, azimuth: f64) -> Point2<f64> {
    let degrees = polar * 180.0 / PI;
    Point2::new(-degrees * azimuth.cos(), degrees * azimuth.sin())
}

/// A direction, and where the cone moves it.
fn draw_on_chart(canvas: &Canvas, cone: &Cone, wanted: &Vector3<f64>) -> Result {
    let place = |direction: &Vector3<f64>| {
        on_chart(direction.y.hypot(direction.z).atan2(direction.x), direction.z.atan2(direction.y))
    };
    let [from, to] = [wanted, &cone.nearest(wanted)].map(place);
    if !cone.contains(wanted, 0.0) {
        canvas.dot(&from, 9, plot::pale(INK, 0.35))?;
        canvas.arrow(&from, &(to + (from - to).normalize() * canvas.metres(12.0)), Pen::new(INK, 4))?;
    }
    canvas.dot(&to, 9, INK)
}
