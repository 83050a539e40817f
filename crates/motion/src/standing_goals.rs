//! Values of goals in configurations, and standing goals: rows of their bounds.

use std::ops::Deref;
use std::sync::Arc;

use super::contact_rows::{Contact, ContactRows};
use super::rates::Rates;
use urdf_ik_goals::{ExactConfiguration, Goal, Row, Rows, Unit};
use urdf_ik_mathematics::vectors::{add_times, dot};
use urdf_ik_robot::{Chain, ChainPoses};

/// Distance from a bound at which a motion comes to rest \[m or rad\]: a reserve for stops in which joints reach their
/// limits, so that a value leaves the direction along its bound. The reserve of an angle is that of a length of 1 m.
const REST_DISTANCE: f64 = 1e-3;
/// Its greatest share of an interval \[-\].
const MAX_REST_SHARE: f64 = 0.1;
/// Distance by which rounding may bring a value nearer to a bound \[m\].
const ROUNDING: f64 = 1e-9;
/// Time step of numerical derivatives \[s\].
pub const MOMENT: f64 = 1e-5;

/// Values of goals at one configuration, and their derivatives by the n variables of a chain.
#[derive(Debug, Clone)]
pub struct GoalValues<C = Arc<Chain>> {
    chain: C,
    poses: ChainPoses,
    positions: Vec<f64>,
    rows: Rows,
    gradient: Vec<f64>,
}

impl<C: Clone + Deref<Target = Chain>> GoalValues<C> {
    pub fn new(chain: &C) -> Self {
        let zeros = vec![0.0; chain.variables().len()];
        Self {
            poses: ChainPoses::new(chain),
            positions: zeros.clone(),
            rows: Rows::default(),
            gradient: zeros,
            chain: chain.clone(),
        }
    }

    /// Sets the configuration to `positions` of the n variables \[rad or m\].
    pub fn find(&mut self, positions: &[f64]) {
        self.positions.copy_from_slice(positions);
        self.chain.forward_kinematics(positions, &mut self.poses);
    }

    /// Moves the configuration on with these `velocities` of the n variables \[rad/s or m/s\] for `time` \[s\], each
    /// joint at most to its limit.
    pub fn move_on(&mut self, velocities: &[f64], time: f64) {
        add_times(&mut self.positions, time, velocities);
        let variables = self.chain.variables().iter();
        self.positions.iter_mut().zip(variables).for_each(|(at, variable)| *at = variable.domain.clamp(*at));
        self.chain.forward_kinematics(&self.positions, &mut self.poses);
    }

    /// The violation of each goal at `positions` of the n variables \[rad or m\], in the order of `goals` \[m or rad\].
    pub fn violations(&mut self, goals: &[Goal], positions: &[f64]) -> Vec<f64> {
        if goals.is_empty() {
            return Vec::new();
        }
        self.find(positions);
        let at = ExactConfiguration { positions, poses: &self.poses };
        goals.iter().map(|goal| goal.violation(&at, &mut self.rows)).collect()
    }

    /// Visits all values whose intervals have an influence at `positions` \[rad or m\]. `visit` receives the goal, the
    /// change that brings the value into its interval \[m or rad\], and the derivative of the value (n entries).
    pub fn visit_active(&mut self, goals: &[Goal], positions: &[f64], mut visit: impl FnMut(&Goal, f64, &[f64])) {
        if goals.is_empty() {
            return;
        }
        self.find(positions);
        for goal in goals {
            for row in 0..self.measure(goal).len() {
                let value = self.rows.values()[row];
                if value.is_active() {
                    visit(goal, value.lack(), self.gradient(goal, row));
                }
            }
        }
    }

    /// Visits all values with equal bounds. `visit` receives the index of the goal, the deviation \[rad\] and the
    /// derivative of the value (n entries). Lengths are divided by `radian` \[m\], the length that counts as one
    /// radian.
    pub fn visit_exact(&mut self, goals: &[Goal], radian: f64, mut visit: impl FnMut(usize, f64, &[f64])) {
        for (index, goal) in goals.iter().enumerate() {
            self.measure(goal);
            let unit = if is_length(goal) { radian } else { 1.0 };
            for row in 0..goal.kind().rows() {
                let value = self.rows.values()[row];
                if is_exact(&value) {
                    let gradient = self.gradient(goal, row);
                    scale(gradient, 1.0 / unit);
                    visit(index, -value.lack() / unit, gradient);
                }
            }
        }
    }

