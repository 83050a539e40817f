//! Two turns about parallel axes.

use nalgebra::Vector3;

use super::arm::Arm;
use super::free_turns::{SeedTurns, either_or};
use super::subproblems::{turn_between, turns_to_distance};
use super::turn::Turn;

impl Arm {
    /// Turns of the joints `joint` and `joint + 1` about `axis`, `links.0` apart, that bring the end of `links.1` to `goal`, all
    /// without regard to heights along the axis: the law of cosines.
    pub(super) fn planar(
        &self,
        axis: &Vector3<f64>,
        links: (&Vector3<f64>, &Vector3<f64>),
        goal: &Vector3<f64>,
        (near, joint): (&SeedTurns, usize),
        found: &mut dyn FnMut(Turn, Turn, bool),
    ) {
        let across = |v: &Vector3<f64>| v - axis * axis.dot(v);
        let (first, second, goal) = (across(links.0), across(links.1), self.cleared(across(goal), axis));
        let inner = turns_to_distance(axis, &second, &-first, goal.norm());
        if !inner.within(self.slack.0) {
            return;
        }
        either_or(&inner, (near, joint + 1), &mut |inner, free| {
            let outer = turn_between(axis, &(first + inner.about(axis, &second)), &goal);
            found(outer.unwrap_or_else(|| near.turn(joint)), inner, free || outer.is_none());
        });
    }
}
