//! Chains of seven joints: the sweep of the locked joint for the posture that a problem prefers.
//!
//! The best posture at each of a few positions of the joint is a start. Where the move from the seed counts, the motion of the chain
//! that leaves its tip in place tells which position is better: the largest move is the greatest of lines, as far as that motion is
//! straight. Where manipulability counts, steps to either side are halved.

use std::f64::consts::{PI, TAU};

use super::ClosedForm;
use super::axes::REDUNDANT;
use super::choices::{Choice, PASSED, near_limits, settled};
use super::descent::Descent;
use super::least_move::least_move;
use super::locked::Locked;
use super::room::Room;
use crate::robot::Domain;
use crate::solver::jacobian::{Jacobian, JacobianScratch};
use crate::solver::problem::{Mode, Pick, Problem, Target};
use crate::solver::solution::Solution;

/// From one position of the joint to the next \[rad\], and positions to either side of the seed's at most.
const STEP: f64 = TAU / 12.0;
const SIDE: usize = 12;
/// In tracking, of the greatest step of the joint.
const TRACKING_STEP: f64 = 0.25;
/// Postures that are gone on from, and steps from each.
const STARTS: usize = 4;
const STEPS: usize = 4;
/// A smaller gain \[rad\] is worth no step.
const LEAST_GAIN: f64 = 1e-7;
/// The farthest that a joint is moved in one go \[rad\].
const FARTHEST: f64 = 0.5;
/// Halvings of the step to either side, where manipulability counts.
const HALVINGS: usize = 5;
/// Of the postures swept, those that are handed out at most, until one meets the target.
const HANDED_OUT: usize = 4;
/// Postures that are kept at most.
const KEPT: usize = 24;
/// How near the target a posture is to be on the way \[rad and m\].
const ARRIVED: f64 = 1e-7;
/// A posture that misses it by more \[rad, and m over the length scale\] has not come there.
const ASTRAY: f64 = 1e-5;
/// The same of one that a chain has which belongs to its family nearly.
const NEARLY: f64 = 0.1;

type Posture = Choice<REDUNDANT>;

/// The best postures of a sweep, the best first. Some of them pass limits, by no more than [`PASSED`].
struct Swept {
    postures: [Posture; KEPT],
    count: usize,
    /// The best of those that keep to them.
    best: Option<Posture>,
}

impl Swept {
    fn keep(&mut self, posture: Posture, inside: bool) {
        if inside && self.best.is_none_or(|best| posture.score < best.score) {
            self.best = Some(posture);
        }
        let place = self.postures[..self.count].partition_point(|kept| kept.score <= posture.score);
        if place < KEPT {
            self.count = (self.count + 1).min(KEPT);
            self.postures[place..self.count].rotate_right(1);
            self.postures[place] = posture;
        }
    }

    fn as_slice(&self) -> &[Posture] {
        &self.postures[..self.count]
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
    /// Whether what is left of the chain belongs to its family exactly.
    exact: bool,
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
        let Some(room) = Room::new(self.search.chain(), problem) else { return false };
        let descent = Descent::to(&self.search, target, &room, scratch);
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        if let (Some(swivel), false) = (&locked.swivel, by_manipulability)
            && let Some(least) = swivel.least(&target.pose, &descent, scratch)
        {
            let positions = std::array::from_fn::<_, REDUNDANT, _>(|i| room.seed[i] + least.moves[i]);
            if let Some((positions, _)) = settled(self.search.chain(), problem, &positions)
                && self.hand_out(problem, &positions, scratch, solution)
            {
                return true;
            }
        }
        let variables = self.search.chain().variables();
        seed.iter_mut().zip(variables).for_each(|(seed, variable)| *seed = variable.domain.clamp(*seed));
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        let exact = self.family().exact();
        let sweep = Sweep { locked, search: &self.search, problem, target, seed, by_manipulability, exact };
        let swept = sweep.swept(scratch);
        let best = sweep.refined(&swept, scratch);
        let inside = |posture: &&Posture| settled(self.search.chain(), problem, &posture.positions).is_some();
        let others = swept.as_slice().iter().filter(inside).take(HANDED_OUT);
        let mut candidates = best.iter().chain(others);
        candidates.any(|posture| self.hand_out(problem, &posture.positions, scratch, solution))
    }
}

