//! A request to a skeleton as a problem of the library.

use std::collections::BTreeSet;

use urdf_ik::nalgebra::{Isometry3, Point3, UnitQuaternion};
use urdf_ik::skeleton::file::NamedSkeleton;
use urdf_ik::skeleton::{
    InputError, Outcome, Root, Skeleton, SkeletonConfiguration, SkeletonOptions, SkeletonProblem, SkeletonSolution,
    SkeletonTarget,
};

use super::checked::{check_position, rotation};
use super::request::{OptionsEntry, Pass, TargetEntry};
use crate::Result;

/// A problem and its skeleton.
pub struct SkeletonTask<'a> {
    pub skeleton: &'a Skeleton,
    /// Targets, followed by the targets of held points.
    pub targets: Vec<SkeletonTarget>,
    /// Number of held points.
    pub held_points: usize,
    pub seed: SkeletonConfiguration,
    pub root: Root,
    pub options: SkeletonOptions,
    /// The pose of the root \[m\]; `None` if it is free.
    pub held: Option<Isometry3<f64>>,
}

impl SkeletonTask<'_> {
    /// Checks that no option in `given` is without effect.
    ///
    /// # Errors
    /// A message that names the option without effect.
    pub fn check(&self, given: &OptionsEntry) -> Result {
        let ends_at_target = matches!(&*self.targets, [target] if target.point == self.skeleton.segment_count());
        let is_single_chain = self.is_on_points() && self.held.is_some() && self.skeleton.is_chain() && ends_at_target;
        let (key, reason) = match (is_single_chain, given.circles, given.polish) {
            (false, Some(true), _) => ("circles", "they close one"),
            (true, _, Some(false)) => ("polish (--no-polish)", "there is none for one"),
            _ => return Ok(()),
        };
        let chain = "chain without limits, from a root in its place to one position of its end";
        Err(format!("{key} has no meaning here: {reason} {chain}").into())
    }

    /// True if neither limits nor targets involve orientations.
    fn is_on_points(&self) -> bool {
        self.skeleton.is_free() && self.targets.iter().all(|target| target.orientation.is_none())
    }

    pub fn problem(&self) -> SkeletonProblem<'_> {
        SkeletonProblem { targets: &self.targets, root: self.root, seed: &self.seed, options: self.options }
    }

    /// Solves for the targets. If these displace held points, a second solve moves the held points back.
    ///
    /// # Errors
    /// A message if the problem is invalid.
    pub fn solve(&self) -> Result<SkeletonSolution> {
        let (mut solution, mut scratch) = (self.skeleton.solution(), self.skeleton.scratch(&self.options));
        self.skeleton.solve(&self.problem(), &mut scratch, &mut solution)?;
        let first_held = self.targets.len() - self.held_points;
        if solution.residuals[first_held..].iter().any(|residual| residual.outcome != Outcome::Solved) {
            // Targets have displaced held points: a second solve has these alone.
            let (targets, seed) = (&self.targets[first_held..], solution.configuration.clone());
            let mut held = self.skeleton.solution();
            let problem = SkeletonProblem { targets, seed: &seed, ..self.problem() };
            self.skeleton.solve(&problem, &mut scratch, &mut held)?;
            solution.configuration = held.configuration;
        }
        Ok(solution)
    }

    /// The configuration after a single pass from the seed. It may lack orientations.
    ///
    /// # Errors
    /// A message if the problem is invalid.
    pub fn pass(&self, pass: Pass) -> Result<SkeletonConfiguration> {
        let (problem, mut scratch) = (self.problem(), self.skeleton.scratch(&self.options));
        let mut configuration = self.seed.clone();
        if self.is_on_points() {
            // As in a whole solve: points alone.
            configuration.orientations.clear();
        }
        match pass {
            Pass::Forward => self.skeleton.reach_forward(&problem, &mut scratch, &mut configuration)?,
            Pass::Backward => self.skeleton.reach_backward(&problem, &mut scratch, &mut configuration)?,
        }
        Ok(configuration)
    }

    /// The configuration with orientations. If there are none, they are the shortest rotations from rest.
    ///
    /// # Errors
    /// [`InputError`] if the configuration does not fit the skeleton.
    pub fn completed(&self, configuration: SkeletonConfiguration) -> Result<SkeletonConfiguration, InputError> {
        if !configuration.orientations.is_empty() {
            return Ok(configuration);
        }
        let root = self.held.map_or_else(|| self.seed.orientations[0], |held| held.rotation);
        let turned = |point: &Point3<f64>| root.inverse_transform_point(point);
        let local =
            SkeletonConfiguration { points: configuration.points.iter().map(turned).collect(), orientations: vec![] };
        let orientations = self.skeleton.orientations(&local)?.iter().map(|orientation| root * orientation).collect();
        Ok(SkeletonConfiguration { orientations, ..configuration })
    }
}

/// Converts the targets of a request to those of the library. Errors name the point, whereas the library can only
/// number the targets.
///
/// # Errors
/// A message if a target is invalid, its point is unknown, or a point has two targets.
pub fn targets(model: &NamedSkeleton, entries: &[TargetEntry]) -> Result<Vec<SkeletonTarget>> {
    let mut points = BTreeSet::new();
    let mut target = |entry: &TargetEntry| {
        let point = model.target_point(&entry.point)?;
        let name = &entry.point;
        if !points.insert(point) {
            return Err(format!("there are two targets for '{name}'; give one").into());
        }
        let (orientation, weight) =
            check(entry, model.skeleton.is_planar()).map_err(|reason| format!("the target for '{name}' {reason}"))?;
        Ok(SkeletonTarget { orientation, weight, ..SkeletonTarget::new(point, entry.position.into()) })
    };
    entries.iter().map(&mut target).collect()
}

/// The orientation and the weight of a target, or the reason why it is invalid.
fn check(entry: &TargetEntry, is_planar: bool) -> Result<(Option<UnitQuaternion<f64>>, f64)> {
    check_position(entry.position)?;
    let orientation = entry.orientation.map(rotation).transpose()?;
    let is_turned = orientation.is_some_and(|rotation| rotation.i != 0.0 || rotation.j != 0.0);
    if is_planar && (entry.position[2] != 0.0 || is_turned) {
        return Err("leaves the plane; there z is 0, and rotations are about z".into());
    }
    let weight = entry.weight.unwrap_or(1.0);
    if !(1e-6..=1e6).contains(&weight) {
        return Err(format!("has the weight {weight:?}; give a number from 1e-6 to 1e6").into());
    }
    Ok((orientation, weight))
}
