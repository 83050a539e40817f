//! The acceleration problem: the joint accelerations a at the end of the period.
//!
//! ```text
//! min Σᵣ dᵣ ((1 - g gᵀ)(J a + J̇ v) - a_r(e, b))ᵣ² + κ (t · (a - a_b))² + λ² |a - a_b|² + μ s²
//! bounds of a, rows q · a + c s ≥ p
//! ```
//!
//! Here b and e are velocity and deviation beside the line, a_r = -2 ω b - ω² e returns as far as the joints can
//! follow, and a_b approaches the velocities of the direction problem. Across the line the tips decide, along it the
//! joints. So nothing is divided by the singular value that vanishes at a fold of the line. Where the bounds of joints
//! leave no solution, all rows yield by the least s: contacts and bounds of goals by s, speeds of the tips by a
//! multiple.

use super::constants::{FIRST, LEAST, LINE_DAMPING, RETURN_RATE, STRICT};
use super::goal::{Goal, RowKind};
use super::jerk_bounds::Limits;
use super::place::Place;
use crate::braking_speed::{BRAKING_FRACTION, approach};
use crate::generator::JointState as Joints;
use crate::rates::Rates;
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};
use urdf_ik_mathematics::vectors::{add_times, dot};

/// Solves the acceleration problem: finds the joint accelerations of a period.
#[derive(Debug, Clone, Default)]
pub struct Acceleration {
    quadratic: DualActiveSet,
    row: Vec<f64>,
    /// Time of the period \[s\].
    period: f64,
    /// Rows of the inequalities q · a + c s ≥ p besides the bounds: row-major, n entries q and c each.
    pub rows: Vec<f64>,
    /// Right sides p, one for each row \[rad/s² or m/s²\].
    pub least: Vec<f64>,
    /// Lower bounds: n entries \[rad/s² or m/s²\], then -∞ for s.
    pub lower: Vec<f64>,
    /// Upper bounds: n entries \[rad/s² or m/s²\], then ∞ for s.
    pub upper: Vec<f64>,
    /// Before [`solve`](Self::solve) the preferred accelerations, afterwards those found: n entries
    /// \[rad/s² or m/s²\].
    pub accelerations: Vec<f64>,
}

impl Acceleration {
    /// Begins a period of `period` \[s\] for this number of `variables`, without rows. The caller must set the bounds.
    pub fn begin(&mut self, variables: usize, period: f64) {
        self.period = period;
        self.quadratic.make_room(variables + 1);
        self.row.resize(variables, 0.0);
        self.accelerations.resize(variables, 0.0);
        self.lower.resize(variables + 1, f64::NEG_INFINITY);
        self.upper.resize(variables + 1, f64::INFINITY);
        self.rows.clear();
        self.least.clear();
    }

    /// Finds the accelerations nearest to the preferred ones, on the line if there is one, and writes them to
    /// [`accelerations`](Self::accelerations). `predicted` is the state of the joints at the place. Without a
    /// preference, the tips have no influence.
    pub fn solve(&mut self, place: &Place, predicted: &Joints, preference: Option<Preference>, goal: &Goal) {
        let preference = preference.filter(|_| !goal.is_loose() || goal.kinds.contains(&RowKind::Hold));
        if preference.is_none() && !goal.has_exact_goals() && self.least.is_empty() {
            return;
        }
        let rates = Limits::least(&goal.limits);
        let damping = match preference {
            None => 1.0,
            Some(_) if goal.kinds.contains(&RowKind::Slack) => LINE_DAMPING,
            Some(_) => LINE_DAMPING.powi(2),
        };
        let n = self.accelerations.len();
        self.quadratic.begin_function((0..=n).map(|i| if i < n { damping } else { STRICT * STRICT }));
        add_times(&mut self.quadratic.vector[..n], damping, &self.accelerations);
        if let Some(preference) = preference
            && !goal.is_loose()
        {
            let preferred = dot(preference.along, &self.accelerations);
            self.quadratic.add_square(preference.along, preferred, FIRST);
            if goal.kinds.contains(&RowKind::Slack) {
                // Where joints that hardly move the tips decide their speed, these would run back.
                self.add_approach(&place.along, &predicted.velocities, preference, None, LEAST, rates);
            }
        }
        self.add_rows(place, predicted, preference, goal, rates);
        let Self { quadratic, rows, least, lower, upper, accelerations, .. } = self;
        if quadratic.minimise(&Inequalities { rows, least, lower, upper }) {
            accelerations.copy_from_slice(&quadratic.minimum[..n]);
        }
    }

