//! Places of the names of targets.

use crate::Pixels;
use crate::canvas::{Canvas, CanvasPoint};

/// Height of a name \[half pixels\].
const HEIGHT: i32 = 34;
/// Distance of a name from its target \[half pixels\].
const DISTANCE: i32 = 28;

/// Placed names, and the obstacles for further ones.
pub struct PlacedNames {
    /// The middle of each name and half its width \[half pixels\].
    placed: Vec<(Pixels, i32)>,
    joints: Vec<Pixels>,
    /// The left and the right edge of the panel \[half pixels\].
    edges: [i32; 2],
}

impl PlacedNames {
    /// No placed names, on a panel with joints at `points` \[m\].
    pub fn new(canvas: &Canvas, points: &[CanvasPoint]) -> Self {
        let joints = points.iter().map(|point| canvas.map_coordinate(point)).collect();
        let across = canvas.get_pixel_range().0;
        Self { placed: Vec::new(), joints, edges: [across.start, across.end] }
    }

    /// Offset \[half pixels\] of a name with this `width` \[half pixels\] from its `target` \[half pixels\]: on the
    /// side away from the root, or else where it is inside the panel and clear of joints and earlier names. The name is
    /// remembered.
    pub fn place(&mut self, target: Pixels, width: i32) -> Pixels {
        let ((x, y), half, [left, right]) = (target, width / 2, self.edges);
        let side = if x < self.joints[0].0 { -half - DISTANCE } else { half + DISTANCE };
        // Above and below, moved into the panel.
        let inside = x.clamp(left + half, (right - half).max(left + half)) - x;
        let offsets =
            [(side, 0), (inside, -HEIGHT - 8), (inside, HEIGHT + 8), (-side, 0), (side, -HEIGHT), (side, HEIGHT)];
        let is_free = |offset: &Pixels| {
            let (x, y) = (x + offset.0, y + offset.1);
            let is_apart = |((other_x, other_y), other_half): &(Pixels, i32)| {
                (x - other_x).abs() > half + other_half || (y - other_y).abs() > HEIGHT
            };
            let is_off = |joint: &Pixels| (x - joint.0).abs() > half || (y - joint.1).abs() > HEIGHT / 2;
            let is_inside = x - half >= left && x + half <= right;
            is_inside && self.placed.iter().all(is_apart) && self.joints.iter().all(is_off)
        };
        let offset = offsets.into_iter().find(is_free).unwrap_or(offsets[0]);
        self.placed.push(((x + offset.0, y + offset.1), half));
        offset
    }
}
