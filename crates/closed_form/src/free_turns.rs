//! Turns that a goal leaves free: they stay near the seed.

use super::subproblems::{Fit, Roots};
use super::{JOINTS, Turn};

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
