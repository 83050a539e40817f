//! Forward kinematics, Jacobians and manipulability of one configuration or many.

use nalgebra::Vector6;
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use urdf_ik::motion::servo::Axes;
use urdf_ik::robot::{Chain, ChainPoses, manipulability};
use urdf_ik::spatial::turned;
use urdf_ik_text::names::{list, short};

use crate::arguments::{Argument, named};
use crate::arrays::{PositionRows, array, push_pose, read_rows};
use crate::poses::tip_index;
use crate::refused;
use crate::shared::{ArmData, PyArm};

/// The axes of a twist or Jacobian, from the argument `frame`: `base` (also if omitted) or `tip`.
///
/// # Errors
/// A `urdfik.Error` for any other frame.
pub fn read_axes(frame: Option<Argument<'_, String>>) -> PyResult<Axes> {
    match named(frame, "frame")?.as_deref() {
        None | Some("base") => Ok(Axes::Base),
        Some("tip") => Ok(Axes::Tip),
        Some(other) => Err(refused(format!("frame: there is no frame '{}'; the frames are: base, tip", short(other)))),
    }
}

/// The shape of an array of the poses of all tips: (4, 4) for one tip, otherwise (tips, 4, 4).
pub fn shape_of_poses(chain: &Chain) -> Vec<usize> {
    match chain.tips().len() {
        1 => vec![4, 4],
        tips => vec![tips, 4, 4],
    }
}

/// An array of a quantity of this shape for each configuration: `push` appends it, computed from the poses of the
/// chain. The array has a row axis if the configurations have one.
fn compute<'py>(
    py: Python<'py>,
    arm: &ArmData,
    configurations: &PositionRows,
    shape: Vec<usize>,
    mut push: impl FnMut(&ChainPoses, &mut Vec<f64>) + Send,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let mut compute = || {
        let mut numbers = Vec::new();
        arm.work(|worker| {
            for positions in configurations.numbers.chunks_exact(arm.variables()) {
                arm.chain.forward_kinematics(positions, &mut worker.poses);
                push(&worker.poses, &mut numbers);
            }
        });
        numbers
    };
    let numbers = if configurations.rows.is_some() { py.detach(compute) } else { compute() };
    array(py, configurations.rows.into_iter().chain(shape).collect::<Vec<_>>(), numbers)
}

#[pymethods]
impl PyArm {
    /// Poses of the tips.
    ///
    /// Parameters
    /// ----------
    /// q : array (n,) or (N, n), or dict by joint name
    ///     Joint positions [rad or m].
    /// tip : str, optional
    ///     Only this tip, of several.
    ///
    /// Returns
    /// -------
    /// array (4, 4) or (N, 4, 4)
    ///     Homogeneous matrices [m] in the frame of the base link; (tips, 4, 4) or (N, tips, 4, 4) for several tips.
    #[pyo3(signature = (q, *, tip = None))]
    fn forward_kinematics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        tip: Option<Argument<'py, String>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let chain = &self.0.chain;
        let rows = read_rows(q, chain, "q")?;
        let Some(tip) = named(tip, "tip")? else {
            let push =
                |poses: &ChainPoses, numbers: &mut _| poses.tips().iter().for_each(|pose| push_pose(pose, numbers));
            return compute(py, &self.0, &rows, shape_of_poses(chain), push);
        };
        let tip = tip_index(chain, &tip)?;
        compute(py, &self.0, &rows, vec![4, 4], |poses, numbers| push_pose(&poses.tips()[tip], numbers))
    }

    /// The geometric Jacobian of a tip: the twist of its origin for joint velocities, linear part first.
    ///
    /// Parameters
    /// ----------
    /// q : array (n,) or (N, n), or dict by joint name
    ///     Joint positions [rad or m].
    /// frame : "base" or "tip"
    ///     The frame whose axes the twist is expressed in.
    /// tip : str, optional
    ///     Which tip, if there are several.
    ///
    /// Returns
    /// -------
    /// array (6, n) or (N, 6, n)
    ///     In m/rad and rad/rad; m/m and 0 for prismatic joints.
    #[pyo3(
        signature = (q, frame = None, *, tip = None),
        text_signature = "($self, q, frame='base', *, tip=None)"
    )]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        frame: Option<Argument<'py, String>>,
        tip: Option<Argument<'py, String>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let (tip, axes, chain) = (self.one_tip(tip)?, read_axes(frame)?, &self.0.chain);
        let mut columns = vec![Vector6::zeros(); self.0.variables()];
        compute(py, &self.0, &read_rows(q, chain, "q")?, vec![6, columns.len()], |poses, numbers| {
            let pose = &poses.tips()[tip];
            chain.jacobian(poses, tip, &pose.translation.vector.into(), &mut columns);
            if let Axes::Tip = axes {
                for column in &mut columns {
                    *column = turned(&pose.rotation.inverse(), column);
                }
            }
            numbers.extend((0..6).flat_map(|row| columns.iter().map(move |column| column[row])));
        })
    }

    /// The manipulability of a tip: the product of the singular values of its Jacobian (Yoshikawa 1985), 0 at a
    /// singularity. With six joints or more it is sqrt(det(J Jᵀ)), with fewer sqrt(det(Jᵀ J)).
    ///
    /// Parameters
    /// ----------
    /// q : array (n,) or (N, n), or dict by joint name
    ///     Joint positions [rad or m].
    /// tip : str, optional
    ///     Which tip, if there are several.
    ///
    /// Returns
    /// -------
    /// float, or array (N,)
    ///     In units of m and rad.
    #[pyo3(signature = (q, *, tip = None))]
    fn manipulability<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        tip: Option<Argument<'py, String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (tip, chain) = (self.one_tip(tip)?, &self.0.chain);
        let rows = read_rows(q, chain, "q")?;
        let mut columns = vec![Vector6::zeros(); self.0.variables()];
        let computed = compute(py, &self.0, &rows, Vec::new(), |poses, numbers| {
            chain.jacobian(poses, tip, &poses.tips()[tip].translation.vector.into(), &mut columns);
            numbers.push(manipulability(&columns));
        })?;
        if rows.rows.is_some() { Ok(computed.into_any()) } else { computed.call_method0("item") }
    }
}

impl PyArm {
    /// The index of the tip with this name, or of the only tip.
    fn one_tip(&self, tip: Option<Argument<'_, String>>) -> PyResult<usize> {
        match named(tip, "tip")? {
            Some(tip) => tip_index(&self.0.chain, &tip),
            None if self.0.chain.tips().len() == 1 => Ok(0),
            None => Err(refused(format!(
                "the arm has several tips; name one of them by tip=: {}",
                list(&self.0.chain.tip_names())
            ))),
        }
    }
}
