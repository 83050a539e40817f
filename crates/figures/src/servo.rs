//! A tip on its line through a wrist singularity to a stretched elbow, and on another one into a joint limit: by the servo, and by the rule
//! of MoveIt Servo.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Isometry3, Vector3, Vector6};
use plotters::element::{PathElement, Text};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};
use urdf_ik::motion::servo::{Axes, Command, Servo, ServoOptions, TipCommand, TipTwist};
use urdf_ik::motion::{JointLimit, JointLimits, MotionLimits};
use urdf_ik::robot::{Chain, ChainPoses, Domain, Robot};
use urdf_ik::solver::{Solver, SolverKind};
use urdf_ik_plot::{self as plot, Area, Axis, Frame, INK, Legend, SERIES};

use crate::Failure;

/// The arm.
const URDF: &str = include_str!("../../../urdf/arm6.urdf");
/// Where it starts \[rad\].
const START: [f64; 6] = [0.0, -0.45, 0.72, 0.0, -0.47, 0.0];
/// The joint that is zero where the wrist is singular.
const WRIST: usize = 4;
/// The velocities of the tip \[m/s\], one after the other, and for how long each is commanded \[s\]: out to where the elbow is stretched, a
/// pause, and back into a limit of the elbow.
const LEGS: [([f64; 3], f64); 3] = [([0.178, 0.014, 0.089], 4.6), ([0.0; 3], 0.6), ([-0.14, 0.0, -0.14], 6.3)];
/// Time between two steps of the servo \[s\].
const PERIOD: f64 = 0.01;
/// Limits of the joints, with the velocities of the URDF.
const LIMITS: JointLimit = JointLimit { velocity: None, acceleration: Some(5.0), jerk: Some(50.0) };
/// From which condition number on MoveIt Servo becomes slower, and where it halts; its defaults.
const CONDITIONS: [f64; 2] = [17.0, 30.0];
/// The distance from a joint limit at which it halts \[rad\]; its default.
const MARGIN: f64 = 0.1;
/// Room around the charts for their axes.
const FRAME: Frame = Frame { left: 130, right: 60, top: 96, bottom: 70 };
/// Height of a chart \[half pixels\].
const HEIGHT: u32 = 380;
const WAYS: [(&str, RGBColor); 2] = [("this servo", SERIES[0]), ("MoveIt Servo's rule", SERIES[3])];

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String, Failure> {
    let arm = Arm::new()?;
    let runs = [arm.steer()?, arm.follow_rule()?];
    let charts = [
        Shown { title: "distance from the line", axis: decades(), value: |at| (1e3 * at.off_line).max(1e-4).log10() },
        Shown { title: "share of the commanded speed", axis: shares(), value: |at| at.share },
        Shown { title: "the fastest joint, over its limit", axis: shares(), value: |at| at.fastest },
    ];
    let names = WAYS.map(|(name, colour)| (name.to_owned(), Some(colour)));
    let legend = Legend::new(names.into(), FRAME.left, 1400);
    let events = events(&runs[0]);
    plot::drawing((1400, 3 * HEIGHT + legend.height() + 60), |area| {
        let (top, mut rest) = area.split_vertically(legend.height() + 30);
        legend.draw(&top, 24)?;
        for (index, shown) in charts.into_iter().enumerate() {
            let (panel, below) = rest.split_vertically(HEIGHT);
            rest = below;
            shown.draw(&panel, &runs, if index == 0 { &events } else { &[] })?;
        }
        Ok(())
    })
}

/// What a chart shows of each moment.
struct Shown {
    title: &'static str,
    axis: Axis,
    value: fn(&Sample) -> f64,
}

/// What is shown of a moment.
struct Sample {
    time: f64,
    /// Distance from the line \[m\].
    off_line: f64,
    /// Speed of the tip along its line over that commanded.
    share: f64,
    /// The greatest velocity of a joint over its limit.
    fastest: f64,
    /// How far the wrist is from singular \[rad\].
    wrist: f64,
}

/// The arm, with the velocity limits of its URDF, 5 rad/s² and 50 rad/s³.
struct Arm {
    chain: Arc<Chain>,
    limits: MotionLimits,
}

impl Arm {
    fn new() -> Result<Self, Failure> {
        let robot = Robot::from_urdf(URDF)?;
        let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
        let limits = MotionLimits::new(&robot, &chain, &JointLimits::default()).or(&LIMITS);
        Ok(Self { chain, limits })
    }

    fn look(&self, positions: &[f64]) -> (Isometry3<f64>, DMatrix<f64>) {
        let mut poses = ChainPoses::new(&self.chain);
        self.chain.forward_kinematics(positions, &mut poses);
        let (pose, mut columns) = (poses.tips()[0], vec![Vector6::zeros(); positions.len()]);
        self.chain.jacobian(&poses, 0, &pose.translation.vector.into(), &mut columns);
        (pose, DMatrix::from_fn(6, positions.len(), |row, column| columns[column][row]))
    }

    /// Lets the library's servo follow the commands.
    fn steer(&self) -> Result<Vec<Sample>, Failure> {
        let solver = Solver::prepare(SolverKind::Jacobian, &self.chain)?;
        let mut servo = Servo::new(&solver, &self.limits, ServoOptions::default(), &START)?;
        self.record(|twist| {
            let twist = TipTwist { tip: 0, linear: *twist, angular: Vector3::zeros(), axes: Axes::Base };
            servo.step(PERIOD, &Command::Tips(&[TipCommand::Twist(twist)]), None)?;
            Ok(servo.positions().to_vec())
        })
    }

