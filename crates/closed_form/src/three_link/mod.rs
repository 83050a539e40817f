//! Three links in space whose last one points along an up vector.
//!
//! The base frame has the origin O and the base axis y. The plane of the arm, at first the y-z plane with the normal
//! x, rotates about y by the yaw θ_y and then about its own z axis by the roll β. It contains the links l1, l2 and
//! l3, which point along y at zero angles, and three joints θ0, θ1 and θ2 that rotate about its normal:
//!
//! ```text
//! R = R_y(θ_y) R_z(β)        u_k = R R_x(θ0 + … + θ_k) y
//! E = O + l1 u_0 + l2 u_1 + l3 u_2        E_y = u_2
//! ```
//!
//! Given are the end position E and the up vector E_y. Subtracting the last link gives the wrist, at P_T = E - O - l3
//! E_y from the base. The plane is spanned by P_T and E_y. Its normal R x is
//!
//! ```text
//! n = ±(P_T × E_y) / |P_T × E_y| = (cos β cos θ_y, sin β, -cos β sin θ_y)
//! β = asin n_y        θ_y = atan2(-n_z, n_x)        with |β| ≤ π/2
//! ```
//!
//! In the plane, P_T = l1 u_0 + l2 u_1 is a problem of [two links](super::two_link), with the inner angle θ_a at the
//! shoulder from the sides l1 and d = |P_T|, cos θ_a = (d² + l1² - l2²) / (2 d l1), and θ0 = θ_E ± θ_a. The last
//! joint takes the angle of E_y in the plane minus θ0 + θ1. Two normals times two elbows are four solutions. (With
//! roll π - β, yaw θ_y + π and shoulder θ0 + π, each of them is the same configuration:
//! [`ThreeLinkAngles::rolled_over`].)
//!
//! If E_y points along P_T, every plane through this line is a solution: the roll is free.
//! [`ThreeLink::solve_with_ball_wrist`] is the variant without roll, whose last joint is a ball joint that takes the
//! up vector. [`ThreeLinkChain`] is a chain of a robot with this geometry.
//!
//! ```
//! use nalgebra::{Isometry3, Point3, Vector3};
//! use urdf_ik_closed_form::three_link::ThreeLink;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let arm = ThreeLink::new(Isometry3::identity(), [0.5, 0.4, 0.1])?;
//! let (end, up) = (Point3::new(0.3, 0.2, 0.4), Vector3::new(0.1, 1.0, -0.3));
//! let solutions = arm.solve(&end, &up)?;
//! assert!(solutions.is_reached() && solutions.configurations().len() == 4);
//! for configuration in solutions.configurations() {
//!     let [.., last] = arm.link_ends(configuration);
//!     assert!((last - end).norm() < 1e-15);
//! }
//! # Ok(())
//! # }
//! ```

mod chain;

use std::f64::consts::PI;

use nalgebra::{Isometry3, Point3, UnitQuaternion, UnitVector3, Vector3};

pub use chain::ThreeLinkChain;

use super::two_link::{PlaneFreedom, ROUNDINGS, Solutions, SpatialAngles, SpatialTwoLink, on_both_sides, upright};
use super::whole_turns::wrapped;
use urdf_ik_mathematics::segments::{
    InputError, check_coordinates, check_length, check_total, direction as direction_of,
};

/// Three links on a base with yaw and roll. The [module](self) defines its angles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreeLink {
    first_two: SpatialTwoLink,
    last: f64,
}

/// Angles of the five joints \[rad\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThreeLinkAngles {
    /// Rotation of the plane about the base axis y, θ_y \[rad\].
    pub yaw: f64,
    /// Rotation of the plane about its own z axis after that, β \[rad\]. From -π/2 to π/2 in solutions.
    pub roll: f64,
    /// Angle of the first link from the plane's y axis, about its normal x, θ0 \[rad\].
    pub shoulder: f64,
    /// Angle of the second link from the first, θ1 \[rad\].
    pub elbow: f64,
    /// Angle of the last link from the second, θ2 \[rad\].
    pub wrist: f64,
}

/// Angles of three joints, and the rotation of the ball joint at the wrist.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BallWristAngles {
    /// Yaw, shoulder and elbow \[rad\].
    pub arm: SpatialAngles,
    /// Rotation of the last link in the frame of the second link, whose y axis points along that link: the shortest
    /// rotation of the y axis to the up vector.
    pub wrist: UnitQuaternion<f64>,
}

impl ThreeLinkAngles {
    /// The equivalent angles of this configuration: with the roll π - β, and with yaw and shoulder rotated by π.
    #[must_use]
    pub fn rolled_over(&self) -> Self {
        Self {
            yaw: wrapped(self.yaw + PI),
            roll: wrapped(PI - self.roll),
            shoulder: wrapped(self.shoulder + PI),
            ..*self
        }
    }
}

impl ThreeLink {
    /// Links of these lengths \[m\], from the shoulder to the end, on `base`, the pose of the base frame in the frame
    /// of the targets (translation \[m\]). Lengths may be 0.
    ///
    /// # Errors
    /// [`InputError`] if a length is negative or not finite, if the sum exceeds 1e9 m, or if `base` is not a finite
    /// pose.
    pub fn new(base: Isometry3<f64>, [first, second, last]: [f64; 3]) -> Result<Self, InputError> {
        let first_two = SpatialTwoLink::new(base, [first, second])?;
        check_length(("link", 2), last)?;
        check_total(first + second + last)?;
        Ok(Self { first_two, last })
    }

