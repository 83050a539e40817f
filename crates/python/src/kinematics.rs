//! Forward kinematics, Jacobians and manipulability of one configuration or of many.

use nalgebra::{Isometry3, Vector3, Vector6};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use urdf_ik::robot::{Chain, ChainPoses, manipulability};
use urdf_ik_text::names::short;

use crate::arguments::{Argument, named};
use crate::arrays::{PositionRows, array, push_pose};
use crate::refused;
use crate::shared::ArmData;

/// In which frame a Jacobian is.
#[derive(Clone, Copy)]
pub enum Frame {
    Base,
    Tip,
}

impl Frame {
    /// The argument `frame`; that of the base where it was left out.
    pub fn read(name: Option<Argument<'_, String>>) -> PyResult<Self> {
        match named(name, "frame")?.as_deref() {
            None | Some("base") => Ok(Self::Base),
            Some("tip") => Ok(Self::Tip),
            Some(other) => {
                Err(refused(format!("frame: there is no frame '{}'; the frames are: base, tip", short(other))))
            }
        }
    }
}

/// What is computed of each configuration.
#[derive(Clone, Copy)]
pub enum Quantity {
    /// The poses of all tips, or of one.
    Poses(Option<usize>),
    /// The Jacobian of a tip.
    Jacobian(usize, Frame),
    /// The manipulability of a tip.
    Manipulability(usize),
}

impl Quantity {
    /// The shape of what is computed of one configuration.
    pub fn shape(self, chain: &Chain) -> Vec<usize> {
        match self {
            Self::Poses(None) if chain.tips().len() > 1 => vec![chain.tips().len(), 4, 4],
            Self::Poses(_) => vec![4, 4],
            Self::Jacobian(..) => vec![6, chain.variables().len()],
            Self::Manipulability(_) => Vec::new(),
        }
    }

    /// Adds what is computed of the configuration whose poses are given.
    fn push(self, chain: &Chain, poses: &ChainPoses, columns: &mut [Vector6<f64>], numbers: &mut Vec<f64>) {
        match self {
            Self::Poses(Some(tip)) => push_pose(&poses.tips()[tip], numbers),
            Self::Poses(None) => poses.tips().iter().for_each(|pose| push_pose(pose, numbers)),
            Self::Jacobian(tip, frame) => {
                let pose = &poses.tips()[tip];
                chain.jacobian(poses, tip, &pose.translation.vector.into(), columns);
                if let Frame::Tip = frame {
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

/// A twist in the axes of a frame that stands so.
fn turned(frame: &Isometry3<f64>, twist: &Vector6<f64>) -> Vector6<f64> {
    let part = |first: usize| frame.rotation.inverse_transform_vector(&Vector3::from(twist.fixed_rows::<3>(first)));
    let (linear, angular) = (part(0), part(3));
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// A quantity of the configurations, as an array with an index of rows where they have one.
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