    /// Lets the rule of MoveIt Servo follow them: joint velocities by the pseudoinverse, slower where the condition number is high and rises,
    /// and where joints would be too fast; a halt near a joint limit.
    fn follow_rule(&self) -> Result<Vec<Sample>, Failure> {
        let mut positions = START.to_vec();
        self.record(|twist| {
            let (_, jacobian) = self.look(&positions);
            let twist = Vector6::new(twist.x, twist.y, twist.z, 0.0, 0.0, 0.0);
            let velocities: DVector<f64> = jacobian.clone().pseudo_inverse(1e-9)? * twist;
            let moved = |share: f64| -> Vec<f64> {
                positions.iter().zip(velocities.iter()).map(|(position, v)| position + share * PERIOD * v).collect()
            };
            let (here, ahead) = (condition(&jacobian), condition(&self.look(&moved(0.1)).1));
            let slower = ((CONDITIONS[1] - here) / (CONDITIONS[1] - CONDITIONS[0])).clamp(0.0, 1.0);
            let share = if ahead > here { slower } else { 1.0 } * self.allowed(&velocities);
            let next = moved(share);
            if self.is_inside(&positions, &next) {
                positions = next;
            }
            Ok(positions.clone())
        })
    }

    /// The share of these velocities that the limits of the joints allow.
    fn allowed(&self, velocities: &DVector<f64>) -> f64 {
        velocities.iter().zip(&self.limits.velocities).fold(1.0, |share, (v, most)| share.min(most / v.abs()))
    }

    /// Whether no joint comes nearer to its limit than the margin.
    fn is_inside(&self, from: &[f64], to: &[f64]) -> bool {
        self.chain.variables().iter().zip(from.iter().zip(to)).all(|(variable, (from, to))| match variable.domain {
            Domain::Circle => true,
            Domain::Interval { lower, upper } => {
                (to >= from || *to > lower + MARGIN) && (to <= from || *to < upper - MARGIN)
            }
        })
    }

    /// What is seen while `step` moves the joints by a period as commanded. Each leg draws a line from where the tip is.
    fn record(&self, mut step: impl FnMut(&Vector3<f64>) -> Result<Vec<f64>, Failure>) -> Result<Vec<Sample>, Failure> {
        let place = |positions: &[f64]| self.look(positions).0.translation.vector;
        let (mut samples, mut before, mut time) = (Vec::new(), START.to_vec(), 0.0);
        for (twist, seconds) in LEGS {
            let (twist, anchor, end) = (Vector3::from(twist), place(&before), time + seconds);
            while time < end - 0.5 * PERIOD {
                time += PERIOD;
                let positions = step(&twist)?;
                let (from, to) = (place(&before) - anchor, place(&positions) - anchor);
                let along = |way: &Vector3<f64>| way.dot(&twist) / twist.norm_squared().max(f64::MIN_POSITIVE);
                let speeds = positions.iter().zip(&before).zip(&self.limits.velocities);
                samples.push(Sample {
                    time,
                    off_line: (to - twist * along(&to)).norm(),
                    share: along(&(to - from)) / PERIOD,
                    fastest: speeds
                        .fold(0.0, |most, ((to, from), limit)| f64::max(most, (to - from).abs() / (PERIOD * limit))),
                    wrist: positions[WRIST].abs(),
                });
                before = positions;
            }
        }
        Ok(samples)
    }
}

/// The greatest singular value over the least, with metres and radians as they are.
fn condition(jacobian: &DMatrix<f64>) -> f64 {
    let values = jacobian.singular_values();
    values.max() / values.min()
}

impl Shown {
    /// Draws its chart over the time, for both ways, with words at some times.
    fn draw(self, area: &Area, runs: &[Vec<Sample>; 2], events: &[(f64, &str)]) -> Result<(), Failure> {
        plot::caption(area, (30, 34), self.title, &[])?;
        let seconds: f64 = LEGS.iter().map(|(_, seconds)| seconds).sum();
        let (least, most, tolerance) = (self.axis.from, self.axis.to, 0.002 * (self.axis.to - self.axis.from));
        let mut chart = FRAME.draw(area, Axis::even(0.0, seconds, 9.0, "s"), self.axis)?;
        for (run, (_, colour)) in runs.iter().zip(WAYS).rev() {
            let points: Vec<_> = run.iter().map(|at| (at.time, (self.value)(at).clamp(least, most))).collect();
            chart.draw_series([PathElement::new(plot::straightened(&points, tolerance), colour.stroke_width(6))])?;
        }
        let style = plot::style(plot::SMALL, INK, HPos::Center, VPos::Bottom);
        let word = |(time, word): &(f64, &str)| Text::new((*word).to_owned(), (*time, most), style.clone());
        chart.draw_series(events.iter().map(word))?;
        Ok(())
    }
}

/// What a run comes to, and when.
fn events(run: &[Sample]) -> [(f64, &'static str); 4] {
    let [out, pause, back] = LEGS.map(|(_, seconds)| seconds);
    let least = |from: f64, to: f64| {
        let times = run.iter().filter(|at| (from..to).contains(&at.time));
        times.min_by(|a, b| a.wrist.total_cmp(&b.wrist)).map_or(from, |at| at.time)
    };
    let (first, second, end) = (least(0.0, out), least(out + pause, out + pause + back), out + pause + back);
    [(first, "wrist"), (out, "elbow stretched"), (second, "wrist"), (end - 0.5, "joint limit")]
}

/// An axis of shares, up to somewhat more than 1.
fn shares() -> Axis {
    Axis::even(0.0, 1.1, 2.0, "")
}

/// An axis of lengths by their decades, in millimetres.
fn decades() -> Axis {
    let ticks = [(-4.0, "0.1 µm"), (-2.0, "10 µm"), (0.0, "1 mm"), (2.0, "10 cm")];
    Axis { from: -4.0, to: 2.0, ticks: ticks.map(|(at, text)| (at, text.to_owned())).into(), name: String::new() }
}
