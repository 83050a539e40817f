//! A step of the pseudoinverse and a damped one, near a singular configuration.

use nalgebra::{DMatrix, DVector, Matrix3, Point2, Point3, Vector3};
use plotters::element::{PathElement, Text};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};
use urdf_ik::skeleton::pitch_yaw::{Method, Options, PitchYawArm, Problem};
use urdf_ik_plot::{self as plot, Area, Axis, Bones, Frame, INK, SERIES};

use super::panel::{panel, titled};
use crate::Result;

/// Lengths of the two segments \[m\].
const LENGTHS: [f64; 2] = [0.5, 0.4];
/// Where the tip is to be \[m\].
const TARGET: Point3<f64> = Point3::new(0.62, 0.26, 0.0);
/// Yaws of the nearly stretched arm \[rad\].
const SEED: [f64; 4] = [0.0, 0.0, 0.03, -0.06];
/// Greatest turn of a variable in one step, as in the library \[rad\].
const MAX_TURN: f64 = 1.0;
/// Iterations that are shown.
const ITERATIONS: u8 = 10;
/// Room around the charts for their axes.
const FRAME: Frame = Frame { left: 130, right: 40, top: 80, bottom: 110 };
/// The methods with their names and colours.
const METHODS: [(Method, &str, RGBColor); 2] =
    [(Method::Pseudoinverse, "pseudoinverse", SERIES[1]), (Method::DampedLeastSquares, "damped", SERIES[0])];

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    let arm = PitchYawArm::new(Point3::origin(), LENGTHS.to_vec())?;
    plot::drawing((1400, 1020), |area| {
        let (top, bottom) = area.split_vertically(440);
        let (left, right) = top.split_horizontally(700);
        for (panel, (method, name, colour)) in [left, right].iter().zip(METHODS) {
            draw_step(panel, &arm, method, name, colour)?;
        }
        let (left, right) = bottom.split_horizontally(700);
        draw_turns(&left, &arm)?;
        draw_distances(&right, &arm)
    })
}

/// The step \[rad\] that a method asks for from `positions`, by the formulas in the document.
fn step(arm: &PitchYawArm, positions: &[f64], method: Method) -> Result<DVector<f64>> {
    let mut columns = vec![Vector3::zeros(); arm.variables()];
    let error = TARGET - arm.jacobian(positions, &mut columns)?;
    let jacobian = DMatrix::from_fn(3, columns.len(), |row, column| columns[column][row]);
    let error = DVector::from_column_slice(error.as_slice());
    if method == Method::Pseudoinverse {
        return Ok(jacobian.pseudo_inverse(1e-6)? * error);
    }
    let normal = Matrix3::from_fn(|row, column| jacobian.row(row).dot(&jacobian.row(column)));
    let damped = normal + Matrix3::identity() * error.norm_squared();
    let inverse = damped.try_inverse().ok_or("the damped matrix has no inverse")?;
    Ok(jacobian.transpose() * inverse * error)
}

/// Positions after some iterations of the library's solve.
fn solved(arm: &PitchYawArm, method: Method, iterations: usize) -> Result<(Vec<f64>, f64)> {
    let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
    let options = Options { method, tolerance: 1e-9, iterations, ..Options::default() };
    arm.solve(&Problem { target: TARGET, seed: &SEED, options }, &mut scratch, &mut solution)?;
    Ok((solution.positions, solution.residual.distance))
}

fn flat(point: &Point3<f64>) -> Point2<f64> {
    point.xy()
}

fn points(arm: &PitchYawArm, positions: &[f64]) -> Result<Vec<Point2<f64>>> {
    let mut points = vec![Point3::origin(); LENGTHS.len() + 1];
    arm.forward_kinematics(positions, &mut points)?;
    Ok(points.iter().map(flat).collect())
}

/// `seed + share · step`.
fn along(step: &DVector<f64>, share: f64) -> Vec<f64> {
    SEED.iter().zip(step.iter()).map(|(seed, step)| seed + share * step).collect()
}

