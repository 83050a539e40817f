//! The look-ahead: nodes along the motion of the joints, spaced in the length of that motion, as far as a stop needs.
//!
//! Each node has the velocities of the direction problem, and the next one follows from a step along them and a Newton step back to the
//! line. Length instead of time makes folds of the line harmless: there the motion of the joints is smooth, though its rate along the line
//! is infinite.

use super::constants::{HORIZON, MAX_SOLVES, MAX_STANDING, NODES, REGULAR, SLOW, STATIONARY, STEPS, STRAIGHT};
use super::direction::Direction;
use super::goal::{Goal, Place, RowKind};
use super::line::Tracking;
use super::singular_values::SingularValues;
use urdf_ik_mathematics::band_matrix::BandMatrix;
use urdf_ik_mathematics::vectors::{add_times, dot, length, normalise};

/// A speed that counts as none, as a share of the commanded one.
const NO_SPEED: f64 = 1e-3;
const TINY: f64 = 1e-9;
/// Singular values below this are tried as beginnings.
const NEAR_SINGULAR: f64 = 0.05;

/// What ends the way.
#[derive(Debug, Clone, Copy)]
pub enum Obstacle {
    /// The position limit of a joint.
    Limit(usize),
    /// The margin of a pair, by its row.
    Contact(usize),
}

/// Nodes ahead of the joints.
#[derive(Debug, Clone)]
pub struct LookAhead {
    variables: usize,
    /// Number of nodes.
    pub count: usize,
    /// Positions and velocities of the nodes, one after the other.
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// Which share of the last step leads to the end; `None` where none was found.
    pub end: Option<f64>,
    /// The joint limit or contact at the end.
    pub obstacle: Option<Obstacle>,
    /// The speed along the line at the first node \[rad/s\].
    pub speed: f64,
    /// Speed of the joints at the first node.
    pub pace: f64,
    /// True if the end is a commanded pose.
    pub arrives: bool,
    /// Motion of the joints so far while the tip is stationary \[rad\].
    stood: f64,
    /// Unit direction of the last motion.
    came: Vec<f64>,
    /// The direction in which joints begin at a singularity: tried, and by the direction problem.
    first: Vec<f64>,
    begun: Vec<f64>,
    singular: SingularValues,
    place: Place,
    direction: Direction,
    normal: BandMatrix,
    rows: Vec<f64>,
    wanted: Vec<f64>,
    next: Vec<f64>,
}

impl LookAhead {
    pub fn new(place: &Place, variables: usize) -> Self {
        let rows = place.direction.len();
        Self {
            variables,
            count: 0,
            positions: Vec::with_capacity((NODES[1] + 2) * variables),
            velocities: Vec::with_capacity((NODES[1] + 2) * variables),
            end: None,
            obstacle: None,
            speed: 0.0,
            pace: 0.0,
            arrives: false,
            stood: 0.0,
            came: vec![0.0; variables],
            first: vec![0.0; variables],
            begun: vec![0.0; variables],
            singular: SingularValues::new(rows, variables),
            place: place.clone(),
            direction: Direction::new(variables),
            normal: BandMatrix::zeros(rows, rows),
            rows: vec![0.0; rows * variables],
            wanted: vec![0.0; rows],
            next: vec![0.0; variables],
        }
    }

    pub fn positions(&self, node: usize) -> &[f64] {
        &self.positions[node * self.variables..][..self.variables]
    }

    pub fn velocities(&self, node: usize) -> &[f64] {
        &self.velocities[node * self.variables..][..self.variables]
    }

    fn push(&mut self) {
        self.positions.extend_from_slice(&self.next);
        self.velocities.extend_from_slice(&self.direction.velocities);
        self.count += 1;
    }

    /// Looks ahead from a place at `start`, which joints reach with these velocities. At a singularity the direction
    /// problem does not say how joints at rest begin: there the branches are tried, first the one that they came from.
    pub fn look(&mut self, from: &Place, start: &[f64], velocities: &[f64], goal: &Goal) {
        if goal.line.tracking != Tracking::Line {
            self.stood = 0.0;
        }
        if goal.line.speed == 0.0 {
            (self.count, self.end, self.obstacle, self.speed) = (0, None, None, 0.0);
            return;
        }
        self.walk(from, start, velocities, goal, None);
        let pace = length(velocities);
        if pace > SLOW {
            self.came.iter_mut().zip(velocities).for_each(|(came, velocity)| *came = velocity / pace);
            return;
        }
        if !goal.is_nearest() {
            self.branch(from, start, velocities, goal);
        }
    }

