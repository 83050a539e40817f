//! Chains of seven joints: the sweep of the locked joint for the posture that a problem prefers.
//!
//! The best posture at each of a few positions of the joint is a start. Where the move from the seed counts, the motion of the chain
//! that leaves its tip in place tells which position is better: the largest move is the greatest of lines, as far as that motion is
//! straight. Where manipulability counts, steps to either side are halved.

use std::f64::consts::{PI, TAU};

use super::axes::REDUNDANT;
use super::choices::{Choice, settled};
use super::least_move::least_move;
use super::locked::Locked;
use super::{ClosedForm, POLISHED};
use crate::robot::Domain;
use crate::solver::jacobian::{Jacobian, JacobianScratch};
use crate::solver::problem::{Mode, Pick, Problem, Target};
use crate::solver::solution::Solution;

/// From one position of the joint to the next \[rad\], and positions to either side of the seed's at most.
const STEP: f64 = TAU / 18.0;
const SIDE: usize = 18;
/// In tracking, of the greatest step of the joint.
const TRACKING_STEP: f64 = 0.25;
/// Postures that are gone on from, and positions that are tried from each.
const STARTS: usize = 4;
const TRIES: usize = 3;
/// A smaller gain \[rad\] is worth no try.
const LEAST_GAIN: f64 = 1e-7;
/// Of a step that gains nothing, what is tried next.
const SHORTER: f64 = 0.4;
/// The farthest that a joint is moved in one go \[rad\].
const FARTHEST: f64 = 0.5;
/// Halvings of the step to either side, where manipulability counts.
const HALVINGS: usize = 5;
/// Postures that are handed out, until one meets the target.
const HANDED_OUT: usize = 8;

type Posture = Choice<REDUNDANT>;

/// The best posture at each position of the joint.
struct Swept {
    postures: [Posture; 2 * SIDE + 1],
    count: usize,
}

impl Swept {
    fn as_mut_slice(&mut self) -> &mut [Posture] {
        &mut self.postures[..self.count]
    }
}

/// What a sweep goes by.
struct Sweep<'a> {
    locked: &'a Locked,
    search: &'a Jacobian,
    problem: &'a Problem<'a>,
    target: &'a Target,
    /// Inside the limits \[rad\].
    seed: [f64; REDUNDANT],
    by_manipulability: bool,
}

impl ClosedForm {
    /// Solves a problem for a chain of seven joints; tells whether the target is met.
    pub(super) fn solve_redundant(
        &self,
        locked: &Locked,
        problem: &Problem,
        scratch: &mut JacobianScratch,
        solution: &mut Solution,
    ) -> bool {
        let ([target], Ok(mut seed)) = (problem.targets, <[f64; REDUNDANT]>::try_from(problem.seed)) else {
            return false;
        };
        if target.free_axes.contains(&true) || !problem.preference.is_none() {
            return false;
        }
        let variables = self.search.chain().variables();
        seed.iter_mut().zip(variables).for_each(|(seed, variable)| *seed = variable.domain.clamp(*seed));
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        let sweep = Sweep { locked, search: &self.search, problem, target, seed, by_manipulability };
        let mut swept = sweep.swept(scratch);
        let swept = swept.as_mut_slice();
        swept.sort_unstable_by(|a, b| a.score.total_cmp(&b.score));
        let best = sweep.refined(swept, scratch);
        let mut candidates = best.iter().chain(swept.iter().take(HANDED_OUT));
        let met = candidates.any(|posture| self.hand_out(problem, &posture.positions, scratch, solution));
        if met && !self.family().exact() && !by_manipulability {
            self.trim(&sweep, scratch, solution);
        }
        met
    }

    /// Where the chain belongs to its family nearly, one more step along its own motion.
    fn trim(&self, sweep: &Sweep, scratch: &mut JacobianScratch, solution: &mut Solution) {
        let Ok(before) = <[f64; REDUNDANT]>::try_from(solution.positions.as_slice()) else { return };
        let Some((motion, step, least)) = sweep.downhill(&before, scratch) else { return };
        let largest = sweep.largest_move(&before);
        if least > largest - LEAST_GAIN {
            return;
        }
        let mut after: [f64; REDUNDANT] = std::array::from_fn(|i| before[i] + step * motion[i]);
        self.search.polish(sweep.target, POLISHED, &mut after, scratch);
        if let Some((after, moved)) = settled(self.search.chain(), sweep.problem, &after)
            && moved < largest
            && !self.hand_out(sweep.problem, &after, scratch, solution)
        {
            self.hand_out(sweep.problem, &before, scratch, solution);
        }
    }
}

