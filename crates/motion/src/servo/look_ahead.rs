//! The look-ahead: nodes along the motion of the joints, spaced in the length of that motion, as far as a stop needs.
//!
//! Each node has the velocities of the direction problem, and the next one follows from a step along them and Newton
//! steps back to the line. Length instead of time makes folds of the line harmless: there the motion of the joints is
//! smooth, though its rate along the line is infinite. Where other joints can take over before a position limit, the
//! velocities fade towards it; otherwise the look-ahead ends there.

use super::constants::{ALMOST_ALL, AT_END, LARGE, LIMIT_MARGIN, LITTLE, NEAR, NODES, TINY};
use super::direction::Direction;
use super::goal::Goal;
use super::line::Tracking;
use super::place::Place;
use super::singular_values::SingularValues;
use urdf_ik_mathematics::vectors::{add_times, dot, length, normalise};

/// Maximum number of direction problems of a look-ahead. The nodes are closer where the joints change their direction.
pub const CAPACITY: usize = 32;

/// Nodes on the predicted motion of the n joints.
#[derive(Debug, Clone)]
pub struct LookAhead {
    /// Number of nodes.
    pub count: usize,
    /// Positions \[rad or m\] and velocities \[rad/s or m/s\] of the nodes, one after the other.
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// Share of the last step up to the end of the motion, from 0 to 1; `None` if no end was found.
    pub end: Option<f64>,
    /// Index of the variable whose position limit bounds the velocities at the first node, or is the end; `None` if there
    /// is none.
    pub limit: Option<usize>,
    /// Index of the row of the contact, or bound of a goal, at the end; `None` if there is none.
    pub contact: Option<usize>,
    /// Speed along the line at the first node \[rad/s\].
    pub speed: f64,
    /// Greatest speed along the line at the nodes \[rad/s\].
    pub fastest: f64,
    /// Speed of the joints at the first node \[rad/s\].
    pub pace: f64,
    /// True if the end is a commanded pose.
    pub arrives: bool,
    /// Progress along the line up to the last node \[rad\], and there per length of the joints' motion \[-\].
    progress: f64,
    rate: f64,
    /// Deviation from the line at the first node \[rad\].
    beside: f64,
    /// Length of the step to the next node, and of the motion left to look at \[rad or m\].
    step: f64,
    left: f64,
    /// Length of the motion so far while the tips are stationary \[rad or m\].
    stood: f64,
    /// Length of the motion up to the last node while the tips are stationary \[rad or m\].
    standing: f64,
    /// The unit direction in which joints begin at a singularity: n entries.
    first: Vec<f64>,
    /// Singular values at the place where a branch is searched for; after a period, those at the place of the joints.
    pub singular: SingularValues,
    place: Place,
    /// The motion at the next node.
    pub direction: Direction,
    next: Vec<f64>,
}

impl LookAhead {
    /// Memory for a look-ahead from places like `place`, for this number of `variables`.
    pub fn new(place: &Place, variables: usize) -> Self {
        let mut direction = Direction::default();
        direction.begin(variables);
        let zeros = vec![0.0; variables];
        Self {
            count: 0,
            positions: Vec::with_capacity(CAPACITY * variables),
            velocities: Vec::with_capacity(CAPACITY * variables),
            end: None,
            contact: None,
            limit: None,
            speed: 0.0,
            fastest: 0.0,
            pace: 0.0,
            arrives: false,
            progress: 0.0,
            rate: 0.0,
            beside: 0.0,
            step: 0.0,
            left: 0.0,
            stood: 0.0,
            standing: 0.0,
            first: zeros.clone(),
            singular: SingularValues::new(place.direction.len(), variables),
            place: place.clone(),
            direction,
            next: zeros,
        }
    }

    /// Positions of the variables at a node: n entries \[rad or m\].
    pub fn positions(&self, node: usize) -> &[f64] {
        &self.positions[node * self.next.len()..][..self.next.len()]
    }

    /// Velocities of the variables at a node: n entries \[rad/s or m/s\].
    pub fn velocities(&self, node: usize) -> &[f64] {
        &self.velocities[node * self.next.len()..][..self.next.len()]
    }

    /// Distance in joint space from a node to the next one \[rad or m\].
    pub fn step(&self, node: usize) -> f64 {
        let pairs = self.positions(node).iter().zip(self.positions(node + 1));
        pairs.map(|(from, to)| (to - from).powi(2)).sum::<f64>().sqrt().max(TINY)
    }

