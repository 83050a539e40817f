//! Two links on a base that turns.

use nalgebra::{Isometry3, Point3, Vector3};

use super::answer::{PlaneFreedom, Solutions};
use super::plane::{on_both_sides, upright_normal};
use super::{ROUNDINGS, TwoLink};
use urdf_ik_mathematics::segments::{InputError, check_coordinates, check_rotation};

/// Two links in a plane that stands on a base and turns about its axis.
///
/// The base frame has its origin at the shoulder O, its y axis is the base axis, and its x axis is the normal of the arm's plane while
/// all angles are 0; both links then lie along y. Shoulder and elbow turn about that normal, which the yaw θ_y takes along:
///
/// ```text
/// tip = O + R_y(θ_y) (l1 R_x(θ0) y + l2 R_x(θ0 + θ1) y)
/// ```
///
/// The plane contains the base axis and the target, so that its normal is n = ±(y × P) / |y × P| with P = target - O, and the yaw
/// θ_y = atan2(-n_z, n_x). Each sign leaves a problem of [two links](TwoLink) in the plane: four solutions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialTwoLink {
    base: Isometry3<f64>,
    links: TwoLink,
}

/// Angles of the three joints \[rad\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpatialAngles {
    /// Turn of the plane about the base axis y, θ_y.
    pub yaw: f64,
    /// Angle of the first link from the base axis, about the plane's normal x, θ0.
    pub shoulder: f64,
    /// Angle of the second link from the first, θ1.
    pub elbow: f64,
}

impl SpatialTwoLink {
    /// Links of `lengths` \[m\] on `base`, given in the frame in which targets will be.
    ///
    /// # Errors
    /// [`InputError`] as for [`TwoLink::new`], and where the base is no pose of finite numbers.
    pub fn new(base: Isometry3<f64>, lengths: [f64; 2]) -> Result<Self, InputError> {
        check_coordinates("the base", base.translation.vector.as_slice())?;
        check_rotation("the base", &base.rotation)?;
        Ok(Self { base, links: TwoLink::new(lengths)? })
    }

    /// The base frame.
    pub fn base(&self) -> &Isometry3<f64> {
        &self.base
    }

    /// The two links.
    pub fn links(&self) -> &TwoLink {
        &self.links
    }

    /// All angles for which the tip is at `target` \[m\]: facing it, with the elbow's angle negative, then positive, and with its
    /// back to it in the same order. Out of reach, those for which it is closest.
    ///
    /// # Errors
    /// [`InputError`] for a coordinate that is not finite or beyond 1e9 m.
    pub fn solve(&self, target: &Point3<f64>) -> Result<Solutions<SpatialAngles, 4>, InputError> {
        check_coordinates("the target", target.coords.as_slice())?;
        let slack = self.slack(target, 0.0);
        Ok(self.reach_for(&self.base.inverse_transform_point(target).coords, slack))
    }

    /// What rounding may do to a target in the base frame \[m\], with another link of length `last`.
    pub(crate) fn slack(&self, target: &Point3<f64>, last: f64) -> f64 {
        let [first, second] = self.links.lengths();
        ROUNDINGS * (first + second + last + target.coords.amax() + self.base.translation.vector.amax())
    }

    /// The configurations for a point in the base frame.
    pub(crate) fn reach_for(&self, point: &Vector3<f64>, slack: f64) -> Solutions<SpatialAngles, 4> {
        let (normal, freedom) = match upright_normal(point, slack) {
            Some(normal) => (normal, PlaneFreedom::None),
            None => (Vector3::x(), PlaneFreedom::Yaw),
        };
        on_both_sides(&self.links, point, &normal, freedom, slack, |plane, angles| SpatialAngles {
            yaw: plane.yaw,
            shoulder: angles.shoulder,
            elbow: angles.elbow,
        })
    }
}
