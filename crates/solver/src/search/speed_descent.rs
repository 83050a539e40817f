//! Self-motion that lets the next targets need less joint motion.
//!
//! The shortest joint motion for a motion x of the targets is d = Jᵀλ with JJᵀλ = x. Columns of J are derivatives of
//! residuals, so its derivative by a joint times d is, for that joint, its own change along d. The gradient of the
//! logarithm of |d| is thus -λᵀΔJ / |d|², with the change ΔJ of the Jacobian along the last motion. Unlike the
//! manipulability, it depends on the direction of the targets: an arm may stay singular in directions without motion.

use super::prepared_search::Search;
use super::setup::Setup;
use crate::kernel::{Configurations, RANK_TOLERANCE};
use urdf_ik_mathematics::row_rotations::diagonalise;
use urdf_ik_mathematics::vectors::{add_times, dot};

/// The steepest descent of the joint motion for a target.
#[derive(Debug, Clone, Default)]
pub struct SpeedDescent {
    /// Rows of the Jacobian, and their changes along the motion, in units of the variables.
    rows: Vec<f64>,
    changes: Vec<f64>,
    /// The motion, and the descent, in units of the variables.
    motion: Vec<f64>,
    descent: Vec<f64>,
}

impl SpeedDescent {
    /// The steepest descent of the logarithm of the length of the motion from the start of `setup` to `positions` \[rad
    /// or m\], times `fastest`. The fastest variable of this motion moves by `fastest` of its units. The result has one
    /// entry per variable, in its unit.
    pub fn at(
        &mut self,
        search: &Search,
        setup: &Setup,
        positions: &[f64],
        fastest: f64,
        configurations: &mut Configurations,
    ) -> &[f64] {
        let Self { rows, changes, motion, descent } = self;
        let (variables, count) = (positions.len(), 6 * setup.goals.len());
        configurations.write_all(positions);
        configurations.write(0, &setup.start);
        search.kernel.measure(&setup.goals, configurations);
        search.kernel.linearise(&setup.goals, configurations);
        rows.clear();
        changes.clear();
        for row in 0..count {
            let columns = &configurations.columns[row / 6 * variables..][..variables];
            for (column, unit) in columns.iter().zip(search.units.iter()) {
                let [before, now, ..] = column[row % 6].0;
                rows.push(now * unit);
                changes.push((now - before) * unit);
            }
        }
        diagonalise(rows, changes, count);
        let moves = positions.iter().zip(&setup.start).zip(search.units.iter());
        motion.clear();
        motion.extend(moves.map(|((to, from), unit)| (to - from) / (unit * fastest)));
        descent.clear();
        descent.resize(variables, 0.0);
        let squares = || rows.chunks_exact(variables).map(|row| dot(row, row));
        let least = RANK_TOLERANCE * RANK_TOLERANCE * squares().fold(0.0, f64::max);
        let rows = rows.chunks_exact(variables).zip(changes.chunks_exact(variables)).zip(squares());
        for ((row, change), square) in rows.filter(|(_, square)| *square > least) {
            add_times(descent, dot(row, motion) / (square * dot(motion, motion)), change);
        }
        descent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Svd;
    use crate::search::prepared_search::SearchInput;
    use crate::{Problem, Target};
    use urdf_ik_random::random::Random;
    use urdf_ik_random::robots::{Axes, Recipe};
    use urdf_ik_robot::ChainPoses;

    #[test]
    fn it_agrees_with_differences_of_the_shortest_motion() {
        let mut random = Random::new(5);
        for _ in 0..20 {
            let (chain, _) = Recipe::plain(Axes::Any, 7).make(&mut random);
            let (search, start) = (Search::prepare(&chain), random.positions(&chain));
            let mut poses = ChainPoses::new(&chain);
            chain.forward_kinematics(&start, &mut poses);
            let target = Target::new(0, poses.tips()[0]).position_only();
            let mut setup = Setup::new(&search);
            setup.set(SearchInput { search: &search, problem: &Problem::new(&[target], &start) });
            let (wanted, mut svd) = (random.direction(), Svd::new(1, 7));
            let mut configurations = Configurations::new(&search.kernel.links);
            let mut shortest = |positions: &[f64]| {
                configurations.write_all(positions);
                search.kernel.measure(&setup.goals, &mut configurations);
                search.kernel.linearise(&setup.goals, &mut configurations);
                let entry = |row: usize, i: usize| configurations.columns[i][row].0[0];
                svd.fill(6, entry, |row| if row < 3 { wanted[row] } else { 0.0 });
                let mut motion = vec![0.0; 7];
                svd.pseudoinverse(&mut motion);
                motion
            };
            let start = setup.start.clone();
            let motion = shortest(&start);
            let scale = 1e-5 / dot(&motion, &motion).sqrt();
            let positions: Vec<f64> = start.iter().zip(&motion).map(|(at, move_)| at + scale * move_).collect();
            let mut length = |i: usize, by: f64| {
                let mut moved = start.clone();
                moved[i] += by;
                let motion = shortest(&moved);
                0.5 * dot(&motion, &motion).ln()
            };
            let expected: Vec<f64> = (0..7).map(|i| (length(i, -1e-4) - length(i, 1e-4)) / 2e-4).collect();
            let mut found = SpeedDescent::default();
            let found = found.at(&search, &setup, &positions, 1.0, &mut Configurations::new(&search.kernel.links));
            let size = dot(&expected, &expected).sqrt();
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-3 * (1.0 + size * size), "{found} {expected}");
            }
        }
    }
}
