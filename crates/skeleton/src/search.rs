//! The solve: attempts of cycles and polish, and their outcome.

use std::time::Instant;

use super::cycle::CycleBuffers;
use super::least_squares::LeastSquares;
use super::polish::Polish;
use super::posture::{Goals, Posture, contradiction};
use super::setup::{Errors, SkeletonSetup};
use super::stall::StallDetector;
use super::{
    Outcome, Reason, Residual, Skeleton, SkeletonConfiguration, SkeletonOptions, SkeletonProblem, SkeletonSolution,
    SkeletonTarget,
};
use urdf_ik_mathematics::segments::{InputError, InputErrorKind, require};

/// A configuration not reached from the seed must be nearer to the targets by this fraction of the reach: otherwise the
/// solution would jump between frames of a drag for a negligible gain. With restarts, the solution is optimal to 1 %.
const RESTART_MARGIN: f64 = 0.009;
/// [`RESTART_MARGIN`] without restarts: larger, because a target dragged by 5 mm per frame is farther away by as much.
const SINGLE_ATTEMPT_MARGIN: f64 = 0.02;
/// A seed closer to its targets than this fraction of the reach counts as dragged.
const MAX_DRAG_DISTANCE: f64 = 0.1;
/// Factor by which the weight of targets out of reach decays per cycle.
const FAR_WEIGHT_DECAY: f64 = 0.8;
/// Minimum of that weight, so that no sum of weights becomes zero.
const MIN_FAR_WEIGHT: f64 = 1e-12;

/// Preallocated memory for solving. Created by [`Skeleton::scratch`]; fits any skeleton with the same number of
/// segments and the same acceleration depth or none. Its contents never influence a solution.
#[derive(Debug, Clone)]
pub struct SkeletonScratch {
    pub(super) goals: Goals,
    pub(super) current: Posture,
    /// The best configuration so far.
    pub(super) best: Posture,
    pub(super) cycle: CycleBuffers,
    pub(super) polish: LeastSquares,
}

/// Progress of a solve.
struct SolveProgress {
    best: Option<Errors>,
    left: usize,
    accelerated: usize,
    restarts: usize,
    /// Minimum improvement of the error by another attempt \[m\].
    margin: f64,
    /// When to stop.
    deadline: Option<Instant>,
}

impl Skeleton {
    /// Scratch memory for this skeleton and the [`SkeletonOptions::acceleration`] of `options`.
    pub fn scratch(&self, options: &SkeletonOptions) -> SkeletonScratch {
        let segments = self.segment_count();
        SkeletonScratch {
            goals: Goals::new(segments),
            current: Posture::new(segments),
            best: Posture::new(segments),
            cycle: CycleBuffers::new(segments, options),
            polish: LeastSquares::new(segments + 1),
        }
    }

    /// Moves the points to their targets and writes the result to `solution`. Deterministic and free of allocations.
    ///
    /// A seed that already meets its targets, with its root in place and all lengths and limits satisfied, is returned
    /// unchanged. Lengths and limits hold in every solution, up to rounding. The result is the closest configuration of
    /// all cycles and attempts; with limits or orientations, one not reached from the seed replaces it only if it is
    /// nearer by 0.9 % of the reach, or 2 % without restarts.
    ///
    /// # Errors
    /// [`InputError`] if the problem, the scratch or the solution does not fit this skeleton; `solution` is then
    /// unchanged. A target that is not met is not an error but an [`Outcome`].
    pub fn solve(
        &self,
        problem: &SkeletonProblem,
        scratch: &mut SkeletonScratch,
        solution: &mut SkeletonSolution,
    ) -> Result<(), InputError> {
        problem.check(self)?;
        self.check_scratch(problem, scratch)?;
        self.check_count("solution", solution.configuration.points.len(), 1)?;
        self.check_count("solution's list of limited joints", solution.limited.len(), 0)?;
        let setup = SkeletonSetup::new(self, problem);
        scratch.prepare(&setup);
        let progress = setup.run(scratch);
        setup.judge(&progress, scratch, solution);
        Ok(())
    }

    pub(super) fn check_scratch(&self, problem: &SkeletonProblem, scratch: &SkeletonScratch) -> Result<(), InputError> {
        self.check_count("scratch", scratch.current.points.len(), 1)?;
        // Plain cycles need no memory for acceleration.
        let (found, expected) = (scratch.cycle.anderson.depth, problem.options.acceleration);
        require(expected == 0 || found == expected, || InputErrorKind::Depth { found, expected })
    }
}

