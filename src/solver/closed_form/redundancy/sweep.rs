//! Chains of seven joints: the sweep of the locked joint for the posture that a problem prefers.
//!
//! An arm that can be gone over more cheaply is: by its arm angle, or by its outermost joint. Of any other, the best posture at each of a
//! few positions of the locked joint is a start, from which a descent leads to the least move from the seed. Where manipulability
//! counts, steps to either side are halved.

use std::f64::consts::{PI, TAU};

use super::descent::{Descent, Least};
use super::locked::Locked;
use super::room::{Room, largest};
use crate::robot::Domain;
use crate::solver::closed_form::ClosedForm;
use crate::solver::closed_form::axes::REDUNDANT;
use crate::solver::closed_form::choices::{Choice, PASSED, near_limits, settled};
use crate::solver::problem::{Mode, Pick, Problem, Target};
use crate::solver::search::{Search, SearchScratch};
use crate::solver::solution::Solution;

/// From one position of the joint to the next \[rad\], and positions to either side of the seed's at most.
const STEP: f64 = TAU / 12.0;
const SIDE: usize = 12;
/// In tracking, of the greatest step of the joint.
const TRACKING_STEP: f64 = 0.25;
/// Postures that are gone on from.
const STARTS: usize = 4;
/// Halvings of the step to either side, where manipulability counts.
const HALVINGS: usize = 5;
/// Of the postures swept, those that are handed out at most, until one meets the target.
const HANDED_OUT: usize = 4;
/// Postures that are kept at most.
const KEPT: usize = 24;

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
    search: &'a Search,
    problem: &'a Problem<'a>,
    target: &'a Target,
    room: Room,
    by_manipulability: bool,
}

impl ClosedForm {
    /// Solves a problem for a chain of seven joints; tells whether the target is met.
    pub(in crate::solver::closed_form) fn solve_redundant(
        &self,
        search: &Search,
        locked: &Locked,
        problem: &Problem,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) -> bool {
        let ([target], Some(room)) = (problem.targets, Room::new(search.chain(), problem)) else { return false };
        if target.free_axes.contains(&true) || !problem.preference.is_none() {
            return false;
        }
        let descent = Descent::to(search, target, &room, scratch);
        let least = locked.least(problem, &descent, scratch);
        let least = least.and_then(|least| settled(search.chain(), problem, &room.positions(&least.moves)));
        if least.is_some_and(|(positions, _)| self.hand_out(search, problem, &positions, scratch, solution)) {
            return true;
        }
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        let sweep = Sweep { locked, search, problem, target, room, by_manipulability };
        let swept = sweep.swept(scratch);
        let best = sweep.refined(&swept, scratch);
        let inside = |posture: &&Posture| settled(search.chain(), problem, &posture.positions).is_some();
        let others = swept.as_slice().iter().filter(inside).take(HANDED_OUT);
        let mut candidates = best.iter().chain(others);
        candidates.any(|posture| self.hand_out(search, problem, &posture.positions, scratch, solution))
    }
}

impl Locked {
    /// The posture with the least move that is found without locking a joint: of an arm that can be gone over more cheaply, and in tracking,
    /// which is to stay on the seed's branch, from the seed on.
    fn least(&self, problem: &Problem, descent: &Descent, scratch: &mut SearchScratch) -> Option<Least> {
        let pose = &problem.targets[0].pose;
        match (problem.mode, &self.swivel, &self.offset) {
            (Mode::Track { .. }, _, _) => {
                let mut least = None;
                descent.go_down(&[0.0; REDUNDANT], &mut least, scratch);
                least
            }
            (Mode::Search { pick: Pick::First | Pick::Nearest, .. }, Some(swivel), _) => {
                swivel.least(pose, descent, scratch)
            }
            (Mode::Search { pick: Pick::First | Pick::Nearest, .. }, None, Some(offset)) => {
                offset.least(pose, descent, scratch)
            }
            _ => None,
        }
    }
}

impl Sweep<'_> {
    /// The best posture at each position, the seed's own first, then on to either side as long as better ones can be there.
    fn swept(&self, scratch: &mut SearchScratch) -> Swept {
        let nothing = Posture { positions: self.room.seed, score: f64::INFINITY };
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
            for position in sides.iter().map(|side| self.room.seed[joint] + side * offset) {
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
    fn at(&self, position: f64, scratch: &mut SearchScratch, found: &mut dyn FnMut(Posture, bool)) {
        self.locked.postures(&self.target.pose, &self.room.seed, position, &mut |posture| {
            let (positions, passed) = near_limits(self.search.chain(), self.problem, posture);
            let inside = passed == 0.0;
            if self.by_manipulability && inside {
                let score = -self.search.log_manipulability(self.problem.targets, &positions, scratch);
                found(Posture { positions, score }, true);
            } else if !self.by_manipulability && passed <= PASSED {
                let moves = std::array::from_fn(|i| positions[i] - self.room.seed[i]);
                found(Posture { positions, score: largest(&moves) + passed }, inside);
            }
        });
    }

    /// The best that is found from the first of the postures.
    fn refined(&self, swept: &Swept, scratch: &mut SearchScratch) -> Option<Posture> {
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
    fn go_down(&self, start: &Posture, best: &mut Option<Posture>, scratch: &mut SearchScratch) {
        let descent = Descent::to(self.search, self.target, &self.room, scratch);
        let moves = |posture: &Posture| std::array::from_fn(|i| posture.positions[i] - self.room.seed[i]);
        let mut least = best.map(|best| Least { moves: moves(&best), largest: best.score });
        descent.go_down(&moves(start), &mut least, scratch);
        let positions = least.map(|least| self.room.positions(&least.moves));
        let settled = positions.and_then(|positions| settled(self.search.chain(), self.problem, &positions));
        if let Some((positions, score)) = settled {
            *best = Some(Posture { positions, score });
        }
    }

    /// Steps to either side, shorter and shorter.
    fn halve(&self, best: &mut Posture, scratch: &mut SearchScratch) {
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
