//! The circle in which two spheres meet, and how it closes a chain at once.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};
use plotters::style::{Color, RGBColor};
use urdf_ik::skeleton::{Circle, circle_between};
use urdf_ik_plot::skeleton::cycles::record;
use urdf_ik_plot::{self as plot, Area, Bones, Canvas, FAINT_INK, INK, Pen, SERIES, View};

use super::example::{Example, flat};
use super::panel::panel;
use crate::Result;

/// Centre of the sphere on which the elbow is by the upper arm \[m\].
const SHOULDER: Point3<f64> = Point3::new(0.0, 0.0, 0.0);
/// Centre of the sphere on which the elbow is by the forearm \[m\].
const WRIST: Point3<f64> = Point3::new(0.62, 0.0, 0.1);
/// Length of the upper arm \[m\].
const UPPER: f64 = 0.46;
/// Length of the forearm \[m\].
const FORE: f64 = 0.38;
/// Where the elbow was \[m\].
const WAS: Point3<f64> = Point3::new(0.3, -0.6, -0.3);
/// Colour of the circle.
const ROUND: RGBColor = SERIES[1];

/// A chain in the plane whose backward pass ends at a circle.
const SEED: [[f64; 2]; 5] = [[0.0, 0.0], [0.18, 0.22], [0.46, 0.3], [0.74, 0.24], [0.92, 0.0]];
/// Where the end of the chain in the plane is to be \[m\].
const TARGET: [f64; 2] = [0.5, 0.62];

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    let circle = circle_between(&SHOULDER, UPPER, &WRIST, FORE).ok_or("the spheres do not meet")?;
    plot::drawing((1400, 720), |area| {
        let (space, plane) = area.split_horizontally(780);
        draw_space(&space, &circle)?;
        draw_plane(&plane)
    })
}

fn draw_space(area: &Area, circle: &Circle) -> Result {
    let elbow = circle.nearest(&WAS);
    let view = View::from(&Vector3::new(0.5, -1.0, 0.35), &Vector3::z());
    let (title, note) = ("two spheres meet in a circle", "the joint goes to its nearest point");
    let canvas = panel(area, title, note, [100, 30, 20], [[-0.48, -0.5], [0.98, 0.5]])?;
    draw_spheres(&canvas, &view)?;
    draw_circle(&canvas, &view, circle)?;
    draw_elbow(&canvas, &view, circle, &elbow)?;
    draw_names(&canvas, &view, circle, &elbow)
}

/// A cycle in the plane, where the spheres are circles: the backward pass closes the chain as soon as it can.
fn draw_plane(area: &Area) -> Result {
    let (title, note) = ("so a chain closes in one cycle", "each sphere is a circle in the plane");
    let canvas = panel(area, title, note, [100, 30, 20], [[-0.32, -0.3], [0.98, 0.7]])?;
    let mut example = Example::chain(&SEED, TARGET)?;
    example.options.circles = true;
    let cycles = record(&example.skeleton, &example.problem(), |cycles| cycles.len() == 1)?;
    let [seed, forward, closed] = [&example.seed, &cycles[0].forward, &cycles[0].backward].map(flat);
    let joint =
        (1..SEED.len()).find(|&point| closed[point + 1] == forward[point + 1]).ok_or("no circle closed the chain")?;
    for neighbour in [joint - 1, joint + 1] {
        let radius = (closed[joint] - closed[neighbour]).norm();
        canvas.circle(&closed[neighbour], radius, Pen::new(plot::pale(ROUND, 0.7), 3))?;
    }
    Bones::new(INK).pale(0.15).draw_chain(&canvas, &seed)?;
    Bones::new(SERIES[0]).pale(0.3).draw_chain(&canvas, &forward)?;
    Bones::new(SERIES[0]).draw_chain(&canvas, &closed)?;
    canvas.ring(&closed[joint], 16, Pen::new(ROUND, 5))?;
    plot::root(&canvas, &closed[0])?;
    plot::target(&canvas, &TARGET.into())
}

fn draw_spheres(canvas: &Canvas, view: &View) -> Result {
    for (centre, radius, colour) in [(SHOULDER, UPPER, SERIES[0]), (WRIST, FORE, SERIES[2])] {
        let centre = view.point(&centre);
        canvas.sector(&centre, radius, [0.0, 2.0 * PI], colour.mix(0.08))?;
        canvas.circle(&centre, radius, Pen::new(plot::pale(colour, 0.6), 3))?;
    }
    Ok(())
}

/// The circle: the half in front as a line, the other one dashed.
fn draw_circle(canvas: &Canvas, view: &View, circle: &Circle) -> Result {
    let front = circle.nearest(&(circle.centre + view.eye())) - circle.centre;
    let side = circle.normal.cross(&front);
    let half = |from: f64| {
        let angles = (0..=60).map(|step| from + PI * f64::from(step) / 60.0);
        let points = angles.map(|angle| circle.centre + front * angle.cos() + side * angle.sin());
        view.points(&points.collect::<Vec<_>>())
    };
    canvas.line(&half(0.5 * PI), Pen::new(ROUND, 5).dashed())?;
    canvas.line(&half(-0.5 * PI), Pen::new(ROUND, 7))
}

fn draw_elbow(canvas: &Canvas, view: &View, circle: &Circle, elbow: &Point3<f64>) -> Result {
    let [was, centre, at] = [&WAS, &circle.centre, elbow].map(|point| view.point(point));
    canvas.line(&view.points(&[SHOULDER, WRIST]), Pen::new(FAINT_INK, 3).dashed())?;
    canvas.line(&[centre, at], Pen::new(ROUND, 4))?;
    canvas.dot(&centre, 7, ROUND)?;
    Bones::new(SERIES[0]).pale(0.3).draw_chain(canvas, &view.points(&[SHOULDER, WAS, WRIST]))?;
    canvas.arrow(&was, &(was + (at - was) * 0.86), Pen::new(INK, 4))?;
    Bones::new(SERIES[0]).draw_chain(canvas, &view.points(&[SHOULDER, *elbow, WRIST]))?;
    plot::root(canvas, &view.point(&SHOULDER))
}

fn draw_names(canvas: &Canvas, view: &View, circle: &Circle, elbow: &Point3<f64>) -> Result {
    let [shoulder, wrist, at, was] = [&SHOULDER, &WRIST, elbow, &WAS].map(|point| view.point(point));
    plot::name(canvas, "a", &shoulder, (-34, 4), INK)?;
    plot::name(canvas, "b", &wrist, (34, 8), INK)?;
    plot::name(canvas, "r_a", &nalgebra::center(&shoulder, &at), (0, 40), SERIES[0])?;
    plot::name(canvas, "r_b", &nalgebra::center(&at, &wrist), (24, 34), SERIES[0])?;
    plot::name(canvas, "r", &nalgebra::center(&view.point(&circle.centre), &at), (22, 0), ROUND)?;
    plot::words(canvas, "where it was", &was, (0, 44), FAINT_INK)
}
