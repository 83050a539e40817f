//! Turns that a goal leaves free: they stay near the seed.

use super::axes::JOINTS;
use super::subproblems::{Fit, Roots};
use super::turn::Turn;

/// The seed that turns stay near to where they are free \[rad\].
#[derive(Clone, Copy)]
pub(super) struct SeedTurns(pub [f64; JOINTS]);

impl SeedTurns {
    /// The turn of a joint.
    pub(super) fn turn(&self, joint: usize) -> Turn {
        Turn::new(self.0[joint])
    }
}

/// Hands over the roots, or the seed's turn of `joint` where any turn will do, and whether that is so.
pub(super) fn either_or(roots: &Roots<Turn>, (near, joint): (&SeedTurns, usize), found: &mut dyn FnMut(Turn, bool)) {
    if roots.fit == Fit::Free {
        found(near.turn(joint), true);
    } else {
        roots.as_slice().iter().for_each(|turn| found(*turn, false));
    }
}
