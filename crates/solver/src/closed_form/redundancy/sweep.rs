//! The sweep of the locked joint of a chain of seven for the configuration that a problem prefers.
//!
//! The best configuration at each of a few positions of the locked joint is a start. From there a descent leads to the least move from
//! the seed; where manipulability counts, steps to either side are halved.

use std::f64::consts::{PI, TAU};

use super::descent::{Descent, Least};
use super::joint_ranges::{JointRanges, largest};
use super::locked_joint::LockedJoint;
use crate::closed_form::choices::{Choice, MAX_LIMIT_EXCESS, folded_into_limits, folded_near_limits};
use crate::search::{Search, SearchScratch};
use crate::{Mode, Problem, Target};
use urdf_ik_closed_form::REDUNDANT_JOINTS;
use urdf_ik_mathematics::best::make_room;
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
/// The most configurations that are kept.
const MAX_KEPT: usize = 24;

/// A configuration at one position of the locked joint, and its score.
pub(super) type SweptConfiguration = Choice<REDUNDANT_JOINTS>;

/// The best configurations of a sweep, the best first. Some of them pass limits, by no more than [`MAX_LIMIT_EXCESS`].
pub(super) struct Swept {
    configurations: [SweptConfiguration; MAX_KEPT],
    count: usize,
    /// The best of those that keep to them.
    best: Option<SweptConfiguration>,
}

impl Swept {
    fn keep(&mut self, configuration: SweptConfiguration, inside: bool) {
        if inside && self.best.is_none_or(|best| configuration.score < best.score) {
            self.best = Some(configuration);
        }
        let comes_before = |kept: &SweptConfiguration| kept.score <= configuration.score;
        if let Some(place) = make_room(&mut self.configurations, &mut self.count, comes_before) {
            *place = configuration;
        }
    }

    pub fn as_slice(&self) -> &[SweptConfiguration] {
        &self.configurations[..self.count]
    }
}

/// A sweep of the locked joint for one problem.
pub(super) struct Sweep<'a> {
    pub locked: &'a LockedJoint,
    pub search: &'a Search,
    pub problem: &'a Problem<'a>,
    pub target: &'a Target,
    pub ranges: JointRanges,
    pub by_manipulability: bool,
}

impl Sweep<'_> {
    /// Where the locked joint may be.
    fn domain(&self) -> Domain {
        self.problem.domain(self.locked.joint, self.search.chain().variables()[self.locked.joint].domain)
    }

    /// The best configuration at each position, the seed's own first, then on to either side as long as better ones can be there.
    pub fn swept(&self, scratch: &mut SearchScratch) -> Swept {
        let nothing = SweptConfiguration { positions: self.ranges.seed, score: f64::INFINITY };
        let mut swept = Swept { configurations: [nothing; MAX_KEPT], count: 0, best: None };
        let joint = self.locked.joint;
        let domain = self.domain();
        let (step, farthest) = match self.problem.mode {
            Mode::Track { max_step } => (SWEEP_STEP.min(TRACKING_STEP_SHARE * max_step[joint]), max_step[joint]),
            Mode::Search { .. } => (SWEEP_STEP, f64::INFINITY),
        };
        let mut offset = 0.0;
        for number in 0..=MAX_STEPS_PER_SIDE {
            let hopeless = !self.by_manipulability && swept.best.is_some_and(|best| offset >= best.score);
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
                self.at(inside, scratch, &mut |configuration, inside| swept.keep(configuration, inside));
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

    /// Every configuration where the joint stands at `position`, and whether it keeps to the limits.
    fn at(&self, position: f64, scratch: &mut SearchScratch, found: &mut dyn FnMut(SweptConfiguration, bool)) {
        self.locked.solutions(&self.target.pose, &self.ranges.seed, position, &mut |configuration| {
            let (positions, passed) = folded_near_limits(self.search.chain(), self.problem, configuration);
            let inside = passed == 0.0;
            if inside && !scratch.clearance().is_clear(self.problem, &positions) {
                return;
            }
            if self.by_manipulability && inside {
                let score = -self.search.log_manipulability(self.problem.targets, &positions, scratch);
                found(SweptConfiguration { positions, score }, true);
            } else if !self.by_manipulability && passed <= MAX_LIMIT_EXCESS {
                let moves = std::array::from_fn(|i| positions[i] - self.ranges.seed[i]);
                found(SweptConfiguration { positions, score: largest(&moves) + passed }, inside);
            }
        });
    }

    /// The best that is found from the first of the configurations.
    pub fn refined(&self, swept: &Swept, scratch: &mut SearchScratch) -> Option<SweptConfiguration> {
        let mut best = swept.best;
        if self.by_manipulability {
            if let Some(best) = &mut best {
                self.halve(best, scratch);
            }
        } else {
            swept.as_slice().iter().take(MAX_DESCENTS).for_each(|start| self.go_down(start, &mut best, scratch));
        }
        best
    }

    /// Goes from a configuration to those whose largest move is smaller; leaves the smallest in `best`.
    fn go_down(&self, start: &SweptConfiguration, best: &mut Option<SweptConfiguration>, scratch: &mut SearchScratch) {
        let descent = Descent::to(self.search, self.target, &self.ranges, scratch);
        let moves = |configuration: &SweptConfiguration| {
            std::array::from_fn(|i| configuration.positions[i] - self.ranges.seed[i])
        };
        let mut least = best.map(|best| Least { moves: moves(&best), largest: best.score });
        descent.go_down(&moves(start), &mut least, scratch);
        let positions = least.map(|least| self.ranges.positions(&least.moves));
        let folded = positions.and_then(|positions| folded_into_limits(self.search.chain(), self.problem, &positions));
        if let Some((positions, score)) = folded
            && scratch.clearance().is_clear(self.problem, &positions)
        {
            *best = Some(SweptConfiguration { positions, score });
        }
    }

    /// Steps to either side, shorter and shorter.
    fn halve(&self, best: &mut SweptConfiguration, scratch: &mut SearchScratch) {
        let mut step = 0.5 * SWEEP_STEP;
        for _ in 0..HALVINGS {
            let middle = best.positions[self.locked.joint];
            let domain = self.domain();
            for position in [middle - step, middle + step].map(|position| domain.clamp(position)) {
                self.at(position, scratch, &mut |configuration, _| {
                    if configuration.score < best.score {
                        *best = configuration;
                    }
                });
            }
            step *= 0.5;
        }
    }
}
