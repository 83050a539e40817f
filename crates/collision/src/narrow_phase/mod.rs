//! A shape of a body, with what surrounds it.

pub(crate) mod convex;
pub(crate) mod depth;
pub(crate) mod mesh_and_solid;
pub(crate) mod mesh_distance;
pub(crate) mod near_triangles;
pub(crate) mod separation;
pub(crate) mod two_meshes;

use nalgebra::{Isometry3, Vector3};

use crate::narrow_phase::separation::Outline;
use crate::scene::moving_joints::{Frame, JointFrames};
use crate::shapes::solid::Solid;
use crate::shapes::{Core, PlacedShape};

/// A shape of a body.
#[derive(Clone)]
pub(crate) struct Part {
    /// The moving joint that carries it.
    pub frame: Option<usize>,
    /// The place of the shape's core in that frame.
    pub local: Frame,
    pub shape: PlacedShape,
    /// What it is if it is no mesh.
    pub solid: Option<Solid>,
    /// A sphere around it, in that frame.
    pub centre: Vector3<f64>,
    pub radius: f64,
    pub surface: f64,
}

impl Part {
    pub fn new(frame: Option<usize>, pose: &Isometry3<f64>, shape: &PlacedShape) -> Self {
        let local = Frame::of(&(pose * shape.place()));
        let (solid, centre, radius, surface) = match &shape.core {
            Core::Mesh(mesh) => {
                let all = mesh.spheres.all;
                (None, all.centre.to_array().into(), all.radius, all.surface)
            }
            Core::Convex(convex) => {
                let solid = convex.solid;
                (Some(solid), Vector3::zeros(), solid.radius(), 0.0)
            }
        };
        Self { frame, centre: local.point(&centre), local, shape: shape.clone(), solid, radius, surface }
    }

    /// How far the spheres around two parts are apart; less than 0 where they overlap \[m\].
    pub fn spheres_apart(&self, other: &Self, frames: &JointFrames) -> f64 {
        let [at, at_other] = [self, other].map(|part| frames.of(part.frame).point(&part.centre));
        (at - at_other).norm() - self.radius - other.radius
    }

    pub fn outline(&self) -> Outline<'_> {
        match &self.shape.core {
            Core::Mesh(mesh) => Outline::Hull(&mesh.hull),
            Core::Convex(convex) => Outline::Solid(&convex.solid),
        }
    }

    /// Convex shapes that have together all of it.
    pub fn pieces(&self) -> impl Iterator<Item = Outline<'_>> + Clone {
        let (pieces, solid) = match &self.shape.core {
            Core::Mesh(mesh) => (&mesh.convex_pieces[..], None),
            Core::Convex(convex) => (&[][..], Some(Outline::Solid(&convex.solid))),
        };
        pieces.iter().map(|piece| Outline::Hull(&piece.hull)).chain(solid)
    }

    /// The centre of the sphere around it, in its own frame.
    pub fn core_centre(&self) -> Vector3<f64> {
        self.local.inverse().point(&self.centre)
    }
}

/// A direction in which `first` is probably beyond `second`, of length 1. `place` is that of the first in the frame of the second, as is
/// the direction.
#[inline(always)]
pub(crate) fn direction((first, second): (&Part, &Part), place: &Frame) -> Vector3<f64> {
    let towards = place.point(&first.core_centre());
    match &second.solid {
        Some(solid) => solid.direction_to(&towards),
        None => (towards - second.core_centre()).try_normalize(0.0).unwrap_or_else(Vector3::y),
    }
}
