//! The self-check of a closed form: whether it finds a few sample configurations again from their poses.

use nalgebra::Isometry3;

use super::{ArmSolutions, JOINTS, same};
use urdf_ik_robot::{Chain, ChainPoses};

/// Positions at which what is found of an arm must hold \[rad\]: at special angles axes have more in common than elsewhere.
pub const SAMPLE_POSITIONS: [f64; 5] = [0.37, -1.13, 1.91, -2.47, 2.83];
/// How near to a sample the closed form must come \[rad\], for an arm that belongs to its family exactly, and for one that is near it.
const MAX_DIFFERENCE: [f64; 2] = [1e-6, 0.3];

/// Whether each sample configuration is among the `solutions` of its pose, and none of these stands for a continuum: where axes leave a
/// freedom everywhere, a closed form gives one of many.
pub fn self_check(
    chain: &Chain,
    exact: bool,
    solutions: &dyn Fn(&Isometry3<f64>, &[f64; JOINTS]) -> ArmSolutions,
) -> bool {
    let (joints, mut poses) = (chain.joints().len(), ChainPoses::new(chain));
    (0..SAMPLE_POSITIONS.len()).all(|first| {
        let mut positions = [0.0; JOINTS];
        (0..joints).for_each(|i| positions[i] = SAMPLE_POSITIONS[(first + 2 * i) % SAMPLE_POSITIONS.len()]);
        chain.forward_kinematics(&positions[..joints], &mut poses);
        let found = solutions(&poses.tips()[0], &positions);
        let near = MAX_DIFFERENCE[usize::from(!exact)];
        !found.continuous().contains(&true)
            && found.as_slice().iter().any(|configuration| same(configuration, &positions, near))
    })
}
