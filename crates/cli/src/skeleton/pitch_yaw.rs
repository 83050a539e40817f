//! Solves of pitch-yaw arms.

use std::collections::BTreeMap;

use serde_json::json;
use urdf_ik::skeleton::Range;
use urdf_ik::skeleton::file::NamedArm;
use urdf_ik::skeleton::pitch_yaw::{PathSteps, PitchYawArm, PitchYawOptions, PitchYawProblem, PitchYawSolution};
use urdf_ik_text::names::short;

use super::answer::{AnswerOut, Description, PathOut, PointsOut, ResidualOut, timed};
use super::describe::range;
use super::json::Object;
use super::request::{SkeletonRequest, StartEntry};
use super::session::Session;
use crate::Result;

/// The valid keys of a request.
const KNOWN: &str = "limits method path tolerance iterations restarts";

/// A pitch-yaw arm and its current configuration.
pub struct PitchYawSession {
    model: NamedArm,
    /// The arm without bounds.
    free: PitchYawArm,
    /// Positions of the variables \[rad\].
    positions: Vec<f64>,
}

impl PitchYawSession {
    /// The session of an arm with all pitches and yaws at 0.
    ///
    /// # Errors
    /// A message if the arm is invalid.
    pub fn new(model: NamedArm) -> Result<Self> {
        let free = PitchYawArm::new(model.arm.base(), model.arm.lengths().to_vec())?;
        let positions = vec![0.0; model.arm.variables()];
        Ok(Self { model, free, positions })
    }

    fn arm(&self, request: &SkeletonRequest) -> &PitchYawArm {
        if request.limits.unwrap_or(true) { &self.model.arm } else { &self.free }
    }

    fn options(request: &SkeletonRequest) -> PitchYawOptions {
        let (default, Object(given)) = (PitchYawOptions::default(), &request.options);
        default
            .with_method(request.method.map_or(default.method, Into::into))
            .with_tolerance(given.tolerance.unwrap_or(default.tolerance))
            .with_iterations(given.iterations.unwrap_or(default.iterations))
            .with_restarts(given.restarts.unwrap_or(default.restarts))
    }

    /// Solves, or follows the path of the request.
    fn solve(&self, request: &SkeletonRequest) -> Result<(PitchYawSolution, Option<Vec<PathOut>>)> {
        request.check("a model of the kind pitch_yaw", KNOWN)?;
        let arm = self.arm(request);
        let at_rest = vec![0.0; arm.variables()];
        let seed = match request.seed {
            StartEntry::Previous => &self.positions,
            StartEntry::Rest => &at_rest,
            StartEntry::Given(_) => return Err("--seed has no meaning for a model of the kind pitch_yaw".into()),
        };
        let target = request.only_target(&self.model.points)?.position.into();
        let problem = PitchYawProblem { target, seed, options: Self::options(request) };
        let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
        let Some(Object(path)) = &request.path else {
            arm.solve(&problem, &mut scratch, &mut solution)?;
            return Ok((solution, None));
        };
        let mut passed = Vec::new();
        arm.follow_path(&problem, &PathSteps::new(path.longest_step), &mut scratch, &mut solution, |point| {
            let PointsOut { points, .. } = PointsOut::from(&arm.configuration(point.positions));
            passed.push(PathOut { points, given: point.is_even });
        })?;
        Ok((solution, Some(passed)))
    }

    /// The pitch and the yaw of each segment \[rad\].
    fn by_name(&self, positions: &[f64]) -> BTreeMap<String, f64> {
        self.model.variable_names().zip(positions.iter().copied()).collect()
    }

    /// The names of the segments with a variable at one of its bounds.
    fn limited(&self, arm: &PitchYawArm, positions: &[f64]) -> Vec<String> {
        let (lower, upper) = arm.bounds();
        let count = arm.lengths().len();
        let at_bound = |variable: usize| {
            let position = positions[variable];
            position <= lower[variable] || position >= upper[variable]
        };
        let names = self.model.points[1..].iter().enumerate();
        names.filter(|(index, _)| at_bound(*index) || at_bound(index + count)).map(|(_, name)| name.clone()).collect()
    }
}

impl Session for PitchYawSession {
    fn description(&self) -> Description {
        let (arm, points) = (&self.model.arm, &self.model.points);
        let (lower, upper) = arm.bounds();
        let bounds = |variable: usize| range_where_bounded(lower[variable], upper[variable]);
        let count = arm.lengths().len();
        let limits = |index| json!({ "pitch": bounds(index), "yaw": bounds(index + count) });
        let shapes = arm.lengths().iter().enumerate().map(|(index, length)| (*length, "free", limits(index)));
        let rest = PointsOut::from(&arm.configuration(&vec![0.0; arm.variables()]));
        Description::of_arm(&self.model.name, "pitch_yaw", points, rest, shapes)
    }

    fn urdf(&self) -> Result<String> {
        let name = short(&self.model.points[1]);
        Err(format!(
            "segment '{name}': its pitch and yaw add up with those of other segments, which joints of a URDF cannot do; \
             give the model the kind skeleton, and its segments hinges"
        )
        .into())
    }

    fn answer(&mut self, request: &SkeletonRequest) -> Result<AnswerOut> {
        let ((solution, path), microseconds) = timed(|| self.solve(request))?;
        let arm = self.arm(request);
        let is_solved = solution.is_solved();
        let residual = ResidualOut {
            point: self.model.points.last().cloned().unwrap_or_default(),
            distance: solution.residual.distance,
            angle: 0.0,
            solved: is_solved,
            reason: (!is_solved).then(|| solution.residual.outcome.to_string()),
            is_certain: solution.residual.outcome.is_certain(),
        };
        let answer = AnswerOut {
            pose: PointsOut::from(&arm.configuration(&solution.positions)),
            limited: self.limited(arm, &solution.positions),
            residuals: vec![residual],
            iterations: solution.iterations,
            restarts: solution.restarts,
            is_solved,
            microseconds,
            positions: Some(self.by_name(&solution.positions)),
            path,
            ..AnswerOut::default()
        };
        self.positions = solution.positions;
        Ok(answer)
    }
}

/// Bounds \[rad\] in degrees; `None` if unbounded.
fn range_where_bounded(lower: f64, upper: f64) -> Option<[f64; 2]> {
    (lower.is_finite() || upper.is_finite()).then(|| range(&Range::new(lower, upper)))
}
