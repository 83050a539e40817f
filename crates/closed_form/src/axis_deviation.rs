//! Deviation of the axes of a chain from the conditions of a closed form.

use super::Axes;

/// Maximum deviation from a condition that is attributed to rounding: of angles \[rad\] and of lengths \[m\].
pub const EXACT_DEVIATION: f64 = 1e-9;
/// Maximum deviation from a condition for which closed-form solutions still serve as starting points of Newton steps:
/// of angles \[rad\], and of lengths divided by the arm's length \[-\].
pub const NEAR_DEVIATION: f64 = 0.01;

/// Conditions on the relative placement of axes, by their indices from 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct AxisConditions<'a> {
    /// Pairs of parallel axes.
    pub parallel: &'a [[usize; 2]],
    /// Pairs of perpendicular axes.
    pub square: &'a [[usize; 2]],
    /// Pairs of intersecting axes.
    pub meeting: &'a [[usize; 2]],
    /// Triples of axes through a common point.
    pub concurrent: &'a [[usize; 3]],
}

/// The largest deviation of one kind \[rad or m\], and its pair of axes: their indices from 0, the lower one first.
pub type Greatest = (f64, [usize; 2]);

/// Largest deviations of the axes of a chain from the conditions of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisDeviation {
    /// Largest angle between two axes that should be parallel \[rad\].
    pub parallel: Greatest,
    /// Largest deviation from a right angle between two axes that should be perpendicular \[rad\].
    pub square: Greatest,
    /// Largest distance between two axes that should intersect \[m\].
    pub distance: Greatest,
}

impl AxisConditions<'_> {
    /// Largest deviations of `axes` from these conditions.
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

/// Distances of three axes from a common point, by pairs.
fn from_one_point<const N: usize>(axes: &Axes<N>, [a, b, c]: [usize; 3]) -> [Greatest; 3] {
    let centre = axes.centre([a, b, c]);
    [[a, b], [b, c], [a, c]].map(|[one, other]| {
        // Three axes in a plane intersect in pairs without a common point.
        let from_centre = |axis: usize| centre.map_or(0.0, |centre| axes.lines[axis].distance_from(&centre));
        (axes.distance(one, other).max(from_centre(one)).max(from_centre(other)), [one, other])
    })
}

fn greatest(deviations: impl Iterator<Item = Greatest>) -> Greatest {
    deviations.fold((0.0, [0, 0]), |a, b| if b.0 > a.0 { b } else { a })
}

impl AxisDeviation {
    /// No deviation.
    pub(super) const NONE: Self = Self { parallel: (0.0, [0, 0]), square: (0.0, [0, 0]), distance: (0.0, [0, 0]) };

    /// True if all deviations are at most [`EXACT_DEVIATION`].
    pub fn exact(&self) -> bool {
        self.parallel.0.max(self.square.0).max(self.distance.0) <= EXACT_DEVIATION
    }

    /// The largest deviation divided by [`NEAR_DEVIATION`] \[-\], for an arm of `length` \[m\]. Up to 1, the family
    /// yields starting points.
    pub fn over_near(&self, length: f64) -> f64 {
        (self.parallel.0.max(self.square.0) / NEAR_DEVIATION).max(self.distance.0 / (NEAR_DEVIATION * length))
    }

    /// These deviations of a reversed chain of `count` axes, with the indices of the original chain.
    #[must_use]
    pub fn reversed(&self, count: usize) -> Self {
        let reversed = |(deviation, [a, b]): Greatest| (deviation, [count - 1 - b, count - 1 - a]);
        Self { parallel: reversed(self.parallel), square: reversed(self.square), distance: reversed(self.distance) }
    }

    /// The deviations above rounding, in words, with the names `joints` from base to tip. Empty if there are no such
    /// deviations.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let deviations = [
            (self.parallel, "are", "rad from parallel"),
            (self.square, "are", "rad from a right angle"),
            (self.distance, "miss each other by", "m"),
        ];
        let exceeding = deviations.into_iter().filter(|((deviation, _), ..)| *deviation > EXACT_DEVIATION);
        let words = exceeding.map(|((deviation, [a, b]), verb, unit)| {
            format!("'{}' and '{}' {verb} {deviation:.3e} {unit}", joints[a], joints[b])
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// The text `common` about the common properties of axes, followed by `deviation` if that is not empty.
pub fn with_deviation(common: String, deviation: &str) -> String {
    if deviation.is_empty() {
        common
    } else {
        format!("{common}, except for this, which Newton steps correct: {deviation}")
    }
}
