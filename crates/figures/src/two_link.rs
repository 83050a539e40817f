//! The triangle of two links: both elbows.

use std::f64::consts::PI;

use nalgebra::{Point2, Rotation2, Vector2};
use plotters::style::{Color, RGBColor};
use urdf_ik::solver::closed_form::two_link::{Angles, TwoLink};
use urdf_ik_plot::{self as plot, Bones, Bounds, Canvas, FAINT_INK, INK, Margins, Pen, SERIES};

use crate::Result;

/// Lengths of the two links \[m\].
const LENGTHS: [f64; 2] = [0.5, 0.36];
/// Where the tip is to be \[m\].
const TARGET: [f64; 2] = [0.58, 0.3];
/// Colour of the arm with its elbow up.
const UP: RGBColor = SERIES[0];
/// Colour of the arm with its elbow down.
const DOWN: RGBColor = SERIES[2];

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    plot::drawing((1400, 880), |area| {
        let margins = Margins { top: 30, side: 60, bottom: 30 };
        let canvas = Canvas::new(area, margins, &Bounds::new([-0.16, -0.13], [0.84, 0.6]));
        let target = Point2::from(TARGET);
        let arm = TwoLink::new(LENGTHS)?;
        let solutions = arm.solve(&target)?;
        let [up, down] = solutions.configurations() else { return Err("the two links do not bend".into()) };
        draw_triangle(&canvas, up, &target)?;
        draw_angles(&canvas, up, &target)?;
        for (angles, bones) in [(down, Bones::new(DOWN).pale(0.55)), (up, Bones::new(UP))] {
            bones.draw_chain(&canvas, &points(angles))?;
        }
        plot::root(&canvas, &Point2::origin())?;
        plot::target(&canvas, &target)?;
        draw_names(&canvas, &points(up), &points(down), &target)
    })
}

/// Shoulder, elbow and tip.
fn points(angles: &Angles) -> [Point2<f64>; 3] {
    let link = |angle: f64, length: f64| Rotation2::new(angle) * Vector2::x() * length;
    let elbow = Point2::from(link(angles.shoulder, LENGTHS[0]));
    [Point2::origin(), elbow, elbow + link(angles.shoulder + angles.elbow, LENGTHS[1])]
}

/// The sides of the triangle: the links, and the way from shoulder to target.
fn draw_triangle(canvas: &Canvas, up: &Angles, target: &Point2<f64>) -> Result {
    canvas.fill(&points(up), UP.mix(0.08))?;
    canvas.line(&[Point2::origin(), Point2::new(0.5, 0.0)], Pen::new(FAINT_INK, 3))?;
    canvas.line(&[Point2::origin(), *target], Pen::new(INK, 4).dashed())
}

/// The angles at the shoulder and at the elbow.
fn draw_angles(canvas: &Canvas, up: &Angles, target: &Point2<f64>) -> Result {
    let (shoulder, towards) = (Point2::origin(), target.y.atan2(target.x));
    let pen = Pen::new(INK, 3);
    canvas.sector(&shoulder, 0.15, [towards, up.shoulder], SERIES[1].mix(0.35))?;
    canvas.arc(&shoulder, 0.15, [towards, up.shoulder], pen)?;
    canvas.turn(&shoulder, 0.26, [0.0, towards], pen)?;
    canvas.turn(&shoulder, 0.38, [0.0, up.shoulder], pen)?;
    let [_, elbow, _] = points(up);
    let onwards = Vector2::new(up.shoulder.cos(), up.shoulder.sin());
    canvas.line(&[elbow, elbow + onwards * 0.19], Pen::new(FAINT_INK, 3))?;
    canvas.turn(&elbow, 0.13, [up.shoulder, up.shoulder + up.elbow], pen)?;
    let along = |angle: f64, radius: f64| Point2::from(Rotation2::new(angle) * Vector2::x() * radius);
    plot::name(canvas, "θ_a", &along(0.5 * (towards + up.shoulder), 0.105), (0, 0), INK)?;
    plot::name(canvas, "θ_E", &along(0.5 * towards, 0.3), (0, 0), INK)?;
    plot::name(canvas, "θ_0", &along(0.27 * up.shoulder, 0.42), (0, 0), INK)?;
    let bend = up.shoulder + 0.45 * up.elbow;
    let beside = elbow + Rotation2::new(bend) * Vector2::x() * 0.17;
    plot::name(canvas, "θ_1", &beside, (0, 0), INK)
}

fn draw_names(canvas: &Canvas, up: &[Point2<f64>; 3], down: &[Point2<f64>; 3], target: &Point2<f64>) -> Result {
    for ([shoulder, elbow, tip], colour) in [(up, UP), (down, DOWN)] {
        let side = if colour == UP { 1.0 } else { -1.0 };
        for (name, from, to) in [("l_1", shoulder, elbow), ("l_2", elbow, tip)] {
            let across = Rotation2::new(0.5 * PI * side) * (to - from).normalize() * 0.035;
            plot::name(canvas, name, &(nalgebra::center(from, to) + across), (0, 0), colour)?;
        }
    }
    plot::name(canvas, "d", &nalgebra::center(&up[0], target), (22, 26), INK)?;
    plot::words(canvas, "elbow up", &up[1], (-84, -16), UP)?;
    plot::words(canvas, "elbow down", &down[1], (30, 44), DOWN)?;
    plot::words(canvas, "shoulder", &up[0], (0, 48), INK)?;
    plot::words(canvas, "target", target, (76, 0), plot::TARGET)
}
