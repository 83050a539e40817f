//! Conversion of poses: homogeneous matrices, positions with quaternions, or positions alone, for one tip or several.

use std::error::Error;
use std::ops::Range;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::robot::Chain;
use urdf_ik::solver::Target;
use urdf_ik::spatial::{pose_from_matrix, rotation_from};
use urdf_ik_text::names::short;

use crate::arguments::read;
use crate::arrays::{NumberArray, shape_in_words};
use crate::refused;

/// The array layout of a pose.
#[derive(Clone, Copy, PartialEq)]
enum PoseLayout {
    /// The rows of a homogeneous matrix.
    Matrix,
    /// x, y, z, and the quaternion qx, qy, qz, qw.
    Quaternion,
    /// x, y, z, with any orientation.
    Position,
}

/// Poses of tips \[m\] for one or many problems, in the base link's frame: an array for all tips of the chain, or one
/// for each named tip.
pub struct PoseArgument<'py>(Vec<TipPoses<NumberArray<'py>>>);

/// Poses of tips \[m\] for one or many problems, copied from the Python arrays.
pub struct PoseRows(Vec<TipPoses<Vec<f64>>>);

/// The poses given for a range of tips.
struct TipPoses<N> {
    numbers: N,
    form: PoseLayout,
    tips: Range<usize>,
}

/// The error for numbers that are no pose.
type NoPose = Box<dyn Error + Send + Sync>;

impl PoseLayout {
    const ALL: [Self; 3] = [Self::Matrix, Self::Quaternion, Self::Position];

    fn shape(self) -> &'static [usize] {
        match self {
            Self::Matrix => &[4, 4],
            Self::Quaternion => &[7],
            Self::Position => &[3],
        }
    }

    fn size(self) -> usize {
        self.shape().iter().product()
    }

    /// Converts one pose.
    fn pose(self, numbers: &[f64]) -> Result<Isometry3<f64>, NoPose> {
        let position = || Translation3::new(numbers[0], numbers[1], numbers[2]);
        match self {
            Self::Matrix => {
                let rows = std::array::from_fn(|row| std::array::from_fn(|column| numbers[4 * row + column]));
                Ok(pose_from_matrix(&rows)?)
            }
            Self::Quaternion => {
                let rotation = rotation_from([numbers[3], numbers[4], numbers[5], numbers[6]])?;
                Ok(Isometry3::from_parts(position(), rotation))
            }
            Self::Position => Ok(position().into()),
        }
    }
}

impl<'py> TipPoses<NumberArray<'py>> {
    /// Checks the shape: a pose, with a leading axis of problems if `many`, and an axis of tips if there are several.
    fn new(numbers: NumberArray<'py>, tips: Range<usize>, many: bool, what: &str) -> PyResult<Self> {
        let shape = numbers.shape();
        let after_rows = shape.get(usize::from(many)..).unwrap_or_default();
        let fits = |form: &PoseLayout| {
            let is_one = tips.len() == 1 && after_rows == form.shape();
            is_one || after_rows.split_first().is_some_and(|(count, pose)| *count == tips.len() && pose == form.shape())
        };
        if let Some(form) = PoseLayout::ALL.into_iter().find(fits) {
            return Ok(Self { numbers, form, tips });
        }
        let [matrix, quaternion, position] = PoseLayout::ALL.map(|form| {
            let before = [many.then_some("N".to_owned()), (tips.len() > 1).then(|| tips.len().to_string())];
            let sizes: Vec<String> =
                before.into_iter().flatten().chain(form.shape().iter().map(usize::to_string)).collect();
            shape_in_words(&sizes)
        });
        Err(refused(format!(
            "{what} has the shape {}; it must be {matrix} for homogeneous matrices, {quaternion} for x y z qx qy qz qw, or {position} for \
             positions alone",
            shape_in_words(shape)
        )))
    }
}

impl<N> TipPoses<N> {
    /// These poses with copied numbers.
    fn copied(&self, copy: impl Fn(&N) -> Vec<f64>) -> TipPoses<Vec<f64>> {
        TipPoses { numbers: copy(&self.numbers), form: self.form, tips: self.tips.clone() }
    }
}

impl<'py> PoseArgument<'py> {
    /// No poses.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads the poses of one problem: an array for all tips, or a dict from tips to arrays. Each pose has the shape
    /// (4, 4), (7,) or (3,).
    ///
    /// # Errors
    /// A `urdfik.Error` if an array has another shape, or a tip is unknown.
    pub fn one(value: &Bound<'py, PyAny>, chain: &Chain) -> PyResult<Self> {
        Self::read(value, chain, false, "pose")
    }

    /// Reads the poses of many problems, as [`Self::one`] with a leading axis of problems. Also returns the number of
    /// problems.
    ///
    /// # Errors
    /// A `urdfik.Error` if an array has another shape, a tip is unknown, or the tips differ in the number of problems.
    pub fn many(value: &Bound<'py, PyAny>, chain: &Chain, what: &str) -> PyResult<(Self, usize)> {
        let poses = Self::read(value, chain, true, what)?;
        let mut counts = poses.0.iter().map(|part| part.numbers.shape()[0]);
        let first = counts.next().unwrap_or_default();
        match counts.find(|count| *count != first) {
            Some(other) => Err(refused(format!("the tips have {first} and {other} {what}; they must have as many"))),
            None => Ok((poses, first)),
        }
    }

