//! Two turns about parallel axes, and what becomes of turns that are free.

use nalgebra::Vector3;

use super::subproblems::{Fit, Roots, turn_onto, turns_to_distance};
use super::turn::Turn;

/// Hands over the roots, or `near` where any turn will do; tells which.
pub(super) fn either_or(roots: &Roots<Turn>, near: Turn, found: &mut dyn FnMut(Turn, bool)) {
    if roots.fit == Fit::Free {
        found(near, true);
    } else {
        roots.as_slice().iter().for_each(|turn| found(*turn, false));
    }
}

/// Turns of two joints about `axis`, `links.0` apart, that bring the end of `links.1` to `goal`, all without regard to heights along
/// the axis: the law of cosines.
pub(super) fn planar(
    axis: &Vector3<f64>,
    links: (&Vector3<f64>, &Vector3<f64>),
    goal: &Vector3<f64>,
    near: (Turn, Turn),
    slack: f64,
    found: &mut dyn FnMut(Turn, Turn, bool),
) {
    let across = |v: &Vector3<f64>| v - axis * axis.dot(v);
    let (first, second, goal) = (across(links.0), across(links.1), across(goal));
    let inner = turns_to_distance(axis, &second, &-first, goal.norm());
    if !inner.within(slack) {
        return;
    }
    either_or(&inner, near.1, &mut |inner, free| {
        let end = first + inner.about(axis, &second);
        either_or(&turn_onto(axis, &end, &goal), near.0, &mut |outer, also| found(outer, inner, free || also));
    });
}
