//! The pairs of bodies that are near each other at a configuration.

use crate::robot_in_use::configuration::Configuration;
use urdf_ik_collision::{Near, Scene, SceneScratch};

/// The pairs of `scene` that are no farther apart than `within` \[m\] at `configuration`, the nearest one first.
pub(crate) fn near_pairs(scene: &Scene, configuration: &Configuration, within: f64) -> Vec<Near> {
    let mut scratch = SceneScratch::default();
    let positions = configuration.loaded.chain.positions_from(&configuration.positions);
    scene.find_near(&positions, within, &mut scratch);
    scratch.near.sort_by(|one, other| one.gap().total_cmp(&other.gap()));
    scratch.near
}
