//! Boxes along the axes, which the trees of meshes are made of: how far apart their contents are at least.

use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::BvhNode;

pub(super) fn half_extents(node: &BvhNode) -> Vector {
    (node.maxs() - node.mins()) * 0.5
}

/// The distance between two boxes, from that between their centres and the sum of their half extents.
pub(super) fn box_gap(apart: Vector, half: Vector) -> f64 {
    (apart.abs() - half).max(Vector::ZERO).length()
}
