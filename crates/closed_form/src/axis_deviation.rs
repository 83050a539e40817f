//! By how much the axes of a chain miss the conditions of a closed form.

use super::Axes;

/// Axes that miss a condition by no more than this \[rad and m\] fulfil it exactly.
pub const EXACT_DEVIATION: f64 = 1e-9;
/// Axes that miss a condition by no more than this \[rad, and m over the arm's length\] are near enough for the closed form to give
/// starting points of Newton steps.
pub const NEAR_DEVIATION: f64 = 0.01;

/// How axes should lie to each other. They are counted from 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct AxisConditions<'a> {
    /// Pairs that should be parallel.
    pub parallel: &'a [[usize; 2]],
    /// Pairs that should be at right angles.
    pub square: &'a [[usize; 2]],
    /// Pairs that should meet.
    pub meeting: &'a [[usize; 2]],
    /// Threes that should meet in one point.
    pub concurrent: &'a [[usize; 3]],
}

/// The greatest deviation of a kind, and the two axes, counted from 0, the lower number first.
pub type Greatest = (f64, [usize; 2]);

/// The greatest deviations of each kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisDeviation {
    /// The angle between two axes that should be parallel \[rad\].
    pub parallel: Greatest,
    /// How far two axes that should be at right angles are from that \[rad\].
    pub square: Greatest,
    /// The distance between two axes that should meet \[m\].
    pub distance: Greatest,
}

impl AxisConditions<'_> {
    /// By how much `axes` miss these conditions.
    pub fn deviation<const N: usize>(&self, axes: &Axes<N>) -> AxisDeviation {
        let angles = self.parallel.iter().map(|&[a, b]| (axes.angle(a, b), [a, b]));
        let squares = self.square.iter().map(|&[a, b]| (axes.lines[a].angle_from_right(&axes.lines[b]), [a, b]));
        let distances = self.meeting.iter().map(|&[a, b]| (axes.distance(a, b), [a, b]));
        AxisDeviation {
            parallel: greatest(angles),
            square: greatest(squares),
            distance: greatest(distances.chain(self.concurrent.iter().flat_map(|three| from_one_point(axes, *three)))),
        }
    }
}

/// How far three axes are from meeting in one point, by pairs.
fn from_one_point<const N: usize>(axes: &Axes<N>, [a, b, c]: [usize; 3]) -> [Greatest; 3] {
    let centre = axes.centre([a, b, c]);
    [[a, b], [b, c], [a, c]].map(|[one, other]| {
        // Three axes can miss a common point though each pair of them meets: none of the three is in one plane then.
        let from_centre = |axis: usize| centre.map_or(0.0, |centre| axes.lines[axis].distance_from(&centre));
        (axes.distance(one, other).max(from_centre(one)).max(from_centre(other)), [one, other])
    })
}

fn greatest(deviations: impl Iterator<Item = Greatest>) -> Greatest {
    deviations.fold((0.0, [0, 0]), |a, b| if b.0 > a.0 { b } else { a })
}

impl AxisDeviation {
    /// No deviation at all.
    pub(super) const NONE: Self = Self { parallel: (0.0, [0, 0]), square: (0.0, [0, 0]), distance: (0.0, [0, 0]) };

    /// Whether all deviations are no more than rounding: at most [`EXACT_DEVIATION`].
    pub fn exact(&self) -> bool {
        self.parallel.0.max(self.square.0).max(self.distance.0) <= EXACT_DEVIATION
    }

    /// The greatest deviation over [`NEAR_DEVIATION`], for an arm of this length \[m\]: near up to 1.
    pub fn over_near(&self, length: f64) -> f64 {
        (self.parallel.0.max(self.square.0) / NEAR_DEVIATION).max(self.distance.0 / (NEAR_DEVIATION * length))
    }

    /// Whether the axes are near enough for starting points, of an arm of this length \[m\].
    pub fn near(&self, length: f64) -> bool {
        self.over_near(length) <= 1.0
    }

    /// The deviations of a chain of `count` axes that was read from its tip to its base, with the chain's own numbers.
    #[must_use]
    pub fn reversed(&self, count: usize) -> Self {
        let reversed = |(deviation, [a, b]): Greatest| (deviation, [count - 1 - b, count - 1 - a]);
        Self { parallel: reversed(self.parallel), square: reversed(self.square), distance: reversed(self.distance) }
    }

    /// The deviations that are more than rounding, in words, with the names of the joints; empty where there are none.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let pair = |[a, b]: [usize; 2]| format!("'{}' and '{}'", joints[a], joints[b]);
        let mut words = Vec::new();
        if self.parallel.0 > EXACT_DEVIATION {
            words.push(format!("{} are {:.3e} rad from parallel", pair(self.parallel.1), self.parallel.0));
        }
        if self.square.0 > EXACT_DEVIATION {
            words.push(format!("{} are {:.3e} rad from a right angle", pair(self.square.1), self.square.0));
        }
        if self.distance.0 > EXACT_DEVIATION {
            words.push(format!("{} miss each other by {:.3e} m", pair(self.distance.1), self.distance.0));
        }
        words.join(", ")
    }
}

/// What axes have in common, and by how much they miss it unless that is nothing.
pub fn with_deviation(common: String, deviation: &str) -> String {
    if deviation.is_empty() {
        common
    } else {
        format!("{common}, except for this, which Newton steps correct: {deviation}")
    }
}
