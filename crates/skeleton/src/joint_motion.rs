//! The directions in which a joint may turn at its limits.

use nalgebra::{Matrix3, Unit, UnitQuaternion, Vector3};

use super::cone::{Cone, Polar, Range};
use super::joint::{Joint, Limit};
use super::swing_twist::SwingTwist;

/// A rotation this near to a limit \[rad\] is at it.
const AT_LIMIT: f64 = 1e-9;
/// Beyond this swing \[rad\], nearly straight back, neither azimuth nor twist are well defined.
const STRAIGHT_BACK: f64 = 3.0;

/// The motion that limits leave to a joint.
pub(super) struct Allowed {
    /// Projects an angular velocity to one that keeps the limits, to first order.
    pub projector: Matrix3<f64>,
    /// Whether a limit is in the way.
    pub is_limited: bool,
}

impl Joint {
    /// What the joint, at `rotation`, may do of a turn along `push`. Both it and the result are angular velocities of
    /// its segment in the joint's frame.
    pub(super) fn allowed(&self, rotation: &UnitQuaternion<f64>, push: &Vector3<f64>) -> Allowed {
        match &self.limit {
            Limit::Free => Allowed { projector: Matrix3::identity(), is_limited: false },
            Limit::Hinge { axis, angle } => {
                let axis = Unit::new_normalize(*axis);
                let turn = 2.0 * rotation.imag().dot(&axis).atan2(rotation.w);
                let is_limited = presses(angle, turn, push.dot(&axis));
                let projector = if is_limited { Matrix3::zeros() } else { axis.into_inner() * axis.transpose() };
                Allowed { projector, is_limited }
            }
            Limit::Ball { cone, twist } => {
                let normals = ball_normals(cone, twist, rotation, push);
                Allowed { projector: without(&normals), is_limited: normals.iter().any(Option::is_some) }
            }
        }
    }

    /// Whether a limit keeps the joint, at `rotation`, from some turn.
    pub(super) fn is_at_limit(&self, rotation: &UnitQuaternion<f64>) -> bool {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        axes.iter().any(|axis| [*axis, -axis].iter().any(|push| self.allowed(rotation, push).is_limited))
    }
}

/// Whether `angle` is at an end of `range` and would leave it at the velocity `velocity`.
fn presses(range: &Range, angle: f64, velocity: f64) -> bool {
    if range.is_unlimited() {
        return false;
    }
    // By whole turns.
    let is_at = |end: f64| (0.5 * (angle - end)).sin().abs() < AT_LIMIT;
    leaves(is_at(range.lower), is_at(range.upper), velocity)
}

/// The normals of the limits of a ball joint that `push` presses on, as angular velocities: of the border of its cone,
/// of the sides where it does not open at all, and of the twist.
///
/// With the direction d of the segment, its polar angle θ and azimuth φ, and the unit vectors e_θ and e_φ along them,
/// an angular velocity ω changes d by ω × d, θ by ω·e_φ, φ by -ω·e_θ / sin θ, and the twist by ω·(d - tan(θ/2) e_θ).
fn ball_normals(
    cone: &Cone,
    twist: &Range,
    rotation: &UnitQuaternion<f64>,
    push: &Vector3<f64>,
) -> [Option<Vector3<f64>>; 4] {
    let turn = SwingTwist::of(rotation);
    let Polar { angle, cosine, sine } = turn.swing;
    if angle > STRAIGHT_BACK {
        return [None; 4];
    }
    let (across, along) = angle.sin_cos();
    let direction = turn.swing.direction();
    let outward = Vector3::new(-across, along * cosine, along * sine);
    let around = Vector3::new(0.0, -sine, cosine);
    let slope = if across > AT_LIMIT { cone.slope_towards(cosine, sine) / across } else { 0.0 };
    let border = around + outward * slope;
    let is_at_border = angle >= cone.limit_towards(cosine, sine) - AT_LIMIT;
    let twisting = direction - outward * (0.5 * angle).tan();
    [
        (is_at_border && push.dot(&border) > 0.0).then_some(border),
        flat_side(&direction, &Vector3::y(), (cone.right, cone.left), push),
        flat_side(&direction, &Vector3::z(), (cone.down, cone.up), push),
        presses(twist, turn.twist, push.dot(&twisting)).then_some(twisting),
    ]
}

/// The normal of a cone that does not open towards an `axis`, or away from it, where `direction` is on that side.
fn flat_side(
    direction: &Vector3<f64>,
    axis: &Vector3<f64>,
    (away, towards): (f64, f64),
    push: &Vector3<f64>,
) -> Option<Vector3<f64>> {
    let normal = direction.cross(axis);
    let (height, velocity) = (direction.dot(axis), push.dot(&normal));
    let at_upper = towards == 0.0 && height > -AT_LIMIT;
    let at_lower = away == 0.0 && height < AT_LIMIT;
    leaves(at_lower, at_upper, velocity).then_some(normal)
}

/// Whether something at the lower or the upper end of its range would leave it. Between two ends that are one it must
/// not move at all.
fn leaves(at_lower: bool, at_upper: bool, velocity: f64) -> bool {
    (at_upper && (at_lower || velocity > 0.0)) || (at_lower && velocity < 0.0)
}

/// All angular velocities but the directions of `normals`.
fn without(normals: &[Option<Vector3<f64>>; 4]) -> Matrix3<f64> {
    let mut projector = Matrix3::identity();
    for normal in normals.iter().flatten() {
        let rest = projector * normal;
        let square = rest.norm_squared();
        if square > AT_LIMIT * AT_LIMIT {
            projector -= rest * rest.transpose() / square;
        }
    }
    projector
}
