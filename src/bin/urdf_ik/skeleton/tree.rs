//! Skeletons: where they are, and how they are solved.

use std::time::Instant;

use urdf_ik::nalgebra::{Isometry3, Point3};
use urdf_ik::skeleton::file::NamedSkeleton;
use urdf_ik::skeleton::{Configuration, InputError, Options, Outcome, Problem, Root, Skeleton, Solution, Target};
use urdf_ik::spatial::rotation_from;

use super::answer::{Answer, Description, ResidualOut, numbers_of_points, numbers_of_rotations};
use super::describe::{describe, without_limits};
use super::request::{Pass, Request, RootEntry, RootName, Seed, TargetEntry};
use super::session::Session;
use crate::Failure;

/// The keys of a request that have a meaning here.
const KNOWN: [&str; 10] = [
    "root",
    "limits",
    "pass",
    "tolerance",
    "orientation_tolerance",
    "iterations",
    "restarts",
    "acceleration",
    "circles",
    "polish",
];

/// A skeleton and where it is.
pub struct Tree {
    model: NamedSkeleton,
    /// The same without limits.
    free: Skeleton,
    /// With all its orientations.
    current: Configuration,
    /// Where the root belongs: single passes take it away from there.
    root: Isometry3<f64>,
}

/// A request in the terms of the library.
struct Asked<'a> {
    skeleton: &'a Skeleton,
    targets: Vec<Target>,
    seed: Configuration,
    root: Root,
    options: Options,
    /// Where the root is held, if it is.
    held: Option<Isometry3<f64>>,
}

impl Asked<'_> {
    fn problem(&self) -> Problem<'_> {
        Problem { targets: &self.targets, root: self.root, seed: &self.seed, options: self.options }
    }

    fn solve(&self) -> Result<Solution, Failure> {
        let mut solution = self.skeleton.solution();
        self.skeleton.solve(&self.problem(), &mut self.skeleton.scratch(&self.options), &mut solution)?;
        Ok(solution)
    }

    fn pass(&self, pass: Pass) -> Result<Configuration, Failure> {
        let (problem, mut scratch) = (self.problem(), self.skeleton.scratch(&self.options));
        let mut configuration = self.seed.clone();
        if self.skeleton.is_free() && self.targets.iter().all(|target| target.orientation.is_none()) {
            // As a whole solve does it: on points alone.
            configuration.orientations.clear();
        }
        match pass {
            Pass::Forward => self.skeleton.reach_forward(&problem, &mut scratch, &mut configuration)?,
            Pass::Backward => self.skeleton.reach_backward(&problem, &mut scratch, &mut configuration)?,
        }
        Ok(configuration)
    }

    /// The configuration with orientations, those of segments that have none by the shortest rotations from rest.
    fn completed(&self, configuration: Configuration) -> Result<Configuration, InputError> {
        if !configuration.orientations.is_empty() {
            return Ok(configuration);
        }
        let root = self.held.map_or_else(|| self.seed.orientations[0], |held| held.rotation);
        let turned = |point: &Point3<f64>| root.inverse_transform_point(point);
        let local = Configuration { points: configuration.points.iter().map(turned).collect(), orientations: vec![] };
        let orientations = self.skeleton.orientations(&local)?.iter().map(|orientation| root * orientation).collect();
        Ok(Configuration { orientations, ..configuration })
    }
}

impl Tree {
    pub fn new(model: NamedSkeleton) -> Result<Self, Failure> {
        let (free, current) = (without_limits(&model.skeleton)?, model.rest.clone());
        let root = root_of(&current);
        Ok(Self { model, free, current, root })
    }

