//! Solves of skeletons.

use std::collections::BTreeMap;

use urdf_ik::nalgebra::{Isometry3, Point3};
use urdf_ik::skeleton::file::NamedSkeleton;
use urdf_ik::skeleton::{Outcome, Reason, Residual, Root, Skeleton, SkeletonConfiguration, SkeletonTarget};
use urdf_ik_plot::skeleton::{self as picture, SkeletonPicture};
use urdf_ik_text::names::short;

use super::answer::{AnswerOut, Description, PointsOut, ResidualOut, timed};
use super::describe::{describe, without_limits};
use super::json::Object;
use super::request::{Pass, RootRequest, SkeletonRequest, StartEntry};
use super::session::Session;
use super::task::{SkeletonTask, targets};
use super::urdf_out;
use crate::Result;

/// The valid keys of a request to a skeleton.
const KNOWN: &str =
    "root limits pass tolerance orientation_tolerance iterations restarts acceleration circles polish time_limit hold";
/// The valid keys of a request for a single pass.
const KNOWN_OF_PASSES: &str = "root limits pass tolerance orientation_tolerance circles hold";

/// Weight of held points, the greatest allowed one.
const HOLD_WEIGHT: f64 = 1e6;

/// A skeleton and its current configuration.
pub struct SkeletonSession {
    model: NamedSkeleton,
    /// The skeleton without limits.
    free: Skeleton,
    /// With all its orientations.
    current: SkeletonConfiguration,
    /// The pose of the root in a solve. Single passes leave it.
    root: Isometry3<f64>,
}

impl SkeletonSession {
    /// The session of a skeleton at rest.
    ///
    /// # Errors
    /// A message if the skeleton is invalid.
    pub fn new(model: NamedSkeleton) -> Result<Self> {
        let (free, current) = (without_limits(&model.skeleton)?, model.rest.clone());
        let root = root_of(&current);
        Ok(Self { model, free, current, root })
    }

