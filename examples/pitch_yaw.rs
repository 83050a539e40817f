//! The tip of an arm whose angles are sums goes round a figure of eight.
//!
//! `cargo run --release --example pitch_yaw -- --segments 12 --picture arm.svg` prints how well each eighth of every round was
//! followed and draws the arm at sixteen points of the last round.

use std::error::Error;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use nalgebra::Point3;
use urdf_ik::skeleton::pitch_yaw::{
    Method, Options, PathPoint, PathSteps, PitchYawArm, Problem, Residual, Scratch, Solution,
};

/// Corners of the curve, which the tip joins by straight lines; those drawn are every tenth.
const CORNERS: u32 = 160;

#[derive(Parser)]
#[command(about = "Moves the tip of a pitch-yaw arm round a figure of eight")]
struct Arguments {
    /// Segments of the arm, which is 1.8 m long whatever their number.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(2..=1000))]
    segments: u32,
    /// How steps are computed.
    #[arg(long, default_value = "damped")]
    method: Steps,
    /// Number of rounds.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Longest step of the tip in metres.
    #[arg(long, default_value_t = 0.005)]
    step: f64,
    /// SVG file to draw.
    #[arg(long)]
    picture: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Steps {
    Damped,
    Pseudoinverse,
}

/// The results of an eighth of a round.
#[derive(Default)]
struct Eighth {
    points: usize,
    error: f64,
    step: f64,
    turn: f64,
    iterations: usize,
}

/// A figure of eight in space, 1 m wide, 0.6 m high and 0.3 m deep; `angle` \[rad\] goes round once in 2π.
fn curve(angle: f64) -> Point3<f64> {
    Point3::new(1.0 + 0.15 * angle.cos(), 0.5 * angle.sin(), 0.4 + 0.3 * (2.0 * angle).sin())
}

/// The arm, its memory and its options.
struct Run {
    arm: PitchYawArm,
    scratch: Scratch,
    solution: Solution,
    options: Options,
    steps: PathSteps,
}

impl Run {
    /// Brings the stretched arm to the start of the curve.
    fn approach(&mut self) -> Result<(), Box<dyn Error>> {
        let seed = vec![0.0; self.arm.variables()];
        let problem = Problem { target: curve(0.0), seed: &seed, options: self.options };
        self.arm.solve(&problem, &mut self.scratch, &mut self.solution)?;
        let Solution { residual: Residual { outcome, distance, .. }, iterations, .. } = &self.solution;
        println!("to the curve: {outcome}, {distance:.1e} m off, {iterations} iterations\n");
        Ok(())
    }

    /// Goes through an eighth of the corners, and keeps every tenth configuration.
    fn eighth(&mut self, number: u32, configurations: &mut Vec<Vec<f64>>) -> Result<Eighth, Box<dyn Error>> {
        let mut eighth = Eighth::default();
        for corner in 1 + (number - 1) * CORNERS / 8..=number * CORNERS / 8 {
            let seed = self.solution.positions.clone();
            let target = curve(TAU * f64::from(corner) / f64::from(CORNERS));
            let problem = Problem { target, seed: &seed, options: self.options };
            let error = &mut eighth.error;
            let visit = |point: &PathPoint| *error = error.max((point.tip - point.waypoint).norm());
            let summary = self.arm.follow_path(&problem, &self.steps, &mut self.scratch, &mut self.solution, visit)?;
            if !self.solution.is_solved() {
                return Err(format!("corner {corner}: {}", self.solution.residual.outcome).into());
            }
            eighth.points += summary.points;
            eighth.step = eighth.step.max(summary.longest_step);
            eighth.turn = eighth.turn.max(summary.largest_turn);
            eighth.iterations += self.solution.iterations;
            if corner % 10 == 0 {
                configurations.push(self.solution.positions.clone());
            }
        }
        Ok(eighth)
    }
}

/// The curve and the arm in each of `configurations` as SVG, 500 pixels a metre: y to the right, z up, x half as long aslant.
fn picture(arm: &PitchYawArm, configurations: &[Vec<f64>]) -> Result<String, Box<dyn Error>> {
    let line = |points: &mut dyn Iterator<Item = Point3<f64>>, colour: &str| {
        let mut list = String::new();
        for p in points {
            let (x, y) = (p.y + 0.35 * p.x, -p.z + 0.35 * p.x);
            let _ = write!(list, "{:.1},{:.1} ", 400.0 + 500.0 * x, 500.0 + 500.0 * y);
        }
        format!("<polyline points=\"{list}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n")
    };
    let mut svg = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 1000\">\n");
    let mut points = vec![Point3::origin(); arm.lengths().len() + 1];
    for positions in configurations {
        arm.forward_kinematics(positions, &mut points)?;
        svg += &line(&mut points.iter().copied(), "#9ab");
    }
    svg += &line(&mut (0..=CORNERS).map(|corner| curve(TAU * f64::from(corner) / f64::from(CORNERS))), "#c20");
    Ok(svg + "</svg>\n")
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let segments = arguments.segments;
    let arm = PitchYawArm::new(Point3::origin(), vec![1.8 / f64::from(segments); usize::try_from(segments)?])?;
    let method = match arguments.method {
        Steps::Damped => Method::DampedLeastSquares,
        Steps::Pseudoinverse => Method::Pseudoinverse,
    };
    let options = Options { method, ..Options::default() };
    let (scratch, solution, steps) = (arm.scratch(), arm.solution(), PathSteps::new(arguments.step));
    let mut run = Run { arm, scratch, solution, options, steps };
    run.approach()?;

    println!("round eighth points iterations  largest error [m]  longest step [m]  largest joint step [rad]");
    let mut configurations = Vec::new();
    for round in 1..=arguments.rounds {
        configurations.clear();
        for number in 1..=8 {
            let Eighth { points, error, step, turn, iterations } = run.eighth(number, &mut configurations)?;
            println!("{round:5} {number:6} {points:6} {iterations:10}  {error:17.2e}  {step:16.5}  {turn:24.5}");
        }
    }
    if let Some(path) = arguments.picture {
        std::fs::write(&path, picture(&run.arm, &configurations)?)?;
        println!("\ndrawn to {}", path.display());
    }
    Ok(())
}
