//! Detects robots whose links RViz cannot show, which need a skeleton.

use std::path::Path;
use std::sync::Arc;

use crate::arm::Arm;
use crate::robot_in_use::LoadedRobot;
use crate::ros::MARKERS;
use urdf_ik_robot::{MeshNotFound, Visuals};
use urdf_ik_text::names;

/// Maximum number of meshes that are searched for: network files may be slow.
const MAX_MESHES: usize = 1000;

/// True if a robot needs a skeleton: it has no visuals, or a mesh is missing. Logs missing meshes and their search
/// paths once.
pub(super) async fn are_missed(arm: &Arm, loaded: &Arc<LoadedRobot>) -> bool {
    let (robot, settings) = (Arc::clone(loaded), arm.settings());
    let look = move || {
        let visuals = Visuals::of_urdf(&robot.text);
        let folders = robot.mesh_folders(&settings);
        let missing = visuals.meshes.iter().take(MAX_MESHES).filter_map(|mesh| folders.find(mesh).err()).collect();
        (visuals, missing)
    };
    let Ok((visuals, missing)): Result<(Visuals, Vec<MeshNotFound>), _> = tokio::task::spawn_blocking(look).await
    else {
        return true;
    };
    if let Some(first) = missing.first() {
        let sentence = sentence(&missing, first, visuals.meshes.len());
        arm.reporter.warnings.warn_once(MARKERS.short_name(), &sentence, &sentence);
    }
    visuals.count == 0 || !missing.is_empty()
}

fn sentence(missing: &[MeshNotFound], first: &MeshNotFound, meshes: usize) -> String {
    let listed: Vec<&str> = missing.iter().map(|missing| missing.mesh.as_str()).collect();
    let places: Vec<_> = first.places.iter().map(|place| Path::to_string_lossy(place)).collect();
    let looked =
        if places.is_empty() { first.reason().to_owned() } else { format!("there is no {}", names::list(&places)) };
    format!(
        "{} of {meshes} meshes of the robot were not found, so the markers show a skeleton of its joints: {}. For the first \
         one: {looked}. Source the workspace that has the robot's description",
        missing.len(),
        names::list(&listed)
    )
}
