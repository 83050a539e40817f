//! A complete solve: cycles until they make no progress, attempts, the outcome.

use std::time::Instant;

use super::cycle::CycleScratch;
use super::least_squares::LeastSquares;
use super::polish::Polish;
use super::posture::{Goals, Posture, contradiction};
use super::setup::{Errors, Setup};
use super::stall::Watch;
use super::{Configuration, Options, Outcome, Problem, Reason, Residual, Skeleton, Solution, Target};
use urdf_ik_mathematics::segments::{InputError, Refusal, require};

/// A configuration that the seed does not lead to is taken only where it brings the targets nearer by more than this
/// fraction of the reach: else the answer would leap from one frame of a drag to the next for next to nothing. With
/// restarts, the answer is the nearest one to 1 %.
const MARGIN: f64 = 0.009;
/// The fraction instead of [`MARGIN`] without restarts: a target that is dragged by 5 mm in each frame is as much farther.
const MARGIN_WITHOUT_RESTARTS: f64 = 0.02;
/// A seed is near its targets within this fraction of the reach.
const NEAR: f64 = 0.1;
/// Weight of a target out of reach in each cycle over that in the previous cycle.
const FADING: f64 = 0.8;
/// Smallest weight of a target out of reach, so that no sum of weights becomes zero.
const FAINTEST: f64 = 1e-12;

/// Scratch memory of a solve. Made by [`Skeleton::scratch`], allocated there once. It fits any skeleton of as many
/// segments, with the same acceleration or none. Its contents never change an answer.
#[derive(Debug, Clone)]
pub struct Scratch {
    pub(super) goals: Goals,
    pub(super) current: Posture,
    /// The best configuration so far.
    pub(super) best: Posture,
    pub(super) cycle: CycleScratch,
    pub(super) polish: LeastSquares,
}

/// How far a solve went.
struct Progress {
    best: Option<Errors>,
    left: usize,
    accelerated: usize,
    restarts: usize,
    /// By how much another attempt has to be nearer \[m\].
    margin: f64,
    /// When it has to end.
    deadline: Option<Instant>,
}

impl Skeleton {
    /// Scratch memory for this skeleton and the [`Options::acceleration`] of `options`.
    pub fn scratch(&self, options: &Options) -> Scratch {
        let segments = self.segment_count();
        Scratch {
            goals: Goals::new(segments),
            current: Posture::new(segments),
            best: Posture::new(segments),
            cycle: CycleScratch::new(segments, options),
            polish: LeastSquares::new(segments + 1),
        }
    }

    /// Moves the points to the targets. It allocates nothing, and the same problem gives the same bits.
    ///
    /// A seed that meets its targets, with its root in place, its lengths and limits, is returned as it is. All lengths
    /// and limits hold in the answer, to rounding. The closest configuration of all cycles and attempts counts; with
    /// limits or orientations, one that the seed does not lead to counts only where it is nearer by 0.9 % of the reach,
    /// without restarts by 2 %.
    ///
    /// # Errors
    /// [`InputError`] where the problem, the scratch or the memory for the answer do not fit this skeleton; `solution`
    /// is then left as it was. A target that is not met is not an error but an [`Outcome`].
    pub fn solve(&self, problem: &Problem, scratch: &mut Scratch, solution: &mut Solution) -> Result<(), InputError> {
        self.check(problem, scratch, solution)?;
        let setup = Setup::new(self, problem);
        scratch.prepare(&setup);
        let progress = setup.run(scratch);
        setup.judge(&progress, scratch, solution);
        Ok(())
    }

    fn check(&self, problem: &Problem, scratch: &Scratch, solution: &Solution) -> Result<(), InputError> {
        problem.check(self)?;
        self.check_scratch(problem, scratch)?;
        self.check_count("solution", solution.configuration.points.len(), 1)?;
        self.check_count("solution's list of limited joints", solution.limited.len(), 0)
    }

    pub(super) fn check_scratch(&self, problem: &Problem, scratch: &Scratch) -> Result<(), InputError> {
        self.check_count("scratch", scratch.current.points.len(), 1)?;
        // Plain cycles need no memory for acceleration.
        let (found, expected) = (scratch.cycle.anderson.depth, problem.options.acceleration);
        require(expected == 0 || found == expected, || Refusal::Depth { found, expected })
    }
}

impl Scratch {
    /// Writes what the targets mean for the points.
    pub(super) fn prepare(&mut self, setup: &Setup) {
        self.set_kind(setup.has_orientations);
        self.goals.set(setup.skeleton, setup.problem, setup.root.map(|root| root.translation.vector.into()));
    }

    pub(super) fn set_kind(&mut self, has_orientations: bool) {
        self.current.set_kind(has_orientations);
        self.best.set_kind(has_orientations);
        self.cycle.set_kind(has_orientations);
    }
}

