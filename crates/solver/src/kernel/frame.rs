//! Frames of four configurations at once, and the transforms from one joint to the next.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::lanes::{Lanes, Vector, add, dot, negate, scale, sine_cosine, splat, subtract};
use super::links::{ConstantTurn, KernelLink};

/// A frame per lane, in memory: its x, y and z axis and its origin, in the base link's frame unless stated otherwise.
/// The origin is in units of the length scale.
pub type StoredFrame = [[Lanes; 3]; 4];

/// A frame per lane, in SIMD vectors: its x, y and z axis and its origin, in the base link's frame. The origin is in
/// units of the length scale.
#[derive(Clone, Copy)]
pub struct LaneFrame<S: Simd> {
    pub x: Vector<S>,
    pub y: Vector<S>,
    pub z: Vector<S>,
    pub origin: Vector<S>,
}

/// The perpendicular vectors `a` and `b`, of equal length, after a rotation in their plane from `a` towards `b` by the
/// angle with this `cosine` and `sine`.
#[inline(always)]
pub fn turned<S: Simd>(a: Vector<S>, b: Vector<S>, cosine: f64x4<S>, sine: f64x4<S>) -> (Vector<S>, Vector<S>) {
    (add(scale(a, cosine), scale(b, sine)), subtract(scale(b, cosine), scale(a, sine)))
}

impl ConstantTurn {
    /// The vectors `a` and `b` after this rotation from `a` towards `b`.
    #[inline(always)]
    fn apply<S: Simd>(self, a: Vector<S>, b: Vector<S>) -> (Vector<S>, Vector<S>) {
        let simd = a[0].simd;
        match self {
            Self::None => (a, b),
            Self::Quarter(sign) if sign > 0.0 => (b, negate(a)),
            Self::Quarter(_) => (negate(b), a),
            Self::By { cosine, sine } => turned(a, b, f64x4::splat(simd, cosine), f64x4::splat(simd, sine)),
        }
    }
}

impl<S: Simd> LaneFrame<S> {
    #[inline(always)]
    pub fn constant(simd: S, [x, y, z, origin]: &[[f64; 3]; 4]) -> Self {
        Self { x: splat(simd, *x), y: splat(simd, *y), z: splat(simd, *z), origin: splat(simd, *origin) }
    }

    #[inline(always)]
    pub fn load(simd: S, [x, y, z, origin]: &StoredFrame) -> Self {
        Self { x: load(simd, x), y: load(simd, y), z: load(simd, z), origin: load(simd, origin) }
    }

    #[inline(always)]
    pub fn store(&self, frame: &mut StoredFrame) {
        let [x, y, z, origin] = frame;
        store(x, self.x);
        store(y, self.y);
        store(z, self.z);
        store(origin, self.origin);
    }

    /// Advances to the frame of the next joint `link`, before that joint's motion.
    #[inline(always)]
    pub fn step(&mut self, link: &KernelLink) {
        (self.x, self.y) = link.about_z.apply(self.x, self.y);
        if link.along_x != 0.0 {
            self.origin = add(self.origin, scale(self.x, f64x4::splat(self.x[0].simd, link.along_x)));
        }
        if link.along_z != 0.0 {
            self.origin = add(self.origin, scale(self.z, f64x4::splat(self.z[0].simd, link.along_z)));
        }
        (self.y, self.z) = link.about_x.apply(self.y, self.z);
        (self.z, self.x) = link.about_y.apply(self.z, self.x);
    }

    /// Applies the motion of the joint at `position` of its variable \[rad or m\].
    #[inline(always)]
    pub fn move_by(&mut self, link: &KernelLink, position: f64x4<S>) {
        let along = position * link.multiplier + link.offset;
        if link.prismatic {
            self.shift_by(along);
        } else {
            let (sine, cosine) = sine_cosine(along);
            self.turn_by(cosine, sine);
        }
    }

    /// Rotates the frame about its z axis by the angle with this `cosine` and `sine`.
    #[inline(always)]
    pub fn turn_by(&mut self, cosine: f64x4<S>, sine: f64x4<S>) {
        (self.x, self.y) = turned(self.x, self.y, cosine, sine);
    }

    /// Shifts the frame along its z axis by `along`, in units of the length scale.
    #[inline(always)]
    pub fn shift_by(&mut self, along: f64x4<S>) {
        self.origin = add(self.origin, scale(self.z, along));
    }

    /// Goes back from the frame of the joint `link`, before its motion, to the frame of the previous joint.
    #[inline(always)]
    pub fn step_back(&mut self, link: &KernelLink) {
        (self.z, self.x) = link.about_y.inverse().apply(self.z, self.x);
        (self.y, self.z) = link.about_x.inverse().apply(self.y, self.z);
        let simd = self.x[0].simd;
        self.origin = subtract(self.origin, scale(self.z, f64x4::splat(simd, link.along_z)));
        self.origin = subtract(self.origin, scale(self.x, f64x4::splat(simd, link.along_x)));
        (self.x, self.y) = link.about_z.inverse().apply(self.x, self.y);
    }

    #[inline(always)]
    pub fn axes(&self) -> [Vector<S>; 3] {
        [self.x, self.y, self.z]
    }

    /// Transforms the point `at` from this frame to the base link's frame. Both are in units of the length scale.
    #[inline(always)]
    pub fn point(&self, at: &[f64; 3]) -> Vector<S> {
        add(self.origin, self.turn(splat(self.x[0].simd, *at)))
    }

    /// Turns a vector from the axes of this frame to those of the base link's frame.
    #[inline(always)]
    pub fn turn(&self, [x, y, z]: Vector<S>) -> Vector<S> {
        add(add(scale(self.x, x), scale(self.y, y)), scale(self.z, z))
    }

    /// Turns a vector from the axes of the base link's frame to those of this frame.
    #[inline(always)]
    pub fn along(&self, vector: Vector<S>) -> Vector<S> {
        [dot(self.x, vector), dot(self.y, vector), dot(self.z, vector)]
    }
}

#[inline(always)]
pub fn load<S: Simd, const N: usize>(simd: S, lanes: &[Lanes; N]) -> [f64x4<S>; N] {
    let mut values = [f64x4::splat(simd, 0.0); N];
    for (value, lanes) in values.iter_mut().zip(lanes) {
        *value = lanes.load(simd);
    }
    values
}

#[inline(always)]
pub fn store<S: Simd, const N: usize>(lanes: &mut [Lanes; N], values: [f64x4<S>; N]) {
    for i in 0..N {
        lanes[i].store(values[i]);
    }
}
