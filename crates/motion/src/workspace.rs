//! The workspace of tips: a box in the base link's frame.

use nalgebra::Vector3;
use thiserror::Error;

/// Smallest edge of a workspace \[m\].
const MIN_EDGE: f64 = 0.01;
/// Distance from a face at which tips come to rest \[m\]: a reserve for stops in which every joint brakes by itself, so
/// that the tip leaves its line.
pub const REST_DISTANCE: f64 = 1e-3;
/// Names of the axes.
const AXES: [char; 3] = ['x', 'y', 'z'];

/// A box with the axes of the base link's frame that tips do not leave. Each side may be unbounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workspace {
    min: Vector3<f64>,
    max: Vector3<f64>,
}

/// Corners that do not span a box.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("the workspace extends from {min} to {max} m along {}; max must exceed min by at least {MIN_EDGE} m", AXES[*axis])]
pub struct WorkspaceError {
    /// Index of the axis.
    pub axis: usize,
    /// Lower bound \[m\].
    pub min: f64,
    /// Upper bound \[m\].
    pub max: f64,
}

/// A face of a workspace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Index of the axis that is perpendicular to the face.
    pub axis: usize,
    /// Coordinate of the face along this axis \[m\].
    pub coordinate: f64,
    /// Direction of the inner normal along this axis: 1 or -1.
    pub inwards: f64,
}

/// A tip at a face of its workspace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TipAtFace {
    /// Index of the tip among [`Chain::tips`](urdf_ik_robot::Chain::tips).
    pub tip: usize,
    /// The face.
    pub face: Face,
}

impl Face {
    /// Name of the axis that is perpendicular to the face.
    pub fn axis_name(&self) -> char {
        AXES[self.axis]
    }

    /// Distance of a point in the base link's frame from the face \[m\], negative outside.
    pub fn distance(&self, point: &Vector3<f64>) -> f64 {
        self.inwards * (point[self.axis] - self.coordinate)
    }
}

impl Workspace {
    /// No bounds.
    pub const UNBOUNDED: Self = Self {
        min: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        max: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    };

    /// The box between two corners in the base link's frame \[m\]; infinite coordinates are no bounds.
    ///
    /// # Errors
    /// [`WorkspaceError`] for an axis along which the box is empty or thinner than 1 cm, or a coordinate is NaN.
    pub fn new(min: Vector3<f64>, max: Vector3<f64>) -> Result<Self, WorkspaceError> {
        // Written so that NaN fails, and with it the difference of equal infinities.
        let is_wide = |axis: &usize| max[*axis] - min[*axis] >= MIN_EDGE;
        match (0..3).find(|axis| !is_wide(axis)) {
            Some(axis) => Err(WorkspaceError { axis, min: min[axis], max: max[axis] }),
            None => Ok(Self { min, max }),
        }
    }

    /// The lower corner in the base link's frame \[m\].
    pub fn min(&self) -> Vector3<f64> {
        self.min
    }

    /// The upper corner in the base link's frame \[m\].
    pub fn max(&self) -> Vector3<f64> {
        self.max
    }

    /// True if it has a face.
    pub fn is_bounded(&self) -> bool {
        *self != Self::UNBOUNDED
    }

    /// The faces: none along unbounded sides.
    pub fn faces(&self) -> impl Iterator<Item = Face> {
        let faces = [(self.min, 1.0), (self.max, -1.0)]
            .into_iter()
            .flat_map(|(corner, inwards)| (0..3).map(move |axis| Face { axis, coordinate: corner[axis], inwards }));
        faces.filter(|face| face.coordinate.is_finite())
    }

    /// The nearest point at which a tip may come to rest, in the base link's frame \[m\].
    pub fn clamp(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let mut inside = *point;
        for face in self.faces() {
            let missing = REST_DISTANCE - face.distance(&inside);
            if missing > 0.0 {
                inside[face.axis] += face.inwards * missing;
            }
        }
        inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_clamped_to_where_a_tip_may_rest() {
        let workspace = Workspace::new(Vector3::new(-1.0, 0.0, 0.0), Vector3::new(1.0, 1.0, f64::INFINITY)).unwrap();
        assert_eq!(workspace.faces().count(), 5);
        let inside = Vector3::new(0.2, 0.5, 9.0);
        assert_eq!(workspace.clamp(&inside), inside);
        let clamped = workspace.clamp(&Vector3::new(7.0, -0.1, 0.0));
        assert!((clamped - Vector3::new(0.999, 0.001, 0.001)).norm() < 1e-12, "{clamped}");
        assert_eq!(Workspace::UNBOUNDED.clamp(&inside), inside);
        assert!(!Workspace::UNBOUNDED.is_bounded() && workspace.is_bounded());
    }

    #[test]
    fn a_box_has_edges() {
        let error = Workspace::new(Vector3::zeros(), Vector3::new(1.0, 0.005, 1.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the workspace extends from 0 to 0.005 m along y; max must exceed min by at least 0.01 m"
        );
        assert!(Workspace::new(Vector3::zeros(), Vector3::new(1.0, 1.0, f64::NAN)).is_err());
        assert!(Workspace::new(Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::INFINITY)).is_err());
    }
}
