//! Forward kinematics, Jacobians, and the closed forms of arms of two and three links.

use std::sync::Arc;

use nalgebra::{Point3, Vector6};
use urdf_ik::robot::ChainPoses;
use urdf_ik::segments::InputError;
use urdf_ik::solver::closed_form::three_link::ThreeLinkChain;
use urdf_ik::solver::closed_form::two_link::{Solutions, SpatialChain};

use crate::record::Group;
use crate::robots::{Arm, pose_numbers};
use crate::{Fallible, Random};

const POSITIONS: usize = 200;
const TARGETS: usize = 500;

pub fn groups(arm: &Arm) -> Vec<Group> {
    let mut groups = vec![forward(arm)];
    if let Ok(chain) = SpatialChain::of(&arm.chain) {
        groups.push(links(arm, move |end, _| found(chain.solve(end))));
    }
    if let Ok(chain) = ThreeLinkChain::of(&arm.chain) {
        groups.push(links(arm, move |end, random| found(chain.solve(end, &random.direction()))));
    }
    groups
}

/// Tip poses and Jacobians.
fn forward(arm: &Arm) -> Group {
    let chain = Arc::clone(&arm.chain);
    Group::new(format!("kinematics, {}", arm.name), POSITIONS, move |random| {
        let mut poses = ChainPoses::new(&chain);
        chain.forward_kinematics(&random.positions(&chain), &mut poses);
        let mut numbers: Vec<f64> = poses.tips().iter().flat_map(pose_numbers).collect();
        for (tip, pose) in poses.tips().iter().enumerate() {
            let mut columns = vec![Vector6::zeros(); chain.variables().len()];
            chain.jacobian(&poses, tip, &pose.translation.vector.into(), &mut columns);
            numbers.extend(columns.iter().flat_map(|column| column.iter().copied().collect::<Vec<_>>()));
        }
        Ok(numbers)
    })
}

/// All configurations of an arm of two or three links, for points within reach and slightly beyond.
fn links(arm: &Arm, solve: impl Fn(&Point3<f64>, &mut Random) -> Fallible<Vec<f64>> + 'static) -> Group {
    let arm = arm.clone();
    Group::new(format!("links, {}", arm.name), TARGETS, move |random| {
        let end = arm.tips(&random.positions(&arm.chain))[0].translation.vector;
        solve(&Point3::from(end * random.between(0.8, 1.2)), random)
    })
}

/// The residual, and the configurations.
fn found<const J: usize, const N: usize>(solutions: Result<Solutions<[f64; J], N>, InputError>) -> Fallible<Vec<f64>>
where
    [f64; J]: Copy + Default,
{
    let solutions = solutions?;
    Ok(std::iter::once(solutions.missing).chain(solutions.configurations().iter().flatten().copied()).collect())
}
