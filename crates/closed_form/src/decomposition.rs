//! Solves an arm by the subproblems of its family.

use nalgebra::Isometry3;

use super::shared_steps::SeedTurns;
use super::{ArmSolutions, DecomposableArm, FamilyKind, JOINTS, Turn};

impl DecomposableArm {
    /// All joint positions \[rad\] for `pose` of the tip (base link's frame \[m\]). Undetermined joints are near
    /// `seed` \[rad\].
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> ArmSolutions {
        let goal = self.goal(pose);
        let near = SeedTurns(std::array::from_fn(|i| seed[self.joint(i)] * self.signs[i]));
        let mut solutions = ArmSolutions::none();
        // Consecutive solutions share rotations, so their angles are not computed again.
        let (mut last, mut positions) = ([Turn::ZERO; JOINTS], [0.0; JOINTS]);
        let mut found = |turns: [Turn; JOINTS], free: bool| {
            for (index, turn) in turns.into_iter().enumerate().filter(|(index, turn)| last[*index] != *turn) {
                positions[self.joint(index)] = turn.angle() * self.signs[index];
            }
            last = turns;
            solutions.push(positions, free);
        };
        match self.kind {
            FamilyKind::SphericalWrist(shoulder) => self.spherical_wrist(shoulder, &goal, &near, &mut found),
            FamilyKind::MiddleParallel { last_two_meet } => {
                self.middle_parallel(last_two_meet, &goal, &near, &mut found);
            }
            FamilyKind::FirstThreeParallel => self.first_parallel(&goal, &near, &mut found),
            FamilyKind::General => {}
        }
        solutions
    }
}
