//! The working configuration of a solve, and its targets by point.

use nalgebra::{Point3, UnitQuaternion};

use super::{Reason, Skeleton, SkeletonProblem, SkeletonTarget};
use urdf_ik_mathematics::segments::Reach;

/// Points only, or points, orientations and rotations; the latter lists are empty in the first case.
#[derive(Debug, Clone, Default)]
pub(super) struct Posture {
    pub points: Vec<Point3<f64>>,
    /// Orientations of the root and of each segment.
    pub orientations: Vec<UnitQuaternion<f64>>,
    /// Rotation of each joint.
    pub rotations: Vec<UnitQuaternion<f64>>,
    /// For each joint, true if the last cycle or step requested a rotation outside its limits.
    pub limited: Vec<bool>,
}

impl Posture {
    /// With capacity for both kinds.
    pub(super) fn new(segments: usize) -> Self {
        Self {
            points: vec![Point3::origin(); segments + 1],
            orientations: vec![UnitQuaternion::identity(); segments + 1],
            rotations: vec![UnitQuaternion::identity(); segments],
            limited: vec![false; segments],
        }
    }

    /// Switches between the kinds without allocation.
    pub(super) fn set_kind(&mut self, has_orientations: bool) {
        let segments = self.limited.len();
        self.orientations.resize(if has_orientations { segments + 1 } else { 0 }, UnitQuaternion::identity());
        self.rotations.resize(if has_orientations { segments } else { 0 }, UnitQuaternion::identity());
    }

    /// Writes the state of a cycle as a flat vector: the points; or the root, its orientation and the rotations.
    pub(super) fn write_numbers(&self, numbers: &mut [f64]) {
        let points = if self.orientations.is_empty() { self.points.len() } else { 1 };
        let (of_points, of_turns) = numbers.split_at_mut(3 * points);
        for (point, numbers) in self.points.iter().zip(of_points.chunks_exact_mut(3)) {
            numbers.copy_from_slice(point.coords.as_slice());
        }
        for (turn, numbers) in self.turns().zip(of_turns.chunks_exact_mut(4)) {
            numbers.copy_from_slice(turn.coords.as_slice());
        }
    }

    /// The orientation of the root, then the joint rotations.
    pub(super) fn turns(&self) -> impl Iterator<Item = &UnitQuaternion<f64>> {
        self.orientations.first().into_iter().chain(&self.rotations)
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.points.copy_from_slice(&other.points);
        self.orientations.copy_from_slice(&other.orientations);
        self.rotations.copy_from_slice(&other.rotations);
        self.limited.copy_from_slice(&other.limited);
    }
}

/// The targets of a problem, indexed by point.
#[derive(Debug, Clone, Default)]
pub(super) struct Goals {
    /// For each point, the index of its target.
    of_point: Vec<Option<u32>>,
    /// For each point, true if it or a descendant has a target.
    pub leads: Vec<bool>,
    /// Indices of the segments whose end point has or leads to a target, parents first.
    pub leading: Vec<usize>,
    /// For each target proven out of reach, the reason and the unavoidable distance \[m\].
    pub far: Vec<Option<(Reason, f64)>>,
    /// Weight of each target in the search.
    pub weights: Vec<f64>,
    /// Current factor of the weights of targets out of reach.
    pub fading: f64,
}

impl Goals {
    pub(super) fn new(segments: usize) -> Self {
        let points = segments + 1;
        Self {
            of_point: vec![None; points],
            leads: vec![false; points],
            leading: Vec::with_capacity(segments),
            far: Vec::with_capacity(points),
            weights: Vec::with_capacity(points),
            fading: 1.0,
        }
    }

    /// Sets the targets of `problem`; `root` is `None` if the root is free.
    pub(super) fn set(&mut self, skeleton: &Skeleton, problem: &SkeletonProblem, root: Option<Point3<f64>>) {
        self.of_point.fill(None);
        self.leads.fill(false);
        self.far.clear();
        for (index, target) in problem.targets.iter().enumerate() {
            self.of_point[target.point] = u32::try_from(index).ok();
            self.leads[target.point] = true;
            self.far.push(root.and_then(|root| {
                let (reach, distance) = (skeleton.reach_between(0, target.point), (target.position - root).norm());
                let reason = Reason::out_of_reach(&reach, distance, problem.options.tolerance)?;
                Some((reason, reach.gap(distance)))
            }));
        }
        self.weigh(problem.targets, false);
        self.fading = 1.0;
        self.leading.clear();
        for (segment, &parent) in skeleton.parents.iter().enumerate().rev() {
            if self.leads[segment + 1] {
                self.leads[parent] = true;
                self.leading.push(segment);
            }
        }
        self.leading.reverse();
    }

    /// Uses the weights of the targets, or equal weights.
    pub(super) fn weigh(&mut self, targets: &[SkeletonTarget], all_alike: bool) {
        self.weights.clear();
        self.weights.extend(targets.iter().map(|target| if all_alike { 1.0 } else { target.weight }));
    }

    /// The target of a point.
    pub(super) fn target<'a>(&self, point: usize, problem: &SkeletonProblem<'a>) -> Option<&'a SkeletonTarget> {
        problem.targets.get(self.index(point)?)
    }

    /// The index of the target of a point.
    pub(super) fn index(&self, point: usize) -> Option<usize> {
        self.of_point[point].map(|index| index as usize)
    }
}

/// Maximum number of targets compared with one to find a contradiction.
const MAX_COMPARED: usize = 64;

/// Another target that provably excludes the target of index `index`.
pub(super) fn contradiction(skeleton: &Skeleton, problem: &SkeletonProblem, index: usize) -> Option<Reason> {
    let target = &problem.targets[index];
    let slack = 2.0 * problem.options.tolerance;
    problem.targets.iter().take(MAX_COMPARED).enumerate().find_map(|(other, second)| {
        let distance = (second.position - target.position).norm();
        let reach = skeleton.reach_between(target.point, second.point);
        let Reach { inner, outer } = reach;
        (reach.gap(distance) > slack).then_some(Reason::Apart { other, distance, inner, outer })
    })
}
