//! The sweep of the locked joint of a chain of seven for the configuration that a problem prefers.
//!
//! The configurations at a few positions of the locked joint are starts. From the best of them descents lead to the least move from the
//! seed; where manipulability counts, steps to either side are halved.

use std::f64::consts::{PI, TAU};

use super::descent::{Descent, Least};
use super::joint_ranges::{JointRanges, Seven, largest};
use super::locked_joint::LockedJoint;
use super::starts::{Start, Starts};
use crate::closed_form::choices::{MAX_LIMIT_EXCESS, folded_into_limits, folded_near_limits};
use crate::search::{Posed, SearchScratch};
use crate::{Mode, Target};
use urdf_ik_robot::Domain;

/// From one position of the locked joint to the next \[rad\].
const SWEEP_STEP: f64 = TAU / 12.0;
/// The most positions to either side of the seed's.
const MAX_STEPS_PER_SIDE: usize = 12;
/// In tracking, from one position of the locked joint to the next, over the greatest step of the joint.
const TRACKING_STEP_SHARE: f64 = 0.25;
/// The most configurations that a descent starts from.
const MAX_DESCENTS: usize = 4;
/// Halvings of the step to either side, where manipulability counts.
const HALVINGS: usize = 5;
/// The most starts that are kept.
const MAX_STARTS: usize = 24;

/// A configuration at one position of the locked joint \[rad\], and what it costs.
pub(super) type Swept = Start<Seven>;

/// Where the sweep starts.
pub(super) struct SweepStarts {
    /// The best configurations. Some of them pass limits, by no more than [`MAX_LIMIT_EXCESS`].
    pub all: Starts<Seven, MAX_STARTS>,
    /// The best of those that keep to them.
    best: Option<Swept>,
}

impl SweepStarts {
    fn keep(&mut self, found: Swept, inside: bool) {
        if inside && self.best.is_none_or(|best| found.cost < best.cost) {
            self.best = Some(found);
        }
        self.all.keep(found);
    }
}

/// A sweep of the locked joint for one problem.
pub(super) struct Sweep<'a> {
    pub locked: &'a LockedJoint,
    pub posed: Posed<'a>,
    pub target: &'a Target,
    pub ranges: JointRanges,
    pub by_manipulability: bool,
}

impl Sweep<'_> {
    /// The configurations at each position, the seed's own first, then on to either side as long as better ones can be there.
    pub fn starts(&self, scratch: &mut SearchScratch) -> SweepStarts {
        let mut starts = SweepStarts { all: Starts::none(), best: None };
        let joint = self.locked.joint;
        let domain = self.posed.domain(joint);
        let (step, farthest) = match self.posed.problem.mode {
            Mode::Track { max_step } => (SWEEP_STEP.min(TRACKING_STEP_SHARE * max_step[joint]), max_step[joint]),
            Mode::Search { .. } => (SWEEP_STEP, f64::INFINITY),
        };
        let mut offset = 0.0;
        for number in 0..=MAX_STEPS_PER_SIDE {
            let hopeless = !self.by_manipulability && starts.best.is_some_and(|best| offset >= best.cost);
            if hopeless || offset > farthest || (number > 0 && step == 0.0) {
                break;
            }
            let sides = if number == 0 { &[1.0][..] } else { &[1.0, -1.0] };
            for position in sides.iter().map(|side| self.ranges.seed[joint] + side * offset) {
                let again = domain == Domain::Circle && offset > PI;
                // The last step ends at the limit.
                let inside = domain.clamp(position);
                if again || (inside - position).abs() >= step.max(f64::MIN_POSITIVE) {
                    continue;
                }
                self.at(inside, scratch, &mut |found, inside| starts.keep(found, inside));
            }
            if number == 0 && !self.by_manipulability {
                // The smaller the largest move is, the sooner the sweep ends.
                if let Some(first) = starts.all.as_slice().first() {
                    self.go_down(first, &mut starts.best, scratch);
                }
            }
            offset += step;
        }
        starts
    }

    /// Every configuration where the joint stands at `position`, and whether it keeps to the limits.
    fn at(&self, position: f64, scratch: &mut SearchScratch, found: &mut dyn FnMut(Swept, bool)) {
        self.locked.solutions(&self.target.pose, &self.ranges.seed, position, &mut |configuration| {
            let Posed { search, problem } = self.posed;
            let (positions, passed) = folded_near_limits(self.posed, configuration);
            let inside = passed == 0.0;
            if inside && !scratch.clearance().is_clear(problem, &positions) {
                return;
            }
            if self.by_manipulability && inside {
                let cost = search.manipulability_cost(problem.targets, &positions, scratch);
                found(Swept { cost, at: positions }, true);
            } else if !self.by_manipulability && passed <= MAX_LIMIT_EXCESS {
                let moves = std::array::from_fn(|i| positions[i] - self.ranges.seed[i]);
                found(Swept { cost: largest(&moves) + passed, at: positions }, inside);
            }
        });
    }

    /// The configuration with the least cost that is found from the first of the starts.
    pub fn least(&self, starts: &SweepStarts, scratch: &mut SearchScratch) -> Option<Swept> {
        let mut best = starts.best;
        if self.by_manipulability {
            if let Some(best) = &mut best {
                self.halve(best, scratch);
            }
        } else {
            starts.all.as_slice().iter().take(MAX_DESCENTS).for_each(|start| self.go_down(start, &mut best, scratch));
        }
        best
    }

    /// Goes from a configuration to those whose largest move is smaller; leaves the smallest in `best`.
    fn go_down(&self, start: &Swept, best: &mut Option<Swept>, scratch: &mut SearchScratch) {
        let descent = Descent::to(self.posed.search, self.target, &self.ranges, scratch);
        let moves = |from: &Swept| std::array::from_fn(|i| from.at[i] - self.ranges.seed[i]);
        let mut least = best.map(|best| Least { moves: moves(&best), largest: best.cost });
        descent.go_down(&moves(start), &mut least, scratch);
        let positions = least.map(|least| self.ranges.positions(&least.moves));
        let folded = positions.and_then(|positions| folded_into_limits(self.posed, &positions));
        if let Some((positions, cost)) = folded
            && scratch.clearance().is_clear(self.posed.problem, &positions)
        {
            *best = Some(Swept { cost, at: positions });
        }
    }

    /// Steps to either side, shorter and shorter.
    fn halve(&self, best: &mut Swept, scratch: &mut SearchScratch) {
        let mut step = 0.5 * SWEEP_STEP;
        for _ in 0..HALVINGS {
            let middle = best.at[self.locked.joint];
            let domain = self.posed.domain(self.locked.joint);
            for position in [middle - step, middle + step].map(|position| domain.clamp(position)) {
                self.at(position, scratch, &mut |found, _| {
                    if found.cost < best.cost {
                        *best = found;
                    }
                });
            }
            step *= 0.5;
        }
    }
}
