//! A path of poses: straight lines through waypoints, with rounded corners where asked for.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use thiserror::Error;

use super::blend::Blend;
use crate::spatial::{self, NotARotation};

/// Waypoints farther from the base link's origin than this \[m\] are refused.
const FARTHEST: f64 = 1e9;
/// Path length \[m\] by which a waypoint must differ from the one before it to be another.
const SAME: f64 = 1e-6;
/// Change of direction, of at most 2, that still counts as going straight on.
const STRAIGHT: f64 = 1e-6;
/// A corner that leaves less than this of the speed in its middle, which turns by more than 120°, turns back: it is not rounded.
const TURNS_BACK: f64 = 0.5;
/// Scalar part of a quaternion below which its angle is a half turn, up to rounding.
const HALF_TURN: f64 = 1e-9;

/// How a path is made of waypoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathOptions {
    /// Path length \[m\] before and after a waypoint over which its corner is rounded, at most half of the lines that meet there. The
    /// path then misses the waypoint by no more. 0: it goes through every waypoint and stops at each that is a corner.
    pub blend_radius: f64,
    /// Path length \[m\] that a turn of one radian counts: a line is as long as its distance, or as its turn where that is more.
    pub metres_per_radian: f64,
}

impl Default for PathOptions {
    /// No rounding; 0.25 m for a radian.
    fn default() -> Self {
        Self { blend_radius: 0.0, metres_per_radian: 0.25 }
    }
}

/// Why waypoints make no path.
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
    /// A position so far away that distances lose their meaning.
    #[error("waypoint {waypoint} lies at {distance:e} m on one axis; it must lie within {FARTHEST:e} m")]
    TooFar {
        /// Index of the waypoint.
        waypoint: usize,
        /// Its largest coordinate \[m\].
        distance: f64,
    },
    /// An orientation that is none.
    #[error("waypoint {waypoint}: {reason}")]
    Orientation {
        /// Index of the waypoint.
        waypoint: usize,
        /// What is wrong with it.
        reason: NotARotation,
    },
    /// The blend radius is negative or not finite.
    #[error("the blend radius is {value} m; it must be a finite number, 0 or more")]
    BlendRadius {
        /// What was given.
        value: f64,
    },
    /// The length of a radian is not above zero.
    #[error("the path length of a radian is {value} m; it must be a number from 1e-6 to 1e6")]
    MetresPerRadian {
        /// What was given.
        value: f64,
    },
}

/// A path of poses, by its length from the start. Constant.
///
/// Positions go straight from waypoint to waypoint, orientations by spherical interpolation (Shoemake 1985, "Animating rotation with
/// quaternion curves"), the short way round and at an even rate; a half turn goes about the axis whose largest component is
/// positive in the frame of the waypoint that it starts from. Waypoints that repeat the one before them count once. Lengths are in metres; a
/// turn counts as [`PathOptions::metres_per_radian`] says.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    sections: Vec<Section>,
    start: Isometry3<f64>,
    end: Isometry3<f64>,
    length: f64,
    rests: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Section {
    /// Path length at which it ends.
    end: f64,
    length: f64,
    shape: Shape,
    /// The waypoint that it leads to or past.
    waypoint: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Line(Line),
    Blend(Box<Blend>),
}

/// A straight line with an even turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) from: Isometry3<f64>,
    /// Change of position for a metre of path, base link's frame.
    pub(super) shift: Vector3<f64>,
    /// Rotation vector for a metre of path, in the moving frame as in that of `from` \[rad/m\].
    pub(super) turn: Vector3<f64>,
    length: f64,
    waypoint: usize,
}

impl Line {
    pub(super) fn at(&self, length: f64) -> Isometry3<f64> {
        Isometry3::from_parts(
            Translation3::from(self.from.translation.vector + self.shift * length),
            self.from.rotation * UnitQuaternion::from_scaled_axis(self.turn * length),
        )
    }
}

