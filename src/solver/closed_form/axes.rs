//! The joint axes of a chain of turning joints, in the base link's frame where all positions are zero, and how they lie to each
//! other.

use nalgebra::{Isometry3, Matrix3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::robot::{Chain, JointKind};

/// Joints of the chains that are taken apart.
pub const JOINTS: usize = 6;
/// Joints of the shortest chains, to which others are added.
pub const LEAST: usize = 2;
/// Joints of the chains of which one is locked, so that as many are left.
pub const REDUNDANT: usize = 7;

/// The axes and the tip of a chain at zero positions: with these the tip's pose is a product of exponentials (Brockett 1984,
/// "Robotic manipulators and the product of exponentials formula").
#[derive(Debug, Clone, Copy)]
pub struct Axes<const N: usize = JOINTS> {
    /// Directions, unit vectors.
    pub directions: [Vector3<f64>; N],
    /// A point on each axis \[m\].
    pub points: [Vector3<f64>; N],
    /// Pose of the tip link.
    pub tip: Isometry3<f64>,
}

impl<const N: usize> Axes<N> {
    /// The axes of `chain`, zeros after the last where it has fewer than `N`.
    ///
    /// # Errors
    /// A clause that says why it is no chain of turning joints, each of its own, two of them at least and `N` at most.
    pub fn new(chain: &Chain) -> Result<Self, String> {
        if let [_, _, ..] = chain.tips() {
            return Err(format!("it has {} tips", chain.tips().len()));
        }
        if let Some(joint) = chain.joints().iter().find(|joint| joint.kind == JointKind::Prismatic) {
            return Err(format!("the joint '{}' does not turn", chain.variables()[joint.variable].name));
        }
        let mut seen = chain.joints().iter().enumerate();
        if let Some((_, joint)) = seen.find(|(i, j)| j.variable != *i || j.multiplier.abs() != 1.0 || j.offset != 0.0) {
            return Err(format!("joints follow '{}' (mimic)", chain.variables()[joint.variable].name));
        }
        if !(LEAST..=N).contains(&chain.joints().len()) {
            return Err(format!("it has {} joints, not {LEAST} to {REDUNDANT}", chain.joints().len()));
        }
        let (mut directions, mut points) = ([Vector3::zeros(); N], [Vector3::zeros(); N]);
        let mut pose = Isometry3::identity();
        for (index, joint) in chain.joints().iter().enumerate() {
            pose *= joint.placement;
            directions[index] = pose.rotation * joint.axis.into_inner() * joint.multiplier;
            points[index] = pose.translation.vector;
        }
        Ok(Self { directions, points, tip: pose * chain.tips()[0].placement })
    }
}

impl Axes<REDUNDANT> {
    /// The axes that are left where the joint `locked` stands at `position` \[rad\].
    #[must_use]
    pub fn without(&self, locked: usize, position: f64) -> Axes {
        let (axis, centre) = (self.directions[locked], self.points[locked]);
        let rotation = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(axis), position);
        let turn = rotation.to_rotation_matrix();
        let motion = Isometry3::from_parts(Translation3::from(centre - turn * centre), rotation);
        let directions = |index: usize| self.directions[index + usize::from(index >= locked)];
        let points = |index: usize| self.points[index + usize::from(index >= locked)];
        Axes {
            directions: std::array::from_fn(|i| if i < locked { directions(i) } else { turn * directions(i) }),
            points: std::array::from_fn(|i| if i < locked { points(i) } else { centre + turn * (points(i) - centre) }),
            tip: motion * self.tip,
        }
    }
}

impl Axes {
    /// The point nearest to the last three axes \[m\], by least squares.
    #[must_use]
    pub fn wrist_centre(&self) -> Option<Vector3<f64>> {
        self.centre([3, 4, 5])
    }
}

impl<const N: usize> Axes<N> {
    /// The same chain from its tip to its base: in the tip's frame, with the joints in reverse order. Its positions are the same.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let tip = self.tip.inverse();
        let mut reversed = Self { tip, ..*self };
        for index in 0..N {
            let from = N - 1 - index;
            reversed.directions[index] = -(tip.rotation * self.directions[from]);
            reversed.points[index] = (tip * nalgebra::Point3::from(self.points[from])).coords;
        }
        reversed
    }

    /// The acute angle between two axes \[rad\].
    #[must_use]
    pub fn angle(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.directions[a], &self.directions[b]);
        a.cross(b).norm().atan2(a.dot(b).abs())
    }

    /// The feet of the common perpendicular of two axes \[m\]. Of parallel axes, those beside the point of the first.
    #[must_use]
    pub fn feet(&self, a: usize, b: usize) -> (Vector3<f64>, Vector3<f64>) {
        let (u, v) = (&self.directions[a], &self.directions[b]);
        let between = self.points[b] - self.points[a];
        let (cosine, sine) = (u.dot(v), u.cross(v).norm_squared());
        let (along_u, along_v) = (between.dot(u), between.dot(v));
        let on_first = if sine > 1e-20 { (along_u - cosine * along_v) / sine } else { 0.0 };
        let on_second = cosine * on_first - along_v;
        (self.points[a] + u * on_first, self.points[b] + v * on_second)
    }

    /// The distance between two axes \[m\].
    #[must_use]
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        let (one, other) = self.feet(a, b);
        (one - other).norm()
    }

    /// The point nearest to some axes \[m\], by least squares; `None` where they are parallel.
    #[must_use]
    pub fn centre(&self, axes: [usize; 3]) -> Option<Vector3<f64>> {
        let (mut sum, mut moment) = (Matrix3::zeros(), Vector3::zeros());
        // From a point near by, so that a base link far away costs no digits.
        let near = self.points[axes[0]];
        for index in axes {
            let across = Matrix3::identity() - self.directions[index] * self.directions[index].transpose();
            sum += across;
            moment += across * (self.points[index] - near);
        }
        Some(sum.try_inverse()? * moment + near)
    }

    /// The distance of an axis from a point \[m\].
    #[must_use]
    pub fn distance_from(&self, axis: usize, point: &Vector3<f64>) -> f64 {
        self.directions[axis].cross(&(point - self.points[axis])).norm()
    }
}