    fn read(value: &Bound<'py, PyAny>, chain: &Chain, many: bool, what: &str) -> PyResult<Self> {
        let part = |value: &Bound<'py, PyAny>, tips, what: &str| {
            TipPoses::new(NumberArray::read(value, what)?, tips, many, what)
        };
        let Ok(by_tip) = value.cast::<PyDict>() else {
            return Ok(Self(vec![part(value, 0..chain.tips().len(), what)?]));
        };
        let parts = by_tip.iter().map(|(tip, value)| {
            let tip: String = read(&tip, &format!("a tip of {what}"))?;
            let index = tip_index(chain, &tip)?;
            part(&value, index..index + 1, &format!("{what} of '{}'", short(&tip)))
        });
        Ok(Self(parts.collect::<PyResult<_>>()?))
    }

    /// Copies the poses of a single problem.
    pub fn row(&self) -> PoseRows {
        PoseRows(self.0.iter().map(|part| part.copied(NumberArray::to_vec)).collect())
    }

    /// Copies the poses of the problems in `range`.
    pub fn rows(&self, range: &Range<usize>) -> PoseRows {
        PoseRows(self.0.iter().map(|part| part.copied(|numbers| numbers.rows(range))).collect())
    }
}

impl PoseRows {
    /// Number of targets in each problem.
    pub fn targets(&self) -> usize {
        self.0.iter().map(|part| part.tips.len()).sum()
    }

    /// Writes the targets of problem `row` to `targets`: the templates in `plain`, one per tip of the chain, with the
    /// poses of that row.
    ///
    /// # Errors
    /// [`NoPose`] if an entry is not a pose.
    pub fn write(&self, row: usize, plain: &[Target], targets: &mut [Target]) -> Result<(), NoPose> {
        let mut targets = targets.iter_mut();
        for TipPoses { numbers, form, tips } in &self.0 {
            let poses = numbers[row * tips.len() * form.size()..].chunks_exact(form.size());
            for ((tip, pose), target) in tips.clone().zip(poses).zip(&mut targets) {
                *target = plain[tip].with_pose(form.pose(pose)?);
                if *form == PoseLayout::Position {
                    *target = target.position_only();
                }
            }
        }
        Ok(())
    }
}

/// A pose, or a position alone.
pub struct Placement {
    /// The pose \[m\]; without an orientation, the identity rotation.
    pub at: Isometry3<f64>,
    /// True if there is no orientation.
    pub is_position: bool,
}

impl Placement {
    /// Reads one pose from an array (4, 4), (7,) or (3,).
    ///
    /// # Errors
    /// A `urdfik.Error` that names the argument `what`.
    pub fn read(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let TipPoses { numbers, form, .. } = TipPoses::new(NumberArray::read(value, what)?, 0..1, false, what)?;
        let at = form.pose(&numbers.to_vec()).map_err(|e| refused(format!("{what}: {e}")))?;
        Ok(Self { at, is_position: form == PoseLayout::Position })
    }
}

/// A pose as position (x, y, z) \[m\], then quaternion (x, y, z, w), without rounding.
pub fn to_numbers(pose: &Isometry3<f64>) -> [f64; 7] {
    let (p, q) = (pose.translation, pose.rotation);
    [p.x, p.y, p.z, q.i, q.j, q.k, q.w]
}

/// The pose of the numbers that [`to_numbers`] returns, without rounding.
///
/// # Errors
/// A `urdfik.Error` if the quaternion does not have length 1.
pub fn from_numbers(numbers: &[f64; 7]) -> PyResult<Isometry3<f64>> {
    let [px, py, pz, qx, qy, qz, qw] = *numbers;
    rotation_from([qx, qy, qz, qw]).map_err(refused)?;
    // Normalising again could change the last digits.
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(qw, qx, qy, qz));
    Ok(Isometry3::from_parts(Translation3::new(px, py, pz), rotation))
}

/// The pose of the tool \[m\] of each tip of `chain`, in the tip link's frame. `value` is an array for all tips, or a
/// dict by tip. Omitted tips keep their tool.
///
/// # Errors
/// A `urdfik.Error` if an entry is not a pose, or a tip is unknown.
pub fn tools(value: &Bound<'_, PyAny>, chain: &Chain) -> PyResult<Vec<Isometry3<f64>>> {
    let mut tools = chain.tools();
    let poses = PoseArgument::read(value, chain, false, "tool")?.row();
    let plain: Vec<Target> = (0..tools.len()).map(|tip| Target::new(tip, Isometry3::identity())).collect();
    let mut given = plain[..1].repeat(poses.targets());
    poses.write(0, &plain, &mut given).map_err(|e| refused(format!("tool: {e}")))?;
    for target in &given {
        tools[target.tip] = target.pose;
    }
    Ok(tools)
}

/// The index of the tip link with the name `tip`.
///
/// # Errors
/// A `urdfik.Error` if there is no such tip.
pub fn tip_index(chain: &Chain, tip: &str) -> PyResult<usize> {
    let tips = || chain.tip_names().into_iter().map(str::to_owned).collect();
    chain.tip_index(tip).ok_or_else(|| refused(urdf_ik::Error::UnknownTip { tip: tip.to_owned(), tips: tips() }))
}
