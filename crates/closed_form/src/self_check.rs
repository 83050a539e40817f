//! Self-check of a closed form: it must recover sample configurations from their poses.

use nalgebra::Isometry3;

use super::{ArmSolutions, JOINTS, same};
use urdf_ik_robot::{Chain, ChainPoses};

/// Joint positions of the samples \[rad\]. They are not special angles, which could hide degeneracies or add some.
pub const SAMPLE_POSITIONS: [f64; 5] = [0.37, -1.13, 1.91, -2.47, 2.83];
/// Largest error of a recovered sample \[rad\]: for arms that belong to their family exactly, and for arms near it.
const MAX_DIFFERENCE: [f64; 2] = [1e-6, 0.3];

/// True if each sample configuration of `chain` is among the `solutions` of its pose, and no solution represents a
/// continuum, as for an arm with a self-motion everywhere. `solutions` takes a pose of the tip in the base link's frame
/// (translation \[m\]) and a seed \[rad\]. `exact` requires accurate solutions: the arm belongs to its family exactly.
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
