//! Directions in which a joint can turn at its limits.

use nalgebra::{Matrix3, Unit, UnitQuaternion, Vector3};

use super::cone::Polar;
use super::swing_twist::SwingTwist;
use super::{Cone, Joint, Limit, Range};

/// Distance from a limit at which it counts as active \[rad\].
const AT_LIMIT: f64 = 1e-9;
/// Beyond this swing, nearly straight back, azimuth and twist are ill-defined \[rad\].
const MAX_SWING: f64 = 3.0;

/// The motion that limits permit.
pub(super) struct AllowedMotion {
    /// Projector of angular velocities onto the subspace that satisfies the limits to first order.
    pub projector: Matrix3<f64>,
    /// True if a limit is active.
    pub is_limited: bool,
}

/// Outward normals of the active limits, as angular velocities.
type Normals = [Option<Vector3<f64>>; 7];

impl Joint {
    /// The permitted motion of the joint at `rotation` under all `pushes`. Pushes and projector are angular velocities
    /// of the segment in the joint's frame.
    pub(super) fn allowed(&self, rotation: &UnitQuaternion<f64>, pushes: &[Vector3<f64>]) -> AllowedMotion {
        let (projector, normals) = match &self.limit {
            Limit::Free => (Matrix3::identity(), Normals::default()),
            Limit::Hinge { axis, angle } => {
                let axis = Unit::new_normalize(*axis);
                let turn = 2.0 * rotation.imag().dot(&axis).atan2(rotation.w);
                let [upper, lower] = ends(angle, turn, &axis);
                (axis.into_inner() * axis.transpose(), [upper, lower, None, None, None, None, None])
            }
            Limit::Ball { cone, twist } => (Matrix3::identity(), ball_normals(cone, twist, rotation)),
        };
        let mut allowed = AllowedMotion { projector, is_limited: false };
        // The part of a push that one limit permits may violate another.
        for normal in [normals; 3].iter().flatten().flatten() {
            if pushes.iter().any(|push| normal.dot(&(allowed.projector * push)) > 0.0) {
                allowed.remove(normal);
            }
        }
        allowed
    }

    /// True if a limit blocks some but not all motions of the joint at `rotation`.
    pub(super) fn is_at_limit(&self, rotation: &UnitQuaternion<f64>) -> bool {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let pushes = || axes.iter().flat_map(|axis| [*axis, -axis]).map(|push| (push, self.allowed(rotation, &[push])));
        pushes().any(|(_, allowed)| allowed.is_limited)
            && pushes().any(|(push, allowed)| (allowed.projector * push).norm() > AT_LIMIT)
    }
}

impl AllowedMotion {
    /// Removes the motion along a normal.
    fn remove(&mut self, normal: &Vector3<f64>) {
        self.is_limited = true;
        let rest = self.projector * normal;
        let square = rest.norm_squared();
        if square > AT_LIMIT * AT_LIMIT {
            self.projector -= rest * rest.transpose() / square;
        }
    }
}

/// The normals of the upper and the lower limit of a rotation about `axis` by `angle`.
fn ends(range: &Range, angle: f64, axis: &Vector3<f64>) -> [Option<Vector3<f64>>; 2] {
    // Modulo full turns.
    let is_at = |end: f64| !range.is_unlimited() && (0.5 * (angle - end)).sin().abs() < AT_LIMIT;
    [is_at(range.upper).then_some(*axis), is_at(range.lower).then_some(-axis)]
}

/// The normals of the active limits of a ball joint: the boundary of its cone, sides on which the cone does not open,
/// and the twist.
///
/// With the direction d of the segment, its polar angle θ and azimuth φ, and the unit vectors e_θ and e_φ along them,
/// an angular velocity ω changes d by ω × d, θ by ω·e_φ, φ by -ω·e_θ / sin θ, and the twist by ω·(d - tan(θ/2) e_θ).
fn ball_normals(cone: &Cone, twist: &Range, rotation: &UnitQuaternion<f64>) -> Normals {
    let turn = SwingTwist::of(rotation);
    let Polar { angle, cosine, sine } = turn.swing;
    if angle > MAX_SWING {
        return Normals::default();
    }
    let (across, along) = angle.sin_cos();
    let direction = turn.swing.direction();
    let outward = Vector3::new(-across, along * cosine, along * sine);
    let around = Vector3::new(0.0, -sine, cosine);
    let slope = if across > AT_LIMIT { cone.slope_towards(cosine, sine) / across } else { 0.0 };
    let is_at_border = angle >= cone.limit_towards(cosine, sine) - AT_LIMIT;
    // If the cone does not open to a side, the direction must not lean to it.
    let flat = |side: Vector3<f64>, opening: f64| {
        (opening == 0.0 && direction.dot(&side) > -AT_LIMIT).then(|| direction.cross(&side))
    };
    let (y, z) = (Vector3::y(), Vector3::z());
    let [upper, lower] = ends(twist, turn.twist, &(direction - outward * (0.5 * angle).tan()));
    [
        is_at_border.then(|| around + outward * slope),
        flat(y, cone.left),
        flat(-y, cone.right),
        flat(z, cone.up),
        flat(-z, cone.down),
        upper,
        lower,
    ]
}
