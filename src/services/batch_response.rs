//! The response of a batch, filled row by row.

use std::time::Duration;

use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolveIKBatch::Response;

use crate::reports::{Refused, Verdict};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_solver::{Answer, Outcome, Solver};

/// A response that is being filled. A target counts as refused until it is put in.
pub(crate) struct BatchResponse<'a> {
    loaded: &'a LoadedRobot,
    /// The movable joints: a row has their positions.
    joints: Vec<usize>,
    /// Memory for one row: one entry for each joint of the robot.
    positions: Vec<f64>,
    /// The first target that was refused, and why.
    first_refused: Option<(usize, String)>,
    response: Response,
}

impl<'a> BatchResponse<'a> {
    /// A response for so many `targets`, all of them refused.
    pub(crate) fn new(loaded: &'a LoadedRobot, targets: usize, solve_time: Duration) -> Self {
        let joints: Vec<usize> = loaded.robot.movable().collect();
        let response = Response {
            joint_names: loaded.robot.movable_names().map(str::to_owned).collect(),
            positions: vec![f64::NAN; targets * joints.len()],
            solve_time: solve_time.as_secs_f64(),
            ..unanswered(targets, Verdict::Invalid)
        };
        Self { loaded, joints, positions: Vec::new(), first_refused: None, response }
    }

    /// Notes that target `index` was refused.
    pub(crate) fn refuse(&mut self, index: usize, sentence: &str) {
        self.response.refused += 1;
        if self.first_refused.is_none() {
            self.first_refused = Some((index, sentence.to_owned()));
        }
    }

    /// Puts in the answer of the solver to target `index`. `row` has the positions of the chain's variables; all other joints are as in
    /// `seed` (one entry for each joint of the robot).
    pub(crate) fn put(&mut self, index: usize, answer: &Answer, row: &[f64], seed: &[f64]) {
        let (outcome, residual) = match answer {
            Answer::Given { outcome, residual, .. } => (outcome, residual),
            Answer::Refused(error) => return self.refuse(index, &error.to_string()),
            Answer::Skipped => {
                self.response.outcomes[index] = Verdict::Skipped.code();
                self.response.skipped += 1;
                return;
            }
        };
        match outcome {
            Outcome::Solved => self.response.solved += 1,
            Outcome::Closest(_) => self.response.not_met += 1,
        }
        self.response.outcomes[index] = Verdict::from(*outcome).code();
        self.response.position_errors[index] = residual.position;
        self.response.orientation_errors[index] = residual.orientation;
        self.positions.clear();
        self.positions.extend_from_slice(seed);
        self.loaded.chain.write_into(&self.loaded.robot, row, &mut self.positions);
        let start = index * self.joints.len();
        for (entry, &joint) in self.response.positions[start..].iter_mut().zip(&self.joints) {
            *entry = self.positions[joint];
        }
    }

    /// The response of `solver` for the tip with index `tip`, without a header.
    pub(crate) fn finish(self, solver: &Solver, tip: usize) -> Response {
        let Self { loaded, first_refused, mut response, .. } = self;
        let count = response.outcomes.len();
        response.success = usize::try_from(response.solved) == Ok(count);
        response.tip_link.clone_from(&loaded.chain.tips()[tip].link);
        response.solver = solver.method().kind().name().into();
        let mut parts = vec![format!("{} of {count} targets solved", response.solved)];
        if response.not_met > 0 {
            parts.push(format!("{} not met", response.not_met));
        }
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

/// A response for so many targets without an answer.
fn unanswered(targets: usize, verdict: Verdict) -> Response {
    Response {
        outcomes: vec![verdict.code(); targets],
        position_errors: vec![f64::NAN; targets],
        orientation_errors: vec![f64::NAN; targets],
        ..Response::default()
    }
}

impl Refused {
    /// The refusal of a whole batch, with `header` and `tip_link` of the request.
    pub(crate) fn batch(self, header: Header, tip_link: String, targets: usize) -> Response {
        Response {
            message: self.sentence,
            header,
            tip_link,
            refused: u32::try_from(targets).unwrap_or(u32::MAX),
            ..unanswered(targets, self.verdict)
        }
    }
}