    fn task(&self, request: &SkeletonRequest) -> Result<SkeletonTask<'_>> {
        request.check("a model of the kind skeleton", KNOWN)?;
        if request.pass.is_some() {
            request.check("a single pass", KNOWN_OF_PASSES)?;
        }
        let skeleton = if request.limits.unwrap_or(true) { &self.model.skeleton } else { &self.free };
        let mut targets = targets(&self.model, &request.targets.0)?;
        let (seed, place) = match &request.seed {
            StartEntry::Previous => (self.current.clone(), self.root),
            StartEntry::Rest => (self.model.rest.clone(), root_of(&self.model.rest)),
            StartEntry::Given(seed) => (seed.clone(), root_of(seed)),
        };
        let held = match &request.root {
            RootRequest::Fixed => Some(place),
            RootRequest::Free => None,
            RootRequest::At(Object(pose)) => Some(pose.pose(&place.rotation)?),
        };
        let root = held.map_or(Root::Free, Root::At);
        for name in &request.hold {
            let point = self.model.target_point(name)?;
            if targets.iter().any(|target| target.point == point) {
                return Err(
                    format!("'{}' is held, and has a target or is held twice; leave out one", short(name)).into()
                );
            }
            targets.push(SkeletonTarget { weight: HOLD_WEIGHT, ..SkeletonTarget::new(point, seed.points[point]) });
        }
        let (held_points, options) = (request.hold.len(), request.options.0.options(&request.seed)?);
        let task = SkeletonTask { skeleton, targets, held_points, seed, root, options, held };
        task.check(&request.options.0)?;
        Ok(task)
    }

    /// The answer of a whole solve, and its configuration.
    fn solved(&self, task: &SkeletonTask) -> Result<(AnswerOut, SkeletonConfiguration)> {
        let (solution, microseconds) = timed(|| task.solve())?;
        let reached = task.completed(solution.configuration)?;
        let mut residuals = self.distances(task, &reached);
        for (out, Residual { outcome, .. }) in residuals.iter_mut().zip(&solution.residuals) {
            out.is_certain = !out.solved && outcome.is_certain();
            out.reason = (!out.solved).then(|| self.reason(task, outcome));
        }
        let held = residuals.split_off(task.targets.len() - task.held_points);
        let not_held = held.into_iter().filter(|held| !held.solved).map(|held| held.point).collect();
        let names = self.model.points[1..].iter().zip(solution.limited);
        let answer = AnswerOut {
            not_held: (task.held_points > 0).then_some(not_held),
            limited: names.filter(|(_, limited)| *limited).map(|(name, _)| name.clone()).collect(),
            residuals,
            iterations: solution.iterations,
            restarts: solution.restarts,
            accelerated: solution.accelerated,
            microseconds,
            ..AnswerOut::default()
        };
        Ok((answer, reached))
    }

    /// Why a target is not met. Other targets are named by their points.
    fn reason(&self, task: &SkeletonTask, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Solved => "it gives way to points that are held".to_owned(),
            Outcome::Closest(reason @ Reason::Apart { other, .. }) => {
                let name = &self.model.points[task.targets[*other].point];
                reason.to_string().replacen(&format!("target {other}"), &format!("the target for '{name}'"), 1)
            }
            Outcome::Closest(reason) => reason.to_string(),
        }
    }

    /// The answer of a single pass, and its configuration.
    fn passed(&self, task: &SkeletonTask, pass: Pass) -> Result<(AnswerOut, SkeletonConfiguration)> {
        let (reached, microseconds) = timed(|| task.pass(pass))?;
        let reached = task.completed(reached)?;
        Ok((AnswerOut { residuals: self.distances(task, &reached), microseconds, ..AnswerOut::default() }, reached))
    }

    /// The residuals of a configuration.
    fn distances(&self, task: &SkeletonTask, reached: &SkeletonConfiguration) -> Vec<ResidualOut> {
        let residual = |target: &SkeletonTarget| {
            let distance = (reached.points[target.point] - target.position).norm();
            let angle = target.orientation.map_or(0.0, |wanted| reached.orientations[target.point].angle_to(&wanted));
            let solved = task.options.allow(distance, angle);
            let point = self.model.points[target.point].clone();
            ResidualOut { point, distance, angle, solved, reason: None, is_certain: false }
        };
        task.targets.iter().map(residual).collect()
    }
}

impl Session for SkeletonSession {
    fn description(&self) -> Description {
        describe(&self.model)
    }

    fn urdf(&self) -> Result<String> {
        urdf_out::urdf(&self.model, &self.root)
    }

    fn figure(&self, request: &SkeletonRequest) -> Result<String> {
        let task = self.task(request)?;
        let (problem, solution) = (task.problem(), task.solve()?);
        let (title, names, skeleton) = (&*self.model.name, &*self.model.points, task.skeleton);
        picture::draw(&SkeletonPicture { title, names, skeleton, problem: &problem, solution: &solution })
    }

    fn answer(&mut self, request: &SkeletonRequest) -> Result<AnswerOut> {
        let task = self.task(request)?;
        let (mut answer, reached) = match request.pass {
            None => self.solved(&task)?,
            Some(pass) => self.passed(&task, pass)?,
        };
        // A forward pass moves the root.
        let is_in_place = task.held.is_none_or(|held| reached.points[0] == Point3::from(held.translation.vector));
        let is_held = answer.not_held.as_ref().is_none_or(Vec::is_empty);
        answer.is_solved = is_in_place && is_held && answer.residuals.iter().all(|residual| residual.solved);
        if request.pass.is_none() && request.limits.unwrap_or(true) {
            answer.positions = self.model.joint_positions(&reached)?.map(BTreeMap::from_iter);
        }
        answer.pose = PointsOut::from(&reached);
        self.root = task.held.unwrap_or_else(|| root_of(&reached));
        self.current = reached;
        Ok(answer)
    }
}

/// The root frame of a configuration with all its orientations.
fn root_of(configuration: &SkeletonConfiguration) -> Isometry3<f64> {
    Isometry3::from_parts(configuration.points[0].into(), configuration.orientations[0])
}
