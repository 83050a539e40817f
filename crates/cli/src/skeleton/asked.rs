//! A request to a skeleton in the terms of the library.

use urdf_ik::nalgebra::{Isometry3, Point3};
use urdf_ik::skeleton::{Configuration, InputError, Options, Problem, Root, Skeleton, Solution, Target};

use super::request::Pass;
use crate::Failure;

/// What is asked, and of which skeleton.
pub struct Asked<'a> {
    pub skeleton: &'a Skeleton,
    pub targets: Vec<Target>,
    pub seed: Configuration,
    pub root: Root,
    pub options: Options,
    /// Where the root is held, if it is.
    pub held: Option<Isometry3<f64>>,
}

impl Asked<'_> {
    pub fn problem(&self) -> Problem<'_> {
        Problem { targets: &self.targets, root: self.root, seed: &self.seed, options: self.options }
    }

    pub fn solve(&self) -> Result<Solution, Failure> {
        let mut solution = self.skeleton.solution();
        self.skeleton.solve(&self.problem(), &mut self.skeleton.scratch(&self.options), &mut solution)?;
        Ok(solution)
    }

    pub fn pass(&self, pass: Pass) -> Result<Configuration, Failure> {
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
    pub fn completed(&self, configuration: Configuration) -> Result<Configuration, InputError> {
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
