//! A path of poses: straight lines through waypoints, with corners that can be rounded.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use thiserror::Error;

use super::path_sections::{Blend, Line};
use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_mathematics::spatial::{self, NotARotation};
use urdf_ik_text::names::number;

/// Least path length of a line or of a rounding \[m\]: waypoints nearer to each other count as one.
const MIN_LENGTH: f64 = 1e-6;
/// Greatest change of direction, from 0 to 2, that is no corner.
const MAX_CHANGE_OF_A_STRAIGHT_LINE: f64 = 1e-6;
/// Least fraction of the speed in the middle of a rounded corner. A corner with less, which turns by more than 120°, is not rounded.
const MIN_SPEED_IN_A_ROUNDED_CORNER: f64 = 0.5;
/// Greatest scalar part of the quaternion of a half turn, by rounding.
const MAX_SCALAR_OF_A_HALF_TURN: f64 = 1e-9;

/// How a path goes through its waypoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathOptions {
    /// Path length before and after a waypoint over which its corner is rounded \[m\], at most half of each line that meets there. The
    /// path misses the waypoint by no more than that. 0: it goes through every waypoint and stops at each corner.
    pub blend_radius: f64,
    /// Path length of a rotation by one radian \[m\]. The length of a line is its distance, or that of its rotation where that is longer.
    pub metres_per_radian: f64,
}

impl Default for PathOptions {
    /// No rounding; 0.25 m for a radian.
    fn default() -> Self {
        Self { blend_radius: 0.0, metres_per_radian: 0.25 }
    }
}

/// Why there is no path through waypoints.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// There is no waypoint.
    #[error("the path has no pose; it needs at least one")]
    Empty,
    /// A position that is NaN or infinite.
    #[error("the position of waypoint {waypoint} has an entry that is not a finite number")]
    NotFinite {
        /// Index of the waypoint.
        waypoint: usize,
    },
    /// A position so far away that distances are too inexact.
    #[error("waypoint {waypoint} is at {distance:e} m on one axis; it must be within {MAX_COORDINATE:e} m")]
    TooFar {
        /// Index of the waypoint.
        waypoint: usize,
        /// Its largest coordinate \[m\].
        distance: f64,
    },
    /// A quaternion that is not a rotation.
    #[error("waypoint {waypoint}: {reason}")]
    Orientation {
        /// Index of the waypoint.
        waypoint: usize,
        /// What is wrong with it.
        reason: NotARotation,
    },
    /// The blend radius is negative or not finite.
    #[error("the blend radius is {} m; it must be a finite number, 0 or more", number(*value))]
    BlendRadius {
        /// What was given.
        value: f64,
    },
    /// The length of a radian is not above zero.
    #[error("the path length of a radian is {} m; it must be a number from 1e-6 to 1e6", number(*value))]
    MetresPerRadian {
        /// What was given.
        value: f64,
    },
}

/// A path of poses, each given by its length from the start. Constant.
///
/// Positions follow straight lines from waypoint to waypoint. Orientations follow spherical interpolation (Shoemake 1985, "Animating
/// rotation with quaternion curves"), the short way and at an even rate. A half turn is about the axis whose largest component is positive
/// in the frame of the waypoint where it starts. A waypoint that repeats the one before it is left out. Lengths are in metres; a rotation
/// counts as [`PathOptions::metres_per_radian`] says.
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
    /// Path length at which it ends.
    end: f64,
    length: f64,
    shape: Shape,
    /// Index of the waypoint at its end, or near its middle where it rounds a corner.
    waypoint: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Line(Line),
    Blend(Box<Blend>),
}

