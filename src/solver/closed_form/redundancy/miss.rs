//! By how much the axes of a chain of seven joints miss what a closed form takes them for.

use nalgebra::Vector3;

use crate::solver::closed_form::axes::{Axes, REDUNDANT};
use crate::solver::closed_form::family::{EXACT, NEAR, mended};

/// A greatest miss, and the two joints.
type Worst = (f64, [usize; 2]);

/// The greatest misses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Miss {
    /// Of right angles \[rad\].
    angle: Worst,
    /// Of axes that are to meet \[m\].
    pub distance: Worst,
}

impl Miss {
    /// The misses of pairs that are to be at right angles, of pairs that are to meet, and of threes that are to meet in a point.
    pub fn of(
        axes: &Axes<REDUNDANT>,
        square: &[[usize; 2]],
        meeting: &[[usize; 2]],
        balls: &[([usize; 3], Vector3<f64>)],
    ) -> Self {
        let worse = |a: Worst, b: Worst| if b.0 > a.0 { b } else { a };
        let angle = |pair: &[usize; 2]| (axes.directions[pair[0]].dot(&axes.directions[pair[1]]).abs().asin(), *pair);
        let apart = |pair: &[usize; 2]| (axes.distance(pair[0], pair[1]), *pair);
        let off = |([a, b, c], centre): &([usize; 3], Vector3<f64>)| {
            // Axes can miss their common point though each pair of them meets.
            [[*a, *b], [*b, *c], [*a, *c]].map(|pair| {
                let from_centre = pair.map(|axis| axes.distance_from(axis, centre));
                (apart(&pair).0.max(from_centre[0]).max(from_centre[1]), pair)
            })
        };
        let distances = meeting.iter().map(apart).chain(balls.iter().flat_map(off));
        Self {
            angle: square.iter().map(angle).fold((0.0, [0, 1]), worse),
            distance: distances.fold((0.0, [0, 1]), worse),
        }
    }

    /// Whether there is none but for rounding.
    pub fn exact(&self) -> bool {
        self.angle.0 <= EXACT && self.distance.0 <= EXACT
    }

    /// Whether the closed form is near enough for starting points, of an arm of this length \[m\].
    pub fn near(&self, length: f64) -> bool {
        self.angle.0 <= NEAR && self.distance.0 <= NEAR * length
    }

    /// What the axes have in common, and by how much they miss it, in words.
    pub fn in_words(&self, common: &str, joints: &[&str]) -> String {
        let pair = |[a, b]: [usize; 2]| format!("'{}' and '{}'", joints[a.min(b)], joints[a.max(b)]);
        let mut missed = Vec::new();
        if self.angle.0 > EXACT {
            missed.push(format!("{} are {:.3e} rad from a right angle", pair(self.angle.1), self.angle.0));
        }
        if self.distance.0 > EXACT {
            missed.push(format!("{} miss each other by {:.3e} m", pair(self.distance.1), self.distance.0));
        }
        mended(common.into(), &missed.join(", "))
    }
}
