//! What the readers of mesh files hand on.

/// Greatest number of triangles of a mesh.
pub const MAX_TRIANGLES: usize = 1_000_000;

/// Triangles by their corners \[m, before the scale of the URDF\].
pub(super) type Triangles = Vec<[[f64; 3]; 3]>;
