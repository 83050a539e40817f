//! The places of a goal in four configurations, and the Jacobian of their relative pose.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use nalgebra::{Matrix3, Vector3};

use super::frame::{LaneFrame, StoredFrame, load, store};
use super::lanes::{Lanes, Vector, add, cross, scale, splat, subtract};
use super::links::{KernelLink, KernelLinks};
use urdf_ik_goals::{Place, Relative};

/// A place of a goal. Lengths are in units of the length scale.
#[derive(Debug, Clone)]
pub struct KernelPlace {
    /// Index of the joint that moves it; `None` for the base link.
    joint: Option<usize>,
    /// Share of the point of the goal \[-\]; -1 for the frame, whose motion is subtracted.
    share: f64,
    /// True for the base link's frame.
    is_base: bool,
    /// x, y and z axis and origin in the frame of the joint, or in the base link's frame.
    offset: [[f64; 3]; 4],
}

/// The orientation of the first place of a goal and the point of the goal, relative to the goal's frame, in four
/// configurations. Lengths are in units of the length scale.
pub struct LaneRelative<S: Simd> {
    /// Columns of the orientation, and the point.
    stored: StoredFrame,
    /// The frame; `None` for the base link's.
    frame: Option<LaneFrame<S>>,
}

/// Sums over the places beyond a joint: of their origins times their shares, and of the shares. Origins are in the base
/// link's frame and in units of the length scale.
#[derive(Debug, Clone, Copy, Default)]
pub struct Distal {
    moment: [Lanes; 3],
    share: f64,
}

impl KernelPlace {
    pub fn new(place: &Place, share: f64, links: &KernelLinks, length_scale: f64) -> Self {
        let offset = place.joint.map_or(place.offset, |joint| links.urdf_frames[joint] * place.offset);
        let [x, y, z] = offset.rotation.into_inner().into();
        let origin = (offset.translation.vector / length_scale).into();
        Self { joint: place.joint, share, is_base: place.is_base(), offset: [x, y, z, origin] }
    }

    /// Its frame.
    #[inline(always)]
    fn frame<S: Simd>(&self, simd: S, frames: &[StoredFrame]) -> LaneFrame<S> {
        let Some(joint) = self.joint else { return LaneFrame::constant(simd, &self.offset) };
        let frame = LaneFrame::load(simd, &frames[joint]);
        let [x, y, z, origin] = &self.offset;
        LaneFrame {
            x: frame.turn(splat(simd, *x)),
            y: frame.turn(splat(simd, *y)),
            z: frame.turn(splat(simd, *z)),
            origin: frame.point(origin),
        }
    }

    /// Its origin.
    #[inline(always)]
    fn origin<S: Simd>(&self, simd: S, frames: &[StoredFrame]) -> Vector<S> {
        let origin = &self.offset[3];
        self.joint.map_or(splat(simd, *origin), |joint| LaneFrame::load(simd, &frames[joint]).point(origin))
    }
}

impl<S: Simd> LaneRelative<S> {
    /// The relative pose of `places`, the last of which is the frame; `None` for fewer than two places. Writes the
    /// contribution of each place to the sums beyond its joint into `parts`: for the frame, that of the point of the
    /// goal.
    #[inline(always)]
    pub fn new(simd: S, places: &[KernelPlace], frames: &[StoredFrame], parts: &mut [Distal]) -> Option<Self> {
        let ([first, others @ .., frame], [of_first, of_others @ .., of_frame]) = (places, parts) else {
            return None;
        };
        let link = first.frame(simd, frames);
        let mut point = scale(link.origin, f64x4::splat(simd, first.share));
        of_first.set(point, first.share);
        for (place, part) in others.iter().zip(of_others) {
            let moment = scale(place.origin(simd, frames), f64x4::splat(simd, place.share));
            part.set(moment, place.share);
            point = add(point, moment);
        }
        of_frame.set(scale(point, f64x4::splat(simd, frame.share)), frame.share);
        let (mut stored, mut relative) = (StoredFrame::default(), LaneFrame { origin: point, ..link });
        if frame.is_base {
            relative.store(&mut stored);
            return Some(Self { stored, frame: None });
        }
        let frame = frame.frame(simd, frames);
        relative = LaneFrame {
            x: frame.along(link.x),
            y: frame.along(link.y),
            z: frame.along(link.z),
            origin: frame.along(subtract(point, frame.origin)),
        };
        relative.store(&mut stored);
        Some(Self { stored, frame: Some(frame) })
    }