impl SkeletonScratch {
    /// Maps the targets to points.
    pub(super) fn prepare(&mut self, setup: &SkeletonSetup) {
        self.set_kind(setup.has_orientations);
        self.goals.set(setup.skeleton, setup.problem, setup.root.map(|root| root.translation.vector.into()));
    }

    pub(super) fn set_kind(&mut self, has_orientations: bool) {
        self.current.set_kind(has_orientations);
        self.best.set_kind(has_orientations);
        self.cycle.set_kind(has_orientations);
    }
}

impl SkeletonSetup<'_> {
    fn run(&self, scratch: &mut SkeletonScratch) -> SolveProgress {
        let options = &self.problem.options;
        let deadline = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let (left, margin) = (options.iterations, 0.0);
        let mut progress = SolveProgress { best: None, left, accelerated: 0, restarts: 0, margin, deadline };
        if !self.weights_are_equal() {
            // Weights matter only if not all targets can be met; if they can, equal weights converge better.
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
        // A cycle may have pushed against a limit and still ended away from it.
        let Posture { limited, rotations, .. } = &mut scratch.best;
        for ((limited, rotation), joint) in limited.iter_mut().zip(rotations).zip(&self.skeleton.joints) {
            *limited = *limited && joint.is_at_limit(rotation);
        }
        progress
    }

    /// Attempts from the seed, then from scattered configurations until the targets are met.
    fn search(&self, progress: &mut SolveProgress, scratch: &mut SkeletonScratch) {
        let (restarts, polish_follows) = (self.problem.options.restarts, self.polish_follows());
        // A dragged skeleton first continues from its seed.
        let is_dragged = polish_follows && {
            self.start(0, &scratch.goals, &mut scratch.current);
            self.errors(&scratch.goals, &scratch.current).sum() < MAX_DRAG_DISTANCE * self.reach_of_targets()
        };
        if is_dragged {
            self.continue_drag(progress, scratch);
            if progress.are_met() || restarts == 0 {
                return;
            }
        }
        // The polish from the seed is compared at the end.
        progress.margin = if polish_follows { 0.0 } else { self.margin() };
        for attempt in usize::from(is_dragged)..=restarts {
            progress.restarts = attempt;
            self.start(attempt, &scratch.goals, &mut scratch.current);
            self.attempt(progress, scratch);
            // Without limits, targets out of reach are already as close as possible.
            let is_over = |best: Errors| if self.has_orientations { best.are_met() } else { best.near_is_met };
            if progress.best.is_some_and(is_over) || progress.is_over() {
                break;
            }
        }
        if polish_follows && !progress.are_met() {
            scratch.current.copy_from(&scratch.best);
            self.polish(Polish::Full, scratch, &mut progress.left);
            progress.keep(self.errors(&scratch.goals, &scratch.current), scratch);
            self.continue_drag(progress, scratch);
        } else if self.points_are_polished() && !progress.best.is_some_and(|best| best.near_is_met) {
            self.polish_points(progress, scratch);
        }
    }

    /// Least squares from the best points, which needs orientations temporarily.
    fn polish_points(&self, progress: &mut SolveProgress, scratch: &mut SkeletonScratch) {
        scratch.set_kind(true);
        scratch.current.points.copy_from_slice(&scratch.best.points);
        self.skeleton.turn_into(&[], &mut scratch.current);
        self.polish(Polish::Full, scratch, &mut progress.left);
        let errors = self.errors(&scratch.goals, &scratch.current);
        scratch.set_kind(false);
        progress.margin = 0.0;
        progress.keep(errors, scratch);
    }

    /// Polishes the seed and prefers the result, unless another configuration is nearer by the margin: so a dragged
    /// skeleton keeps its pose. Large turns of a segment are accepted only if they gain the margin, too.
    fn continue_drag(&self, progress: &mut SolveProgress, scratch: &mut SkeletonScratch) {
        self.start(0, &scratch.goals, &mut scratch.current);
        let is_turn_limited = self.polish(Polish::SmallTurns, scratch, &mut progress.left);
        let calm = self.errors(&scratch.goals, &scratch.current);
        if progress.best.is_some_and(|best| best.is_nearer_by(self.margin(), &calm)) {
            return;
        }
        progress.replace(calm, scratch);
        if is_turn_limited {
            self.polish(Polish::Full, scratch, &mut progress.left);
            let errors = self.errors(&scratch.goals, &scratch.current);
            if errors.sum() + self.margin() < calm.sum() {
                progress.replace(errors, scratch);
            }
        }
    }

    /// Cycles from the current configuration until the targets are met or progress stalls, then a polish. Keeps the
    /// best configuration.
    fn attempt(&self, progress: &mut SolveProgress, scratch: &mut SkeletonScratch) {
        let SkeletonScratch { goals, current, cycle, .. } = scratch;
        cycle.reset(self.skeleton);
        if self.is_single_chain && !self.errors(goals, current).are_met() && self.straighten(&mut current.points) {
            return progress.keep(self.errors(goals, current), scratch);
        }
        let polish_follows = self.polish_follows();
        // Cycles lead many starts to the same configuration, so only the first attempt uses them.
        let skips_cycles = polish_follows && progress.restarts > 0;
        let mut watch = StallDetector::new(self.has_orientations, polish_follows);
        scratch.goals.fading = 1.0;
        loop {
            let SkeletonScratch { goals, current, cycle, .. } = scratch;
            let mut errors = self.errors(goals, current);
            let is_over = errors.are_met()
                || progress.is_over()
                || skips_cycles
                || watch.has_stalled(self, &errors, current, cycle);
            if is_over && polish_follows && !errors.are_met() {
                let kind = if progress.restarts == 0 { Polish::Quick } else { Polish::Coarse };
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
            // A chain folded near its root converges very slowly, but a circle closes it.
            let circles = self.problem.options.circles || watch.is_slow();
            let SkeletonScratch { goals, current, cycle, .. } = scratch;
            let is_accelerated = self.cycle(goals, circles, current, cycle);
            goals.fading = (goals.fading * FAR_WEIGHT_DECAY).max(MIN_FAR_WEIGHT);
            progress.accelerated += usize::from(is_accelerated);
            progress.left -= 1;
        }
    }

    fn polish_follows(&self) -> bool {
        self.problem.options.polish && self.has_orientations
    }

    /// True if points are polished at the end; a single chain does not need it.
    fn points_are_polished(&self) -> bool {
        self.problem.options.polish && !self.has_orientations && !self.is_single_chain
    }

    fn weights_are_equal(&self) -> bool {
        self.problem.targets.windows(2).all(|two| two[0].weight.total_cmp(&two[1].weight).is_eq())
    }

    /// Minimum improvement of the error by a configuration not reached from the seed \[m\].
    fn margin(&self) -> f64 {
        self.reach_of_targets() * if self.problem.options.restarts > 0 { RESTART_MARGIN } else { SINGLE_ATTEMPT_MARGIN }
    }

    /// Largest possible distance \[m\] of a target's point from the root.
    fn reach_of_targets(&self) -> f64 {
        let reach = |target: &SkeletonTarget| self.skeleton.reach_between(0, target.point).outer;
        self.problem.targets.iter().map(reach).fold(0.0, f64::max)
    }

    /// Writes the solution.
    fn judge(&self, progress: &SolveProgress, scratch: &SkeletonScratch, solution: &mut SkeletonSolution) {
        let SkeletonScratch { best, .. } = scratch;
        let SkeletonConfiguration { points, orientations } = &mut solution.configuration;
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

    /// Why a target is not met, proven reasons first.
    fn reason(&self, index: usize, progress: &SolveProgress, scratch: &SkeletonScratch) -> Reason {
        let SkeletonScratch { goals, best, .. } = scratch;
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

impl SolveProgress {
    fn are_met(&self) -> bool {
        self.best.is_some_and(|best| best.are_met())
    }

    /// True if iterations or time are used up.
    fn is_over(&self) -> bool {
        self.left == 0 || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Replaces the best configuration by the current one if that is nearer.
    fn keep(&mut self, errors: Errors, scratch: &mut SkeletonScratch) {
        let is_kept = |before: Errors| match self.restarts {
            // Of two equally near configurations, the newer one reports the active limits.
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

    fn replace(&mut self, errors: Errors, SkeletonScratch { current, best, .. }: &mut SkeletonScratch) {
        self.best = Some(errors);
        best.copy_from(current);
    }
}
