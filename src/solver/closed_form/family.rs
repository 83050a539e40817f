//! Which closed form fits the axes of a chain, and by how much they miss it.

use std::fmt;

use super::axes::{Axes, JOINTS};

/// Axes that miss a family by no more than this \[rad and m\] belong to it exactly.
pub const EXACT: f64 = 1e-9;
/// Axes that miss a family by no more than this \[rad, and m over the arm's length\] are near enough for its solutions to be starting
/// points of Newton steps.
pub const NEAR: f64 = 0.01;
/// Axes at a smaller angle than this \[rad\] cannot serve where a family needs two that are not parallel.
const APART: f64 = 0.02;
/// Of the arm's length, the least distance between two axes that are to be skew.
const SKEW: f64 = 1e-3;

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

/// The arms of six turning joints that come apart into subproblems, up to reading them from the tip to the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The last three axes meet in one point.
    SphericalWrist(Shoulder),
    /// The second, third and fourth axes are parallel; the fifth and sixth meet, or else are skew.
    MiddleParallel {
        /// Whether the fifth and sixth axes meet.
        last_two_meet: bool,
    },
    /// The first three axes are parallel, and the fifth and sixth meet.
    FirstThreeParallel,
    /// Nothing that would take them apart: one joint is searched.
    General,
}

/// A family and how well the axes of a chain belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Family {
    /// What the axes have in common.
    pub kind: Kind,
    /// Whether that holds of the chain read from its tip to its base.
    pub reversed: bool,
    /// Greatest angle \[rad\] by which axes that ought to be parallel are not, and the two joints, counted from 0 at the base.
    pub angle: (f64, [usize; 2]),
    /// Greatest distance \[m\] by which axes that ought to meet do not, and the two joints.
    pub distance: (f64, [usize; 2]),
    /// The greater of both over what is [`NEAR`], for an arm of its length.
    badness: f64,
}

impl Family {
    /// Whether the axes belong to it to within [`EXACT`].
    #[must_use]
    pub fn exact(&self) -> bool {
        self.angle.0 <= EXACT && self.distance.0 <= EXACT
    }

    /// Whether they are within [`NEAR`].
    #[must_use]
    pub fn near(&self) -> bool {
        self.badness <= 1.0
    }

    /// The family that the axes belong to exactly, else the one that they are nearest to. `length` is that of the arm \[m\].
    ///
    /// `None` where the axes are not even apart where they have to be.
    #[must_use]
    pub fn of(axes: &Axes, length: f64) -> Option<Self> {
        let mut best: Option<Self> = None;
        for (reversed, axes) in [(false, *axes), (true, axes.reversed())] {
            each_kind(&Relations { axes: &axes, length, reversed }, &mut |family: Self| {
                let better = match best {
                    None => true,
                    Some(best) if best.exact() => false,
                    Some(best) => family.exact() || family.badness < best.badness,
                };
                if better {
                    best = Some(family);
                }
            });
        }
        best
    }

    /// That of any axes at all.
    pub(super) const GENERAL: Self = {
        let nothing = (0.0, [0, 0]);
        Self { kind: Kind::General, reversed: false, angle: nothing, distance: nothing, badness: 0.0 }
    };

    /// How well other axes belong to the same family; `None` where they are not apart where they have to be.
    pub(super) fn again(&self, axes: &Axes, length: f64) -> Option<Self> {
        let axes = if self.reversed { axes.reversed() } else { *axes };
        let mut again = None;
        each_kind(&Relations { axes: &axes, length, reversed: self.reversed }, &mut |family: Self| {
            if family.kind == self.kind {
                again = Some(family);
            }
        });
        again
    }

    /// Of two the one that the axes miss by more.
    pub(super) fn worse(self, other: Self) -> Self {
        if other.badness > self.badness { other } else { self }
    }

    /// Whether it is to be preferred to another: exact before near, then what the axes miss by less than half as much.
    pub(super) fn before(&self, other: &Self) -> bool {
        match (self.exact() || other.exact(), self.near() == other.near()) {
            (true, _) => !other.exact(),
            (false, true) => self.badness < 0.5 * other.badness,
            (false, false) => self.near(),
        }
    }

    /// By how much the axes miss it, in words, with the names of the joints.
    #[must_use]
    pub fn miss(&self, joints: &[&str]) -> String {
        let pair = |[a, b]: [usize; 2]| format!("'{}' and '{}'", joints[a], joints[b]);
        let angle = || format!("{} are {:.3e} rad from parallel", pair(self.angle.1), self.angle.0);
        let distance = || format!("{} miss each other by {:.3e} m", pair(self.distance.1), self.distance.0);
        match (self.angle.0 > EXACT, self.distance.0 > EXACT) {
            (false, false) => "exactly".into(),
            (true, false) => angle(),
            (false, true) => distance(),
            (true, true) => format!("{}, {}", angle(), distance()),
        }
    }

    /// What the axes have in common, where they have these numbers, and by how much they miss it, in words, with the names of the
    /// joints.
    pub(super) fn in_words(&self, numbers: [usize; JOINTS], joints: &[&str]) -> String {
        mended(self.numbered(numbers), &if self.exact() { String::new() } else { self.miss(joints) })
    }