impl Sweep<'_> {
    /// The best posture at each position, the seed's own first, then on to either side as long as better ones can be there.
    fn swept(&self, scratch: &mut JacobianScratch) -> Swept {
        let nothing = Posture { positions: self.seed, score: f64::INFINITY };
        let mut swept = Swept { postures: [nothing; 2 * SIDE + 1], count: 0 };
        let (joint, mut best) = (self.locked.joint, f64::INFINITY);
        let domain = self.search.chain().variables()[joint].domain;
        let (step, farthest) = match self.problem.mode {
            Mode::Track { max_step } => (STEP.min(TRACKING_STEP * max_step[joint]), max_step[joint]),
            Mode::Search { .. } => (STEP, f64::INFINITY),
        };
        let mut offset = 0.0;
        for number in 0..=SIDE {
            let hopeless = !self.by_manipulability && offset >= best;
            if hopeless || offset > farthest || (number > 0 && step == 0.0) {
                break;
            }
            let sides = if number == 0 { &[1.0][..] } else { &[1.0, -1.0] };
            for position in sides.iter().map(|side| self.seed[joint] + side * offset) {
                let again = domain == Domain::Circle && offset > PI;
                if again || !domain.contains(position) {
                    continue;
                }
                if let Some(posture) = self.best_at(position, scratch) {
                    best = best.min(posture.score);
                    swept.postures[swept.count] = posture;
                    swept.count += 1;
                }
            }
            offset += step;
        }
        swept
    }

    /// The best posture inside the limits where the joint stands at `position`.
    fn best_at(&self, position: f64, scratch: &mut JacobianScratch) -> Option<Posture> {
        let mut best: Option<Posture> = None;
        self.locked.postures(&self.target.pose, &self.seed, position, &mut |posture| {
            let Some((positions, largest_move)) = settled(self.search.chain(), self.problem, posture) else { return };
            let score = if self.by_manipulability {
                -self.search.log_manipulability(self.problem.targets, &positions, scratch)
            } else {
                largest_move
            };
            if best.is_none_or(|best| score < best.score) {
                best = Some(Posture { positions, score });
            }
        });
        best
    }

    /// The best that is found from the first of the postures.
    fn refined(&self, swept: &[Posture], scratch: &mut JacobianScratch) -> Option<Posture> {
        let mut best = *swept.first()?;
        if self.by_manipulability {
            self.halve(&mut best, scratch);
        } else {
            swept.iter().take(STARTS).for_each(|start| self.go_down(*start, &mut best, scratch));
        }
        Some(best)
    }

    /// Goes from a posture to those whose largest move is smaller; leaves the smallest in `best`.
    fn go_down(&self, mut posture: Posture, best: &mut Posture, scratch: &mut JacobianScratch) {
        let mut shorter = 1.0;
        for _ in 0..TRIES {
            let Some((_, step, least)) = self.downhill(&posture.positions, scratch) else { return };
            if least > best.score - LEAST_GAIN {
                return;
            }
            let position = posture.positions[self.locked.joint] + shorter * step;
            match self.best_at(position, scratch) {
                Some(next) if next.score < posture.score => (posture, shorter) = (next, 1.0),
                _ => shorter *= SHORTER,
            }
            if posture.score < best.score {
                *best = posture;
            }
        }
    }

    /// The motion that leaves the tip in place, how far along it the largest move is smallest, and how large it is there, as far as
    /// the motion is straight.
    fn downhill(
        &self,
        positions: &[f64; REDUNDANT],
        scratch: &mut JacobianScratch,
    ) -> Option<([f64; REDUNDANT], f64, f64)> {
        let motion = self.search.self_motion(self.target, positions, self.locked.joint, scratch)?;
        let moves: [f64; REDUNDANT] = std::array::from_fn(|i| positions[i] - self.seed[i]);
        let fastest = motion.iter().fold(0.0, |fastest: f64, rate| fastest.max(rate.abs()));
        let mut range = (-FARTHEST / fastest, FARTHEST / fastest);
        for (index, variable) in self.search.chain().variables().iter().enumerate() {
            let (mut lower, mut upper) = match variable.domain {
                Domain::Interval { lower, upper } => (lower, upper),
                Domain::Circle => (f64::NEG_INFINITY, f64::INFINITY),
            };
            if let Mode::Track { max_step } = self.problem.mode {
                lower = lower.max(self.seed[index] - max_step[index]);
                upper = upper.min(self.seed[index] + max_step[index]);
            }
            let (rate, position) = (motion[index], positions[index]);
            if rate != 0.0 {
                let ends = ((lower - position) / rate, (upper - position) / rate);
                range.0 = range.0.max(ends.0.min(ends.1)).min(0.0);
                range.1 = range.1.min(ends.0.max(ends.1)).max(0.0);
            }
        }
        let (step, least) = least_move(&moves, &motion, range);
        Some((motion, step, least))
    }

    /// The largest move of a joint from the seed \[rad\].
    fn largest_move(&self, positions: &[f64; REDUNDANT]) -> f64 {
        positions.iter().zip(&self.seed).map(|(position, seed)| (position - seed).abs()).fold(0.0, f64::max)
    }

    /// Steps to either side, shorter and shorter.
    fn halve(&self, best: &mut Posture, scratch: &mut JacobianScratch) {
        let mut step = 0.5 * STEP;
        for _ in 0..HALVINGS {
            let middle = best.positions[self.locked.joint];
            let domain = self.search.chain().variables()[self.locked.joint].domain;
            for position in [middle - step, middle + step].map(|position| domain.clamp(position)) {
                if let Some(posture) = self.best_at(position, scratch)
                    && posture.score < best.score
                {
                    *best = posture;
                }
            }
            step *= 0.5;
        }
    }
}
