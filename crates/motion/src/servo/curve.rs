//! A curve of the joints along a line, kept as data: configurations one after the other, and quintic pieces between them.
//!
//! Its parameter is the length of the joints' motion, where the time of the line counts as one more joint (1 s as 1 rad). So it goes on
//! evenly where the tip stands still and the joints move, and the other way round.

use std::collections::VecDeque;

use super::constants::{LONGEST_STEP, MOST_NODES, SHORTEST_STEP, TURN};
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

/// A place on a curve: the variables and the time of the line there.
#[derive(Debug, Clone)]
pub struct Node {
    /// How far along the curve it is.
    pub way: f64,
    pub place: Vec<f64>,
    /// The derivatives of the place over the way.
    pub slope: Vec<f64>,
    pub bend: Vec<f64>,
    /// The coefficients of the piece to the next node: all of one order after the other.
    piece: Vec<f64>,
}

/// A curve. See the [module](self).
#[derive(Debug, Clone)]
pub struct Curve {
    nodes: VecDeque<Node>,
    spare: Vec<Node>,
    /// How many nodes have a piece that goes on from them.
    pieces: usize,
    /// Whether the bend of the first node is that of its first piece.
    begins_straight: bool,
    pub end: Option<End>,
    /// Up to where it may be used, if that is not to its end: beyond it the tip stands, and it is not known for how long.
    pub stands_from: Option<f64>,
    /// How the motion within the null space changes, at the last node.
    pub drift: Vec<f64>,
    /// The next step.
    pub step: f64,
}

impl Curve {
    /// For so many variables.
    pub fn new(variables: usize) -> Self {
        let size = variables + 1;
        let list = vec![0.0; size];
        let node =
            Node { way: 0.0, place: list.clone(), slope: list.clone(), bend: list.clone(), piece: vec![0.0; 6 * size] };
        Self {
            nodes: VecDeque::with_capacity(MOST_NODES),
            spare: vec![node; MOST_NODES],
            pieces: 0,
            begins_straight: true,
            end: None,
            stands_from: None,
            drift: list,
            step: 0.0,
        }
    }

