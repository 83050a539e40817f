//! Recognises the closed-form family of the axes of six revolute joints, and measures the deviation from it.

use std::fmt;
use std::ops::Range;

use super::{Axes, AxisConditions, AxisDeviation, JOINTS, with_deviation};

/// Smallest angle \[rad\] between two axes that must not be parallel.
const MIN_ANGLE: f64 = 0.02;
/// Smallest distance between two skew axes, over the arm's length.
const MIN_SKEW_DISTANCE: f64 = 1e-3;

/// Common property of the first three axes of an arm with a spherical wrist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shoulder {
    /// The first and the second axis intersect.
    FirstTwoMeet,
    /// The second and the third axis are parallel.
    LastTwoParallel,
    /// The first and the second axis are parallel.
    FirstTwoParallel,
    /// The second and the third axis intersect.
    LastTwoMeet,
    /// None of these: the first and the second axis are skew (Pieper 1968, "The kinematics of manipulators under
    /// computer control").
    General,
}

/// Families of arms with six revolute joints: the arms that decompose into subproblems, from base to tip or from tip
/// to base, and the general arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FamilyKind {
    /// The last three axes intersect in one point.
    SphericalWrist(Shoulder),
    /// The second, third and fourth axes are parallel; the fifth and sixth intersect or are skew.
    MiddleParallel {
        /// True if the fifth and sixth axes intersect.
        last_two_meet: bool,
    },
    /// The first three axes are parallel, and the fifth and sixth intersect.
    FirstThreeParallel,
    /// The general 6R arm, without conditions on its axes: a one-dimensional search for one joint angle.
    General,
}

/// Relative placement of the axes of a family, which are counted from 0.
pub(super) struct Relations {
    /// True if the last three axes intersect in one point.
    pub is_wrist: bool,
    /// Parallel axes.
    pub parallel: Range<usize>,
    /// Two intersecting axes.
    pub meeting: Option<[usize; 2]>,
    /// Two skew axes.
    pub skew: Option<[usize; 2]>,
    /// Pairs that must not be parallel.
    apart: &'static [[usize; 2]],
}

impl FamilyKind {
    /// The families that decompose into subproblems, cheapest first.
    const DECOMPOSABLE: [Self; 8] = [
        Self::SphericalWrist(Shoulder::LastTwoParallel),
        Self::SphericalWrist(Shoulder::FirstTwoMeet),
        Self::SphericalWrist(Shoulder::FirstTwoParallel),
        Self::SphericalWrist(Shoulder::LastTwoMeet),
        Self::SphericalWrist(Shoulder::General),
        Self::MiddleParallel { last_two_meet: true },
        Self::MiddleParallel { last_two_meet: false },
        Self::FirstThreeParallel,
    ];

    /// Relative placement of the axes, read from the base to the tip.
    pub(super) fn relations(self) -> Relations {
        type Pair = Option<[usize; 2]>;
        let (parallel, meeting, skew, apart): (_, Pair, Pair, &[_]) = match self {
            Self::SphericalWrist(Shoulder::LastTwoParallel) => (1..3, None, None, &[[0, 1], [3, 4], [4, 5]]),
            Self::SphericalWrist(Shoulder::FirstTwoMeet) => (0..0, Some([0, 1]), None, &[[0, 1], [3, 4], [4, 5]]),
            Self::SphericalWrist(Shoulder::FirstTwoParallel) => (0..2, None, None, &[[1, 2], [3, 4], [4, 5]]),
            Self::SphericalWrist(Shoulder::LastTwoMeet) => (0..0, Some([1, 2]), None, &[[1, 2], [3, 4], [4, 5]]),
            Self::SphericalWrist(Shoulder::General) => (0..0, None, Some([0, 1]), &[[0, 1], [3, 4], [4, 5]]),
            Self::MiddleParallel { last_two_meet: true } => (1..4, Some([4, 5]), None, &[[0, 1], [3, 4], [4, 5]]),
            Self::MiddleParallel { last_two_meet: false } => (1..4, None, Some([4, 5]), &[[0, 1], [3, 4], [4, 5]]),
            Self::FirstThreeParallel => (0..3, Some([4, 5]), None, &[[2, 3], [3, 4], [4, 5]]),
            Self::General => (0..0, None, None, &[]),
        };
        Relations { is_wrist: matches!(self, Self::SphericalWrist(_)), parallel, meeting, skew, apart }
    }
}

/// A family, and the deviation of a chain's axes from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Family {
    /// Common properties of the axes.
    pub kind: FamilyKind,
    /// True if the chain belongs to the family when read from its tip to its base.
    pub reversed: bool,
    /// Deviation of the axes from the family. Axes are counted from 0 at the base.
    pub deviation: AxisDeviation,
    /// [`AxisDeviation::over_near`] for the length of the arm.
    over_near: f64,
}

impl Family {
    /// True if the axes belong to the family within [`EXACT_DEVIATION`](super::EXACT_DEVIATION).
    pub fn exact(&self) -> bool {
        self.deviation.exact()
    }