    /// The values of a goal with their intervals \[m or rad\].
    fn measure(&mut self, goal: &Goal) -> &[Row] {
        goal.measure(&ExactConfiguration { positions: &self.positions, poses: &self.poses }, &mut self.rows);
        self.rows.values()
    }

    /// The derivative of a value of the goal that has been measured, one entry for each variable.
    fn gradient(&mut self, goal: &Goal, row: usize) -> &mut [f64] {
        goal.write_gradient(&self.chain, &self.poses, row, &self.rows, &mut self.gradient);
        &mut self.gradient
    }

    /// Visits all finite bounds that differ from the opposite bound. `visit` receives the index of the goal, the
    /// derivative of the distance from the bound (n entries), and the decrease left to that distance \[m or rad\].
    pub fn visit_bounds(&mut self, goals: &[Goal], mut visit: impl FnMut(usize, &mut [f64], f64)) {
        for (index, goal) in goals.iter().enumerate() {
            self.measure(goal);
            for row in 0..goal.kind().rows() {
                let value = self.rows.values()[row];
                let rest = rest_distance(&value);
                for (sign, distance) in distances(&value) {
                    let gradient = self.gradient(goal, row);
                    scale(gradient, sign);
                    visit(index, gradient, distance - rest);
                }
            }
        }
    }
}

/// A state of the n variables of a chain.
#[derive(Clone, Copy)]
pub struct Moving<'a> {
    /// Positions: n entries \[rad or m\].
    pub positions: &'a [f64],
    /// Velocities: n entries \[rad/s or m/s\].
    pub velocities: &'a [f64],
    /// Time \[s\] for which these velocities would have to last to cover the distance of a stop.
    pub stop_time: f64,
}

/// The standing goals of a servo, which come before every command.
#[derive(Debug, Clone)]
pub struct StandingGoals {
    goals: Vec<Goal>,
    values: GoalValues,
    exact: Vec<usize>,
    /// Least distance of each length from each bound in the current check \[m\]: 0, or negative for one outside.
    least: Vec<f64>,
    /// Index of the goal that the last rejected motion violates; `None` if there is none.
    pub crossed: Option<usize>,
}

impl StandingGoals {
    pub fn new(chain: &Arc<Chain>) -> Self {
        Self { goals: Vec::new(), values: GoalValues::new(chain), exact: Vec::new(), least: Vec::new(), crossed: None }
    }

    /// Replaces the goals.
    pub fn set(&mut self, goals: &[Goal]) {
        self.goals.clear();
        self.goals.extend_from_slice(goals);
        self.crossed = None;
        self.exact.clear();
        self.values.visit_exact(goals, 1.0, |goal, _, _| self.exact.push(goal));
    }

    /// The index of the goal of each value with equal bounds, one entry per value.
    pub fn exact(&self) -> &[usize] {
        &self.exact
    }

    /// All standing goals.
    pub fn all(&self) -> &[Goal] {
        &self.goals
    }

    /// True if a goal relates the link of the tip with index `tip` to another link that moves.
    pub fn binds(&self, tip: usize) -> bool {
        let joint = Some(self.values.chain.tips()[tip].parent);
        self.goals.iter().filter_map(Goal::places).any(|places| {
            let [(_, place)] = places.points[..] else { return false };
            let joints = [place.joint, places.frame.joint];
            joints.contains(&joint) && !joints.contains(&None)
        })
    }

    /// True if a goal bounds lengths. Lengths stay within their bounds even if each joint brakes by itself. Angles
    /// would leave their bounds in such a stop; only the rows keep them.
    pub fn has_lengths(&self) -> bool {
        self.goals.iter().any(is_length)
    }

