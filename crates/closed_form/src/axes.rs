//! Joint axes of a chain as lines in the base link's frame, at zero positions.

use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Unit, UnitQuaternion, Vector3};

use super::{Line, NoClosedForm};
use urdf_ik_robot::{Chain, ChainJoint, JointKind};

/// Number of joints of an arm of a [`Family`](super::Family).
pub const JOINTS: usize = 6;
/// Minimum number of joints of chains with a closed form: auxiliary joints are added to short chains.
pub const MIN_JOINTS: usize = 2;
/// Maximum number of joints of chains with a closed form: one is fixed, so that [`JOINTS`] remain.
pub const REDUNDANT_JOINTS: usize = 7;

/// The joint axes and the tip of a chain at zero positions. They define its forward kinematics as a product of
/// exponentials (Brockett 1984, "Robotic manipulators and the product of exponentials formula").
#[derive(Debug, Clone, Copy)]
pub struct Axes<const N: usize = JOINTS> {
    /// The axes in the base link's frame (points \[m\]), from base to tip.
    pub lines: [Line; N],
    /// Pose of the tip in the base link's frame (translation \[m\]).
    pub tip: Isometry3<f64>,
}

/// Joint axes of a chain with a single tip, each with the direction of its URDF, and the pose of the tip link, in the
/// base link's frame at zero positions. For a prismatic joint, the line through its origin. `None` for several tips.
pub(super) fn joint_lines(chain: &Chain) -> Option<(Vec<Line>, Isometry3<f64>)> {
    let [tip] = chain.tips() else { return None };
    let mut pose = Isometry3::identity();
    let lines = chain.joints().iter().map(|joint| {
        pose *= joint.placement;
        Line { direction: pose.rotation * joint.axis.into_inner(), point: pose.translation.vector }
    });
    let lines = lines.collect();
    Some((lines, pose * tip.placement))
}

impl<const N: usize> Axes<N> {
    /// The axes of `chain` at zero positions, directed so that a positive rotation increases the variable. If the chain
    /// has fewer than `N` axes, zero vectors follow.
    ///
    /// # Errors
    /// [`NoClosedForm`] unless the chain has one tip and 2 to `N` revolute joints, each with its own variable.
    pub fn new(chain: &Chain) -> Result<Self, NoClosedForm> {
        let name = |joint: &ChainJoint| chain.variables()[joint.variable].name.clone();
        let (own, tip) = joint_lines(chain).ok_or(NoClosedForm::Tips(chain.tips().len()))?;
        if let Some(joint) = chain.joints().iter().find(|joint| joint.kind == JointKind::Prismatic) {
            return Err(NoClosedForm::Prismatic(name(joint)));
        }
        let mut seen = chain.joints().iter().enumerate();
        if let Some((_, joint)) = seen.find(|(i, j)| j.variable != *i || j.multiplier.abs() != 1.0 || j.offset != 0.0) {
            return Err(NoClosedForm::Mimic(name(joint)));
        }
        if !(MIN_JOINTS..=N).contains(&chain.joints().len()) {
            return Err(NoClosedForm::Joints(chain.joints().len()));
        }
        let mut lines = [Line { direction: Vector3::zeros(), point: Vector3::zeros() }; N];
        for (line, (own, joint)) in lines.iter_mut().zip(own.into_iter().zip(chain.joints())) {
            *line = Line { direction: own.direction * joint.multiplier, ..own };
        }
        Ok(Self { lines, tip })
    }

    /// This chain read from tip to base: in the tip's frame, with the joints in reverse order and unchanged positions.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let tip = self.tip.inverse();
        let mut reversed = Self { tip, ..*self };
        for (line, from) in reversed.lines.iter_mut().zip(self.lines.iter().rev()) {
            line.direction = -(tip.rotation * from.direction);
            line.point = (tip * Point3::from(from.point)).coords;
        }
        reversed
    }

    /// The acute angle \[rad\] between two axes, counted from 0.
    pub fn angle(&self, a: usize, b: usize) -> f64 {
        self.lines[a].angle(&self.lines[b])
    }

    /// The distance \[m\] between two axes, counted from 0.
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        self.lines[a].distance(&self.lines[b])
    }

    /// The feet of the common perpendicular of the axes `a` and `b`, counted from 0: on `a`, then on `b` \[m\], in the
    /// base link's frame. For parallel axes, those at the given point of `a`.
    pub fn feet(&self, a: usize, b: usize) -> (Vector3<f64>, Vector3<f64>) {
        self.lines[a].feet(&self.lines[b])
    }

    /// The point nearest to three axes, counted from 0, in the least-squares sense: in the base link's frame \[m\].
    /// `None` if the axes are parallel.
    pub fn centre(&self, axes: [usize; 3]) -> Option<Vector3<f64>> {
        let (mut sum, mut moment) = (Matrix3::zeros(), Vector3::zeros());
        // Relative to a nearby point, so that a distant base link costs no digits.
        let near = self.lines[axes[0]].point;
        for Line { direction, point } in axes.map(|index| self.lines[index]) {
            let across = Matrix3::identity() - direction * direction.transpose();
            sum += across;
            moment += across * (point - near);
        }
        Some(sum.try_inverse()? * moment + near)
    }
}

impl Axes<REDUNDANT_JOINTS> {
    /// The remaining axes with joint `locked`, counted from 0, fixed at `position` \[rad\].
    pub fn without(&self, locked: usize, position: f64) -> Axes {
        let Line { direction: axis, point: centre } = self.lines[locked];
        let rotation = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(axis), position);
        let turn = rotation.to_rotation_matrix();
        let motion = Isometry3::from_parts(Translation3::from(centre - turn * centre), rotation);
        let carried =
            |line: &Line| Line { direction: turn * line.direction, point: centre + turn * (line.point - centre) };
        let line = |i: usize| if i < locked { self.lines[i] } else { carried(&self.lines[i + 1]) };
        Axes { lines: std::array::from_fn(line), tip: motion * self.tip }
    }
}
