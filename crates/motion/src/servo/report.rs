//! The report of a servo: how well it follows, and what limits the motion.

use nalgebra::Vector6;

use crate::contact_rows::Contact;

/// The outcome of a step of a [`Servo`](super::Servo).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Share of the commanded speed that the slowest tip reached over the last 50 ms, from 0 to 1; 1 without a command.
    pub share: f64,
    /// Largest angle between the command of a tip and its motion in the last period \[rad\]; 0 without a command. One
    /// radian of the tip counts as 0.3 times the size of the arm.
    pub angle: f64,
    /// Largest deviation of a tip from its line, slack included, also while the tip comes to rest: translation \[m\],
    /// then rotation \[rad\]. 0 without a line.
    pub off_line: [f64; 2],
    /// True if the tips move in the feasible direction nearest to their commands, because a joint limit, a singularity
    /// or a contact is in the way.
    pub is_sliding: bool,
    /// The smallest singular value of the Jacobian of all tips. Its position rows are divided by the length that counts
    /// as one radian. `None` without a commanded tip.
    pub smallest_singular_value: Option<f64>,
    /// The motion of the tips that is lost at [`Hold::Singularity`], as is its opposite. One twist for each tip:
    /// translation \[m\], then rotation \[rad\], along the axes of the base link. Their total size is one radian. Empty
    /// without such a hold.
    pub singular_direction: Vec<Vector6<f64>>,
    /// The limits of the motion, the most important first.
    pub holds: Vec<Hold>,
}

impl Report {
    /// The report of joints at rest.
    pub(super) fn new(tips: usize) -> Self {
        Self {
            share: 1.0,
            singular_direction: Vec::with_capacity(tips),
            // The most that apply at a time.
            holds: Vec::with_capacity(5),
            ..Self::default()
        }
    }
}

/// A limit of the motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// A variable is at or near a position limit.
    JointLimit {
        /// Index of the variable.
        variable: usize,
    },
    /// The Jacobian loses rank: the commanded motion is impossible, or would need excessive joint speeds.
    Singularity,
    /// Two bodies are near the margin.
    Contact {
        /// Index of the pair among [`Scene::pairs`](urdf_ik_collision::Scene::pairs).
        pair: usize,
        /// Distance of the two bodies \[m\].
        distance: f64,
    },
    /// A value of a standing goal is at its bound.
    Goal {
        /// Index of the goal among those of [`Servo::set_goals`](super::Servo::set_goals).
        goal: usize,
    },
    /// A variable needs its maximum velocity or acceleration.
    JointSpeed {
        /// Index of the variable.
        variable: usize,
    },
    /// A tip moves at a maximum speed of [`ServoOptions`](super::ServoOptions).
    TipSpeed {
        /// Index of the tip.
        tip: usize,
    },
}

impl From<Contact> for Hold {
    fn from(contact: Contact) -> Self {
        match contact {
            Contact::Pair(near) => Self::Contact { pair: near.pair, distance: near.distance },
            Contact::Goal(goal) => Self::Goal { goal },
        }
    }
}
