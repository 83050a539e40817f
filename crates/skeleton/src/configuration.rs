//! Configurations of skeletons, and forward kinematics.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::Skeleton;
use super::posture::Posture;
use urdf_ik_mathematics::segments::{InputError, check_coordinates, check_rotation};

/// Points and orientations of a skeleton of n segments, in a common frame chosen by the caller.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkeletonConfiguration {
    /// The n + 1 points \[m\] in the common frame: the root, then the end of each segment.
    pub points: Vec<Point3<f64>>,
    /// The n + 1 orientations in the common frame: of the root, then of each segment, whose x axis points along it. If
    /// empty, the shortest rotation turns each segment from its rest orientation.
    pub orientations: Vec<UnitQuaternion<f64>>,
}

impl Skeleton {
    /// Forward kinematics for a root pose \[m\] in the common frame and n joint `rotations`, each from the joint's
    /// frame to the frame of its segment; the identity is the rest orientation.
    ///
    /// # Errors
    /// [`InputError`] if there are not n rotations, one of them or the orientation of the root is not a unit
    /// quaternion, or the position of the root is not finite or too large.
    pub fn place(
        &self,
        root: &Isometry3<f64>,
        rotations: &[UnitQuaternion<f64>],
    ) -> Result<SkeletonConfiguration, InputError> {
        self.check_count("list of rotations", rotations.len(), 0)?;
        check_coordinates("the root", root.translation.vector.as_slice())?;
        check_rotation("the orientation of the root", &root.rotation)?;
        for (joint, rotation) in rotations.iter().enumerate() {
            check_rotation(("the rotation of joint", joint), rotation)?;
        }
        Ok(self.placed(root, rotations))
    }

    /// The configuration with all joints at rest, and the root at the origin and not rotated.
    pub fn at_rest(&self) -> SkeletonConfiguration {
        self.placed(&Isometry3::identity(), &vec![UnitQuaternion::identity(); self.segment_count()])
    }

    /// [`Self::place`] without checks.
    fn placed(&self, root: &Isometry3<f64>, rotations: &[UnitQuaternion<f64>]) -> SkeletonConfiguration {
        let mut posture = Posture::new(rotations.len());
        (posture.points[0], posture.orientations[0]) = (root.translation.vector.into(), root.rotation);
        posture.rotations.copy_from_slice(rotations);
        self.place_into(0..rotations.len(), &mut posture);
        SkeletonConfiguration { points: posture.points, orientations: posture.orientations }
    }

    /// The n joint rotations of a configuration, each from the joint's frame to the frame of its segment.
    ///
    /// # Errors
    /// [`InputError`] if the configuration does not fit this skeleton or has an invalid number.
    pub fn rotations(&self, configuration: &SkeletonConfiguration) -> Result<Vec<UnitQuaternion<f64>>, InputError> {
        Ok(self.complete(configuration)?.rotations)
    }

    /// The n + 1 orientations of a configuration in the common frame: of the root, then of each segment. Missing ones
    /// are computed as for [`SkeletonConfiguration::orientations`], with a root that is not rotated.
    ///
    /// # Errors
    /// [`InputError`] as for [`Self::rotations`].
    pub fn orientations(&self, configuration: &SkeletonConfiguration) -> Result<Vec<UnitQuaternion<f64>>, InputError> {
        Ok(self.complete(configuration)?.orientations)
    }

    /// A configuration with its orientations and joint rotations.
    fn complete(&self, configuration: &SkeletonConfiguration) -> Result<Posture, InputError> {
        self.check_configuration(configuration)?;
        let mut posture = Posture::new(self.segment_count());
        posture.points.copy_from_slice(&configuration.points);
        self.turn_into(&configuration.orientations, &mut posture);
        Ok(posture)
    }

    /// The largest violation of a joint limit in a configuration \[rad\]; 0 if all limits hold.
    ///
    /// # Errors
    /// [`InputError`] as for [`Self::rotations`].
    pub fn violation(&self, configuration: &SkeletonConfiguration) -> Result<f64, InputError> {
        let rotations = self.rotations(configuration)?;
        let apart = |(segment, rotation): (usize, &UnitQuaternion<f64>)| {
            // The sine of half the angle is accurate where the cosine is not.
            2.0 * (self.joints[segment].nearest(rotation).inverse() * rotation).imag().norm().min(1.0).asin()
        };
        Ok(rotations.iter().enumerate().map(apart).fold(0.0, f64::max))
    }

    /// Forward kinematics of some segments, parents first, from the joint rotations and the root.
    pub(super) fn place_into(&self, segments: impl Iterator<Item = usize>, posture: &mut Posture) {
        for segment in segments {
            let parent = self.parents[segment];
            let base = product(&posture.orientations[parent], &self.joints[segment].rest);
            let frame = product(&base, &posture.rotations[segment]);
            posture.points[segment + 1] = posture.points[parent] + frame * Vector3::x() * self.lengths[segment];
            posture.orientations[segment + 1] = frame;
        }
    }

    /// Computes the orientations for the points of `posture`, taken from `given` if it has them, and the joint
    /// rotations. Without a given one the root keeps its orientation.
    pub(super) fn turn_into(&self, given: &[UnitQuaternion<f64>], posture: &mut Posture) {
        let Posture { points, orientations, rotations, .. } = posture;
        orientations[0] = given.first().copied().unwrap_or(orientations[0]);
        for (segment, rotation) in rotations.iter_mut().enumerate() {
            let parent = self.parents[segment];
            let base = product(&orientations[parent], &self.joints[segment].rest);
            let along = points[segment + 1] - points[parent];
            let frame = given.get(segment + 1).copied().unwrap_or_else(|| aligned(&base, &along));
            *rotation = product(&base.inverse(), &frame);
            orientations[segment + 1] = frame;
        }
    }

    /// Checks that `configuration` fits this skeleton.
    pub(super) fn check_configuration(&self, configuration: &SkeletonConfiguration) -> Result<(), InputError> {
        let SkeletonConfiguration { points, orientations } = configuration;
        self.check_count("list of points", points.len(), 1)?;
        for (index, point) in points.iter().enumerate() {
            check_coordinates(("point", index), point.coords.as_slice())?;
        }
        if !orientations.is_empty() {
            self.check_count("list of orientations", orientations.len(), 1)?;
        }
        for (index, orientation) in orientations.iter().enumerate() {
            check_rotation(("the orientation at point", index), orientation)?;
        }
        Ok(())
    }
}

/// `frame`, rotated by the shortest rotation that turns its x axis to the direction of `along`; unchanged if `along` is
/// zero.
pub(super) fn aligned(frame: &UnitQuaternion<f64>, along: &Vector3<f64>) -> UnitQuaternion<f64> {
    let Some(direction) = along.try_normalize(1e-150) else { return *frame };
    let axis = frame * Vector3::x();
    let scalar = 1.0 + axis.dot(&direction);
    if scalar < 1e-12 {
        // Straight back, all axes are equally short: rotate about z.
        let back = frame * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
        return aligned(&back, along);
    }
    let vector = axis.cross(&direction);
    product(&UnitQuaternion::new_normalize(Quaternion::from_parts(scalar, vector)), frame)
}

/// The normalised product of two rotations, so that rounding errors do not accumulate along a chain.
pub(super) fn product(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(a.into_inner() * b.into_inner())
}
