//! A curve of the joints along a line, kept as data: configurations one after the other, and quintic pieces between them.
//!
//! Its parameter is the length of the joints' motion, where the time of the line counts as one more joint (1 s as 1 rad). So it goes on
//! evenly where the tip stands still and the joints move, and the other way round.

use std::collections::VecDeque;

use super::constants::{LONGEST_STEP, MAX_NODES, SHORTEST_STEP, STANDING_AT_END, TURN};
use super::jerk_bounds::State;
use super::rows::{Rows, project};
use urdf_ik_mathematics::vectors::{add_times, dot, length};

/// Why a curve goes on no farther.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The tips are where they are to be.
    Arrived,
    /// A variable is at a limit of its positions.
    Limit(usize),
    /// No motion of the joints leads on along the line.
    Singularity,
    /// The line can be gone on with from there: nothing is in its way any more.
    Free,
}

/// What is known of how the slope changes at a node.
#[derive(Debug, Clone, Copy)]
pub enum Bend<'a> {
    /// Nothing but the slopes at the nodes around it.
    BySlopes,
    /// The part of it in the space of these rows; the rest is by the slopes.
    Along(&'a [f64], &'a Rows),
    /// All of it.
    Is(&'a [f64]),
}

/// A place on a curve: the variables and the time of the line there.
#[derive(Debug, Clone)]
pub struct Node {
    /// How far along the curve it is.
    pub way: f64,
    pub place: Vec<f64>,
    /// The derivatives of the place over the way.
    pub slope: Vec<f64>,
    pub bend: Vec<f64>,
    /// The part of the bend that is known, and the orthonormal rows in whose space it is.
    known: Vec<f64>,
    rows: Vec<f64>,
    is_known: bool,
    /// The coefficients of the piece to the next node, for each entry of the place.
    piece: Vec<[f64; 6]>,
}

/// A curve. See the [module](self).
#[derive(Debug, Clone)]
pub struct Curve {
    nodes: VecDeque<Node>,
    spare: Vec<Node>,
    /// How many nodes have a piece that goes on from them.
    pieces: usize,
    pub end: Option<End>,
    /// Up to where it may be used, if that is not to its end: beyond it the tip stands, and it is not known for how long.
    pub stands_from: Option<f64>,
    /// How the motion within the null space changes, at the last node.
    pub drift: Vec<f64>,
    /// The next step.
    pub step: f64,
}

impl Curve {
    /// For so many variables, along lines of so many tips.
    pub fn new(variables: usize, tips: usize) -> Self {
        let size = variables + 1;
        let list = vec![0.0; size];
        let node = || Node {
            way: 0.0,
            place: list.clone(),
            slope: list.clone(),
            bend: list.clone(),
            known: list.clone(),
            rows: Vec::with_capacity((6 * tips).min(size) * size),
            is_known: false,
            piece: vec![[0.0; 6]; size],
        };
        Self {
            nodes: VecDeque::with_capacity(MAX_NODES),
            spare: (0..MAX_NODES).map(|_| node()).collect(),
            pieces: 0,
            end: None,
            stands_from: None,
            drift: list,
            step: 0.0,
        }
    }

    /// Begins anew at a place, with a unit slope there.
    pub fn begin(&mut self, place: &[f64], slope: &[f64], bend: Bend, step: f64) {
        self.spare.extend(self.nodes.drain(..));
        (self.pieces, self.end, self.stands_from, self.step) = (0, None, None, step);
        self.drift.fill(0.0);
        self.push(0.0, place, slope, bend);
    }

    pub fn nodes(&self) -> &VecDeque<Node> {
        &self.nodes
    }

    pub fn last(&self) -> &Node {
        &self.nodes[self.nodes.len() - 1]
    }

    /// Up to where it is known.
    pub fn reach(&self) -> f64 {
        let built = self.nodes[self.pieces].way;
        self.stands_from.map_or(built, |from| built.min(from))
    }

