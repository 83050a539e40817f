//! The voxels of a reach as a point cloud, in the format PLY that MeshLab and Blender read.

use std::io::{self, Write};

use urdf_ik_plot::share_colour;

use super::map::ReachMap;

/// Writes each voxel that can be reached: its centre \[m\], the fraction of orientations, and a colour for it. The comments name the frame
/// and the voxel size.
pub fn write(map: &ReachMap, out: &mut dyn Write) -> io::Result<()> {
    let one_line = |name: &str| name.replace(char::is_control, " ");
    writeln!(out, "ply\nformat ascii 1.0")?;
    writeln!(out, "comment reach of {}, made by urdf_ik reach", one_line(&map.tip))?;
    writeln!(out, "comment frame {}", one_line(&map.base))?;
    writeln!(out, "comment voxel {} m", map.grid.voxel)?;
    writeln!(out, "element vertex {}", map.reachable().count())?;
    for property in ["float x", "float y", "float z", "uchar red", "uchar green", "uchar blue", "float fraction"] {
        writeln!(out, "property {property}")?;
    }
    writeln!(out, "end_header")?;
    for (voxel, fraction) in map.reachable() {
        let centre = map.grid.centre(voxel);
        let colour = share_colour(fraction);
        writeln!(
            out,
            "{:.6} {:.6} {:.6} {} {} {} {fraction:.6}",
            centre.x, centre.y, centre.z, colour.0, colour.1, colour.2
        )?;
    }
    Ok(())
}
