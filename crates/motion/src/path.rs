//! A path of poses: straight lines through waypoints, with optionally rounded corners.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use thiserror::Error;

use super::path_sections::{Blend, PathLine};
use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_mathematics::spatial::{self, NotARotation};
use urdf_ik_text::names::number;
use urdf_ik_text::setters;

/// Minimum path length of a line or of a rounded corner \[m\]: closer waypoints count as one.
const MIN_LENGTH: f64 = 1e-6;
/// Change of the unit direction, from 0 to 2, up to which two lines count as one straight line.
const STRAIGHT_LINE_TOLERANCE: f64 = 1e-6;
/// Minimum speed in the middle of a rounded corner, as a fraction of the speed on lines. A corner with less, which
/// turns by more than 120°, is not rounded.
const MIN_CORNER_SPEED: f64 = 0.5;
/// Scalar part of a quaternion up to which it is a half turn: rounding.
const HALF_TURN_TOLERANCE: f64 = 1e-9;

/// Shape of a path through its waypoints.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PathOptions {
    /// Path length before and after a waypoint over which its corner is rounded \[m\], at most half of each adjacent
    /// line. The path passes the waypoint within that distance. With 0, the path passes through every waypoint and
    /// stops at each corner.
    pub blend_radius: f64,
    /// Path length that a rotation by one radian counts as \[m/rad\]. The length of a line is the larger of its
    /// distance and its rotation converted in this way.
    pub metres_per_radian: f64,
}

impl Default for PathOptions {
    /// No rounding; 0.25 m for a radian.
    fn default() -> Self {
        Self { blend_radius: 0.0, metres_per_radian: 0.25 }
    }
}

impl PathOptions {
    setters! {
        with_blend_radius(blend_radius: f64);
    }
}

/// Why waypoints do not define a path.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// There are no waypoints.
    #[error("the path has no pose; it needs at least one")]
    Empty,
    /// A position is NaN or infinite.
    #[error("the position of waypoint {waypoint} has an entry that is not a finite number")]
    NotFinite {
        /// Index of the waypoint, from 0.
        waypoint: usize,
    },
    /// A coordinate is too large for accurate distances.
    #[error("waypoint {waypoint} is at {distance:e} m on one axis; it must be within {MAX_COORDINATE:e} m")]
    TooFar {
        /// Index of the waypoint, from 0.
        waypoint: usize,
        /// Largest absolute coordinate \[m\].
        distance: f64,
    },
    /// A quaternion is not a rotation.
    #[error("waypoint {waypoint}: {reason}")]
    Orientation {
        /// Index of the waypoint, from 0.
        waypoint: usize,
        /// Why the quaternion is no rotation.
        reason: NotARotation,
    },
    /// The blend radius is negative or not finite.
    #[error("the blend radius is {} m; it must be a finite number, 0 or more", number(*value))]
    BlendRadius {
        /// The invalid radius \[m\].
        value: f64,
    },
    /// The path length per radian is out of range.
    #[error("the path length of a radian is {} m; it must be a number from 1e-6 to 1e6", number(*value))]
    MetresPerRadian {
        /// The invalid length \[m/rad\].
        value: f64,
    },
}

/// A path of poses in the base link's frame as a function of path length. It is immutable.
///
/// Positions follow straight lines from waypoint to waypoint. Orientations follow spherical linear interpolation
/// (Shoemake 1985, "Animating rotation with quaternion curves"), the shorter way and at a constant rate. A rotation
/// by π is about the axis whose largest component is positive in the frame of the waypoint where it starts. A
/// waypoint that repeats the previous one is ignored. Path lengths are in metres; [`PathOptions::metres_per_radian`]
/// converts rotations.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    sections: Vec<Section>,
    start: Isometry3<f64>,
    end: Isometry3<f64>,
    length: f64,
    rests: Vec<f64>,
    metres_per_radian: f64,
}