impl Sweep<'_> {
    /// The best posture at each position, the seed's own first, then on to either side as long as better ones can be there.
    fn swept(&self, scratch: &mut JacobianScratch) -> Swept {
        let nothing = Posture { positions: self.seed, score: f64::INFINITY };
        let mut swept = Swept { postures: [nothing; KEPT], count: 0, best: None };
        let joint = self.locked.joint;
        let domain = self.search.chain().variables()[joint].domain;
        let (step, farthest) = match self.problem.mode {
            Mode::Track { max_step } => (STEP.min(TRACKING_STEP * max_step[joint]), max_step[joint]),
            Mode::Search { .. } => (STEP, f64::INFINITY),
        };
        let mut offset = 0.0;
        for number in 0..=SIDE {
            let hopeless = !self.by_manipulability && swept.best.is_some_and(|best| offset >= best.score);
            if hopeless || offset > farthest || (number > 0 && step == 0.0) {
                break;
            }
            let sides = if number == 0 { &[1.0][..] } else { &[1.0, -1.0] };
            for position in sides.iter().map(|side| self.seed[joint] + side * offset) {
                let again = domain == Domain::Circle && offset > PI;
                // The last step ends at the limit.
                let inside = domain.clamp(position);
                if again || (inside - position).abs() >= step.max(f64::MIN_POSITIVE) {
                    continue;
                }
                self.at(inside, scratch, &mut |posture, inside| swept.keep(posture, inside));
            }
            if number == 0 && !self.by_manipulability {
                // The smaller the largest move is, the sooner the sweep ends.
                let first = swept.as_slice().first().copied();
                if let Some(first) = first {
                    self.go_down(&first, &mut swept.best, scratch);
                }
            }
            offset += step;
        }
        swept
    }

    /// Every posture where the joint stands at `position`, and whether it keeps to the limits.
    fn at(&self, position: f64, scratch: &mut JacobianScratch, found: &mut dyn FnMut(Posture, bool)) {
        self.locked.postures(&self.target.pose, &self.seed, position, &mut |posture| {
            let (positions, passed) = near_limits(self.search.chain(), self.problem, posture);
            let inside = passed == 0.0;
            if self.by_manipulability && inside {
                let score = -self.search.log_manipulability(self.problem.targets, &positions, scratch);
                found(Posture { positions, score }, true);
            } else if !self.by_manipulability && passed <= PASSED {
                found(Posture { positions, score: self.largest_move(&positions) + passed }, inside);
            }
        });
    }

    /// The best that is found from the first of the postures.
    fn refined(&self, swept: &Swept, scratch: &mut JacobianScratch) -> Option<Posture> {
        let mut best = swept.best;
        if self.by_manipulability {
            if let Some(best) = &mut best {
                self.halve(best, scratch);
            }
        } else {
            swept.as_slice().iter().take(STARTS).for_each(|start| self.go_down(start, &mut best, scratch));
        }
        best
    }

    /// Goes from a posture to those whose largest move is smaller; leaves the smallest in `best`.
    fn go_down(&self, start: &Posture, best: &mut Option<Posture>, scratch: &mut JacobianScratch) {
        let mut positions = start.positions;
        if !self.exact {
            let Some((_, least)) = self.downhill(&positions, NEARLY, scratch) else { return };
            if best.is_some_and(|best| least > best.score) {
                return;
            }
            self.search.polish(self.target, ARRIVED, &mut positions, scratch);
        }
        for _ in 0..=STEPS {
            let Some((step, least)) = self.downhill(&positions, ASTRAY, scratch) else { return };
            if let Some((positions, score)) = settled(self.search.chain(), self.problem, &positions)
                && best.is_none_or(|best| score < best.score)
            {
                *best = Some(Posture { positions, score });
            }
            if best.is_some_and(|best| least > best.score - LEAST_GAIN) {
                return;
            }
            positions = std::array::from_fn(|i| positions[i] + step[i]);
            self.search.polish(self.target, ARRIVED, &mut positions, scratch);
        }
    }

    /// The step that leaves the tip in place and makes the largest move smallest, and how large that is then, as far as the motion is
    /// straight.
    fn downhill(
        &self,
        positions: &[f64; REDUNDANT],
        slack: f64,
        scratch: &mut JacobianScratch,
    ) -> Option<([f64; REDUNDANT], f64)> {
        self.search.aim(self.target, scratch);
        let found = self.search.self_motion(positions, scratch)?;
        if found.error > slack {
            return None;
        };
        let motion = found.motion;
        let moves: [f64; REDUNDANT] = std::array::from_fn(|i| positions[i] - self.seed[i]);
        let mut range = (-FARTHEST, FARTHEST);
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
                range = (range.0.max(ends.0.min(ends.1)), range.1.min(ends.0.max(ends.1)));
            }
        }
        if range.0 > range.1 {
            return None;
        }
        // From a posture that passes limits, first to where it keeps to them.
        let into = 0.0_f64.clamp(range.0, range.1);
        let moves = std::array::from_fn(|i| moves[i] + into * motion[i]);
        let (step, least) = least_move(&moves, &motion, (range.0 - into, range.1 - into));
        Some((motion.map(|rate| (into + step) * rate), least))
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
                self.at(position, scratch, &mut |posture, _| {
                    if posture.score < best.score {
                        *best = posture;
                    }
                });
            }
            step *= 0.5;
        }
    }
}
