//! What holds a servo back.

use crate::contact_rows::Contact;
use crate::workspace::TipAtFace;

/// What came of a step of a [`Servo`](super::Servo).
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The share of the commanded speed that the tips had over the last 50 ms, at least 0: 1 where they follow, or nothing is commanded.
    pub share: f64,
    /// How far the tips are from their lines, and from where they hold what is not commanded, at most \[m\] and \[rad\].
    pub off_line: [f64; 2],
    /// Whether the tips move beside their lines, because a joint limit or a contact is in the way.
    pub is_sliding: bool,
    /// The smallest singular value of the Jacobian of the commanded tips, with position rows over the solver's length scale; `None` where
    /// no tip is commanded.
    pub smallest_singular_value: Option<f64>,
    /// What holds the arm back, the hardest first.
    pub holds: Vec<Hold>,
}

/// Something that holds the arm back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// A variable is at a limit of its positions, or near it.
    JointLimit {
        /// Index of the variable.
        variable: usize,
    },
    /// The Jacobian loses rank: the commanded motion would need joints that are too fast, or is impossible.
    Singularity,
    /// Two bodies are near the margin.
    Contact {
        /// Index of the pair among [`Scene::pairs`](urdf_ik_collision::Scene::pairs).
        pair: usize,
        /// Their distance \[m\].
        distance: f64,
    },
    /// A tip is at a face of its workspace.
    Workspace(TipAtFace),
    /// A variable needs the greatest velocity or acceleration that its limits allow.
    JointSpeed {
        /// Index of the variable.
        variable: usize,
    },
    /// A tip has the greatest speed of [`ServoOptions`](super::ServoOptions).
    TipSpeed {
        /// Index of the tip.
        tip: usize,
    },
}

impl From<Contact> for Hold {
    fn from(contact: Contact) -> Self {
        match contact {
            Contact::Pair(near) => Self::Contact { pair: near.pair, distance: near.distance },
            Contact::Face(at) => Self::Workspace(at),
        }
    }
}
