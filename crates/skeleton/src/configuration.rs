//! Where the points of a skeleton are and how its segments are turned, and its forward kinematics.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::Skeleton;
use super::posture::Posture;
use urdf_ik_mathematics::segments::{InputError, check_coordinates, check_rotation};

/// Points and orientations of a skeleton of n segments, in one frame that the caller chooses.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Configuration {
    /// The n + 1 points \[m\]: the root, then the end of each segment.
    pub points: Vec<Point3<f64>>,
    /// The orientations of the n + 1 frames: that of the root, then of each segment, whose x axis is along it. Or none:
    /// then every segment is turned from its orientation at rest by the shortest rotation.
    pub orientations: Vec<UnitQuaternion<f64>>,
}

impl Skeleton {
    /// Forward kinematics: the configuration with the root frame at `root`, and the joints at `rotations` (n entries),
    /// each from the joint's frame to that of its segment. The identity is the rest of a joint.
    ///
    /// # Errors
    /// [`InputError`] where there are not n rotations, or an entry is not a rotation.
    pub fn place(&self, root: &Isometry3<f64>, rotations: &[UnitQuaternion<f64>]) -> Result<Configuration, InputError> {
        self.check_count("list of rotations", rotations.len(), 0)?;
        check_coordinates("the root", root.translation.vector.as_slice())?;
        check_rotation("the orientation of the root", &root.rotation)?;
        for (joint, rotation) in rotations.iter().enumerate() {
            check_rotation(("the rotation of joint", joint), rotation)?;
        }
        Ok(self.placed(root, rotations))
    }

    /// The configuration with all joints at rest and the root at the origin.
    pub fn at_rest(&self) -> Configuration {
        self.placed(&Isometry3::identity(), &vec![UnitQuaternion::identity(); self.segment_count()])
    }

    /// [`Self::place`] of numbers that have been checked.
    fn placed(&self, root: &Isometry3<f64>, rotations: &[UnitQuaternion<f64>]) -> Configuration {
        let mut posture = Posture::new(rotations.len());
        (posture.points[0], posture.orientations[0]) = (root.translation.vector.into(), root.rotation);
        posture.rotations.copy_from_slice(rotations);
        self.place_into(0..rotations.len(), &mut posture);
        Configuration { points: posture.points, orientations: posture.orientations }
    }

    /// The rotations of the n joints in `configuration`.
    ///
    /// # Errors
    /// [`InputError`] where it does not fit this skeleton, or a number is not valid.
    pub fn rotations(&self, configuration: &Configuration) -> Result<Vec<UnitQuaternion<f64>>, InputError> {
        let [_, rotations] = self.complete(configuration)?;
        Ok(rotations)
    }

    /// The orientations of `configuration`, complete: where it has points alone, each segment is turned from its
    /// orientation at rest by the shortest rotation, and the root not at all.
    ///
    /// # Errors
    /// As [`Self::rotations`].
    pub fn orientations(&self, configuration: &Configuration) -> Result<Vec<UnitQuaternion<f64>>, InputError> {
        let [orientations, _] = self.complete(configuration)?;
        Ok(orientations)
    }

    /// The orientations of a configuration, and the rotations of its joints.
    fn complete(&self, configuration: &Configuration) -> Result<[Vec<UnitQuaternion<f64>>; 2], InputError> {
        self.check_configuration(configuration)?;
        let mut posture = Posture::new(self.segment_count());
        posture.points.copy_from_slice(&configuration.points);
        self.turn_into(&configuration.orientations, &mut posture);
        Ok([posture.orientations, posture.rotations])
    }

    /// The largest angle \[rad\] by which a joint's rotation in `configuration` differs from what the joint allows; 0
    /// where all limits hold.
    ///
    /// # Errors
    /// As [`Self::rotations`].
    pub fn violation(&self, configuration: &Configuration) -> Result<f64, InputError> {
        let rotations = self.rotations(configuration)?;
        let apart = |(segment, rotation): (usize, &UnitQuaternion<f64>)| {
            // The sine of half the angle keeps its digits where the cosine has none left.
            2.0 * (self.joints[segment].nearest(rotation).inverse() * rotation).imag().norm().min(1.0).asin()
        };
        Ok(rotations.iter().enumerate().map(apart).fold(0.0, f64::max))
    }

    /// Forward kinematics of these segments, which come in the order of the skeleton, from the rotations and the root.
    pub(super) fn place_into(&self, segments: impl Iterator<Item = usize>, posture: &mut Posture) {
        for segment in segments {
            let parent = self.parents[segment];
            let base = product(&posture.orientations[parent], &self.joints[segment].rest);
            let frame = product(&base, &posture.rotations[segment]);
            posture.points[segment + 1] = posture.points[parent] + frame * Vector3::x() * self.lengths[segment];
            posture.orientations[segment + 1] = frame;
        }
    }

    /// Writes the orientations for the points of `posture`, those that are `given` or completed, and the rotations of the
    /// joints. The root's stays if none is given.
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

    /// Checks that `configuration` is one of this skeleton.
    pub(super) fn check_configuration(&self, configuration: &Configuration) -> Result<(), InputError> {
        let Configuration { points, orientations } = configuration;
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

/// `frame` after the shortest rotation that brings its x axis to the direction of `along`; the same where that has
/// none.
pub(super) fn aligned(frame: &UnitQuaternion<f64>, along: &Vector3<f64>) -> UnitQuaternion<f64> {
    let Some(direction) = along.try_normalize(1e-150) else { return *frame };
    let axis = frame * Vector3::x();
    let scalar = 1.0 + axis.dot(&direction);
    if scalar < 1e-12 {
        // Straight back, where every direction of rotation is equally short: about z.
        let back = frame * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
        return aligned(&back, along);
    }
    let vector = axis.cross(&direction);
    product(&UnitQuaternion::new_normalize(Quaternion::from_parts(scalar, vector)), frame)
}

/// The product of two rotations, normalised, so that rounding does not add up along a chain.
pub(super) fn product(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(a.into_inner() * b.into_inner())
}
