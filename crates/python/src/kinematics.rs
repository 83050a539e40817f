//! Forward kinematics, Jacobians and manipulability of one configuration or many.

use nalgebra::{Isometry3, Vector3, Vector6};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use urdf_ik::motion::servo::Axes;
use urdf_ik::robot::{Chain, ChainPoses, manipulability};
use urdf_ik_text::names::{list, short};

use crate::arguments::{Argument, named};
use crate::arrays::{PositionRows, array, push_pose, read_rows};
use crate::poses::tip_index;
use crate::refused;
use crate::shared::{ArmData, PyArm};

/// The axes of a twist or Jacobian, from the argument `frame`; the base if omitted.
pub fn read_axes(frame: Option<Argument<'_, String>>) -> PyResult<Axes> {
    match named(frame, "frame")?.as_deref() {
        None | Some("base") => Ok(Axes::Base),
        Some("tip") => Ok(Axes::Tip),
        Some(other) => Err(refused(format!("frame: there is no frame '{}'; the frames are: base, tip", short(other)))),
    }
}

/// A quantity computed for each configuration.
#[derive(Clone, Copy)]
pub enum Quantity {
    /// The poses of all tips, or of one.
    Poses(Option<usize>),
    /// The Jacobian of a tip.
    Jacobian(usize, Axes),
    /// The manipulability of a tip.
    Manipulability(usize),
}

impl Quantity {
    /// The shape of the quantity for one configuration.
    pub fn shape(self, chain: &Chain) -> Vec<usize> {
        match self {
            Self::Poses(None) if chain.tips().len() > 1 => vec![chain.tips().len(), 4, 4],
            Self::Poses(_) => vec![4, 4],
            Self::Jacobian(..) => vec![6, chain.variables().len()],
            Self::Manipulability(_) => Vec::new(),
        }
    }

    /// Appends the quantity for the configuration with these poses.
    fn push(self, chain: &Chain, poses: &ChainPoses, columns: &mut [Vector6<f64>], numbers: &mut Vec<f64>) {
        match self {
            Self::Poses(Some(tip)) => push_pose(&poses.tips()[tip], numbers),
            Self::Poses(None) => poses.tips().iter().for_each(|pose| push_pose(pose, numbers)),
            Self::Jacobian(tip, frame) => {
                let pose = &poses.tips()[tip];
                chain.jacobian(poses, tip, &pose.translation.vector.into(), columns);
                if let Axes::Tip = frame {
                    for column in columns.iter_mut() {
                        *column = turned(pose, column);
                    }
                }
                numbers.extend((0..6).flat_map(|row| columns.iter().map(move |column| column[row])));
            }
            Self::Manipulability(tip) => {
                chain.jacobian(poses, tip, &poses.tips()[tip].translation.vector.into(), columns);
                numbers.push(manipulability(columns));
            }
        }
    }
}

/// A twist expressed in the axes of `frame`.
fn turned(frame: &Isometry3<f64>, twist: &Vector6<f64>) -> Vector6<f64> {
    let part = |first: usize| frame.rotation.inverse_transform_vector(&Vector3::from(twist.fixed_rows::<3>(first)));
    let (linear, angular) = (part(0), part(3));
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// Computes a quantity for all configurations. The array has a row axis if they have one.
pub fn compute<'py>(
    py: Python<'py>,
    arm: &ArmData,
    quantity: Quantity,
    configurations: &PositionRows,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let (chain, variables) = (&arm.chain, arm.variables());
    let compute = || {
        let mut columns = vec![Vector6::zeros(); variables];
        let mut numbers = Vec::new();
        arm.work(|worker| {
            for positions in configurations.numbers.chunks_exact(variables) {
                chain.forward_kinematics(positions, &mut worker.poses);
                quantity.push(chain, &worker.poses, &mut columns, &mut numbers);
            }
        });
        numbers
    };
    let numbers = if configurations.rows.is_some() { py.detach(compute) } else { compute() };
    let shape: Vec<usize> = configurations.rows.into_iter().chain(quantity.shape(chain)).collect();
    array(py, shape, numbers)
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
        let tip = named(tip, "tip")?.map(|tip| tip_index(&self.0.chain, &tip)).transpose()?;
        compute(py, &self.0, Quantity::Poses(tip), &read_rows(q, &self.0.chain, "q")?)
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
        let quantity = Quantity::Jacobian(self.one_tip(tip)?, read_axes(frame)?);
        compute(py, &self.0, quantity, &read_rows(q, &self.0.chain, "q")?)
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
        let rows = read_rows(q, &self.0.chain, "q")?;
        let computed = compute(py, &self.0, Quantity::Manipulability(self.one_tip(tip)?), &rows)?;
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