    /// The relative pose \[m\] in the configuration of one lane. `length_scale` is in metres.
    #[inline(always)]
    pub fn of(&self, lane: usize, length_scale: f64) -> Relative {
        let vector = |part: &[Lanes; 3]| Vector3::new(part[0].0[lane], part[1].0[lane], part[2].0[lane]);
        let [x, y, z, point] = &self.stored;
        Relative {
            rotation: Matrix3::from_columns(&[vector(x), vector(y), vector(z)]),
            point: vector(point) * length_scale,
        }
    }

    /// Turns a force and a torque in place from the axes of the frame to those of the base link's frame.
    #[inline(always)]
    pub fn turn(&self, derivative: &mut [Lanes; 6]) {
        let Some(frame) = &self.frame else { return };
        let [a, b, c, d, e, f] = load(frame.x[0].simd, derivative);
        let ([a, b, c], [d, e, f]) = (frame.turn([a, b, c]), frame.turn([d, e, f]));
        store(derivative, [a, b, c, d, e, f]);
    }
}

/// Writes the sum of the goal's places on each joint into `distal`. The places beyond are added later, from the tips to
/// the base. Returns one more than the largest index of a joint with a place.
#[inline(always)]
pub fn begin_sums<S: Simd>(simd: S, places: &[KernelPlace], parts: &[Distal], distal: &mut [Distal]) -> usize {
    let count = places.iter().filter_map(|place| place.joint).max().map_or(0, |last| last + 1);
    distal[..count].fill(Distal::default());
    for (place, part) in places.iter().zip(parts) {
        if let Some(joint) = place.joint {
            distal[joint].add(simd, part);
        }
    }
    count
}

impl Distal {
    /// True if the joint moves the places and the frame alike.
    #[inline(always)]
    pub fn is_none(&self) -> bool {
        self.share == 0.0
    }

    #[inline(always)]
    fn set<S: Simd>(&mut self, moment: Vector<S>, share: f64) {
        store(&mut self.moment, moment);
        self.share = share;
    }

    /// Adds a place, or the places beyond the next joint.
    #[inline(always)]
    pub fn add<S: Simd>(&mut self, simd: S, other: &Self) {
        self.share += other.share;
        let sum = add(load(simd, &self.moment), load(simd, &other.moment));
        store(&mut self.moment, sum);
    }

    /// Twist of the relative pose at its point per rad or m of the variable of the joint `link`, whose frame is
    /// `frame`. Linear part first, in the base link's frame and in units of the length scale.
    #[inline(always)]
    pub fn twist<S: Simd>(&self, simd: S, link: &KernelLink, frame: &StoredFrame) -> [f64x4<S>; 6] {
        let frame = LaneFrame::load(simd, frame);
        let along = scale(frame.z, f64x4::splat(simd, self.share * link.multiplier));
        if link.prismatic {
            let zero = f64x4::splat(simd, 0.0);
            return [along[0], along[1], along[2], zero, zero, zero];
        }
        let arm = subtract(load(simd, &self.moment), scale(frame.origin, f64x4::splat(simd, self.share)));
        let linear = scale(cross(frame.z, arm), f64x4::splat(simd, link.multiplier));
        [linear[0], linear[1], linear[2], along[0], along[1], along[2]]
    }
}