impl Setup<'_> {
    fn run(&self, scratch: &mut Scratch) -> Progress {
        let options = &self.problem.options;
        let deadline = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let (left, margin) = (options.iterations, 0.0);
        let mut progress = Progress { best: None, left, accelerated: 0, restarts: 0, margin, deadline };
        if !self.weights_are_the_same() {
            // Weights decide only what cannot be met: what can be is found better without them.
            progress.left /= 2;
            scratch.goals.weigh(self.problem.targets, true);
            self.search(&mut progress, scratch);
            scratch.goals.weigh(self.problem.targets, false);
            progress.left += options.iterations - options.iterations / 2;
        }
        if !progress.are_met() {
            progress.best = progress.best.map(|_| self.errors(&scratch.goals, &scratch.best));
            self.search(&mut progress, scratch);
        }
        // A cycle may have asked for more than a joint allows, and have ended elsewhere.
        let Posture { limited, rotations, .. } = &mut scratch.best;
        for ((limited, rotation), joint) in limited.iter_mut().zip(rotations).zip(&self.skeleton.joints) {
            *limited = *limited && joint.is_at_limit(rotation);
        }
        progress
    }

    /// Searches from the seed, and where that does not meet the targets, from scattered configurations.
    fn search(&self, progress: &mut Progress, scratch: &mut Scratch) {
        let (restarts, polish_follows) = (self.problem.options.restarts, self.polish_follows());
        // What is dragged only leads on from where it is.
        let is_dragged = polish_follows && {
            self.start(0, &scratch.goals, &mut scratch.current);
            self.errors(&scratch.goals, &scratch.current).sum() < NEAR * self.reach_of_targets()
        };
        if is_dragged {
            self.lead_on(progress, scratch);
            if progress.are_met() || restarts == 0 {
                return;
            }
        }
        // What the polish leads to from the seed is compared at the end.
        progress.margin = if polish_follows { 0.0 } else { self.margin() };
        for attempt in usize::from(is_dragged)..=restarts {
            progress.restarts = attempt;
            self.start(attempt, &scratch.goals, &mut scratch.current);
            self.attempt(progress, scratch);
            // Without limits, targets out of reach are as near as they come.
            let is_over = |best: Errors| if self.has_orientations { best.are_met() } else { best.near_is_met };
            if progress.best.is_some_and(is_over) || progress.is_over() {
                break;
            }
        }
        if polish_follows && !progress.are_met() {
            scratch.current.copy_from(&scratch.best);
            self.polish(Polish::Fully, scratch, &mut progress.left);
            progress.keep(self.errors(&scratch.goals, &scratch.current), scratch);
            self.lead_on(progress, scratch);
        } else if self.is_polished_at_the_end() && !progress.best.is_some_and(|best| best.near_is_met) {
            self.polish_points(progress, scratch);
        }
    }

    /// Least squares from the best points. They turn segments, which have orientations for as long.
    fn polish_points(&self, progress: &mut Progress, scratch: &mut Scratch) {
        scratch.set_kind(true);
        scratch.current.points.copy_from_slice(&scratch.best.points);
        self.skeleton.turn_into(&[], &mut scratch.current);
        self.polish(Polish::Fully, scratch, &mut progress.left);
        let errors = self.errors(&scratch.goals, &scratch.current);
        scratch.set_kind(false);
        progress.margin = 0.0;
        progress.keep(errors, scratch);
    }

    /// Goes on from the seed by least squares alone, and keeps that but where another configuration is nearer by the
    /// margin: so what is dragged keeps its pose. A segment turns far only where that, too, comes nearer by the margin.
    fn lead_on(&self, progress: &mut Progress, scratch: &mut Scratch) {
        self.start(0, &scratch.goals, &mut scratch.current);
        let is_held = self.polish(Polish::Calmly, scratch, &mut progress.left);
        let calm = self.errors(&scratch.goals, &scratch.current);
        if progress.best.is_some_and(|best| best.is_nearer_by(self.margin(), &calm)) {
            return;
        }
        progress.replace(calm, scratch);
        if is_held {
            self.polish(Polish::Fully, scratch, &mut progress.left);
            let errors = self.errors(&scratch.goals, &scratch.current);
            if errors.sum() + self.margin() < calm.sum() {
                progress.replace(errors, scratch);
            }
        }
    }

    /// Cycles from the current configuration until the targets are met or there is no progress, and a polish from there.
    /// Keeps the best configuration.
    fn attempt(&self, progress: &mut Progress, scratch: &mut Scratch) {
        let Scratch { goals, current, cycle, .. } = scratch;
        cycle.reset(self.skeleton);
        if self.is_single_chain && !self.errors(goals, current).are_met() && self.lay_straight(&mut current.points) {
            return progress.keep(self.errors(goals, current), scratch);
        }
        let polish_follows = self.polish_follows();
        // Cycles lead many starts to the same place, so that only the first attempt has them.
        let skips_cycles = polish_follows && progress.restarts > 0;
        let mut watch = Watch::new(self.has_orientations, polish_follows);
        scratch.goals.fading = 1.0;
        loop {
            let Scratch { goals, current, cycle, .. } = scratch;
            let mut errors = self.errors(goals, current);
            let is_over = errors.are_met()
                || progress.is_over()
                || skips_cycles
                || watch.has_stalled(self, &errors, current, cycle);
            if is_over && polish_follows && !errors.are_met() {
                let kind = if progress.restarts == 0 { Polish::Quickly } else { Polish::Nearly };
                self.polish(kind, scratch, &mut progress.left);
                errors = self.errors(&scratch.goals, &scratch.current);
            }
            // The error of a single chain never grows.
            if is_over || !self.is_single_chain {
                progress.keep(errors, scratch);
            }
            if is_over {
                return;
            }
            // A chain that is folded near its root comes nearer very slowly, but a circle closes it.
            let circles = self.problem.options.circles || watch.is_slow();
            let Scratch { goals, current, cycle, .. } = scratch;
            let is_accelerated = self.cycle(goals, circles, current, cycle);
            goals.fading = (goals.fading * FADING).max(FAINTEST);
            progress.accelerated += usize::from(is_accelerated);
            progress.left -= 1;
        }
    }

    fn polish_follows(&self) -> bool {
        self.problem.options.polish && self.has_orientations
    }

    /// Whether points alone end with a polish. A chain needs none.
    fn is_polished_at_the_end(&self) -> bool {
        self.problem.options.polish && !self.has_orientations && !self.is_single_chain
    }

    fn weights_are_the_same(&self) -> bool {
        self.problem.targets.windows(2).all(|two| two[0].weight.total_cmp(&two[1].weight).is_eq())
    }

    /// By how much a configuration that the seed does not lead to has to be nearer \[m\].
    fn margin(&self) -> f64 {
        self.reach_of_targets() * if self.problem.options.restarts > 0 { MARGIN } else { MARGIN_WITHOUT_RESTARTS }
    }

    /// The greatest distance \[m\] from the root that a point with a target can have.
    fn reach_of_targets(&self) -> f64 {
        let reach = |target: &Target| self.skeleton.reach_between(0, target.point).outer;
        self.problem.targets.iter().map(reach).fold(0.0, f64::max)
    }

    /// Writes the answer: the configuration, and whether it meets the targets.
    fn judge(&self, progress: &Progress, scratch: &Scratch, solution: &mut Solution) {
        let Scratch { best, .. } = scratch;
        let Configuration { points, orientations } = &mut solution.configuration;
        points.copy_from_slice(&best.points);
        orientations.clear();
        orientations.extend_from_slice(&best.orientations);
        solution.limited.copy_from_slice(&best.limited);
        solution.iterations = self.problem.options.iterations - progress.left;
        (solution.accelerated, solution.restarts) = (progress.accelerated, progress.restarts);
        solution.residuals.clear();
        for index in 0..self.problem.targets.len() {
            let (distance, angle) = self.problem.targets[index].apart(best);
            let is_met = self.problem.options.allow(distance, angle);
            let outcome =
                if is_met { Outcome::Solved } else { Outcome::Closest(self.reason(index, progress, scratch)) };
            solution.residuals.push(Residual { distance, angle, outcome });
        }
    }

    /// Why a target is not met: what is certain first.
    fn reason(&self, index: usize, progress: &Progress, Scratch { goals, best, .. }: &Scratch) -> Reason {
        let certain = goals.far[index].map(|(reason, _)| reason);
        certain.or_else(|| contradiction(self.skeleton, self.problem, index)).unwrap_or({
            if best.limited.contains(&true) {
                Reason::Limits
            } else if self.is_single_chain && progress.left > 0 {
                Reason::Stalled
            } else {
                Reason::NotConverged
            }
        })
    }
}

impl Progress {
    fn are_met(&self) -> bool {
        self.best.is_some_and(|best| best.are_met())
    }

    /// Whether no iteration and no time are left.
    fn is_over(&self) -> bool {
        self.left == 0 || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Replaces the best configuration by the current one where that is nearer.
    fn keep(&mut self, errors: Errors, scratch: &mut Scratch) {
        let is_kept = |before: Errors| match self.restarts {
            // Of two that are equally near, the newer one tells what limits it.
            0 => !before.is_nearer_than(&errors),
            _ => errors.is_nearer_by(self.margin, &before),
        };
        if self.best.is_none_or(is_kept) {
            if self.restarts > 0 {
                self.margin = 0.0;
            }
            self.replace(errors, scratch);
        }
    }

    fn replace(&mut self, errors: Errors, Scratch { current, best, .. }: &mut Scratch) {
        self.best = Some(errors);
        best.copy_from(current);
    }
}