    /// What the axes have in common, in words, where they have these numbers.
    pub(super) fn numbered(&self, mut numbers: [usize; JOINTS]) -> String {
        if self.reversed {
            numbers.reverse();
        }
        let [a, b, c, d, e, g] = numbers;
        match self.kind {
            Kind::SphericalWrist(shoulder) => {
                let wrist = format!("axes {d}, {e} and {g} meet in one point");
                match shoulder {
                    Shoulder::FirstTwoMeet => format!("{wrist}, {a} and {b} meet"),
                    Shoulder::LastTwoParallel => format!("{wrist}, {b} and {c} are parallel"),
                    Shoulder::FirstTwoParallel => format!("{wrist}, {a} and {b} are parallel"),
                    Shoulder::LastTwoMeet => format!("{wrist}, {b} and {c} meet"),
                    Shoulder::General => wrist,
                }
            }
            Kind::MiddleParallel { last_two_meet: true } => {
                format!("axes {b}, {c} and {d} are parallel, {e} and {g} meet")
            }
            Kind::MiddleParallel { last_two_meet: false } => format!("axes {b}, {c} and {d} are parallel"),
            Kind::General => "no family: one turn is searched for".into(),
            Kind::FirstThreeParallel => format!("axes {a}, {b} and {c} are parallel, {e} and {g} meet"),
        }
    }
}

/// What axes have in common, and what they miss it by unless that is nothing.
pub(super) fn mended(common: String, miss: &str) -> String {
    if miss.is_empty() { common } else { format!("{common}, but for this, which Newton steps make up for: {miss}") }
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
    fn family(&self, kind: Kind, parallel: &[[usize; 2]], meeting: &[[usize; 2]], wrist: bool) -> Family {
        let angles = parallel.iter().map(|&[a, b]| (self.axes.angle(a, b), [a, b]));
        let mut distances = meeting.iter().map(|&[a, b]| (self.axes.distance(a, b), [a, b])).collect::<Vec<_>>();
        if let (true, Some(centre)) = (wrist, self.axes.wrist_centre()) {
            distances.extend([[3, 4], [4, 5], [3, 5]].map(|[a, b]| (self.axes.distance(a, b), [a, b])));
            // Three axes can miss each other's common point though each pair meets: none of the three is in one plane then.
            let from_centre = |axis: usize| self.axes.distance_from(axis, &centre);
            distances.extend([[3, 4], [4, 5], [3, 5]].map(|[a, b]| (from_centre(a).max(from_centre(b)), [a, b])));
        }
        let worst = |a: (f64, [usize; 2]), b: (f64, [usize; 2])| if b.0 > a.0 { b } else { a };
        let named = |(miss, [a, b]): (f64, [usize; 2])| {
            let joint = |axis: usize| if self.reversed { 5 - axis } else { axis };
            (miss, [joint(a).min(joint(b)), joint(a).max(joint(b))])
        };
        let angle = angles.fold((0.0, [0, 0]), worst);
        let distance = distances.into_iter().fold((0.0, [0, 0]), worst);
        Family {
            kind,
            reversed: self.reversed,
            angle: named(angle),
            distance: named(distance),
            badness: (angle.0 / NEAR).max(distance.0 / (NEAR * self.length)),
        }
    }

    fn apart(&self, a: usize, b: usize) -> bool {
        self.axes.angle(a, b) > APART
    }

    fn skew(&self, a: usize, b: usize) -> bool {
        self.apart(a, b) && self.axes.distance(a, b) > SKEW * self.length
    }
}

/// Hands over every family whose axes are apart where they have to be, those that take least work first.
fn each_kind(relations: &Relations, on_family: &mut dyn FnMut(Family)) {
    let wrist = |shoulder| Kind::SphericalWrist(shoulder);
    if relations.apart(3, 4) && relations.apart(4, 5) {
        if relations.apart(0, 1) {
            on_family(relations.family(wrist(Shoulder::LastTwoParallel), &[[1, 2]], &[], true));
            on_family(relations.family(wrist(Shoulder::FirstTwoMeet), &[], &[[0, 1]], true));
        }
        if relations.apart(1, 2) {
            on_family(relations.family(wrist(Shoulder::FirstTwoParallel), &[[0, 1]], &[], true));
            on_family(relations.family(wrist(Shoulder::LastTwoMeet), &[], &[[1, 2]], true));
        }
        if relations.skew(0, 1) {
            on_family(relations.family(wrist(Shoulder::General), &[], &[], true));
        }
    }
    if relations.apart(0, 1) && relations.apart(3, 4) {
        let parallel = [[1, 2], [2, 3], [1, 3]];
        if relations.apart(4, 5) {
            let kind = Kind::MiddleParallel { last_two_meet: true };
            on_family(relations.family(kind, &parallel, &[[4, 5]], false));
        }
        if relations.skew(4, 5) {
            on_family(relations.family(Kind::MiddleParallel { last_two_meet: false }, &parallel, &[], false));
        }
    }
    if relations.apart(2, 3) && relations.apart(4, 5) && relations.apart(3, 4) {
        on_family(relations.family(Kind::FirstThreeParallel, &[[0, 1], [1, 2], [0, 2]], &[[4, 5]], false));
    }
}
