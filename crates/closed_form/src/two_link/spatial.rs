//! Two links on a rotating base.

use nalgebra::{Isometry3, Point3, Vector3};

use super::answer::{PlaneFreedom, Solutions};
use super::plane::{on_both_sides, upright};
use super::{ROUNDINGS, TwoLink};
use urdf_ik_mathematics::segments::{InputError, check_coordinates, check_rotation};

/// Two links in a vertical plane that rotates about the axis of its base.
///
/// The base frame has its origin at the shoulder O. Its y axis is the base axis, and its x axis is the normal of the
/// plane at zero angles; both links then point along y. Shoulder and elbow rotate about the normal, which rotates
/// with the yaw θ_y:
///
/// ```text
/// tip = O + R_y(θ_y) (l1 R_x(θ0) y + l2 R_x(θ0 + θ1) y)
/// ```
///
/// The plane contains the base axis and the target, so its normal is n = ±(y × P) / |y × P| with P = target - O, and
/// the yaw is θ_y = atan2(-n_z, n_x). Each sign leaves a problem of [two links](TwoLink) in the plane: four
/// solutions.
///
/// ```
/// use nalgebra::{Isometry3, Point3};
/// use urdf_ik_closed_form::two_link::SpatialTwoLink;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let arm = SpatialTwoLink::new(Isometry3::identity(), [0.4, 0.3])?;
/// let solutions = arm.solve(&Point3::new(0.2, 0.4, 0.1))?;
/// assert!(solutions.is_reached() && solutions.configurations().len() == 4);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialTwoLink {
    base: Isometry3<f64>,
    links: TwoLink,
}

/// Angles of the three joints \[rad\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpatialAngles {
    /// Rotation of the plane about the base axis y, θ_y \[rad\].
    pub yaw: f64,
    /// Angle of the first link from the base axis, about the plane's normal x, θ0 \[rad\].
    pub shoulder: f64,
    /// Angle of the second link from the first, θ1 \[rad\].
    pub elbow: f64,
}

impl SpatialTwoLink {
    /// Links of `lengths` \[m\], from the shoulder to the tip, on `base`, the pose of the base frame in the frame of
    /// the targets (translation \[m\]).
    ///
    /// # Errors
    /// [`InputError`] as for [`TwoLink::new`], and if `base` is not a finite pose.
    pub fn new(base: Isometry3<f64>, lengths: [f64; 2]) -> Result<Self, InputError> {
        check_coordinates("the base", base.translation.vector.as_slice())?;
        check_rotation("the base", &base.rotation)?;
        Ok(Self { base, links: TwoLink::new(lengths)? })
    }

    /// Pose of the base frame, in the frame of the targets (translation \[m\]).
    pub fn base(&self) -> &Isometry3<f64> {
        &self.base
    }

    /// The two links in their plane.
    pub fn links(&self) -> &TwoLink {
        &self.links
    }

    /// All angles \[rad\] for which the tip is at `target` \[m\]: facing it, with negative, then positive elbow angle;
    /// then facing away, in the same order. Out of reach, the angles for which the tip is closest.
    ///
    /// # Errors
    /// [`InputError`] if a coordinate is not finite or beyond 1e9 m.
    pub fn solve(&self, target: &Point3<f64>) -> Result<Solutions<SpatialAngles, 4>, InputError> {
        check_coordinates("the target", target.coords.as_slice())?;
        let slack = self.slack(target, 0.0);
        Ok(self.reach_for(&self.base.inverse_transform_point(target).coords, slack))
    }

    /// Rounding error of a target in the base frame \[m\], with another link of length `last`.
    pub(crate) fn slack(&self, target: &Point3<f64>, last: f64) -> f64 {
        let [first, second] = self.links.lengths();
        ROUNDINGS * (first + second + last + target.coords.amax() + self.base.translation.vector.amax())
    }

    /// The configurations for a point in the base frame.
    pub(crate) fn reach_for(&self, point: &Vector3<f64>, slack: f64) -> Solutions<SpatialAngles, 4> {
        let (normal, freedom) = upright(point, slack, PlaneFreedom::None);
        on_both_sides(&self.links, point, &normal, freedom, slack, |plane, angles| SpatialAngles {
            yaw: plane.yaw,
            shoulder: angles.shoulder,
            elbow: angles.elbow,
        })
    }
}