    /// True if no length leaves its bounds along a motion through `configurations` of the n variables \[rad or m\] that
    /// begins at `now` \[rad or m\]. A length that is outside its bounds at `now` may only come nearer.
    pub fn keeps<'a>(&mut self, now: &[f64], mut configurations: impl Iterator<Item = &'a [f64]>) -> bool {
        let mut least = std::mem::take(&mut self.least);
        least.clear();
        self.values.find(now);
        for goal in self.goals.iter().filter(|goal| is_length(goal)) {
            let rows = self.values.measure(goal).iter();
            least.extend(rows.flat_map(distances).map(|(_, distance)| distance.min(0.0) - ROUNDING));
        }
        self.crossed = configurations.find_map(|positions| self.crossed_at(positions, &least));
        self.least = least;
        self.crossed.is_none()
    }

    /// The first goal with a length beyond its `least` distances at `positions`.
    fn crossed_at(&mut self, positions: &[f64], least: &[f64]) -> Option<usize> {
        self.values.find(positions);
        let mut least = least.iter();
        let values = &mut self.values;
        self.goals.iter().position(|goal| {
            let rows: &[Row] = if is_length(goal) { values.measure(goal) } else { &[] };
            let mut distances = rows.iter().flat_map(distances);
            distances.any(|(_, distance)| least.next().is_some_and(|least| distance < *least))
        })
    }

    /// Appends two rows to `rows` for each bound: by its distance at the state, and by its distance at the end of a
    /// stop. A joint whose limit the stop reaches counts as being there: the other joints alone keep the distance.
    /// `braking` has the acceleration and jerk with which the joints brake.
    pub fn push_bounds(&mut self, rows: &mut ContactRows, moving: Moving, braking: Rates) {
        let Moving { positions, velocities, stop_time } = moving;
        if self.goals.is_empty() {
            return;
        }
        let mut row = rows.lower.len();
        self.values.find(positions);
        self.values.visit_bounds(&self.goals, |goal, gradient, room| {
            rows.push(Contact::Goal(goal), gradient, room, braking);
        });
        self.values.move_on(velocities, MOMENT);
        self.values.visit_bounds(&self.goals, |_, later, _| {
            rows.bias[row] = rows.velocity_change(row, later, velocities) / MOMENT;
            row += 1;
        });
        self.values.find(positions);
        self.values.move_on(velocities, stop_time);
        let chain = Arc::clone(&self.values.chain);
        let reaches_limit =
            |i: usize| chain.variables()[i].domain.excess(positions[i] + stop_time * velocities[i]) > 0.0;
        self.values.visit_bounds(&self.goals, |goal, gradient, room| {
            let stopped = gradient.iter_mut().enumerate().filter(|(i, _)| reaches_limit(*i));
            stopped.for_each(|(_, entry)| *entry = 0.0);
            let moved = stop_time * dot(gradient, velocities);
            rows.push(Contact::Goal(goal), gradient, room - moved, braking);
        });
    }
}

fn scale(gradient: &mut [f64], factor: f64) {
    for entry in gradient {
        *entry *= factor;
    }
}

/// True if the values of the goal are lengths \[m\], false if they are angles \[rad\].
pub fn is_length(goal: &Goal) -> bool {
    goal.kind().unit() == Unit::Metre
}

/// True for a value with equal bounds.
fn is_exact(row: &Row) -> bool {
    row.interval[0] == row.interval[1]
}

/// Distance from the bounds of a value at which a motion comes to rest \[m or rad\]: at most a tenth of the interval.
pub fn rest_distance(row: &Row) -> f64 {
    REST_DISTANCE.min(MAX_REST_SHARE * (row.interval[1] - row.interval[0]))
}

/// The distances of a value from its bounds, negative outside, each with the sign of its derivative by the value. None
/// of a value with equal bounds.
fn distances(row: &Row) -> impl Iterator<Item = (f64, f64)> + use<> {
    let [lower, upper] = row.interval;
    let is_bounded = !is_exact(row);
    let distances = [(1.0, row.value - lower), (-1.0, upper - row.value)];
    distances.into_iter().filter(move |(_, distance)| is_bounded && distance.is_finite())
}