/// The first step of a method: the arm before and after, and what was tried before the tip moved as predicted.
fn draw_step(area: &Area, arm: &PitchYawArm, method: Method, name: &str, colour: RGBColor) -> Result {
    let wanted = step(arm, &SEED, method)?;
    let largest = wanted.amax();
    let bounded = &wanted * (MAX_TURN / largest).min(1.0);
    let halvings = halvings(&bounded, &solved(arm, method, 1)?.0)?;
    let taken = if halvings > 0 { format!("cut to 1, halved {halvings} times") } else { "taken as it is".to_owned() };
    let note = format!("asks for {largest:.1} rad: {taken}");
    let canvas = panel(area, name, &note, [100, 40, 10], [[-0.05, -0.14], [1.0, 0.36]])?;
    Bones::new(INK).pale(0.2).draw_chain(&canvas, &points(arm, &SEED)?)?;
    for halving in 0..halvings {
        let tried = points(arm, &along(&bounded, 0.5_f64.powi(halving)))?;
        Bones::new(colour).pale(0.25).thin(5).draw_chain(&canvas, &tried)?;
    }
    Bones::new(colour).draw_chain(&canvas, &points(arm, &along(&bounded, 0.5_f64.powi(halvings)))?)?;
    plot::root(&canvas, &Point2::origin())?;
    plot::target(&canvas, &flat(&TARGET))
}

/// How many times the library halved the step `bounded` from the seed to get to the positions `after`.
fn halvings(bounded: &DVector<f64>, after: &[f64]) -> Result<i32> {
    let is_there = |halvings: &i32| {
        let tried = along(bounded, 0.5_f64.powi(*halvings));
        tried.iter().zip(after).all(|(tried, after)| (tried - after).abs() < 1e-9)
    };
    (0..20).find(is_there).ok_or_else(|| "the library's step is not that of the formula".into())
}

/// The largest turn that each method asks for, against the bend of the arm.
fn draw_turns(area: &Area, arm: &PitchYawArm) -> Result {
    titled(area, "the turn that is asked for", "")?;
    let x = Axis {
        ticks: ticks([(0.0, "0°"), (20.0, "20°"), (40.0, "40°"), (60.0, "60°")]),
        ..axis([0.0, 60.0], "bend")
    };
    let y = Axis { ticks: ticks([(-1.0, "0.1"), (0.0, "1"), (1.0, "10"), (2.0, "100 rad")]), ..axis([-1.0, 2.0], "") };
    let mut chart = FRAME.draw(area, x, y)?;
    for (method, name, colour) in METHODS {
        let mut curve = Vec::new();
        for bend in (2..=60).step_by(2).map(f64::from) {
            let yaw = bend.to_radians();
            curve.push((bend, step(arm, &[0.0, 0.0, 0.5 * yaw, -yaw], method)?.amax().log10()));
        }
        let middle = (30.0, curve[curve.len() / 2].1 + 0.42);
        chart.draw_series([PathElement::new(curve, colour.stroke_width(7))])?;
        let style = plot::style(plot::TEXT, colour, HPos::Center, VPos::Center);
        chart.draw_series([Text::new(name, middle, style)])?;
    }
    Ok(())
}

/// The distance to the target after each iteration.
fn draw_distances(area: &Area, arm: &PitchYawArm) -> Result {
    titled(area, "with halving, both arrive", "")?;
    let x = Axis::even(0.0, f64::from(ITERATIONS), 5.0, "iteration");
    let y =
        Axis { ticks: ticks([(-9.0, "1 nm"), (-6.0, "1 µm"), (-3.0, "1 mm"), (0.0, "1 m")]), ..axis([-9.0, 0.0], "") };
    let mut chart = FRAME.draw(area, x, y)?;
    for (method, _, colour) in METHODS {
        let mut curve = Vec::new();
        for iterations in 0..=ITERATIONS {
            let (_, distance) = solved(arm, method, usize::from(iterations))?;
            curve.push((f64::from(iterations), distance.max(1e-9).log10()));
        }
        chart.draw_series([PathElement::new(curve, colour.stroke_width(7))])?;
    }
    Ok(())
}

fn axis([from, to]: [f64; 2], name: &str) -> Axis {
    Axis { from, to, ticks: Vec::new(), name: name.to_owned() }
}

fn ticks<const N: usize>(ticks: [(f64, &str); N]) -> Vec<(f64, String)> {
    ticks.map(|(at, text)| (at, text.to_owned())).into()
}
