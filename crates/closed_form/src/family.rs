//! Which closed form fits the axes of a chain of six revolute joints, and by how much they miss it.

use std::fmt;

use super::{Axes, AxisConditions, AxisDeviation, JOINTS, with_deviation};

/// The least angle \[rad\] between two axes of a family that must not be parallel.
const MIN_ANGLE: f64 = 0.02;
/// The least distance between two axes that must be skew, over the arm's length.
const MIN_SKEW_DISTANCE: f64 = 1e-3;

/// What the first three axes of an arm with a spherical wrist have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shoulder {
    /// The first and the second meet.
    FirstTwoMeet,
    /// The second and the third are parallel.
    LastTwoParallel,
    /// The first and the second are parallel.
    FirstTwoParallel,
    /// The second and the third meet.
    LastTwoMeet,
    /// Nothing: the first and the second are skew (Pieper 1968, "The kinematics of manipulators under computer control").
    General,
}

/// The families of arms of six revolute joints: those that are decomposable into subproblems, up to reading them from the tip to the
/// base, and all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FamilyKind {
    /// The last three axes meet in one point.
    SphericalWrist(Shoulder),
    /// The second, third and fourth axes are parallel; the fifth and sixth meet, or else are skew.
    MiddleParallel {
        /// Whether the fifth and sixth axes meet.
        last_two_meet: bool,
    },
    /// The first three axes are parallel, and the fifth and sixth meet.
    FirstThreeParallel,
    /// The general 6R arm, whose axes need nothing in common: one joint angle is searched for.
    General,
}

/// A family and how well the axes of a chain belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Family {
    /// What the axes have in common.
    pub kind: FamilyKind,
    /// Whether that holds of the chain read from its tip to its base.
    pub reversed: bool,
    /// By how much the axes miss that; the joints are counted from 0 at the base.
    pub deviation: AxisDeviation,
    /// [`AxisDeviation::over_near`], for an arm of its length.
    over_near: f64,
}

impl Family {
    /// Whether the axes belong to it to within [`EXACT_DEVIATION`](super::EXACT_DEVIATION).
    #[must_use]
    pub fn exact(&self) -> bool {
        self.deviation.exact()
    }

    /// Whether they are within [`NEAR_DEVIATION`](super::NEAR_DEVIATION).
    #[must_use]
    pub fn near(&self) -> bool {
        self.over_near <= 1.0
    }

    /// The family that the axes belong to exactly, else the one that they are nearest to. `length` is that of the arm \[m\].
    ///
    /// `None` where axes are parallel that must not be, in every family.
    #[must_use]
    pub fn of(axes: &Axes, length: f64) -> Option<Self> {
        let mut best: Option<Self> = None;
        for (reversed, axes) in [(false, *axes), (true, axes.reversed())] {
            each_kind(&Relations { axes: &axes, length, reversed }, &mut |family: Self| {
                let better = match best {
                    None => true,
                    Some(best) if best.exact() => false,
                    Some(best) => family.exact() || family.over_near < best.over_near,
                };
                if better {
                    best = Some(family);
                }
            });
        }
        best
    }

    /// That of any axes at all.
    pub(super) const GENERAL: Self =
        Self { kind: FamilyKind::General, reversed: false, deviation: AxisDeviation::NONE, over_near: 0.0 };

    /// How well other axes belong to the same family; `None` where axes are parallel that must not be.
    #[doc(hidden)]
    #[must_use]
    pub fn of_other(&self, axes: &Axes, length: f64) -> Option<Self> {
        let axes = if self.reversed { axes.reversed() } else { *axes };
        let mut same_kind = None;
        each_kind(&Relations { axes: &axes, length, reversed: self.reversed }, &mut |family: Self| {
            if family.kind == self.kind {
                same_kind = Some(family);
            }
        });
        same_kind
    }

