//! Whether a closed form does what it promises, seen at a few postures of no special angles.

use nalgebra::Isometry3;

use super::arm::Postures;
use super::axes::JOINTS;
use super::same;
use crate::robot::{Chain, ChainPoses};

/// Positions at which what is found of an arm has to hold \[rad\]: of no special angle, where axes have more in common than elsewhere.
pub(super) const SAMPLES: [f64; 5] = [0.37, -1.13, 1.91, -2.47, 2.83];
/// How near a posture is to be found again \[rad\] by an arm that belongs to its family exactly, and by one that is near it.
const FOUND: [f64; 2] = [1e-6, 0.3];

/// Whether each of the postures is among `postures` of its pose, and alone there: where axes leave a freedom everywhere, a closed form
/// gives one of many.
pub(super) fn found_again(
    chain: &Chain,
    exact: bool,
    postures: &dyn Fn(&Isometry3<f64>, &[f64; JOINTS]) -> Postures,
) -> bool {
    let (joints, mut poses) = (chain.joints().len(), ChainPoses::new(chain));
    (0..SAMPLES.len()).all(|first| {
        let mut positions = [0.0; JOINTS];
        (0..joints).for_each(|i| positions[i] = SAMPLES[(first + 2 * i) % SAMPLES.len()]);
        chain.forward_kinematics(&positions[..joints], &mut poses);
        let found = postures(&poses.tips()[0], &positions);
        let near = FOUND[usize::from(!exact)];
        !found.continuous().contains(&true) && found.as_slice().iter().any(|posture| same(posture, &positions, near))
    })
}
