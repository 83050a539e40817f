//! The marker of the workspace.

use nalgebra::IsometryMatrix3;
use r2r::visualization_msgs::msg::Marker;

use super::messages::{Colour, LINE_LIST, joined};
use super::regions::DrawingSpace;
use urdf_ik_parameters::Workspace;

/// Colour of the faces.
const FACES: Colour = [0.95, 0.6, 0.1, 0.7];
/// Width of the lines relative to the robot's size.
const LINE: f64 = 0.004;

/// The outlines of all faces of `workspace`.
pub(super) fn marker(workspace: &Workspace, space: DrawingSpace) -> Marker {
    let faces = space.faces(&IsometryMatrix3::identity(), workspace.min, workspace.max);
    joined("workspace".into(), 0, LINE_LIST, LINE * space.size, faces, &[FACES])
}
