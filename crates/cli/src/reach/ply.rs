//! The reachable voxels as a point cloud in PLY, for MeshLab and Blender.

use std::fmt::{self, Write};

use urdf_ik_plot::share_colour;

use super::map::ReachMap;

/// The text of a PLY file. Each reachable voxel is a vertex: its centre \[m\] in the base link's frame, a colour, and
/// the fraction of orientations reached. Comments state the frame and the voxel size \[m\].
///
/// # Errors
/// [`fmt::Error`] if formatting fails.
pub fn text(map: &ReachMap) -> Result<String, fmt::Error> {
    let [tip, base] = [&map.tip, &map.base].map(|name| name.replace(char::is_control, " "));
    let mut text =
        format!("ply\nformat ascii 1.0\ncomment reach of {tip}, made by urdf_ik reach\ncomment frame {base}\n");
    writeln!(text, "comment voxel {} m\nelement vertex {}", map.grid.voxel, map.reachable().count())?;
    for property in ["float x", "float y", "float z", "uchar red", "uchar green", "uchar blue", "float fraction"] {
        writeln!(text, "property {property}")?;
    }
    text += "end_header\n";
    for (voxel, fraction) in map.reachable() {
        let ([x, y, z], colour) = (map.grid.centre(voxel).coords.into(), share_colour(fraction));
        writeln!(text, "{x:.6} {y:.6} {z:.6} {} {} {} {fraction:.6}", colour.0, colour.1, colour.2)?;
    }
    Ok(text)
}