    /// Tries the branches at a singularity.
    fn branch(&mut self, from: &Place, start: &[f64], velocities: &[f64], goal: &Goal) {
        let mut singular = std::mem::take(&mut self.singular);
        singular.decompose(&from.jacobian);
        let (led_on, is_near) = (self.leads_on(), singular.smallest() < NEAR_SINGULAR);
        let came = usize::from(is_near);
        // Back as they came, as the direction problem says, and along the singular directions.
        let count = if led_on { came } else { 3 + 2 * singular.values.len() };
        self.begun.copy_from_slice(&self.velocities[..self.variables]);
        let mut found = false;
        for candidate in (1 - came)..count {
            let (sign, source) = match candidate {
                0 => (-1.0, &self.came[..]),
                1 => (1.0, &self.begun[..]),
                2 => (-1.0, &self.begun[..]),
                _ if singular.values[(candidate - 3) / 2] > NEAR_SINGULAR => continue,
                _ => (if candidate % 2 == 0 { 1.0 } else { -1.0 }, singular.right((candidate - 3) / 2)),
            };
            self.first.iter_mut().zip(source).for_each(|(first, part)| *first = sign * part);
            if normalise(&mut self.first) == 0.0 {
                continue;
            }
            self.walk(from, start, velocities, goal, Some(1.0));
            if self.leads_on() {
                self.pace = length(self.velocities(1));
                let begin = self.velocities.iter_mut().zip(&self.first);
                begin.for_each(|(velocity, part)| *velocity = self.pace * part);
                found = true;
                break;
            }
        }
        if !found && count > 1 - came {
            self.walk(from, start, velocities, goal, None);
        }
        self.singular = singular;
    }

    /// Adds a motion of the joints to the one that the tip is stationary for, or begins anew.
    pub fn note_motion(&mut self, way: f64, goal: &Goal) {
        let is_stationary = STATIONARY * self.speed <= self.pace * goal.line.speed;
        self.stood = if is_stationary { self.stood + way } else { 0.0 };
    }

    /// True if the way is longer than the shortest step, or ends at a commanded pose.
    pub fn leads_on(&self) -> bool {
        self.count > 2 || self.end.is_none() || self.arrives
    }

    /// Adds nodes from `start` on. With a sign the joints begin along the first direction times that.
    fn walk(&mut self, from: &Place, start: &[f64], velocities: &[f64], goal: &Goal, sign: Option<f64>) {
        self.positions.clear();
        self.velocities.clear();
        (self.count, self.end, self.obstacle, self.speed, self.arrives) = (0, None, None, 0.0, false);
        let most = goal.line.speed;
        let distance = HORIZON * goal.stop(velocities);
        let longest = (distance / small(NODES[0])).clamp(STEPS[0], STEPS[1]);
        let mut step = longest;
        self.next.copy_from_slice(start);
        let (mut pace, mut left) = (self.pace.max(most), distance);
        // Speed along the line for unit speed of the joints, and progress along the line, at the last node.
        let (mut rate, mut progress, mut to_go) = (0.0, 0.0, 0.0);
        // Length of the motion while the tip is stationary, and the node where that began.
        let (mut standing, mut stands_from) = (self.stood, 0);
        for _ in 0..MAX_SOLVES {
            let node = self.count;
            let place = if node == 0 { from } else { &self.place };
            self.direction.solve(place, &self.next, goal, pace);
            self.direction.scale(goal.speed_factor(place, &self.direction.velocities));
            if let (0, Some(sign)) = (node, sign) {
                self.direction.speed = 0.0;
                self.direction
                    .velocities
                    .iter_mut()
                    .zip(&self.first)
                    .for_each(|(velocity, part)| *velocity = sign * part);
            }
            let (speed, joints) = (self.direction.speed, length(&self.direction.velocities));
            if node > 0 {
                let before = self.velocities(node - 1);
                let turn = dot(&self.direction.velocities, before);
                let squares = joints.powi(2) + dot(before, before);
                if 2.0 * turn < STRAIGHT * squares && step > STEPS[0] {
                    // The velocities change: a shorter step.
                    step = (0.5 * step).max(STEPS[0]);
                    to_go = self.step_from(node - 1, step, rate, goal, progress);
                    if to_go < 0.0 {
                        return;
                    }
                    continue;
                }
                left -= step;
                standing += step;
                progress += to_go;
                if turn < 0.0 {
                    // A fold of the line.
                    self.push();
                    let now = speed / joints.max(TINY);
                    self.end = Some(rate / (rate + now).max(TINY));
                    return;
                }
                step = (1.5 * step).min(longest);
            } else {
                (self.speed, self.pace) = (speed, joints);
            }
            self.push();
            pace = joints.max(most);
            let led_on = rate * length(self.velocities(node.saturating_sub(1))) > NO_SPEED * most;
            rate = speed / joints.max(TINY);
            if STATIONARY * speed > joints * most {
                (standing, stands_from) = (0.0, node + 1);
            } else if standing > MAX_STANDING {
                (self.count, self.end) = (stands_from.max(1), Some(1.0));
                return;
            }
            if node > 0 && speed < NO_SPEED * most || joints < TINY {
                self.end = Some(if led_on { 1.0 } else { 0.0 });
                return;
            }
            if left <= 0.0 || self.count > NODES[1] {
                return;
            }
            to_go = self.step_from(node, step, rate, goal, progress);
            if to_go < 0.0 {
                return;
            }
            if progress + to_go > goal.line.length {
                (self.end, self.arrives) = (Some((goal.line.length - progress) / to_go), true);
                return self.push();
            }
        }
    }