#[derive(Debug, Clone, PartialEq)]
struct Section {
    /// Path length at its end \[m\].
    end: f64,
    length: f64,
    shape: SectionShape,
    /// Index of the waypoint at its end, or near the middle of a rounded corner.
    waypoint: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum SectionShape {
    Line(PathLine),
    Blend(Box<Blend>),
}

impl Path {
    /// The path through the waypoints `poses`, each a pose of the tip in the base link's frame. A single pose is a path
    /// of length 0.
    ///
    /// ```
    /// use nalgebra::Isometry3;
    /// use urdf_ik_motion::{Path, PathOptions};
    ///
    /// let waypoints = [[0.4, -0.1, 0.3], [0.4, 0.1, 0.3], [0.4, 0.1, 0.4]].map(|[x, y, z]| Isometry3::translation(x,
    /// y, z));
    /// let path = Path::new(&waypoints, PathOptions::default().with_blend_radius(0.05))?;
    /// assert!(path.length() < 0.3 + 1e-12 && path.rests().is_empty());
    /// assert_eq!(path.pose_at(0.1), Isometry3::translation(0.4, 0.0, 0.3));
    /// # Ok::<(), urdf_ik_motion::PathError>(())
    /// ```
    ///
    /// # Errors
    /// [`PathError`] if there is no pose, or if a pose or an option is invalid.
    pub fn new(poses: &[Isometry3<f64>], options: PathOptions) -> Result<Self, PathError> {
        let PathOptions { blend_radius, metres_per_radian } = options;
        if !(blend_radius.is_finite() && blend_radius >= 0.0) {
            return Err(PathError::BlendRadius { value: blend_radius });
        }
        if !(1e-6..=1e6).contains(&metres_per_radian) {
            return Err(PathError::MetresPerRadian { value: metres_per_radian });
        }
        let poses = poses.iter().enumerate().map(|(at, pose)| checked(at, pose)).collect::<Result<Vec<_>, _>>()?;
        let start = *poses.first().ok_or(PathError::Empty)?;
        let lines = lines(&poses, metres_per_radian);
        let end = lines.last().map_or(start, |line| poses[line.waypoint]);
        let mut path = Self { sections: Vec::new(), start, end, length: 0.0, rests: Vec::new(), metres_per_radian };
        let mut cut = 0.0;
        for (index, line) in lines.iter().enumerate() {
            let corner = lines.get(index + 1).and_then(|next| Some((next, corner_radius(line, next, options)?)));
            let rounded = corner.map_or(0.0, |(_, radius)| radius);
            let straight = PathLine { from: line.at(cut), ..line.clone() };
            path.push(line.length - cut - rounded, SectionShape::Line(straight), line.waypoint);
            cut = rounded;
            match corner {
                Some((next, radius)) if radius > 0.0 => {
                    let blend = Blend::new(line, next, radius);
                    path.push(blend.length(), SectionShape::Blend(Box::new(blend)), line.waypoint);
                }
                Some(_) => path.rests.push(path.length),
                None => {}
            }
        }
        Ok(path)
    }

    fn push(&mut self, length: f64, shape: SectionShape, waypoint: usize) {
        // Between two adjacent rounded corners the line has no length except by rounding.
        if length > 1e-12 {
            self.length += length;
            self.sections.push(Section { end: self.length, length, shape, waypoint });
        }
    }

    /// Total length \[m\]; 0 for a single pose.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The pose at path length `length` \[m\] in the base link's frame, clamped to the first and the last pose.
    pub fn pose_at(&self, length: f64) -> Isometry3<f64> {
        if length >= self.length {
            return self.end;
        }
        let section = self.sections.get(self.section_after(length)).filter(|_| length > 0.0);
        let Some(section) = section else { return self.start };
        let into = length - (section.end - section.length);
        match &section.shape {
            SectionShape::Line(line) => line.at(into),
            SectionShape::Blend(blend) => blend.at(into),
        }
    }