impl Path {
    /// The path from the first of `poses` through the others, in the base link's frame. A single pose is a path of no length.
    ///
    /// # Errors
    /// [`PathError`] where there is no pose, or a pose or an option is not valid.
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
            let corner = lines.get(index + 1).map(|next| corner(line, next, options));
            let rounded = if let Some(Corner::Rounded(radius)) = corner { radius } else { 0.0 };
            let straight = Line { from: line.at(cut), ..line.clone() };
            path.push(line.length - cut - rounded, Shape::Line(straight), line.waypoint);
            cut = rounded;
            match (corner, lines.get(index + 1)) {
                (Some(Corner::Rounded(radius)), Some(next)) => {
                    let blend = Blend::new(line, next, radius);
                    path.push(blend.length(), Shape::Blend(Box::new(blend)), line.waypoint);
                }
                (Some(Corner::Sharp), _) => path.rests.push(path.length),
                _ => {}
            }
        }
        Ok(path)
    }

    fn push(&mut self, length: f64, shape: Shape, waypoint: usize) {
        // Between two rounded corners that meet, the line has no length but by rounding errors.
        if length > 1e-12 {
            self.length += length;
            self.sections.push(Section { end: self.length, length, shape, waypoint });
        }
    }

    /// Length of the whole path \[m\]; 0 for a single pose.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The pose after `length` metres, in the base link's frame. The first pose below 0, the last one beyond the end.
    pub fn pose_at(&self, length: f64) -> Isometry3<f64> {
        if length >= self.length {
            return self.end;
        }
        match self.sections.get(self.section_after(length)) {
            Some(section) if length > 0.0 => {
                let into = length - (section.end - section.length);
                match &section.shape {
                    Shape::Line(line) => line.at(into),
                    Shape::Blend(blend) => blend.at(into),
                }
            }
            _ => self.start,
        }
    }

    /// How fast the pose changes after `length` metres for each metre of path: 1 on lines, less where a corner is rounded.
    pub fn speed_at(&self, length: f64) -> f64 {
        match self.sections.get(self.section_after(length)) {
            Some(Section { shape: Shape::Blend(blend), end, length: whole, .. }) => {
                let [shift, turn] = blend.rates_at(length - (end - whole));
                shift.max(turn * self.metres_per_radian)
            }
            _ => 1.0,
        }
    }

    /// Path lengths of the corners that are not rounded, in order. The tip has to be at rest there.
    pub fn rests(&self) -> &[f64] {
        &self.rests
    }

    /// Index of the next waypoint after `length` metres of the path.
    pub fn waypoint_after(&self, length: f64) -> usize {
        let section = self.sections.get(self.section_after(length)).or(self.sections.last());
        section.map_or(0, |section| section.waypoint)
    }

    /// Path length at the end of the line or rounded corner that contains `length` or begins there.
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

/// The lines between different waypoints.
fn lines(poses: &[Isometry3<f64>], metres_per_radian: f64) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some((mut from, rest)) = poses.split_first() else { return lines };
    for (waypoint, to) in rest.iter().enumerate() {
        let shift = to.translation.vector - from.translation.vector;
        let turn = shortest_turn(&(from.rotation.inverse() * to.rotation));
        let length = shift.norm().max(turn.norm() * metres_per_radian);
        if length > MIN_LENGTH {
            let (shift, turn) = (shift / length, turn / length);
            lines.push(Line { from: *from, shift, turn, length, waypoint: waypoint + 1 });
            from = to;
        }
    }
    lines
}

/// The rotation vector of the short way. Of the two half turns it is always the same one, whatever the rounding.
fn shortest_turn(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let vector = spatial::rotation_vector(rotation);
    let backwards = rotation.w.abs() < MAX_SCALAR_OF_A_HALF_TURN && vector[vector.iamax()] < 0.0;
    if backwards { -vector } else { vector }
}

enum Corner {
    /// The path continues straight.
    None,
    /// Rounded over this path length before and after \[m\].
    Rounded(f64),
    /// Not rounded: the tip stops.
    Sharp,
}

fn corner(line: &Line, next: &Line, options: PathOptions) -> Corner {
    let size = |shift: Vector3<f64>, turn: Vector3<f64>| shift.norm().max(turn.norm() * options.metres_per_radian);
    if size(next.shift - line.shift, next.turn - line.turn) <= MAX_CHANGE_OF_A_STRAIGHT_LINE {
        return Corner::None;
    }
    let radius = options.blend_radius.min(0.5 * line.length).min(0.5 * next.length);
    let middle = 0.5 * size(next.shift + line.shift, next.turn + line.turn);
    if radius > MIN_LENGTH && middle >= MIN_SPEED_IN_A_ROUNDED_CORNER { Corner::Rounded(radius) } else { Corner::Sharp }
}
