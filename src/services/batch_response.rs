//! The response of the service `solve_ik_batch`.

use std::time::Duration;

use r2r::urdf_ik::srv::SolveIKBatch::Response;

use crate::reports::TargetOutcome;
use crate::robot_in_use::LoadedRobot;
use urdf_ik_goals::{Goal, TOLERANCE};
use urdf_ik_solver::{Answer, Outcome, Solver};

/// A response under construction. A target counts as refused until it is set.
pub(super) struct BatchResponse<'a> {
    loaded: &'a LoadedRobot,
    goals: &'a [Goal],
    /// The movable joints, the columns of a row.
    joints: Vec<usize>,
    /// Buffer for one row (one entry for each joint of the robot).
    positions: Vec<f64>,
    /// The first refused target, and the reason.
    first_refused: Option<(usize, String)>,
    /// True if targets that are not met have no positions.
    pub holds: bool,
    response: Response,
}

impl<'a> BatchResponse<'a> {
    /// A response for `targets`, all of them refused.
    pub(super) fn new(loaded: &'a LoadedRobot, goals: &'a [Goal], targets: usize, solve_time: Duration) -> Self {
        let joints: Vec<usize> = loaded.robot.movable().collect();
        let response = Response {
            joint_names: loaded.robot.movable_names().map(str::to_owned).collect(),
            positions: vec![f64::NAN; targets * joints.len()],
            goal_violations: vec![f64::NAN; targets * goals.len()],
            solve_time: solve_time.as_secs_f64(),
            ..unanswered(targets, TargetOutcome::Invalid)
        };
        Self { loaded, goals, joints, positions: Vec::new(), first_refused: None, holds: false, response }
    }

    /// Registers that target `index` was refused.
    pub(super) fn refuse(&mut self, index: usize, sentence: &str) {
        self.response.refused += 1;
        if self.first_refused.is_none() {
            self.first_refused = Some((index, sentence.to_owned()));
        }
    }

    /// Sets the answer of the solver to target `index`. `row` has the positions of the chain's variables; all other
    /// joints are as in `seed` (one entry for each joint of the robot).
    pub(super) fn put(&mut self, index: usize, answer: &Answer, row: &[f64], seed: &[f64]) {
        let (outcome, residual) = match answer {
            Answer::Given { outcome, residual, violations, .. } => {
                // Standing goals follow those of the request.
                let goals = self.goals.len();
                self.response.goal_violations[index * goals..][..goals].copy_from_slice(&violations[..goals]);
                (outcome, residual)
            }
            Answer::Refused(error) => return self.refuse(index, &error.to_string()),
            _ => {
                self.response.outcomes[index] = TargetOutcome::Skipped.code();
                self.response.skipped += 1;
                return;
            }
        };
        match outcome {
            Outcome::Solved => self.response.solved += 1,
            _ => self.response.not_met += 1,
        }
        self.response.outcomes[index] = TargetOutcome::from(*outcome).code();
        self.response.position_errors[index] = residual.position;
        self.response.orientation_errors[index] = residual.orientation;
        if self.holds && *outcome != Outcome::Solved {
            return;
        }
        self.positions.clear();
        self.positions.extend_from_slice(seed);
        self.loaded.chain.write_into(&self.loaded.robot, row, &mut self.positions);
        let start = index * self.joints.len();
        for (entry, &joint) in self.response.positions[start..].iter_mut().zip(&self.joints) {
            *entry = self.positions[joint];
        }
    }

    /// A sentence about the largest violation of a goal; `None` if all goals of all answered targets are met.
    fn worst_violation(&self) -> Option<String> {
        let violated =
            self.response.goal_violations.iter().enumerate().filter(|(_, violation)| **violation > TOLERANCE);
        let (index, violation) = violated.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let (target, goal) = (index / self.goals.len(), index % self.goals.len());
        Some(format!("at the worst, poses[{target}], {}", self.goals[goal].sentence(*violation)))
    }

    /// The response of `solver` for the tip with index `tip`, without a header.
    pub(super) fn finish(self, solver: &Solver, tip: usize) -> Response {
        let worst = self.worst_violation();
        let Self { loaded, first_refused, mut response, .. } = self;
        let count = response.outcomes.len();
        response.success = usize::try_from(response.solved) == Ok(count);
        response.tip_link.clone_from(&loaded.chain.tips()[tip].link);
        response.solver = solver.method().kind().name().into();
        let mut parts = vec![format!("{} of {count} targets solved", response.solved)];
        if response.not_met > 0 {
            parts.push(format!("{} not met", response.not_met));
        }
        parts.extend(worst);
        if let Some((index, why)) = first_refused {
            parts.push(format!("{} refused, the first of them poses[{index}]: {why}", response.refused));
        }
        if response.skipped > 0 {
            parts.push(format!("{} skipped, because batch_timeout had passed", response.skipped));
        }
        response.message = parts.join("; ");
        response
    }
}

/// A response for `targets` without answers.
pub(super) fn unanswered(targets: usize, outcome: TargetOutcome) -> Response {
    Response {
        outcomes: vec![outcome.code(); targets],
        position_errors: vec![f64::NAN; targets],
        orientation_errors: vec![f64::NAN; targets],
        ..Response::default()
    }
}
