//! Damped least squares from one configuration, subject to the rows of pairs near contact.

use super::rows::Rows;
use crate::Problem;
use crate::kernel::{Configurations, Lanes};
use crate::search::prepared_search::Search;
use crate::search::setup::Setup;
use urdf_ik_collision::{Clearance, Near, SegmentScratch};
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};
use urdf_ik_mathematics::vectors::add_times;

/// Largest number of trials.
const MAX_TRIALS: usize = 8;
/// Largest number of corrections of a trial in violation.
const MAX_CORRECTIONS: usize = 2;
/// Damping \[rad²\]. With less, joints move far for little gain, from side to side when a body lies flat on another;
/// the iterations of a call compensate for it.
const DAMPING: f64 = 0.05;
/// Largest entry of a negligible step \[rad or m\].
const MIN_STEP: f64 = 1e-9;
/// A trial with less than this fraction of its predicted reduction of the error is rejected.
const MIN_GAIN_RATIO: f64 = 0.1;
/// An accepted trial that reduces the squared error by less than this fraction is the last.
const MIN_GAIN: f64 = 0.01;
/// Factor of the damping after a step that was too long.
const DAMPING_GROWTH: f64 = 4.0;

/// A configuration of the descent.
#[derive(Debug, Clone, Default)]
pub struct DescentPoint {
    /// Positions without full revolutions \[rad or m\].
    solving: Vec<f64>,
    /// Positions to return, with their full revolutions \[rad or m\].
    pub positions: Vec<f64>,
}

impl DescentPoint {
    fn fold(&mut self, problem: &Problem, setup: &Setup) {
        self.positions.copy_from_slice(&self.solving);
        setup.fold(problem, &mut self.positions);
    }

    fn copy_from(&mut self, other: &Self) {
        self.solving.copy_from_slice(&other.solving);
        self.positions.copy_from_slice(&other.positions);
    }
}

/// Working memory of a descent.
#[derive(Debug, Clone, Default)]
pub struct AvoidanceScratch {
    /// The collision-free configuration nearest to the targets so far.
    pub best: DescentPoint,
    /// The squared error of `best` \[rad²\], and true if `best` meets the targets.
    best_error: f64,
    is_met: bool,
    /// The configuration after the next step.
    trial: DescentPoint,
    /// Pairs near the trial configuration, and the required distances \[m\] of pairs that start within the margin.
    pub segment: SegmentScratch,
    rows: Rows,
    quadratic: DualActiveSet,
    /// The step from `best` and its bounds \[rad or m\].
    step: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Lower bounds of the rows.
    least: Vec<f64>,
    /// The pair with the largest multiplier in the last step: the one that limits it most.
    pub limited_by: Option<Near>,
}

/// A descent for one problem.
pub struct AvoidanceDescent<'a> {
    pub search: &'a Search,
    pub problem: &'a Problem<'a>,
    pub clearance: &'a Clearance<'a>,
    pub setup: &'a Setup,
    /// Range beyond the margin within which pairs contribute rows, and maximum motion of bodies in one step \[m\].
    pub range: f64,
}

impl AvoidanceScratch {
    fn begin(&mut self, start: &[f64]) {
        let variables = start.len();
        let Self { best, trial, step, lower, upper, .. } = self;
        for point in [best, trial] {
            point.solving.resize(variables, 0.0);
            point.positions.resize(variables, 0.0);
        }
        for vector in [step, lower, upper] {
            vector.resize(variables, 0.0);
        }
        self.step.fill(0.0);
        self.quadratic.make_room(variables);
        self.rows.begin(variables, &mut self.least);
        self.trial.solving.copy_from_slice(start);
        self.limited_by = None;
    }

    /// True if all pairs respect their required distances at the trial.
    fn is_trial_clear(&self) -> bool {
        self.segment.required_gaps.worst(&self.segment.scene.near).is_none()
    }

    /// Accepts the trial measured last.
    fn accept(&mut self, configurations: &Configurations) {
        self.best.copy_from(&self.trial);
        self.best_error = configurations.squared_error.0[0];
        self.is_met = configurations.met & 1 == 1;
        self.rows.shift(&self.step);
    }
}