    /// Lengths of the links \[m\], from the shoulder to the end.
    pub fn lengths(&self) -> [f64; 3] {
        let [first, second] = self.first_two.links().lengths();
        [first, second, self.last]
    }

    /// All angles \[rad\], in general four, for which the end is at `end` \[m\] and the last link points along `up`, a
    /// nonzero vector of any length. Both are in the frame of the targets. Out of reach, the angles for which the end
    /// is closest while the last link points along `up`.
    ///
    /// # Errors
    /// [`InputError`] if a coordinate of `end` is not finite or beyond 1e9 m, or if `up` is zero or not finite.
    pub fn solve(&self, end: &Point3<f64>, up: &Vector3<f64>) -> Result<Solutions<ThreeLinkAngles, 4>, InputError> {
        let UpVectorGoal { wrist, up, slack } = self.goal(end, up)?;
        let (normal, freedom) = spanned_by(&wrist, &up, slack);
        Ok(on_both_sides(self.first_two.links(), &wrist, &normal, freedom, slack, |plane, angles| {
            let [along, across] = plane.coordinates(&up);
            ThreeLinkAngles {
                yaw: plane.yaw,
                roll: plane.roll,
                shoulder: angles.shoulder,
                elbow: angles.elbow,
                wrist: wrapped(across.atan2(along) - angles.shoulder - angles.elbow),
            }
        }))
    }

    /// All angles \[rad\] of an arm without roll for which the end is at `end` \[m\], and the rotation of a ball joint
    /// at the wrist that makes the last link point along `up`, a nonzero vector of any length. Both are in the frame of
    /// the targets. Out of reach, the angles for which the end is closest.
    ///
    /// # Errors
    /// As for [`ThreeLink::solve`].
    pub fn solve_with_ball_wrist(
        &self,
        end: &Point3<f64>,
        up: &Vector3<f64>,
    ) -> Result<Solutions<BallWristAngles, 4>, InputError> {
        let UpVectorGoal { wrist, up, slack } = self.goal(end, up)?;
        Ok(self.first_two.reach_for(&wrist, slack).map(|arm| {
            let second = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), arm.yaw)
                * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), arm.shoulder + arm.elbow);
            BallWristAngles { arm, wrist: shortest_turn_of_y(&second.inverse_transform_unit_vector(&up)) }
        }))
    }

    /// Forward kinematics: positions \[m\] of elbow, wrist and end for `angles`, in the frame of the targets.
    pub fn link_ends(&self, angles: &ThreeLinkAngles) -> [Point3<f64>; 3] {
        let mut pose = *self.first_two.base()
            * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angles.yaw)
            * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angles.roll);
        let mut ends = [Point3::origin(); 3];
        let turns = [angles.shoulder, angles.elbow, angles.wrist];
        for ((end, length), turn) in ends.iter_mut().zip(self.lengths()).zip(turns) {
            pose *= Isometry3::rotation(Vector3::x() * turn) * Isometry3::translation(0.0, length, 0.0);
            *end = pose.translation.vector.into();
        }
        ends
    }

    fn goal(&self, end: &Point3<f64>, up: &Vector3<f64>) -> Result<UpVectorGoal, InputError> {
        check_coordinates("the end", end.coords.as_slice())?;
        let base = self.first_two.base();
        let up = base.inverse_transform_unit_vector(&direction_of("the up vector", up)?);
        let wrist = base.inverse_transform_point(end).coords - up.scale(self.last);
        Ok(UpVectorGoal { wrist, up, slack: self.first_two.slack(end, self.last) })
    }
}

/// Goal in the base frame: P_T, E_y, and the rounding error of P_T \[m\].
struct UpVectorGoal {
    wrist: Vector3<f64>,
    up: UnitVector3<f64>,
    slack: f64,
}

/// Unit normal of the plane that contains both `wrist` and `up`, and its freedom.
fn spanned_by(wrist: &Vector3<f64>, up: &UnitVector3<f64>, slack: f64) -> (Vector3<f64>, PlaneFreedom) {
    // The component of P_T perpendicular to E_y is accurate to the rounding of P_T, unlike their cross product.
    // Twice, to remove the rounding error along E_y.
    let across = wrist - up.scale(wrist.dot(up));
    let across = across - up.scale(across.dot(up));
    let product = across.cross(up);
    if across.norm() > slack && product.norm() > 0.0 {
        return (product.normalize(), PlaneFreedom::None);
    }
    upright(up, ROUNDINGS, PlaneFreedom::Roll)
}

/// The shortest rotation that takes the y axis to `direction`; for the opposite direction, the one about x.
fn shortest_turn_of_y(direction: &UnitVector3<f64>) -> UnitQuaternion<f64> {
    let axis = Vector3::y().cross(direction);
    let sine = axis.norm();
    UnitVector3::try_new(axis, f64::MIN_POSITIVE).map_or_else(
        || UnitQuaternion::from_axis_angle(&Vector3::x_axis(), if direction.y < 0.0 { PI } else { 0.0 }),
        |axis| UnitQuaternion::from_axis_angle(&axis, sine.atan2(direction.y)),
    )
}
