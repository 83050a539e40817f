//! Subproblems of decomposable arms: rotations about one or two axes that bring points or directions together.
//!
//! The first three are those of Paden and Kahan (Paden 1986, "Kinematics and control of robot manipulators"). The
//! fourth and the formulation are those of Elias and Wen 2022, "IK-Geo: Unified robot inverse kinematics using
//! subproblem decomposition". Axes are unit vectors through the origin. Every subproblem has an answer: the rotation
//! with the smallest residual if its condition cannot hold ([`Fit::Nearest`]), and an arbitrary rotation if it always
//! holds ([`Fit::Free`]).
//!
//! ```
//! use nalgebra::Vector3;
//! use urdf_ik_closed_form::subproblems::{Fit, turn_onto};
//!
//! // The rotation about z that takes x to y.
//! let roots = turn_onto(&Vector3::z(), &Vector3::x(), &Vector3::y());
//! assert_eq!(roots.fit, Fit::Exact);
//! assert!((roots.as_slice()[0].angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
//! ```

#[cfg(test)]
mod tests;

use nalgebra::Vector3;

use super::turn::Turn;

/// Distance of a vector from an axis, over the length of the longest vector, below which it counts as on the axis.
/// Rotating such a vector moves it by less than 1e-10 m on any arm shorter than five metres.
pub(super) const AXIS_ROUNDING: f64 = 1e-11;
/// Residual of a condition, over the product of the lengths in it, that counts as rounding.
const CONDITION_ROUNDING: f64 = 1e-12;
/// Squared sine of the angle between two axes below which they count as parallel.
pub(super) const PARALLEL_SINE_SQUARED: f64 = 1e-20;

/// How well the condition of a subproblem can be satisfied. There are no other cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Exactly, up to rounding. A double root is returned once.
    Exact,
    /// Not at all; the root minimises the residual.
    Nearest,
    /// By any rotation, or by a continuum of pairs of rotations; the root is one of them.
    Free,
}

impl Fit {
    fn of(is_free: bool, miss: f64) -> Self {
        match (is_free, miss > 0.0) {
            (true, _) => Self::Free,
            (false, true) => Self::Nearest,
            (false, false) => Self::Exact,
        }
    }
}

/// A residual without rounding.
fn rounded(miss: f64, rounding: f64) -> f64 {
    if miss <= rounding { 0.0 } else { miss }
}

/// The answer to a subproblem: one or two roots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roots<T> {
    found: [T; 2],
    count: usize,
    /// How well the condition is satisfied.
    pub fit: Fit,
    /// Residual of the condition, in its unit; 0 if it is rounding.
    pub miss: f64,
}

impl<T: Copy> Roots<T> {
    /// A single root, whose condition leaves `miss`.
    fn one(found: T, is_free: bool, miss: f64) -> Self {
        Self { found: [found; 2], count: 1, fit: Fit::of(is_free, miss), miss }
    }

    fn two(found: [T; 2]) -> Self {
        Self { found, count: 2, fit: Fit::Exact, miss: 0.0 }
    }

    /// The roots, one or two.
    pub fn as_slice(&self) -> &[T] {
        &self.found[..self.count]
    }

    /// True if the residual is at most `slack`, in the same unit.
    pub fn within(&self, slack: f64) -> bool {
        self.miss <= slack
    }
}

/// A point and the axis through the origin about which it rotates.
#[derive(Debug, Clone, Copy)]
pub struct Orbit<'a> {
    /// Axis of the rotation, a unit vector.
    pub axis: &'a Vector3<f64>,
    /// The point before the rotation \[m\].
    pub point: &'a Vector3<f64>,
}

impl<'a> Orbit<'a> {
    /// The orbit of `point` \[m\] about `axis`, a unit vector.
    pub fn new(axis: &'a Vector3<f64>, point: &'a Vector3<f64>) -> Self {
        Self { axis, point }
    }
}

