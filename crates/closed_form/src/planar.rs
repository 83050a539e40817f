//! Two turns about parallel axes.

use nalgebra::Vector3;

use super::free_turns::SeedTurns;
use super::subproblems::{turn_between, turns_to_distance};
use super::{Arm, Turn};

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