impl Path {
    /// The path from the first of `poses` through the others, in the base link's frame. A single pose is a path of no length.
    ///
    /// # Errors
    /// [`PathError`] for no pose, poses that are none, and options without meaning.
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
        let mut path = Self { sections: Vec::new(), start, end, length: 0.0, rests: Vec::new() };
        let mut cut = 0.0;
        for (index, line) in lines.iter().enumerate() {
            let corner = lines.get(index + 1).map(|next| corner(line, next, options));
            let rounded = if let Some(Corner::Rounded(radius)) = corner { radius } else { 0.0 };
            let straight = Line { from: line.at(cut), ..line.clone() };
            path.push(line.length - cut - rounded, Shape::Line(straight), line.waypoint);
            cut = rounded;
            match (corner, lines.get(index + 1)) {
                (Some(Corner::Rounded(radius)), Some(next)) => {
                    let blend = Blend::new([line, next], line.length - radius, radius, metres_per_radian);
                    path.push(blend.length(), Shape::Blend(Box::new(blend)), line.waypoint);
                }
                (Some(Corner::Sharp), _) => path.rests.push(path.length),
                _ => {}
            }
        }
        Ok(path)
    }

    fn push(&mut self, length: f64, shape: Shape, waypoint: usize) {
        // Between two rounded corners that meet, nothing but rounding is left of the line.
        if length > 1e-12 {
            self.length += length;
            self.sections.push(Section { end: self.length, length, shape, waypoint });
        }
    }

    /// Length of the whole path \[m\]; 0 for a single pose.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The pose after `length` metres of it, in the base link's frame; its ends where that is less than 0 or more than there is.
    #[must_use]
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

    /// Path lengths of the corners that are not rounded, in order: only at rest can a tip take one.
    #[must_use]
    pub fn rests(&self) -> &[f64] {
        &self.rests
    }

    /// Index of the waypoint that the path leads to after `length` metres of it.
    #[must_use]
    pub fn waypoint_after(&self, length: f64) -> usize {
        let section = self.sections.get(self.section_after(length)).or(self.sections.last());
        section.map_or(0, |section| section.waypoint)
    }

    /// Where the line or the rounded corner ends that begins or goes on at `length`.
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
    if position.amax() > FARTHEST {
        return Err(PathError::TooFar { waypoint, distance: position.amax() });
    }
    let rotation = spatial::rotation_from(pose.rotation.coords.into());
    let rotation = rotation.map_err(|reason| PathError::Orientation { waypoint, reason })?;
    Ok(Isometry3::from_parts(pose.translation, rotation))
}

/// The lines between waypoints that differ.
fn lines(poses: &[Isometry3<f64>], metres_per_radian: f64) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some((mut from, rest)) = poses.split_first() else { return lines };
    for (waypoint, to) in rest.iter().enumerate() {
        let shift = to.translation.vector - from.translation.vector;
        let turn = shortest_turn(&(from.rotation.inverse() * to.rotation));
        let length = shift.norm().max(turn.norm() * metres_per_radian);
        if length > SAME {
            let (shift, turn) = (shift / length, turn / length);
            lines.push(Line { from: *from, shift, turn, length, waypoint: waypoint + 1 });
            from = to;
        }
    }
    lines
}

/// The rotation vector of the short way round; of the two half turns always the same one, whatever the rounding.
fn shortest_turn(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let vector = spatial::rotation_vector(rotation);
    let backwards = rotation.w.abs() < HALF_TURN && vector[vector.iamax()] < 0.0;
    if backwards { -vector } else { vector }
}

enum Corner {
    /// The path goes straight on.
    None,
    /// Rounded over so much of the path before and after.
    Rounded(f64),
    Sharp,
}

fn corner(line: &Line, next: &Line, options: PathOptions) -> Corner {
    let size = |shift: Vector3<f64>, turn: Vector3<f64>| shift.norm().max(turn.norm() * options.metres_per_radian);
    if size(next.shift - line.shift, next.turn - line.turn) <= STRAIGHT {
        return Corner::None;
    }
    let radius = options.blend_radius.min(0.5 * line.length).min(0.5 * next.length);
    let middle = 0.5 * size(next.shift + line.shift, next.turn + line.turn);
    if radius > SAME && middle >= TURNS_BACK { Corner::Rounded(radius) } else { Corner::Sharp }
}
