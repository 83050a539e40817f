//! Finds all solutions of an arm by the subproblems of its family.

use nalgebra::Isometry3;

use super::shared_steps::SeedTurns;
use super::{Arm, ArmSolutions, FamilyKind, JOINTS, Turn};

impl Arm {
    /// Every configuration in which the tip has `pose` (base link's frame). What is free comes near `seed` \[rad\].
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> ArmSolutions {
        let goal = self.goal(pose);
        let near = SeedTurns(std::array::from_fn(|i| seed[self.joint(i)] * self.signs[i]));
        let mut solutions = ArmSolutions::none();
        // Neighbours share turns: their angles need not be found again.
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