    /// Rate of the pose with respect to path length at `length` \[m\]: the larger of its translation and its rotation,
    /// converted to metres. It is 1 on lines, less in rounded corners.
    pub fn speed_at(&self, length: f64) -> f64 {
        let section = self.sections.get(self.section_after(length));
        let Some(Section { shape: SectionShape::Blend(blend), end, length: whole, .. }) = section else { return 1.0 };
        let [shift, turn] = blend.rates_at(length - (end - whole));
        shift.max(turn * self.metres_per_radian)
    }

    /// Path lengths of the sharp corners \[m\], in ascending order. The tip must stop there.
    pub fn rests(&self) -> &[f64] {
        &self.rests
    }

    /// Index of the next waypoint after path length `length` \[m\]; past the end, that of the last one.
    pub fn waypoint_after(&self, length: f64) -> usize {
        let section = self.sections.get(self.section_after(length)).or(self.sections.last());
        section.map_or(0, |section| section.waypoint)
    }

    /// Path length at the end of the line or rounded corner that contains `length` \[m\] or begins there.
    pub(super) fn boundary_after(&self, length: f64) -> f64 {
        self.sections.get(self.section_after(length)).map_or(self.length, |section| section.end)
    }

    fn section_after(&self, length: f64) -> usize {
        self.sections.partition_point(|section| section.end <= length)
    }
}

fn checked(waypoint: usize, pose: &Isometry3<f64>) -> Result<Isometry3<f64>, PathError> {
    let position = pose.translation.vector;
    if !position.iter().all(|entry| entry.is_finite()) {
        return Err(PathError::NotFinite { waypoint });
    }
    if position.amax() > MAX_COORDINATE {
        return Err(PathError::TooFar { waypoint, distance: position.amax() });
    }
    let rotation = spatial::rotation_from(pose.rotation.coords.into());
    let rotation = rotation.map_err(|reason| PathError::Orientation { waypoint, reason })?;
    Ok(Isometry3::from_parts(pose.translation, rotation))
}

/// The lines between distinct waypoints.
fn lines(poses: &[Isometry3<f64>], metres_per_radian: f64) -> Vec<PathLine> {
    let mut lines = Vec::new();
    let Some((mut from, rest)) = poses.split_first() else { return lines };
    for (waypoint, to) in rest.iter().enumerate() {
        let shift = to.translation.vector - from.translation.vector;
        let turn = shortest_turn(&(from.rotation.inverse() * to.rotation));
        let length = shift.norm().max(turn.norm() * metres_per_radian);
        if length > MIN_LENGTH {
            let (shift, turn) = (shift / length, turn / length);
            lines.push(PathLine { from: *from, shift, turn, length, waypoint: waypoint + 1 });
            from = to;
        }
    }
    lines
}

/// The rotation vector of the shorter way. Of the two half turns it is always the same one, whatever the rounding.
fn shortest_turn(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let vector = spatial::rotation_vector(rotation);
    let backwards = rotation.w.abs() < HALF_TURN_TOLERANCE && vector[vector.iamax()] < 0.0;
    if backwards { -vector } else { vector }
}

/// Path length before and after a corner over which it is rounded \[m\]; 0 for a sharp corner, where the tip stops.
/// `None` if the path continues straight.
fn corner_radius(line: &PathLine, next: &PathLine, options: PathOptions) -> Option<f64> {
    let size = |shift: Vector3<f64>, turn: Vector3<f64>| shift.norm().max(turn.norm() * options.metres_per_radian);
    if size(next.shift - line.shift, next.turn - line.turn) <= STRAIGHT_LINE_TOLERANCE {
        return None;
    }
    let radius = options.blend_radius.min(0.5 * line.length).min(0.5 * next.length);
    let middle = 0.5 * size(next.shift + line.shift, next.turn + line.turn);
    Some(if radius > MIN_LENGTH && middle >= MIN_CORNER_SPEED { radius } else { 0.0 })
}