    /// Adds the length `way` of a motion of the joints \[rad or m\] to the total for which the tips have been
    /// stationary; resets it if they move.
    pub fn note_motion(&mut self, way: f64, goal: &Goal) {
        let is_stationary = goal.line.tracking == Tracking::Line && self.speed <= LITTLE * goal.line.speed * self.pace;
        self.stood = if is_stationary { self.stood + way } else { 0.0 };
    }

    /// True if the motion is longer than a step, or ends at a commanded pose.
    pub fn leads_on(&self) -> bool {
        self.count > 2 || self.end.is_none() || self.arrives
    }

    /// Looks ahead from a place. The joints reach `start` (n positions \[rad or m\]) with these `velocities` \[rad/s or
    /// m/s\]. At a singularity, the direction problem does not determine how joints at rest begin: there, the branches
    /// are tried.
    pub fn look(&mut self, from: &Place, start: &[f64], velocities: &[f64], goal: &Goal) {
        if goal.line.speed == 0.0 {
            return self.clear();
        }
        self.walk(from, start, velocities, goal, false);
        if length(velocities) < LITTLE && !goal.is_nearest() && !self.leads_on() {
            self.branch(from, start, velocities, goal);
        }
    }

    /// Tries both directions of each motion that a singularity makes possible.
    fn branch(&mut self, from: &Place, start: &[f64], velocities: &[f64], goal: &Goal) {
        self.singular.decompose(from.jacobian());
        for index in 0..self.singular.values.len() {
            self.first.copy_from_slice(self.singular.right(index));
            let is_lost = self.singular.values[index] < NEAR && self.singular.counts(index);
            if !is_lost || normalise(&mut self.first) == 0.0 {
                continue;
            }
            for _ in [1.0, -1.0] {
                self.walk(from, start, velocities, goal, true);
                if self.leads_on() {
                    self.pace = length(self.velocities(1));
                    let begin = self.velocities.iter_mut().zip(&self.first);
                    return begin.for_each(|(velocity, part)| *velocity = self.pace * part);
                }
                self.first.iter_mut().for_each(|part| *part *= -1.0);
            }
        }
        self.walk(from, start, velocities, goal, false);
    }

    fn clear(&mut self) {
        self.positions.clear();
        self.velocities.clear();
        (self.count, self.end, self.contact, self.limit, self.arrives) = (0, None, None, None, false);
        (self.progress, self.rate, self.standing) = (0.0, 0.0, self.stood);
        (self.speed, self.fastest) = (0.0, 0.0);
    }

    /// Adds nodes from `start` on, twice as far as a stop needs, until the motion ends. If `begins`, the joints begin
    /// along the first direction, else as the direction problem says.
    fn walk(&mut self, from: &Place, start: &[f64], velocities: &[f64], goal: &Goal, begins: bool) {
        self.clear();
        self.next.copy_from_slice(start);
        self.beside = from.deviation(&goal.kinds);
        self.left = 2.0 * goal.stop(velocities);
        let longest = self.left / NODES;
        self.step = longest;
        for _ in 0..CAPACITY {
            self.find_velocities(from, goal, begins);
            if self.bends() && 2.0 * self.step > 0.5 * longest {
                self.step *= 0.5;
            } else {
                self.add_node(goal);
                self.step = (2.0 * self.step).min(longest);
            }
            if self.end.is_some() || self.left <= 0.0 || self.ends_after(goal) {
                return;
            }
        }
    }

    /// Finds the velocities at the next node.
    fn find_velocities(&mut self, from: &Place, goal: &Goal, begins: bool) {
        let place = if self.count == 0 { from } else { &self.place };
        self.direction.solve(place, &self.next, goal);
        if self.count == 0 {
            self.limit = self.direction.limit(goal);
        }
        self.direction.scale(place.speed_factor(goal, &self.direction.velocities));
        if begins && self.count == 0 {
            self.direction.speed = 0.0;
            self.direction.velocities.copy_from_slice(&self.first);
        }
    }

    /// True if the velocities at the next node differ much from those at the last one.
    fn bends(&self) -> bool {
        let Some(last) = self.count.checked_sub(1) else { return false };
        let (here, there) = (self.velocities(last), &self.direction.velocities);
        2.0 * dot(here, there) < ALMOST_ALL * (dot(here, here) + dot(there, there))
    }