    fn asked(&self, request: &Request) -> Result<Asked<'_>, Failure> {
        request.check("skeleton", &KNOWN)?;
        let skeleton = if request.limits.unwrap_or(true) { &self.model.skeleton } else { &self.free };
        let targets: Vec<Target> = request.targets.iter().map(|entry| self.target(entry)).collect::<Result<_, _>>()?;
        let (seed, place) = match &request.seed {
            Seed::Previous => (self.current.clone(), self.root),
            Seed::Rest => (self.model.rest.clone(), root_of(&self.model.rest)),
            Seed::Given(seed) => (seed.clone(), root_of(seed)),
        };
        let held = match &request.root {
            RootEntry::Named(RootName::Fixed) => Some(place),
            RootEntry::Named(RootName::Free) => None,
            RootEntry::At(pose) => Some(pose.pose(&place.rotation)?),
        };
        let root = held.map_or(Root::Free, Root::At);
        Ok(Asked { skeleton, targets, seed, root, options: request.options.options()?, held })
    }

    fn target(&self, entry: &TargetEntry) -> Result<Target, Failure> {
        let point = self.model.point(&entry.point).ok_or_else(|| {
            let ends = self.names(&self.model.ends).join(", ");
            format!("there is no point '{:.80}'; the ends are {ends:.500}", entry.point)
        })?;
        let orientation = entry.orientation.map(rotation_from).transpose()?;
        Ok(Target { orientation, weight: entry.weight.unwrap_or(1.0), ..Target::new(point, entry.position.into()) })
    }

    fn names(&self, points: &[usize]) -> Vec<String> {
        points.iter().map(|point| self.model.points[*point].clone()).collect()
    }

    /// What is left of the targets in a configuration that is no answer of a solve.
    fn distances(&self, asked: &Asked, reached: &Configuration) -> Vec<ResidualOut> {
        let residual = |target: &Target| {
            let distance = (reached.points[target.point] - target.position).norm();
            let angle = target.orientation.map_or(0.0, |wish| reached.orientations[target.point].angle_to(&wish));
            let solved = distance <= asked.options.tolerance && angle <= asked.options.orientation_tolerance;
            ResidualOut { point: self.model.points[target.point].clone(), distance, angle, solved, reason: None }
        };
        asked.targets.iter().map(residual).collect()
    }

    fn residuals(&self, asked: &Asked, solution: &Solution) -> Vec<ResidualOut> {
        let mut residuals = self.distances(asked, &solution.configuration);
        for (out, residual) in residuals.iter_mut().zip(&solution.residuals) {
            (out.distance, out.angle) = (residual.distance, residual.angle);
            out.solved = residual.outcome == Outcome::Solved;
            out.reason = (!out.solved).then(|| residual.outcome.to_string());
        }
        residuals
    }
}

impl Session for Tree {
    fn description(&self) -> Description {
        describe(&self.model)
    }

    fn answer(&mut self, request: &Request) -> Result<Answer, Failure> {
        let asked = self.asked(request)?;
        let begin = Instant::now();
        let (mut answer, reached) = match request.pass {
            None => {
                let mut solution = asked.solve()?;
                let microseconds = begin.elapsed().as_secs_f64() * 1e6;
                solution.configuration = asked.completed(solution.configuration)?;
                let residuals = self.residuals(&asked, &solution);
                let limited = solution.limited.iter().zip(&self.model.points[1..]);
                let answer = Answer {
                    limited: limited.filter(|(limited, _)| **limited).map(|(_, name)| name.clone()).collect(),
                    residuals,
                    iterations: solution.iterations,
                    restarts: solution.restarts,
                    accelerated: solution.accelerated,
                    microseconds,
                    ..Answer::default()
                };
                (answer, solution.configuration)
            }
            Some(pass) => {
                let reached = asked.pass(pass)?;
                let microseconds = begin.elapsed().as_secs_f64() * 1e6;
                let reached = asked.completed(reached)?;
                (Answer { residuals: self.distances(&asked, &reached), microseconds, ..Answer::default() }, reached)
            }
        };
        answer.is_solved = answer.residuals.iter().all(|residual| residual.solved);
        answer.points = numbers_of_points(&reached.points);
        answer.orientations = numbers_of_rotations(&reached.orientations);
        self.root = asked.held.unwrap_or_else(|| root_of(&reached));
        self.current = reached;
        Ok(answer)
    }
}

/// The root frame of a configuration with all its orientations.
fn root_of(configuration: &Configuration) -> Isometry3<f64> {
    Isometry3::from_parts(configuration.points[0].into(), configuration.orientations[0])
}