    /// Whether it leads anywhere.
    pub fn has_length(&self) -> bool {
        self.pieces > 0
    }

    pub fn is_full(&self) -> bool {
        self.spare.is_empty()
    }

    /// Adds a node, which is `step` farther on.
    pub fn add(&mut self, step: f64, place: &[f64], slope: &[f64], bend: Bend) {
        let way = self.last().way + step;
        self.push(way, place, slope, bend);
        let last = self.nodes.len() - 1;
        self.write_bend(last - 1);
        if last >= 2 {
            self.build(last - 2);
        }
        // Until there is another node.
        self.write_bend(last);
    }

    /// How far a slope turns from that of the last node \[rad\].
    pub fn turn_to(&self, slope: &[f64]) -> f64 {
        dot(slope, &self.last().slope).clamp(-1.0, 1.0).acos()
    }

    /// Takes a shorter step. Where that is too short, the curve ends for this reason.
    pub fn shorten(&mut self, factor: f64, reason: End) {
        self.step *= factor;
        if self.step < SHORTEST_STEP {
            self.finish(reason);
        }
    }

    /// Takes the step with which the slope turns as far as it may, after one with such a turn.
    pub fn fit_step(&mut self, turn: f64) {
        self.step = (self.step * (TURN / turn.max(1e-3)).clamp(0.5, 2.0)).min(LONGEST_STEP);
    }

    /// Ends it at the last node.
    pub fn finish(&mut self, end: End) {
        let last = self.nodes.len() - 1;
        if last > self.pieces {
            self.write_bend(last);
            self.build(last - 1);
        }
        self.end = Some(end);
        // Now it is known how long the tip stands: not for long.
        if end == End::Arrived {
            self.stands_from = None;
        } else if let Some(from) = &mut self.stands_from {
            let goes_on = |node: &&Node| node.slope[node.slope.len() - 1] * STANDING_AT_END > 1.0;
            *from = self.nodes.iter().rev().find(goes_on).map_or(*from, |node| from.max(node.way));
        }
    }

    /// Forgets what is after a way.
    pub fn cut(&mut self, way: f64) {
        while self.nodes.len() > 1 && self.last().way > way {
            self.spare.extend(self.nodes.pop_back());
        }
        self.pieces = self.pieces.min(self.nodes.len() - 1);
    }

    /// Forgets the pieces before a way.
    pub fn forget_before(&mut self, way: f64) {
        while self.pieces > 1 && self.nodes[1].way <= way {
            self.spare.extend(self.nodes.pop_front());
            self.pieces -= 1;
        }
    }

    /// Writes each entry of the place and its derivatives over the way. Gives how far it is to where the curve has to be looked at next.
    pub fn write(&self, way: f64, place: &mut [Derivatives]) -> f64 {
        let at = self.nodes.partition_point(|node| node.way <= way).clamp(1, self.pieces.max(1)) - 1;
        let node = &self.nodes[at];
        let u = way - node.way;
        for (derivatives, piece) in place.iter_mut().zip(&node.piece) {
            *derivatives = Derivatives::of(piece, u);
        }
        let piece = self.nodes.get(at + 1).map_or(f64::INFINITY, |next| next.way - node.way);
        // To just before the end of the piece, and then to just behind it.
        let aside = 1e-6 * piece;
        let left = piece - u;
        if left > 2.0 * aside { left - aside } else { left + aside }
    }

    fn push(&mut self, way: f64, place: &[f64], slope: &[f64], bend: Bend) {
        let Some(mut node) = self.spare.pop() else { return };
        node.way = way;
        node.place.copy_from_slice(place);
        node.slope.copy_from_slice(slope);
        node.bend.fill(0.0);
        node.known.fill(0.0);
        node.rows.clear();
        node.is_known = matches!(bend, Bend::Is(_));
        match bend {
            Bend::BySlopes => {}
            Bend::Along(known, rows) => {
                node.known.copy_from_slice(known);
                rows.basis().for_each(|row| node.rows.extend_from_slice(row));
            }
            Bend::Is(bend) => node.bend.copy_from_slice(bend),
        }
        self.nodes.push_back(node);
    }