    /// True if the axes belong to the family within [`NEAR_DEVIATION`](super::NEAR_DEVIATION).
    pub fn near(&self) -> bool {
        self.over_near <= 1.0
    }

    /// The family to which the axes belong exactly, otherwise the nearest one. `length` is the arm's length \[m\].
    /// `None` if every family is ruled out because two axes are nearly parallel that it requires not to be, or its two
    /// skew axes nearly intersect.
    pub fn of(axes: &Axes, length: f64) -> Option<Self> {
        let mut best: Option<Self> = None;
        for (reversed, axes) in [(false, *axes), (true, axes.reversed())] {
            let families =
                FamilyKind::DECOMPOSABLE.into_iter().filter_map(|kind| Self::read(kind, &axes, length, reversed));
            for family in families {
                let is_better = |best: Self| !best.exact() && (family.exact() || family.over_near < best.over_near);
                if best.is_none_or(is_better) {
                    best = Some(family);
                }
            }
        }
        best
    }

    /// The family of arbitrary axes.
    pub(super) const GENERAL: Self =
        Self { kind: FamilyKind::General, reversed: false, deviation: AxisDeviation::NONE, over_near: 0.0 };

    /// This family with the deviation of `axes` of an arm of `length` \[m\]. `None` if two axes are nearly parallel
    /// that the family requires not to be, or its two skew axes nearly intersect.
    #[doc(hidden)]
    pub fn of_other(&self, axes: &Axes, length: f64) -> Option<Self> {
        let axes = if self.reversed { axes.reversed() } else { *axes };
        Self::read(self.kind, &axes, length, self.reversed)
    }

    /// A family with the deviation of `axes`, which are already `reversed` or not. `None` if two axes are nearly
    /// parallel that the family requires not to be, or its two skew axes nearly intersect.
    fn read(kind: FamilyKind, axes: &Axes, length: f64, reversed: bool) -> Option<Self> {
        let Relations { is_wrist, parallel, meeting, skew, apart } = kind.relations();
        let is_apart = |&[a, b]: &[usize; 2]| axes.angle(a, b) > MIN_ANGLE;
        let is_skew = |pair: &[usize; 2]| axes.distance(pair[0], pair[1]) > MIN_SKEW_DISTANCE * length;
        if !(apart.iter().all(is_apart) && skew.iter().all(is_skew)) {
            return None;
        }
        let neighbours = parallel.clone().zip(parallel.clone().skip(1)).map(|(a, b)| [a, b]);
        let ends = (parallel.len() > 2).then(|| [parallel.start, parallel.end - 1]);
        let conditions = AxisConditions {
            parallel: &neighbours.chain(ends).collect::<Vec<_>>(),
            square: &[],
            meeting: meeting.as_slice(),
            concurrent: if is_wrist { &[[3, 4, 5]] } else { &[] },
        };
        let deviation = conditions.deviation(axes);
        let over_near = deviation.over_near(length);
        let deviation = if reversed { deviation.reversed(JOINTS) } else { deviation };
        Some(Self { kind, reversed, deviation, over_near })
    }

    /// Whichever of the two families the axes deviate from more.
    #[doc(hidden)]
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.over_near > self.over_near { other } else { self }
    }

    /// True if it is preferable to `other`: an exact family to a near one, otherwise one with less than half the
    /// deviation.
    #[doc(hidden)]
    pub fn before(&self, other: &Self) -> bool {
        match (self.exact() || other.exact(), self.near() == other.near()) {
            (true, _) => !other.exact(),
            (false, true) => self.over_near < 0.5 * other.over_near,
            (false, false) => self.near(),
        }
    }

    /// The common properties of the axes and the deviation from them, in words. `numbers` and `joints` are the numbers
    /// of the axes and the names of the joints, from base to tip.
    #[doc(hidden)]
    pub fn in_words(&self, numbers: [usize; JOINTS], joints: &[&str]) -> String {
        with_deviation(self.numbered(numbers), &self.deviation.in_words(joints))
    }

    /// The common properties of the axes, in words. `numbers` are the numbers of the axes, from base to tip.
    #[doc(hidden)]
    pub fn numbered(&self, mut numbers: [usize; JOINTS]) -> String {
        if self.reversed {
            numbers.reverse();
        }
        if self.kind == FamilyKind::General {
            return "general 6R: one joint angle is searched for".into();
        }
        let Relations { is_wrist, parallel, meeting, .. } = self.kind.relations();
        let list = |axes: &[usize]| match *axes {
            [a, b] => format!("{a} and {b}"),
            [a, b, c] => format!("{a}, {b} and {c}"),
            _ => String::new(),
        };
        let wrist = is_wrist.then(|| format!("{} meet in one point", list(&numbers[3..])));
        let parallel = (!parallel.is_empty()).then(|| format!("{} are parallel", list(&numbers[parallel])));
        let meeting = meeting.map(|pair| format!("{} meet", list(&pair.map(|axis| numbers[axis]))));
        format!("axes {}", [wrist, parallel, meeting].into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.numbered([1, 2, 3, 4, 5, 6]))
    }
}