    /// The acceleration with which a row returns to the line: critically damped for small deviations, within the rates
    /// of the joints for larger ones, where they would follow a linear law too late, and oscillate.
    fn back(&self, error: f64, velocity: f64, rates: Rates) -> f64 {
        let speed = approach(error.abs(), BRAKING_FRACTION * rates.acceleration, 2.0 / RETURN_RATE);
        self.follow(-speed.copysign(error) - velocity, rates)
    }

    /// The acceleration for a `change` of the velocity of a row: in proportion to small changes, within the rates of
    /// the joints for larger ones.
    fn follow(&self, change: f64, rates: Rates) -> f64 {
        let most = rates.approach(change, self.period).abs();
        (2.0 * RETURN_RATE * change).clamp(-most, most)
    }

    /// Limits the acceleration along the unit vector `gradient` of the n variables to `most` \[rad/s² or m/s²\]. The
    /// bound yields by `yielding` times s.
    pub fn add_bound(&mut self, gradient: &[f64], most: f64, yielding: f64) {
        let norm = yielding.hypot(1.0);
        self.rows.extend(gradient.iter().map(|part| -part / norm));
        self.rows.push(yielding / norm);
        self.least.push(-most / norm);
    }

    /// Adds a row that approaches its preferred velocity. The feed-forward is the `bias`, the acceleration that the
    /// velocities of the joints cause; without one, the change of the preferred velocity along the line.
    fn add_approach(
        &mut self,
        entries: &[f64],
        velocities: &[f64],
        Preference { along, wanted, change }: Preference,
        bias: Option<f64>,
        weight: f64,
        rates: Rates,
    ) {
        let rate = dot(entries, along);
        let feed_forward = bias.map_or_else(|| dot(entries, change) - rate * dot(along, change), |bias| -bias);
        let change = dot(entries, wanted) - dot(entries, velocities);
        let needed = rate * dot(along, &self.accelerations) + self.follow(change, rates) + feed_forward;
        self.quadratic.add_square(entries, needed, weight);
    }

    /// Adds the rows of standing goals, and with a preference those beside the line.
    fn add_rows(
        &mut self,
        place: &Place,
        predicted: &Joints,
        preference: Option<Preference>,
        goal: &Goal,
        rates: Rates,
    ) {
        for (row, kind) in goal.kinds.iter().enumerate() {
            let entries = place.row(row);
            let weight = goal.weight(row);
            match (kind, preference) {
                (RowKind::Exact, _) if goal.is_loose() => {}
                (RowKind::Standing, _) | (RowKind::Exact | RowKind::Hold, Some(_)) => {
                    let bias = place.bias[row] - place.direction[row] * place.bias_along();
                    let velocity = place.velocity_beside(row, &predicted.velocities);
                    place.write_beside(row, &mut self.row);
                    let expected = dot(&self.row, &predicted.accelerations);
                    let back = match kind {
                        // Their deviations are limited already.
                        RowKind::Standing => -RETURN_RATE * (2.0 * velocity + RETURN_RATE * place.error[row]),
                        _ => self.back(place.error[row], velocity, rates),
                    };
                    // An acceleration a other than the expected one aₑ makes the velocity at the end of the period T
                    // another one, by (a - aₑ) T / 2.
                    let gain = RETURN_RATE * self.period;
                    self.quadratic.add_square(&self.row, (back - bias + gain * expected) / (1.0 + gain), weight);
                }
                (RowKind::Slack | RowKind::Least, Some(preference)) => {
                    let bias = (*kind == RowKind::Slack).then_some(place.bias[row]);
                    self.add_approach(entries, &predicted.velocities, preference, bias, FIRST * weight, rates);
                }
                (RowKind::Free, _) | (_, None) => {}
            }
        }
    }
}

/// The preferred motion of the joints.
#[derive(Clone, Copy)]
pub struct Preference<'a> {
    /// Unit direction of the joints along the line: n entries \[-\].
    pub along: &'a [f64],
    /// Velocities that the joints approach, at their present pace: n entries \[rad/s or m/s\].
    pub wanted: &'a [f64],
    /// Rate of change of `wanted` along the line: n entries \[rad/s² or m/s²\].
    pub change: &'a [f64],
}
