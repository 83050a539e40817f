//! Steps of a servo with changing commands.

use nalgebra::Vector3;
use urdf_ik::collision::Clearance;
use urdf_ik::motion::MotionLimits;
use urdf_ik::motion::servo::{Axes, Command, Priority, Servo, ServoOptions, TipCommand, TipPose, TipTwist};
use urdf_ik::solver::{Solver, SolverKind};

use crate::motions::limits;
use crate::record::Group;
use crate::robots::Arm;
use crate::{Fallible, Random};

const RUNS: usize = 60;
/// Chains with more variables have fewer recorded steps.
const LONG: usize = 12;
/// Commands per run, and steps per command.
const COMMANDS: usize = 4;
const STEPS: usize = 15;
const PERIOD: f64 = 0.008;

/// A servo before a run.
pub struct Run {
    arm: Arm,
    solver: Solver,
    limits: MotionLimits,
}

pub fn groups(arm: &Arm) -> Fallible<Vec<Group>> {
    let run = Run::new(arm)?;
    let runs = if arm.chain.variables().len() > LONG { RUNS / 10 } else { RUNS };
    Ok(vec![Group::new(format!("servo, {}", arm.name), runs, move |random| run.answer(random, None))])
}

impl Run {
    pub fn new(arm: &Arm) -> Fallible<Self> {
        let solver = Solver::prepare(SolverKind::Jacobian, &arm.chain)?;
        Ok(Self { limits: limits(arm), arm: arm.clone(), solver })
    }

    /// Follows some commands from a random configuration.
    pub fn answer(&self, random: &mut Random, clearance: Option<&Clearance>) -> Fallible<Vec<f64>> {
        let priority = Priority::ALL[random.below(Priority::ALL.len())];
        let options = ServoOptions { priority, ..ServoOptions::default() };
        let start = random.positions(&self.arm.chain);
        let (mut servo, mut numbers) = (Servo::new(&self.solver, &self.limits, options, &start)?, Vec::new());
        for _ in 0..COMMANDS {
            let twist = [TipCommand::Twist(twist(random))];
            let near = random.near(&self.arm.chain, servo.positions(), 0.2);
            let pose = [TipCommand::Pose(TipPose { tip: 0, pose: self.arm.tips(&near)[0] })];
            let velocities: Vec<f64> = start.iter().map(|_| random.between(-0.5, 0.5)).collect();
            let command = match random.below(6) {
                0 => Command::Rest,
                1 => Command::Velocities(&velocities),
                2 => Command::Tips(&pose),
                _ => Command::Tips(&twist),
            };
            for _ in 0..STEPS {
                numbers.push(servo.step(PERIOD, &command, clearance)?.share);
            }
            numbers.extend_from_slice(servo.positions());
            numbers.extend_from_slice(servo.velocities());
        }
        Ok(numbers)
    }
}

/// A twist of the first tip, in one direction or in all.
fn twist(random: &mut Random) -> TipTwist {
    let (linear, angular) = (random.direction() * 0.3 * random.unit(), random.direction() * random.unit());
    let angular = if random.one_in(2) { angular } else { Vector3::zeros() };
    let axes = if random.one_in(2) { Axes::Base } else { Axes::Tip };
    TipTwist { tip: 0, linear, angular, axes }
}