    /// Begins anew at a place, with a unit slope there, and a bend where joints move.
    pub fn begin(&mut self, place: &[f64], slope: &[f64], bend: Option<&[f64]>, step: f64) {
        self.spare.extend(self.nodes.drain(..));
        (self.pieces, self.end, self.stands_from, self.step) = (0, None, None, step);
        self.begins_straight = bend.is_none();
        self.drift.fill(0.0);
        self.push(0.0, place, slope);
        if let Some(bend) = bend {
            self.nodes[0].bend.copy_from_slice(bend);
        }
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
    pub fn add(&mut self, step: f64, place: &[f64], slope: &[f64]) {
        let way = self.last().way + step;
        self.push(way, place, slope);
        let last = self.nodes.len() - 1;
        if last >= 2 {
            self.write_bend(last - 1);
            self.build(last - 2);
        } else if self.begins_straight {
            self.write_last_bend(0, 1);
        }
        // Until there is another node.
        self.write_last_bend(last, last);
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
            self.write_last_bend(last, last);
            self.build(last - 1);
        }
        self.end = Some(end);
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

    /// Writes the derivatives of the place over the way, of order `first` and as many more as there is room. Gives how far it is to where
    /// the curve has to be looked at next.
    pub fn write(&self, way: f64, first: usize, derivatives: &mut [Vec<f64>]) -> f64 {
        let at = self.nodes.partition_point(|node| node.way <= way).clamp(1, self.pieces.max(1)) - 1;
        let node = &self.nodes[at];
        let (u, size) = (way - node.way, node.place.len());
        for (order, derivative) in (first..).zip(derivatives) {
            let mut factors = [0.0; 6];
            let mut power = 1.0;
            for (factor, falling) in factors.iter_mut().zip(FALLING[order]).skip(order) {
                *factor = falling * power;
                power *= u;
            }
            derivative.fill(0.0);
            for (factor, coefficients) in factors.iter().zip(node.piece.chunks_exact(size)).skip(order) {
                add_times(derivative, *factor, coefficients);
            }
        }
        let piece = |at: usize| self.nodes.get(at + 1).map_or(f64::INFINITY, |next| next.way - self.nodes[at].way);
        let left = piece(at) - u;
        if left > 2e-6 * piece(at) {
            // To just before the end of the piece, and then to just behind it.
            return (0.15 * piece(at)).min(left - 1e-6 * piece(at));
        }
        left + 0.01 * piece(at).min(piece((at + 1).min(self.nodes.len() - 1)))
    }

    fn push(&mut self, way: f64, place: &[f64], slope: &[f64]) {
        let Some(mut node) = self.spare.pop() else { return };
        node.way = way;
        node.place.copy_from_slice(place);
        node.slope.copy_from_slice(slope);
        node.bend.fill(0.0);
        self.nodes.push_back(node);
    }

    /// Writes the bend of a node at an end: that of the piece before the node `after`.
    fn write_last_bend(&mut self, at: usize, after: usize) {
        let step = self.nodes[after].way - self.nodes[after - 1].way;
        for entry in 0..self.nodes[at].bend.len() {
            let change = self.nodes[after].slope[entry] - self.nodes[after - 1].slope[entry];
            self.nodes[at].bend[entry] = change / step;
        }
    }

    /// Writes the bend of a node between two others, by their slopes.
    fn write_bend(&mut self, at: usize) {
        let [before, here, after] = [at - 1, at, at + 1].map(|at| self.nodes[at].way);
        let (first, second) = (here - before, after - here);
        for entry in 0..self.nodes[at].bend.len() {
            let slope = |at: usize| self.nodes[at].slope[entry];
            let changes = [(slope(at) - slope(at - 1)) / first, (slope(at + 1) - slope(at)) / second];
            self.nodes[at].bend[entry] = (changes[0] * second + changes[1] * first) / (first + second);
        }
    }

    /// Writes the piece from a node to the next one: the quintic polynomial with their places, slopes and bends.
    fn build(&mut self, at: usize) {
        let mut piece = std::mem::take(&mut self.nodes[at].piece);
        let (here, next) = (&self.nodes[at], &self.nodes[at + 1]);
        let (step, size) = (next.way - here.way, here.place.len());
        for i in 0..size {
            let moved = (next.place[i] - here.place[i]) / step;
            let (d0, d1) = (here.slope[i], next.slope[i]);
            let (c0, c1) = (here.bend[i] * step, next.bend[i] * step);
            let coefficients = [
                here.place[i],
                d0,
                0.5 * here.bend[i],
                (10.0 * moved - 4.0 * d1 - 6.0 * d0 - 1.5 * c0 + 0.5 * c1) / step.powi(2),
                (-15.0 * moved + 7.0 * d1 + 8.0 * d0 + 1.5 * c0 - c1) / step.powi(3),
                (6.0 * moved - 3.0 * (d1 + d0) - 0.5 * (c0 - c1)) / step.powi(4),
            ];
            for (order, coefficient) in coefficients.into_iter().enumerate() {
                piece[order * size + i] = coefficient;
            }
        }
        self.nodes[at].piece = piece;
        self.pieces = at + 1;
    }
}

/// The factors of the derivatives of powers: by order, then degree.
const FALLING: [[f64; 6]; 4] =
    [[1.0; 6], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 0.0, 2.0, 6.0, 12.0, 20.0], [0.0, 0.0, 0.0, 6.0, 24.0, 60.0]];

/// The length of a step between two places, by the turn of the slope on it: an arc is longer than its chord.
pub fn arc(chord: &[f64], turn: f64) -> f64 {
    length(chord) * (1.0 + turn * turn / 24.0)
}