/// Subproblem 1: the rotation about `axis`, a unit vector, that moves `from` nearest to `to`. Both are points \[m\] or
/// unit vectors, and the residual is their distance. If one of them is on the axis, any rotation is a solution.
pub fn turn_onto(axis: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Roots<Turn> {
    let across = axis.cross(from).norm() - axis.cross(to).norm();
    let along = axis.dot(from) - axis.dot(to);
    let miss = (across * across + along * along).sqrt();
    let rounding = AXIS_ROUNDING * from.norm().max(to.norm());
    let turn = turn_between(axis, from, to);
    Roots::one(turn.unwrap_or(Turn::ZERO), turn.is_none(), rounded(miss, rounding))
}

/// [`turn_onto`] without a residual: the rotation about `axis`, a unit vector, that moves `from` nearest to `to`, both
/// in the same unit. `None` if any rotation does.
pub fn turn_between(axis: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Option<Turn> {
    let (normal, normal_to) = (axis.cross(from), axis.cross(to));
    let across = normal.norm_squared().min(normal_to.norm_squared());
    let longest = from.norm_squared().max(to.norm_squared());
    // From the normals alone: near the axis, the axial components would swamp them.
    let turn = || Turn::towards(normal.dot(&normal_to), normal.cross(&normal_to).dot(axis));
    (across > AXIS_ROUNDING * AXIS_ROUNDING * longest).then(turn)
}

/// Subproblem 4: the rotations of `point` about `axis`, a unit vector, after which its dot product with `direction` is
/// `height`. `height` and the residual are in the product of their units.
pub fn turns_to_height(
    axis: &Vector3<f64>,
    point: &Vector3<f64>,
    direction: &Vector3<f64>,
    height: f64,
) -> Roots<Turn> {
    let middle = axis.dot(point) * axis.dot(direction);
    // The height is a constant plus a multiple of the cosine and one of the sine.
    let (cos, sin) = (point.dot(direction) - middle, axis.cross(point).dot(direction));
    let size = (point.norm_squared() * direction.norm_squared()).sqrt();
    let amplitude = (cos * cos + sin * sin).sqrt();
    let wanted = height - middle;
    if amplitude <= AXIS_ROUNDING * size {
        let miss = (wanted.abs() - amplitude).max(0.0);
        return Roots::one(Turn::ZERO, true, rounded(miss, AXIS_ROUNDING * size));
    }
    let (cos, sin, ratio) = (cos / amplitude, sin / amplitude, wanted / amplitude);
    if ratio.abs() >= 1.0 {
        let turn = Turn { cos: cos * ratio.signum(), sin: sin * ratio.signum() };
        return Roots::one(turn, false, rounded(wanted.abs() - amplitude, CONDITION_ROUNDING * size));
    }
    let rest = ((1.0 - ratio) * (1.0 + ratio)).sqrt();
    let turn = |rest: f64| Turn::towards(cos * ratio - sin * rest, sin * ratio + cos * rest);
    Roots::two([turn(rest), turn(-rest)])
}

/// Subproblem 4 for unit vectors: the rotations of `direction` about `axis` after which its angle to `other` equals
/// that of `like`.
///
/// Where cosines are insensitive to their angles, their differences are computed from the sines, so the roots stay
/// accurate near the extremes, as with the half-angle formulas of spherical triangles. The residual is the difference
/// of the cosines \[-\].
pub fn turns_to_angle(
    axis: &Vector3<f64>,
    direction: &Vector3<f64>,
    other: &Vector3<f64>,
    like: &Vector3<f64>,
) -> Roots<Turn> {
    let (normal, other_normal) = (axis.cross(direction), axis.cross(other));
    let (sine, other_sine) = (normal.norm(), other_normal.norm());
    let amplitude = sine * other_sine;
    if amplitude <= AXIS_ROUNDING {
        return turns_to_height(axis, direction, other, other.dot(like));
    }
    let (cosine, other_cosine) = (axis.dot(direction), axis.dot(other));
    let middle = Turn::towards(normal.dot(&other_normal), normal.cross(&other_normal).dot(axis));
    let wanted = (other.dot(like), other.cross(like).norm());
    let (straight, crossed) = (sine * other_cosine, cosine * other_sine);
    // Differences of the desired cosine from those of the smallest and the greatest possible angle.
    let least = (cosine * other_cosine + amplitude, straight - crossed);
    let greatest = (cosine * other_cosine - amplitude, straight + crossed);
    let (from_least, from_greatest) = (cosines_apart(least, wanted), cosines_apart(wanted, greatest));
    let miss = -from_least.min(from_greatest);
    let half = Turn::towards(from_greatest.max(0.0).sqrt(), from_least.max(0.0).sqrt());
    let (half, turn) = (half.and(half), |half: Turn| middle.and(half));
    if miss >= 0.0 {
        return Roots::one(turn(half), false, rounded(miss, CONDITION_ROUNDING));
    }
    Roots::two([turn(half), turn(half.back())])
}

/// Difference of the cosines of two angles given by cosine and sine, from the sines where these are small.
fn cosines_apart(a: (f64, f64), b: (f64, f64)) -> f64 {
    let sum = a.0 + b.0;
    if sum.abs() > 1.0 { (b.1.abs() - a.1.abs()) * (b.1.abs() + a.1.abs()) / sum } else { a.0 - b.0 }
}

/// Subproblem 3: the rotations about `axis`, a unit vector, that move `point` \[m\] to a `distance` \[m\] from the
/// point `from` \[m\]. The residual is a distance \[m\]. The half-angle form of the law of cosines is accurate even
/// near the minimum and maximum distance.
pub fn turns_to_distance(axis: &Vector3<f64>, point: &Vector3<f64>, from: &Vector3<f64>, distance: f64) -> Roots<Turn> {
    let (normal, from_normal) = (axis.cross(point), axis.cross(from));
    let (radius, from_radius) = (normal.norm(), from_normal.norm());
    let size = (point.norm_squared() + from.norm_squared()).sqrt();
    let along = axis.dot(point) - axis.dot(from);
    // Perpendicular to the axis.
    let (square, least, greatest) =
        ((distance - along) * (distance + along), radius - from_radius, radius + from_radius);
    let across = square.max(0.0).sqrt();
    let missing = |nearest: f64| (distance - nearest.hypot(along)).abs();
    if radius.min(from_radius) <= AXIS_ROUNDING * size {
        return Roots::one(Turn::ZERO, true, rounded(missing(greatest), AXIS_ROUNDING * size));
    }
    let middle = Turn::towards(normal.dot(&from_normal), normal.cross(&from_normal).dot(axis));
    let from_least = if square > 0.0 { (across - least) * (across + least) } else { square - least * least };
    let from_greatest =
        if square > 0.0 { (greatest - across) * (greatest + across) } else { greatest * greatest - square };
    if from_least <= 0.0 || from_greatest <= 0.0 {
        let (turn, nearest) = if from_least <= 0.0 { (middle, least) } else { (middle.and(Turn::HALF), greatest) };
        return Roots::one(turn, false, rounded(missing(nearest), CONDITION_ROUNDING * size));
    }
    let half = Turn::towards(from_greatest.sqrt(), from_least.sqrt());
    let turn = half.and(half);
    Roots::two([middle.and(turn), middle.and(turn.back())])
}

/// Subproblem 2: the rotations of two points about their axes that make them coincide, that of `one` first. The
/// residual is a distance \[m\].
///
/// If the axes are parallel, only the difference of the rotations matters, and the second point is not rotated. The
/// same applies to a point on its own axis.
pub fn turns_together(one: Orbit, other: Orbit) -> Roots<(Turn, Turn)> {
    let (Orbit { axis: first_axis, point: first }, Orbit { axis: second_axis, point: second }) = (one, other);
    let normal = first_axis.cross(second_axis);
    let sine = normal.norm_squared();
    if sine <= PARALLEL_SINE_SQUARED {
        let roots = turn_onto(first_axis, first, second);
        return Roots::one((roots.found[0], Turn::ZERO), true, roots.miss);
    }
    let cosine = first_axis.dot(second_axis);
    let (a, b) = (first_axis.dot(first), second_axis.dot(second));
    // The common point: its projection onto the plane of the axes is linear, its height above the plane is not.
    let foot = (first_axis * (a - cosine * b) + second_axis * (b - cosine * a)) / sine;
    let size = 0.5 * (first.norm_squared() + second.norm_squared());
    let out = size - foot.norm_squared();
    if out <= CONDITION_ROUNDING * size {
        return in_plane(one, other, &normal);
    }
    let out = normal * (out / sine).sqrt();
    let turns = |at: &Vector3<f64>| (turn_onto(first_axis, first, at), turn_onto(second_axis, second, at));
    let (there, again) = (turns(&(foot + out)), turns(&(foot - out)));
    let free = there.0.fit == Fit::Free || there.1.fit == Fit::Free;
    let miss = rounded((first.norm() - second.norm()).abs(), CONDITION_ROUNDING * size.sqrt());
    let pair = |(first, second): (Roots<Turn>, Roots<Turn>)| (first.found[0], second.found[0]);
    Roots { found: [pair(there), pair(again)], count: 2, fit: Fit::of(free, miss), miss }
}

/// [`turns_together`] for circles that at most touch, in the plane of the axes: of the two intersections of each
/// circle with the plane, the nearest pair.
fn in_plane(first: Orbit, second: Orbit, normal: &Vector3<f64>) -> Roots<(Turn, Turn)> {
    let crossings = |Orbit { axis, point }: Orbit| {
        let middle = axis * axis.dot(point);
        let outwards = axis.cross(normal).normalize() * (point - middle).norm();
        [middle + outwards, middle - outwards]
    };
    let (ones, others) = (crossings(first), crossings(second));
    let mut best = (f64::INFINITY, ones[0], others[0]);
    for one in ones {
        for other in others {
            let apart = (one - other).norm_squared();
            if apart < best.0 {
                best = (apart, one, other);
            }
        }
    }
    let (first_roots, second_roots) =
        (turn_onto(first.axis, first.point, &best.1), turn_onto(second.axis, second.point, &best.2));
    let turns = (first_roots.found[0], second_roots.found[0]);
    let (apart, size) = (best.0.sqrt(), first.point.norm().max(second.point.norm()));
    // The distance of touching circles grows as the square of the separation, so rounding shows as its square root.
    let miss = rounded(apart, CONDITION_ROUNDING.sqrt() * size);
    let free = first_roots.fit == Fit::Free || second_roots.fit == Fit::Free;
    Roots::one(turns, free, miss)
}
