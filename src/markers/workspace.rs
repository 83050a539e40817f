//! The marker of the workspace.

use nalgebra::{Point3, Vector3};
use r2r::visualization_msgs::msg::Marker;

use super::messages::{Colour, LINE_LIST, joined};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_motion::{Face, Workspace};

/// Colour of the faces.
const FACES: Colour = [0.95, 0.6, 0.1, 0.7];
/// Width of the lines relative to the robot's size.
const LINE: f64 = 0.004;
/// Extent of an unbounded side relative to the reach of the tips.
const BEYOND_REACH: f64 = 1.1;

/// The outlines of all faces of `workspace`. A side without a bound is drawn up to just beyond the reach of the tips.
pub(super) fn marker(workspace: &Workspace, loaded: &LoadedRobot) -> Marker {
    let reach = loaded.solver.reach();
    let size = reach.iter().map(|reach| reach.extent).fold(0.0, f64::max);
    let (mut min, mut max) = (workspace.min(), workspace.max());
    for axis in 0..3 {
        let ends = |sign: f64| reach.iter().map(move |reach| reach.centre[axis] + sign * BEYOND_REACH * reach.extent);
        if min[axis].is_infinite() {
            min[axis] = ends(-1.0).fold(max[axis], f64::min);
        }
        if max[axis].is_infinite() {
            max[axis] = ends(1.0).fold(min[axis], f64::max);
        }
    }
    let outlines = workspace.faces().flat_map(|face| outline(face, &min, &max));
    joined("workspace".into(), 0, LINE_LIST, LINE * size, outlines, &[FACES])
}

/// The four edges of a face between the corners of a box.
fn outline(face: Face, min: &Vector3<f64>, max: &Vector3<f64>) -> impl Iterator<Item = Point3<f64>> {
    let [one, other] = [(face.axis + 1) % 3, (face.axis + 2) % 3];
    let mut corners = [Point3::origin(); 4];
    for (corner, [first, second]) in corners.iter_mut().zip([[min, min], [max, min], [max, max], [min, max]]) {
        corner[face.axis] = face.coordinate;
        (corner[one], corner[other]) = (first[one], second[other]);
    }
    (0..4).flat_map(move |index| [corners[index], corners[(index + 1) % 4]])
}