    /// The one of two that the axes miss by more.
    #[doc(hidden)]
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.over_near > self.over_near { other } else { self }
    }

    /// Whether it is better than another: exact before near, then a deviation less than half as large.
    #[doc(hidden)]
    #[must_use]
    pub fn before(&self, other: &Self) -> bool {
        match (self.exact() || other.exact(), self.near() == other.near()) {
            (true, _) => !other.exact(),
            (false, true) => self.over_near < 0.5 * other.over_near,
            (false, false) => self.near(),
        }
    }

    /// What the axes have in common, where they have these numbers, and by how much they miss it, in words, with the names of the
    /// joints.
    #[doc(hidden)]
    #[must_use]
    pub fn in_words(&self, numbers: [usize; JOINTS], joints: &[&str]) -> String {
        with_deviation(self.numbered(numbers), &self.deviation.in_words(joints))
    }

    /// What the axes have in common, in words, where they have these numbers.
    #[doc(hidden)]
    #[must_use]
    pub fn numbered(&self, mut numbers: [usize; JOINTS]) -> String {
        if self.reversed {
            numbers.reverse();
        }
        let [a, b, c, d, e, g] = numbers;
        match self.kind {
            FamilyKind::SphericalWrist(shoulder) => {
                let wrist = format!("axes {d}, {e} and {g} meet in one point");
                match shoulder {
                    Shoulder::FirstTwoMeet => format!("{wrist}, {a} and {b} meet"),
                    Shoulder::LastTwoParallel => format!("{wrist}, {b} and {c} are parallel"),
                    Shoulder::FirstTwoParallel => format!("{wrist}, {a} and {b} are parallel"),
                    Shoulder::LastTwoMeet => format!("{wrist}, {b} and {c} meet"),
                    Shoulder::General => wrist,
                }
            }
            FamilyKind::MiddleParallel { last_two_meet: true } => {
                format!("axes {b}, {c} and {d} are parallel, {e} and {g} meet")
            }
            FamilyKind::MiddleParallel { last_two_meet: false } => format!("axes {b}, {c} and {d} are parallel"),
            FamilyKind::General => "general 6R: one joint angle is searched for".into(),
            FamilyKind::FirstThreeParallel => format!("axes {a}, {b} and {c} are parallel, {e} and {g} meet"),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.numbered([1, 2, 3, 4, 5, 6]))
    }
}

/// How axes lie to each other, gathered for one family.
struct Relations<'a> {
    axes: &'a Axes,
    length: f64,
    reversed: bool,
}

impl Relations<'_> {
    fn family(&self, kind: FamilyKind, conditions: &AxisConditions) -> Family {
        let deviation = conditions.deviation(self.axes);
        Family {
            kind,
            reversed: self.reversed,
            deviation: if self.reversed { deviation.reversed(JOINTS) } else { deviation },
            over_near: deviation.over_near(self.length),
        }
    }

    fn apart(&self, a: usize, b: usize) -> bool {
        self.axes.angle(a, b) > MIN_ANGLE
    }

    fn skew(&self, a: usize, b: usize) -> bool {
        self.apart(a, b) && self.axes.distance(a, b) > MIN_SKEW_DISTANCE * self.length
    }
}

/// Hands over every family but those with parallel axes that must not be; the families that take least work come first.
fn each_kind(relations: &Relations, on_family: &mut dyn FnMut(Family)) {
    spherical_wrists(relations, on_family);
    let last_two_meet = &[[4, 5]];
    if relations.apart(0, 1) && relations.apart(3, 4) {
        let parallel = &[[1, 2], [2, 3], [1, 3]];
        if relations.apart(4, 5) {
            let conditions = AxisConditions { parallel, meeting: last_two_meet, ..AxisConditions::default() };
            on_family(relations.family(FamilyKind::MiddleParallel { last_two_meet: true }, &conditions));
        }
        if relations.skew(4, 5) {
            let conditions = AxisConditions { parallel, ..AxisConditions::default() };
            on_family(relations.family(FamilyKind::MiddleParallel { last_two_meet: false }, &conditions));
        }
    }
    if relations.apart(2, 3) && relations.apart(4, 5) && relations.apart(3, 4) {
        let parallel = &[[0, 1], [1, 2], [0, 2]];
        let conditions = AxisConditions { parallel, meeting: last_two_meet, ..AxisConditions::default() };
        on_family(relations.family(FamilyKind::FirstThreeParallel, &conditions));
    }
}

/// Hands over every family whose last three axes meet but those with parallel axes that must not be.
fn spherical_wrists(relations: &Relations, on_family: &mut dyn FnMut(Family)) {
    if !(relations.apart(3, 4) && relations.apart(4, 5)) {
        return;
    }
    let wrist = AxisConditions { concurrent: &[[3, 4, 5]], ..AxisConditions::default() };
    let mut found = |shoulder, conditions: &AxisConditions| {
        on_family(relations.family(FamilyKind::SphericalWrist(shoulder), conditions));
    };
    if relations.apart(0, 1) {
        found(Shoulder::LastTwoParallel, &AxisConditions { parallel: &[[1, 2]], ..wrist });
        found(Shoulder::FirstTwoMeet, &AxisConditions { meeting: &[[0, 1]], ..wrist });
    }
    if relations.apart(1, 2) {
        found(Shoulder::FirstTwoParallel, &AxisConditions { parallel: &[[0, 1]], ..wrist });
        found(Shoulder::LastTwoMeet, &AxisConditions { meeting: &[[1, 2]], ..wrist });
    }
    if relations.skew(0, 1) {
        found(Shoulder::General, &wrist);
    }
}
