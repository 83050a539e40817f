//! Steps that the families of decomposable arms share: turns that a goal leaves free, two skew axes, and two turns about parallel axes.

use nalgebra::Vector3;

use super::subproblems::{Fit, Roots, turn_between, turns_to_distance};
use super::{Arm, JOINTS, Turn};

/// Is told of each configuration, by turns of the axes, and whether it stands for a continuum.
pub(super) type OnConfiguration<'a> = &'a mut dyn FnMut([Turn; JOINTS], bool);

/// The seed that turns stay near to where they are free \[rad\].
#[derive(Clone, Copy)]
pub(super) struct SeedTurns(pub [f64; JOINTS]);

impl SeedTurns {
    /// The turn of a joint.
    pub(super) fn turn(&self, joint: usize) -> Turn {
        Turn::new(self.0[joint])
    }

    /// Hands over the roots that miss their condition by no more than `slack`, or the turn of `joint` where any turn will do, and whether that
    /// is so.
    pub(super) fn each(&self, joint: usize, roots: &Roots<Turn>, slack: f64, found: &mut dyn FnMut(Turn, bool)) {
        match roots.fit {
            _ if !roots.within(slack) => {}
            Fit::Free => found(self.turn(joint), true),
            _ => roots.as_slice().iter().for_each(|turn| found(*turn, false)),
        }
    }
}

/// Two skew axes. What a turn about the first does to a vector along the common perpendicular and along the second axis is a turn in
/// the plane of two unit vectors at right angles to the first.
pub(super) struct Skew {
    /// The common perpendicular, and the direction of the second axis across the first.
    pub normal: Vector3<f64>,
    pub across: Vector3<f64>,
    /// Distance of the axes \[m\], sine of their angle.
    pub length: f64,
    pub sine: f64,
    /// 1 where the first axis turns the common perpendicular towards `across`, else -1.
    pub sense: f64,
}

impl Skew {
    /// `link` goes from one axis to the other along their common perpendicular \[m\].
    pub(super) fn new(first: &Vector3<f64>, second: &Vector3<f64>, link: &Vector3<f64>) -> Self {
        let across = second - first * first.dot(second);
        let (length, sine) = (link.norm(), across.norm());
        let (normal, across) = (link / length, across / sine);
        let sense = first.cross(&normal).dot(&across).signum();
        Self { normal, across, length, sine, sense }
    }

    /// The turn about the first axis that gives a vector with these components the product `distance` with the link and the height
    /// `height` along the second axis; `None` where the vector lies on the first axis.
    pub(super) fn turn(&self, distance: f64, height: f64, across: f64, outwards: f64) -> Option<Turn> {
        let (distance, height) = (distance / self.length, height / self.sine);
        let cos = outwards * distance + across * height;
        let sin = self.sense * (outwards * height - across * distance);
        (cos != 0.0 || sin != 0.0).then(|| Turn::towards(cos, sin))
    }
}

impl Arm {
    /// Turns of the joints `joint` and `joint + 1` about `axis`, `first` apart, that bring the end of `second` to `goal`, all
    /// without regard to heights along the axis: the law of cosines.
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