impl AvoidanceDescent<'_> {
    /// Descends from the start of the setup towards the targets, with every pair at least at its required distance.
    /// Writes the result into `scratch`, and returns the number of trials.
    ///
    /// A bundle method: a trial in violation is rejected, but its rows remain, so that the next step from the same
    /// configuration is better informed (Lemaréchal 1975, "An extension of Davidon methods to non differentiable
    /// problems").
    pub fn run(&self, configurations: &mut Configurations, scratch: &mut AvoidanceScratch) -> usize {
        scratch.begin(&self.setup.start);
        self.measure_trial(configurations, scratch);
        let SegmentScratch { scene, required_gaps, .. } = &mut scratch.segment;
        required_gaps.begin(&scene.near, self.clearance.margin);
        let mut reach = self.add_rows(scratch);
        scratch.accept(configurations);
        let mut damping = DAMPING;
        for trials in 0..MAX_TRIALS {
            if scratch.is_met {
                return trials;
            }
            let predicted = self.find_step(damping, reach, configurations, scratch);
            if scratch.step.iter().all(|step| step.abs() < MIN_STEP) {
                return trials;
            }
            self.measure_trial(configurations, scratch);
            reach = self.add_rows(scratch);
            for _ in 0..MAX_CORRECTIONS {
                if scratch.is_trial_clear() || !self.correct(scratch) {
                    break;
                }
                self.measure_trial(configurations, scratch);
                reach = self.add_rows(scratch);
            }
            let gain = scratch.best_error - configurations.squared_error.0[0];
            let is_clear = scratch.is_trial_clear();
            if is_clear && gain >= MIN_GAIN_RATIO * predicted {
                let is_last = gain < MIN_GAIN * scratch.best_error;
                scratch.accept(configurations);
                if is_last {
                    return trials + 1;
                }
            } else {
                if is_clear {
                    damping *= DAMPING_GROWTH;
                }
                configurations.write_all(&scratch.best.solving);
                self.search.kernel.measure(&self.setup.goals, configurations);
            }
        }
        MAX_TRIALS
    }

    /// Measures the trial and finds the pairs near it.
    fn measure_trial(&self, configurations: &mut Configurations, scratch: &mut AvoidanceScratch) {
        scratch.trial.fold(self.problem, self.setup);
        configurations.write_all(&scratch.trial.solving);
        self.search.kernel.measure(&self.setup.goals, configurations);
        let within = self.clearance.margin + self.range;
        self.clearance.scene.find_near(&scratch.trial.positions, within, &mut scratch.segment.scene);
    }

    /// Adds the rows of the pairs near the trial. Returns the motion of bodies up to which the rows suffice \[m\].
    fn add_rows(&self, scratch: &mut AvoidanceScratch) -> f64 {
        scratch.rows.add(self.clearance, &mut scratch.segment, &scratch.step, self.range)
    }

    /// Writes the step from the best configuration, which is measured, and the trial. Returns the predicted reduction
    /// of the squared error \[rad²\].
    fn find_step(
        &self,
        damping: f64,
        reach: f64,
        configurations: &mut Configurations,
        scratch: &mut AvoidanceScratch,
    ) -> f64 {
        self.search.kernel.linearise(&self.setup.goals, configurations);
        let AvoidanceScratch { best, trial, rows, quadratic, step, least, lower, upper, limited_by, .. } = scratch;
        write_quadratic(configurations, self.setup.goals.len(), damping, quadratic);
        let bounds = self.setup.bounds();
        for (i, best) in best.solving.iter().enumerate() {
            (lower[i], upper[i]) = (bounds.lower[i] - best, bounds.upper[i] - best);
        }
        rows.write_least(least);
        let inequalities = Inequalities { rows: &rows.slopes, least, lower, upper };
        if !quadratic.minimise(&inequalities) {
            // A zero step satisfies all rows, so only rounding leads here.
            step.fill(0.0);
            return 0.0;
        }
        let hardest = quadratic.pressing().max_by(|a, b| a.1.total_cmp(&b.1));
        *limited_by = hardest.map(|(row, _)| rows.near[row]);
        trial.solving.copy_from_slice(&best.solving);
        add_times(&mut trial.solving, 1.0, &quadratic.minimum);
        // Pairs without rows must stay outside the margin.
        let motion = self.clearance.scene.greatest_motion(&best.solving, &trial.solving);
        let fraction = if motion > reach { reach / motion } else { 1.0 };
        for (i, best) in best.solving.iter().enumerate() {
            // Rounding of the sum may exceed a bound.
            trial.solving[i] = (best + fraction * quadratic.minimum[i]).max(bounds.lower[i]).min(bounds.upper[i]);
            step[i] = trial.solving[i] - best;
        }
        predicted_gain(configurations, self.setup.goals.len(), step)
    }

    /// Corrects a trial in violation by the shortest step; false if there is none.
    fn correct(&self, scratch: &mut AvoidanceScratch) -> bool {
        let AvoidanceScratch { best, trial, rows, quadratic, step, least, lower, upper, .. } = scratch;
        let bounds = self.setup.bounds();
        for (i, trial) in trial.solving.iter().enumerate() {
            (lower[i], upper[i]) = (bounds.lower[i] - trial, bounds.upper[i] - trial);
        }
        quadratic.begin_function(std::iter::repeat(1.0));
        rows.write_least_after(step, least);
        if !quadratic.minimise(&Inequalities { rows: &rows.slopes, least, lower, upper }) {
            return false;
        }
        for (i, trial) in trial.solving.iter_mut().enumerate() {
            *trial = (*trial + quadratic.minimum[i]).max(bounds.lower[i]).min(bounds.upper[i]);
            step[i] = *trial - best.solving[i];
        }
        true
    }
}

/// Writes the normal equations of a damped step.
fn write_quadratic(configurations: &Configurations, targets: usize, damping: f64, quadratic: &mut DualActiveSet) {
    let variables = configurations.positions.len();
    quadratic.matrix.clear();
    for i in 0..variables {
        for j in 0..=i {
            let product = |target: usize| {
                let columns = &configurations.columns[target * variables..];
                columns[i].iter().zip(&columns[j]).map(|(a, b)| a.0[0] * b.0[0]).sum::<f64>()
            };
            let sum: f64 = (0..targets).map(product).sum();
            quadratic.matrix.add(i, j, if i == j { sum + damping } else { sum });
        }
        let product = |target: usize| {
            let (column, rows) = (&configurations.columns[target * variables + i], &configurations.rows[target]);
            column.iter().zip(rows).map(|(a, b)| a.0[0] * b.0[0]).sum::<f64>()
        };
        quadratic.vector[i] = (0..targets).map(product).sum();
    }
}

/// Predicted reduction of the squared error by a step, for a constant Jacobian \[rad²\].
fn predicted_gain(configurations: &Configurations, targets: usize, step: &[f64]) -> f64 {
    let variables = step.len();
    let gain = |target: usize| {
        let columns = &configurations.columns[target * variables..][..variables];
        let row = |(row, rest): (usize, &Lanes)| {
            let moved: f64 = columns.iter().zip(step).map(|(column, step)| column[row].0[0] * step).sum();
            moved * (2.0 * rest.0[0] - moved)
        };
        configurations.rows[target].iter().enumerate().map(row).sum::<f64>()
    };
    (0..targets).map(gain).sum()
}