    /// Moves the joints a step on from a node, and back to the line. Returns the progress along the line, negative at a limit.
    fn step_from(&mut self, node: usize, step: f64, rate: f64, goal: &Goal, progress: f64) -> f64 {
        let joints = length(self.velocities(node)).max(TINY);
        self.next.copy_from_slice(&self.positions[node * self.variables..][..self.variables]);
        add_times(&mut self.next, step / joints, &self.velocities[node * self.variables..][..self.variables]);
        if self.ends_before(node, goal) {
            return -1.0;
        }
        self.clamp(goal);
        self.place.find(&self.next, goal, progress + step * rate);
        if !goal.is_nearest() {
            self.return_to_line(goal, progress + step * rate);
        }
        step * rate
    }

    /// Ends where a joint comes to its limit before the next node, or two bodies to the margin.
    fn ends_before(&mut self, node: usize, goal: &Goal) -> bool {
        let from = &self.positions[node * self.variables..][..self.variables];
        let mut first: Option<(f64, Obstacle)> = None;
        let mut meet = |moved: f64, room: f64, obstacle| {
            let share = if room > 0.0 { room / moved } else { 0.0 };
            if moved > room && first.is_none_or(|(least, _)| share < least) {
                first = Some((share, obstacle));
            }
        };
        if !goal.is_soft() {
            for (i, limits) in goal.limits.iter().enumerate() {
                let moved = self.next[i] - from[i];
                meet(moved.abs(), limits.room(from[i])[usize::from(moved > 0.0)], Obstacle::Limit(i));
            }
        }
        if !goal.is_nearest() {
            for (row, away) in goal.contacts.gradients.chunks_exact(self.variables).enumerate() {
                let moved = dot(away, from) - dot(away, &self.next);
                meet(moved, goal.contact_room(row, from), Obstacle::Contact(row));
            }
        }
        let Some((share, obstacle)) = first else { return false };
        (self.end, self.obstacle) = (Some(share), Some(obstacle));
        self.push();
        true
    }

    fn clamp(&mut self, goal: &Goal) {
        self.next
            .iter_mut()
            .zip(&goal.limits)
            .for_each(|(position, limits)| *position = limits.domain.clamp(*position));
    }

    /// Moves the joints back to the line by a Newton step of least motion.
    fn return_to_line(&mut self, goal: &Goal, progress: f64) {
        self.place.find_error(goal, progress);
        let n = self.variables;
        let counts = |row: usize| matches!(goal.kinds[row], RowKind::Exact | RowKind::Hold);
        self.rows.fill(0.0);
        self.normal.clear();
        for (row, beside) in self.rows.chunks_exact_mut(n).enumerate() {
            self.wanted[row] = if counts(row) { self.place.error[row] } else { 0.0 };
            if counts(row) {
                self.place.write_beside(row, beside);
            }
        }
        for row in 0..self.wanted.len() {
            self.normal.add(row, row, REGULAR);
            for other in 0..=row {
                let product = dot(&self.rows[row * n..][..n], &self.rows[other * n..][..n]);
                self.normal.add(row, other, product);
            }
        }
        if !self.normal.factorise(0.0) {
            return;
        }
        self.normal.solve(&mut self.wanted);
        for (row, factor) in self.rows.chunks_exact(n).zip(&self.wanted) {
            add_times(&mut self.next, -factor, row);
        }
        self.clamp(goal);
        self.place.find(&self.next, goal, progress);
        self.place.find_error(goal, progress);
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn small(count: usize) -> f64 {
    count as f64
}