    /// Writes the bend of a node: what is known of it, and else by the slopes of the nodes before and after it.
    fn write_bend(&mut self, at: usize) {
        let (before, after) = (at.saturating_sub(1), (at + 1).min(self.nodes.len() - 1));
        if self.nodes[at].is_known || before == after {
            return;
        }
        let mut bend = std::mem::take(&mut self.nodes[at].bend);
        let [before, after] = [before, after].map(|at| &self.nodes[at]);
        // Over both steps as a whole: where one is short, because the slope has a kink there, its own change would lead the other astray.
        for (entry, bend) in bend.iter_mut().enumerate() {
            *bend = (after.slope[entry] - before.slope[entry]) / (after.way - before.way);
        }
        let node = &mut self.nodes[at];
        project(&node.rows, node.place.len(), &mut bend);
        add_times(&mut bend, 1.0, &node.known);
        node.bend = bend;
    }

    /// Writes the piece from a node to the next one: the quintic polynomial with their places, slopes and bends.
    fn build(&mut self, at: usize) {
        let mut piece = std::mem::take(&mut self.nodes[at].piece);
        let (here, next) = (&self.nodes[at], &self.nodes[at + 1]);
        let step = next.way - here.way;
        for (i, piece) in piece.iter_mut().enumerate() {
            let moved = (next.place[i] - here.place[i]) / step;
            let (d0, d1) = (here.slope[i], next.slope[i]);
            let (c0, c1) = (here.bend[i] * step, next.bend[i] * step);
            *piece = [
                here.place[i],
                d0,
                0.5 * here.bend[i],
                (10.0 * moved - 4.0 * d1 - 6.0 * d0 - 1.5 * c0 + 0.5 * c1) / step.powi(2),
                (-15.0 * moved + 7.0 * d1 + 8.0 * d0 + 1.5 * c0 - c1) / step.powi(3),
                (6.0 * moved - 3.0 * (d1 + d0) - 0.5 * (c0 - c1)) / step.powi(4),
            ];
        }
        self.nodes[at].piece = piece;
        self.pieces = at + 1;
    }
}

/// An entry of a place and its derivatives over the way, up to the fifth.
#[derive(Debug, Clone, Copy, Default)]
pub struct Derivatives(pub [f64; 6]);

impl Derivatives {
    /// The derivatives of a polynomial (Horner).
    fn of(coefficients: &[f64; 6], u: f64) -> Self {
        let mut derivatives = *coefficients;
        for (order, factorial) in [1.0, 1.0, 2.0, 6.0, 24.0, 120.0].into_iter().enumerate() {
            for degree in (order..5).rev() {
                derivatives[degree] += u * derivatives[degree + 1];
            }
            derivatives[order] *= factorial;
        }
        Self(derivatives)
    }

    /// The entry's state over time, by that of the way.
    pub fn state(&self, way: State) -> State {
        let State { velocity: speed, acceleration, .. } = way;
        let Self([position, slope, bend, ..]) = *self;
        State { position, velocity: slope * speed, acceleration: bend * speed * speed + slope * acceleration }
    }

    /// The entry's jerk where the way has none.
    pub fn jerk(&self, way: State) -> f64 {
        let Self([_, _, bend, third, ..]) = self;
        third * way.velocity.powi(3) + 3.0 * bend * way.velocity * way.acceleration
    }
}

/// The length of a step between two places, by the turn of the slope on it: an arc is longer than its chord.
pub fn arc(chord: &[f64], turn: f64) -> f64 {
    length(chord) * (1.0 + turn * turn / 24.0)
}
