//! Damped least squares under the rows of pairs near contact, from one configuration.

use super::rows::Rows;
use crate::Problem;
use crate::kernel::{Configurations, Lanes};
use crate::search::prepared_search::Search;
use crate::search::setup::Setup;
use urdf_ik_collision::{Clearance, Near, SegmentScratch};
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};

/// Trials at most.
const TRIALS: usize = 8;
/// Corrections at most of a trial that comes too near.
const CORRECTIONS: usize = 2;
/// Damping \[rad²\]. With less, joints move far for next to nothing, from side to side where a body lies flat on another; some iterations
/// of a call make up for it.
const DAMPING: f64 = 0.05;
/// A step with no entry above this \[rad or m\] is none.
const MIN_STEP: f64 = 1e-9;
/// A trial that gains less than this fraction of what its step promised is not taken.
const MIN_SHARE: f64 = 0.1;
/// A trial that is taken and gains less than this fraction of the squared error is the last.
const MIN_GAIN: f64 = 0.01;
/// The damping grows by this where a step was too long.
const SHORTER: f64 = 4.0;

/// A configuration on the way.
#[derive(Debug, Clone, Default)]
pub struct Waypoint {
    /// Positions less the whole turns of the setup \[rad or m\].
    solving: Vec<f64>,
    /// Positions with the whole turns, as they would be handed out.
    pub positions: Vec<f64>,
}

impl Waypoint {
    fn make_room(&mut self, variables: usize) {
        self.solving.resize(variables, 0.0);
        self.positions.resize(variables, 0.0);
    }

    /// Writes `positions` from `solving`.
    fn fold(&mut self, problem: &Problem, setup: &Setup) {
        self.positions.copy_from_slice(&self.solving);
        setup.fold(problem, &mut self.positions);
    }

    fn copy_from(&mut self, other: &Self) {
        self.solving.copy_from_slice(&other.solving);
        self.positions.copy_from_slice(&other.positions);
    }
}

/// Where a descent is computed.
#[derive(Debug, Clone, Default)]
pub struct DescentScratch {
    /// The nearest to the targets so far that keeps clear, its squared error \[rad²\], and whether it meets them.
    pub best: Waypoint,
    best_error: f64,
    is_met: bool,
    /// Where the next step would lead.
    trial: Waypoint,
    /// What is near the trial, and what pairs have to keep from the start on.
    pub segment: SegmentScratch,
    rows: Rows,
    quadratic: DualActiveSet,
    /// The step from `best`, and its bounds.
    step: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// What the rows want of it.
    least: Vec<f64>,
    /// The pair that held the last step back most, where one did.
    pub held_by: Option<Near>,
}

/// A problem under way.
pub struct Descent<'a> {
    pub search: &'a Search,
    pub problem: &'a Problem<'a>,
    pub clearance: &'a Clearance<'a>,
    pub setup: &'a Setup,
    /// How far beyond the margin pairs are looked at, and how far bodies move in one step at most \[m\].
    pub look: f64,
}

impl DescentScratch {
    fn begin(&mut self, start: &[f64]) {
        let variables = start.len();
        self.best.make_room(variables);
        self.trial.make_room(variables);
        for vector in [&mut self.step, &mut self.lower, &mut self.upper] {
            vector.resize(variables, 0.0);
        }
        self.step.fill(0.0);
        self.quadratic.make_room(variables);
        self.rows.begin(variables, &mut self.least);
        self.trial.solving.copy_from_slice(start);
        self.held_by = None;
    }

    /// Whether no pair comes nearer at the trial than it has to keep.
    fn is_trial_clear(&self) -> bool {
        self.segment.required_gaps.worst(&self.segment.scene.near).is_none()
    }

    /// Takes the trial that was measured last.
    fn take(&mut self, configurations: &Configurations) {
        self.best.copy_from(&self.trial);
        self.best_error = configurations.squared_error.0[0];
        self.is_met = configurations.met & 1 == 1;
        self.rows.take_along(&self.step);
    }
}