    fn push(&mut self) {
        self.positions.extend_from_slice(&self.next);
        self.velocities.extend_from_slice(&self.direction.velocities);
        self.count += 1;
    }

    /// Adds a node. The motion ends there if the tips come to rest, at a fold of the line before it, or where the tips
    /// become stationary for too long.
    fn add_node(&mut self, goal: &Goal) {
        let (speed, pace) = (self.direction.speed, length(&self.direction.velocities));
        let before = self.rate;
        self.rate = speed / pace.max(TINY);
        self.fastest = self.fastest.max(speed);
        self.push();
        if self.count == 1 {
            (self.speed, self.pace) = (speed, pace);
            self.end = (pace < TINY).then_some(0.0);
        } else {
            self.left -= self.step;
            self.standing += self.step;
            self.progress += self.step * before;
            let [last, here] = [self.count - 2, self.count - 1].map(|node| self.velocities(node));
            if dot(last, here) < 0.0 {
                self.end = Some(before / (before + self.rate).max(TINY));
            } else if speed < AT_END * goal.line.speed {
                let leads_on = before * length(last) > AT_END * goal.line.speed;
                self.end = Some(if leads_on { 1.0 } else { 0.0 });
            }
        }
        if speed > LITTLE * goal.line.speed * pace {
            self.standing = 0.0;
        } else if self.standing > LARGE && self.end.is_none() {
            self.end = Some((1.0 - (self.standing - LARGE) / self.step).max(0.0));
        }
    }

    /// Moves the joints a step on from the last node, and back to the line. True if the motion ends before.
    fn ends_after(&mut self, goal: &Goal) -> bool {
        let (last, way) = ((self.count - 1) * self.next.len(), self.step * self.rate);
        let velocities = &self.velocities[last..];
        self.next.copy_from_slice(&self.positions[last..]);
        add_times(&mut self.next, self.step / length(velocities).max(TINY), velocities);
        if self.ends_before(goal) {
            return true;
        }
        let progress = self.progress + way;
        self.place.find(&self.next, goal, progress);
        self.place.find_error(goal, progress);
        if !goal.is_nearest() && !self.returns(goal, progress) {
            self.end = Some(0.0);
            self.push();
            return true;
        }
        self.arrives = progress > goal.line.length;
        if self.arrives {
            self.end = Some((goal.line.length - self.progress) / way);
            self.push();
        }
        self.arrives
    }

    /// Moves the next node back to the line by Newton steps. False if they do not converge: where the line leaves the
    /// reach of the tips, the deviation is a definite quadratic function of the joints' motion, and each step leaves a
    /// quarter of it or more.
    fn returns(&mut self, goal: &Goal, progress: f64) -> bool {
        let allowed = (self.beside + LIMIT_MARGIN * progress).max(TINY);
        let mut before = self.place.deviation(&goal.kinds);
        for _ in [1, 2] {
            self.direction.return_to_line(&self.place, goal, &mut self.next);
            self.place.find(&self.next, goal, progress);
            self.place.find_error(goal, progress);
            let after = self.place.deviation(&goal.kinds);
            if after < allowed.max(NEAR * before) {
                return true;
            }
            before = after;
        }
        false
    }

    /// Ends where a joint that has no other in its place comes to its limit before the next node, two bodies to the
    /// margin, or a goal to its bound.
    fn ends_before(&mut self, goal: &Goal) -> bool {
        let from = self.positions(self.count - 1);
        let share = |moved: f64, room: f64| (moved > room).then(|| (room.max(0.0) / moved).max(0.0));
        let limits = goal.limits.iter().enumerate().filter(|_| !goal.is_soft()).filter_map(|(i, limits)| {
            let moved = self.next[i] - from[i];
            let room = limits.room(from[i])[usize::from(moved > 0.0)];
            share(moved.abs(), room).map(|share| (share, Some(i), None))
        });
        let contacts =
            goal.contacts.rows().enumerate().filter(|_| !goal.is_nearest()).filter_map(|(row, (away, _))| {
                let moved = dot(away, from) - dot(away, &self.next);
                share(moved, goal.contact_room(row, from)).map(|share| (share, None, Some(row)))
            });
        let first = limits.chain(contacts).min_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let Some((share, limit, contact)) = first else { return false };
        (self.end, self.limit, self.contact) = (Some(share), self.limit.or(limit), contact);
        self.push();
        true
    }
}
