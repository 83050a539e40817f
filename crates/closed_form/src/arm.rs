//! Fits the axes of an arm to a decomposable family exactly, and solves it by the subproblems of the family.

use std::ops::Range;

use nalgebra::{Isometry3, Rotation3, Vector3};

use super::family::Relations;
use super::shared_steps::SeedTurns;
use super::subproblems::AXIS_ROUNDING;
use super::{ArmSolutions, Axes, Family, FamilyKind, JOINTS, Turn};

/// Maximum residual of a subproblem's condition: of angles \[rad\], and of lengths divided by the arm's length \[-\].
/// The first entry is for arms that belong to their family exactly, the second for nearby arms, whose solutions Newton
/// steps verify.
pub const CONDITION_SLACK: [f64; 2] = [1e-6, 0.1];

/// An arm whose axes belong to a decomposable family exactly.
#[derive(Debug, Clone, Copy)]
pub struct DecomposableArm {
    kind: FamilyKind,
    reversed: bool,
    /// Unit vectors in the base frame at zero positions; parallel axes are equal.
    pub(super) axes: [Vector3<f64>; JOINTS],
    /// -1 for an axis that is reversed to equal its parallels, otherwise 1.
    pub(super) signs: [f64; JOINTS],
    /// From a point on each axis to one on the next \[m\].
    pub(super) links: [Vector3<f64>; JOINTS - 1],
    /// From the base's origin to the first point, and from the last to the tip \[m\].
    base: Vector3<f64>,
    tool: Vector3<f64>,
    /// Inverse of the tip's rotation at zero positions.
    unturned: Rotation3<f64>,
    /// Two unit vectors perpendicular to the last axis and to each other.
    beside: [Vector3<f64>; 2],
    /// Distance below which a point counts as on an axis \[m\].
    on_axis: f64,
    /// Maximum residual of a subproblem's condition: of lengths \[m\], then of angles \[rad\].
    pub slack: (f64, f64),
}

/// Goal of the last axis, from a goal of the tip.
pub(super) struct AxisGoal {
    /// Vector from the point on the first axis to that on the last \[m\].
    pub point: Vector3<f64>,
    /// Direction of the last axis, and a vector perpendicular to it.
    pub axis: Vector3<f64>,
    pub beside: Vector3<f64>,
}

impl DecomposableArm {
    /// The arm that belongs to `family` exactly and is nearest to `axes`. `length` is the arm's length \[m\].
    pub fn new(axes: &Axes, family: &Family, length: f64) -> Self {
        let mut axes = if family.reversed { axes.reversed() } else { *axes };
        let mut signs = [1.0; JOINTS];
        align(&mut axes, &mut signs, family.kind.relations().parallel);
        let points = points(&axes, family.kind);
        let slack = CONDITION_SLACK[usize::from(!family.exact())];
        let last = axes.lines[JOINTS - 1].direction;
        let beside = last.cross(&Vector3::ith(last.iamin(), 1.0)).normalize();
        Self {
            kind: family.kind,
            reversed: family.reversed,
            axes: axes.lines.map(|line| line.direction),
            signs,
            links: std::array::from_fn(|i| points[i + 1] - points[i]),
            base: points[0],
            tool: axes.tip.translation.vector - points[JOINTS - 1],
            unturned: axes.tip.rotation.to_rotation_matrix().inverse(),
            beside: [beside, last.cross(&beside)],
            on_axis: AXIS_ROUNDING * length,
            slack: (slack * length, slack),
        }
    }

    /// All joint positions for which the tip is at `pose`, in the base link's frame (translation \[m\]). Undetermined
    /// joints are near `seed` \[rad\], one entry per joint from base to tip.
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> ArmSolutions {
        let goal = self.goal(pose);
        let near = SeedTurns(std::array::from_fn(|i| seed[self.joint(i)] * self.signs[i]));
        let mut solutions = ArmSolutions::default();
        // Consecutive solutions share rotations, so their angles are not computed again.
        let (mut last, mut positions) = ([Turn::ZERO; JOINTS], [0.0; JOINTS]);
        let mut found = |turns: [Turn; JOINTS], free: bool| {
            for (index, turn) in turns.into_iter().enumerate().filter(|(index, turn)| last[*index] != *turn) {
                positions[self.joint(index)] = turn.angle() * self.signs[index];
            }
            last = turns;
            solutions.push(positions, free);
        };
        match self.kind {
            FamilyKind::SphericalWrist(shoulder) => self.spherical_wrist(shoulder, &goal, &near, &mut found),
            FamilyKind::MiddleParallel { last_two_meet } => {
                self.middle_parallel(last_two_meet, &goal, &near, &mut found);
            }
            FamilyKind::FirstThreeParallel => self.first_parallel(&goal, &near, &mut found),
            FamilyKind::General => {}
        }
        solutions
    }

    /// The goal of the last axis for `pose` of the tip (base link's frame).
    pub(super) fn goal(&self, pose: &Isometry3<f64>) -> AxisGoal {
        let pose = if self.reversed { pose.inverse() } else { *pose };
        let rotation = pose.rotation.to_rotation_matrix() * self.unturned;
        AxisGoal {
            point: self.cleared(pose.translation.vector - self.base - rotation * self.tool, &self.axes[0]),
            axis: rotation * self.axes[JOINTS - 1],
            beside: rotation * self.beside[0],
        }
    }

    /// The point, projected onto the axis where it is within rounding of it, or onto the origin: a direction from
    /// there would be rounding error.
    pub(super) fn cleared(&self, point: Vector3<f64>, axis: &Vector3<f64>) -> Vector3<f64> {
        let on_axis = axis * axis.dot(&point);
        if point.norm() <= self.on_axis {
            Vector3::zeros()
        } else if (point - on_axis).norm() <= self.on_axis {
            on_axis
        } else {
            point
        }
    }

    /// The rotation of the last joint that takes its perpendicular vector to `beside`.
    pub(super) fn last(&self, beside: &Vector3<f64>) -> Turn {
        Turn::towards(self.beside[0].dot(beside), self.beside[1].dot(beside))
    }

    /// The chain's joint of an axis.
    pub(super) fn joint(&self, index: usize) -> usize {
        if self.reversed { JOINTS - 1 - index } else { index }
    }
}

/// Makes the axes of a range equal to their mean.
fn align(axes: &mut Axes, signs: &mut [f64; JOINTS], range: Range<usize>) {
    let first = axes.lines[range.start].direction;
    for index in range.clone() {
        signs[index] = if axes.lines[index].direction.dot(&first) < 0.0 { -1.0 } else { 1.0 };
    }
    let mean: Vector3<f64> = range.clone().map(|index| axes.lines[index].direction * signs[index]).sum();
    for index in range {
        axes.lines[index].direction = mean.normalize();
    }
}

/// The points that the links connect.
fn points(axes: &Axes, kind: FamilyKind) -> [Vector3<f64>; JOINTS] {
    let mut points = axes.lines.map(|line| line.point);
    let Relations { is_wrist, meeting, skew, .. } = kind.relations();
    if is_wrist {
        points[3..].fill(axes.centre([3, 4, 5]).unwrap_or(axes.lines[4].point));
    }
    if let Some([a, b]) = meeting {
        let (one, other) = axes.feet(a, b);
        points[a..=b].fill(0.5 * (one + other));
    }
    if let Some([a, b]) = skew {
        (points[a], points[b]) = axes.feet(a, b);
    }
    points
}
