//! Steps shared by the decomposable families: undetermined rotations, two skew axes, and two rotations about parallel
//! axes.

use nalgebra::Vector3;

use super::subproblems::{Fit, Roots, turn_between, turns_to_distance};
use super::{DecomposableArm, JOINTS, Turn};

/// Called for each configuration, by rotations about the axes, and whether it represents a continuum.
pub(super) type OnConfiguration<'a> = &'a mut dyn FnMut([Turn; JOINTS], bool);

/// Seed positions \[rad\], used for undetermined rotations.
#[derive(Clone, Copy)]
pub(super) struct SeedTurns(pub [f64; JOINTS]);

impl SeedTurns {
    /// Seed rotation of a joint.
    pub(super) fn turn(&self, joint: usize) -> Turn {
        Turn::new(self.0[joint])
    }

    /// Calls `found` with each root whose residual is at most `slack`, or with the seed rotation of `joint` if every
    /// rotation is a root, and whether that is the case.
    pub(super) fn each(&self, joint: usize, roots: &Roots<Turn>, slack: f64, found: &mut dyn FnMut(Turn, bool)) {
        match roots.fit {
            _ if !roots.within(slack) => {}
            Fit::Free => found(self.turn(joint), true),
            _ => roots.as_slice().iter().for_each(|turn| found(*turn, false)),
        }
    }
}

/// Two skew axes. The components, along the common perpendicular and along the second axis, of a vector rotated about
/// the first are a planar rotation in the basis of two unit vectors perpendicular to the first.
pub(super) struct Skew {
    /// Direction of the common perpendicular, and component of the second axis perpendicular to the first.
    pub normal: Vector3<f64>,
    pub across: Vector3<f64>,
    /// Distance of the axes \[m\], and sine of their angle.
    pub length: f64,
    pub sine: f64,
    /// Sign of the rotation about the first axis that takes the common perpendicular towards `across`: 1 or -1.
    pub sense: f64,
}

impl Skew {
    /// `link` is the common perpendicular from one axis to the other \[m\].
    pub(super) fn new(first: &Vector3<f64>, second: &Vector3<f64>, link: &Vector3<f64>) -> Self {
        let across = second - first * first.dot(second);
        let (length, sine) = (link.norm(), across.norm());
        let (normal, across) = (link / length, across / sine);
        let sense = first.cross(&normal).dot(&across).signum();
        Self { normal, across, length, sine, sense }
    }

    /// The rotation about the first axis that gives a vector with the components `across` and `outwards` the dot
    /// product `distance` with the link and the height `height` along the second axis; `None` if the vector lies on
    /// the first axis.
    pub(super) fn turn(&self, distance: f64, height: f64, across: f64, outwards: f64) -> Option<Turn> {
        let (distance, height) = (distance / self.length, height / self.sine);
        let cos = outwards * distance + across * height;
        let sin = self.sense * (outwards * height - across * distance);
        (cos != 0.0 || sin != 0.0).then(|| Turn::towards(cos, sin))
    }
}

impl DecomposableArm {
    /// Rotations of the joints `joint` and `joint + 1` about `axis`, `first` apart, that take the end of `second` to
    /// `goal`, in projection along the axis (law of cosines).
    pub(super) fn planar(
        &self,
        axis: &Vector3<f64>,
        [first, second]: [&Vector3<f64>; 2],
        goal: &Vector3<f64>,
        near: &SeedTurns,
        joint: usize,
        found: &mut dyn FnMut(Turn, Turn, bool),
    ) {
        let across = |v: &Vector3<f64>| v - axis * axis.dot(v);
        let (first, second, goal) = (across(first), across(second), self.cleared(across(goal), axis));
        let inner = turns_to_distance(axis, &second, &-first, goal.norm());
        near.each(joint + 1, &inner, self.slack.0, &mut |inner, free| {
            let outer = turn_between(axis, &(first + inner.about(axis, &second)), &goal);
            found(outer.unwrap_or_else(|| near.turn(joint)), inner, free || outer.is_none());
        });
    }
}