impl Descent<'_> {
    /// Goes from the start of the setup towards the targets, with every pair no nearer than it has to be from there on. Gives the number of
    /// trials.
    ///
    /// A bundle method: a trial that comes too near is not taken, but its rows stay, so that the next step from the same place knows more
    /// (Lemaréchal 1975, "An extension of Davidon methods to non differentiable problems").
    pub fn go(&self, configurations: &mut Configurations, scratch: &mut DescentScratch) -> usize {
        scratch.begin(&self.setup.start);
        self.look_at_trial(configurations, scratch);
        let SegmentScratch { scene, required_gaps, .. } = &mut scratch.segment;
        required_gaps.begin(&scene.near, self.clearance.margin);
        let mut reach = self.add_rows(scratch);
        scratch.take(configurations);
        let mut damping = DAMPING;
        for trials in 0..TRIALS {
            if scratch.is_met {
                return trials;
            }
            let promised = self.find_step(damping, reach, configurations, scratch);
            if scratch.step.iter().all(|step| step.abs() < MIN_STEP) {
                return trials;
            }
            self.look_at_trial(configurations, scratch);
            reach = self.add_rows(scratch);
            for _ in 0..CORRECTIONS {
                if scratch.is_trial_clear() || !self.correct(scratch) {
                    break;
                }
                self.look_at_trial(configurations, scratch);
                reach = self.add_rows(scratch);
            }
            let gain = scratch.best_error - configurations.squared_error.0[0];
            let is_clear = scratch.is_trial_clear();
            if is_clear && gain >= MIN_SHARE * promised {
                let is_last = gain < MIN_GAIN * scratch.best_error;
                scratch.take(configurations);
                if is_last {
                    return trials + 1;
                }
            } else {
                if is_clear {
                    damping *= SHORTER;
                }
                configurations.write_all(&scratch.best.solving);
                self.search.kernel.measure(&self.setup.goals, configurations);
            }
        }
        TRIALS
    }

    /// Measures the trial, and finds what is near there.
    fn look_at_trial(&self, configurations: &mut Configurations, scratch: &mut DescentScratch) {
        scratch.trial.fold(self.problem, self.setup);
        configurations.write_all(&scratch.trial.solving);
        self.search.kernel.measure(&self.setup.goals, configurations);
        let within = self.clearance.margin + self.look;
        self.clearance.scene.find_near(&scratch.trial.positions, within, &mut scratch.segment.scene);
    }

    /// Adds the rows of what was found near the trial. Gives how far bodies may move for them to be enough \[m\].
    fn add_rows(&self, scratch: &mut DescentScratch) -> f64 {
        scratch.rows.add(self.clearance, &mut scratch.segment, &scratch.step, self.look)
    }

    /// Writes the step from the best place, which has been measured, and the trial. Gives by how much it promises to lessen the squared
    /// error.
    fn find_step(
        &self,
        damping: f64,
        reach: f64,
        configurations: &mut Configurations,
        scratch: &mut DescentScratch,
    ) -> f64 {
        self.search.kernel.linearise(&self.setup.goals, configurations);
        let DescentScratch { best, trial, rows, quadratic, step, least, lower, upper, held_by, .. } = scratch;
        write_quadratic(configurations, self.setup.goals.len(), damping, quadratic);
        let bounds = self.setup.bounds();
        for (i, best) in best.solving.iter().enumerate() {
            (lower[i], upper[i]) = (bounds.lower[i] - best, bounds.upper[i] - best);
        }
        rows.write_least(least);
        let inequalities = Inequalities { rows: &rows.slopes, least, lower, upper };
        if !quadratic.minimise(&inequalities) {
            // To stand still meets all rows, so only rounding leads here.
            step.fill(0.0);
            return 0.0;
        }
        let hardest = quadratic.pressing().max_by(|a, b| a.1.total_cmp(&b.1));
        *held_by = hardest.map(|(row, _)| rows.near(row));
        trial.solving.copy_from_slice(&best.solving);
        for (trial, step) in trial.solving.iter_mut().zip(&quadratic.minimum) {
            *trial += step;
        }
        // What was not looked at must not come within the margin.
        let motion = self.clearance.scene.greatest_motion(&best.solving, &trial.solving);
        let share = if motion > reach { reach / motion } else { 1.0 };
        for (i, best) in best.solving.iter().enumerate() {
            // The sum may pass a bound by rounding.
            trial.solving[i] = (best + share * quadratic.minimum[i]).max(bounds.lower[i]).min(bounds.upper[i]);
            step[i] = trial.solving[i] - best;
        }
        promised_gain(configurations, self.setup.goals.len(), step)
    }

    /// Leads a trial that comes too near out by the shortest step; `false` where there is none.
    fn correct(&self, scratch: &mut DescentScratch) -> bool {
        let DescentScratch { best, trial, rows, quadratic, step, least, lower, upper, .. } = scratch;
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
    for i in 0..variables {
        for j in 0..=i {
            let product = |target: usize| {
                let columns = &configurations.columns[target * variables..];
                columns[i].iter().zip(&columns[j]).map(|(a, b)| a.0[0] * b.0[0]).sum::<f64>()
            };
            let sum: f64 = (0..targets).map(product).sum();
            quadratic.matrix[i * variables + j] = if i == j { sum + damping } else { sum };
        }
        let product = |target: usize| {
            let (column, rows) = (&configurations.columns[target * variables + i], &configurations.rows[target]);
            column.iter().zip(rows).map(|(a, b)| a.0[0] * b.0[0]).sum::<f64>()
        };
        quadratic.vector[i] = (0..targets).map(product).sum();
    }
}

/// By how much a step lessens the squared error \[rad²\] where the Jacobian stays as it is.
fn promised_gain(configurations: &Configurations, targets: usize, step: &[f64]) -> f64 {
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
