//! Four equations in the turns of three joints, from which the other three have dropped out.
//!
//! Raghavan and Roth 1993, "Inverse kinematics of the general 6R manipulator and related linkages": the line of the last axis,
//! carried by three joints on the one side of the loop and by two on the other, gives fourteen functions, which on the side of the
//! two are linear in eight products of cosines and sines. Whatever combination of them leaves these out is an equation in the other
//! three turns, of the first degree in the cosine and sine of each.

use nalgebra::Isometry3;

use crate::{JOINTS, Line, Turn};
use urdf_ik_mathematics::pseudorandom::fraction;

/// Functions of a line whose components are linear in those that two turns about skew lines leave.
const FUNCTIONS: usize = 14;
/// Products of one, cosine and sine of two turns.
const PAIRS: usize = 9;
/// Products of one, cosine and sine of three turns.
const TRIPLES: usize = 27;
/// Products of two turns that are eliminated.
const ELIMINATED_PAIRS: usize = PAIRS - 1;
/// Equations that are used, of the six that there are.
pub(super) const EQUATIONS: usize = 4;

/// One, cosine and sine.
pub(super) type Wave = [f64; 3];

/// Sums of products of one, cosine and sine of the third, fourth and fifth turns that vanish.
pub(super) type Equations = [[[Wave; 3]; 3]; EQUATIONS];

/// The side of the three joints, which is the same for every pose.
#[derive(Debug, Clone)]
pub(super) struct Side {
    /// What each product contributes to each function.
    functions: [[f64; TRIPLES]; FUNCTIONS],
}

/// The functions of Raghavan and Roth: point p and direction l, p·p, p·l, p×l and (p·p) l - 2 (p·l) p.
#[inline]
fn line_functions(line: &Line) -> [f64; FUNCTIONS] {
    let (p, l) = (&line.point, &line.direction);
    let (square, along, moment) = (p.norm_squared(), p.dot(l), p.cross(l));
    let last = l * square - p * (2.0 * along);
    let [[p, l], [moment, last]] = [[p, l], [&moment, &last]].map(|pair| pair.map(|v| [v.x, v.y, v.z]));
    [p[0], p[1], p[2], l[0], l[1], l[2], square, along, moment[0], moment[1], moment[2], last[0], last[1], last[2]]
}

/// A third of a turn, that many times.
fn thirds(times: usize) -> Turn {
    let sine = 0.75_f64.sqrt();
    [Turn::ZERO, Turn { cos: -0.5, sin: sine }, Turn { cos: -0.5, sin: -sine }][times]
}

/// One, cosine and sine of a wave by its values at each third of a turn.
fn wave([first, second, third]: [f64; 3]) -> Wave {
    let mean = (first + second + third) / 3.0;
    [mean, first - mean, (second - third) / 3.0_f64.sqrt()]
}

/// Makes one, cosine and sine of values that depend on several turns, for the turn whose thirds are `stride` apart.
fn waves(values: &mut [f64], stride: usize) {
    for index in (0..values.len()).filter(|index| (index / stride).is_multiple_of(3)) {
        let [one, cos, sin] = wave([values[index], values[index + stride], values[index + 2 * stride]]);
        (values[index], values[index + stride], values[index + 2 * stride]) = (one, cos, sin);
    }
}

impl Side {
    pub fn new(axes: &[Line; JOINTS]) -> Self {
        let mut functions = [[0.0; TRIPLES]; FUNCTIONS];
        for index in 0..TRIPLES {
            let fifth = axes[5].turned(thirds(index % 3), &axes[4]);
            let fourth = fifth.turned(thirds(index / 3 % 3), &axes[3]);
            let line = fourth.turned(thirds(index / 9), &axes[2]);
            for (function, value) in functions.iter_mut().zip(line_functions(&line)) {
                function[index] = value;
            }
        }
        for function in &mut functions {
            for stride in [1, 3, 9] {
                waves(function, stride);
            }
        }
        Self { functions }
    }

    /// The equations for an arm that must move its last link by `motion` from where it is at zero positions.
    pub fn equations(&self, axes: &[Line; JOINTS], motion: &Isometry3<f64>) -> Equations {
        let goal = axes[5].moved(motion);
        let mut other = [[0.0; PAIRS]; FUNCTIONS];
        for first in 0..3 {
            let line = goal.turned(thirds(first), &axes[0]);
            for second in 0..3 {
                let functions = line_functions(&line.turned(thirds(second), &axes[1]));
                for (row, value) in other.iter_mut().zip(functions) {
                    row[3 * first + second] = value;
                }
            }
        }
        for row in &mut other {
            for stride in [1, 3] {
                waves(row, stride);
            }
        }
        let reflections = reflections(&other);
        std::array::from_fn(|number| {
            let combination = left_out(&reflections, number);
            let mut sum = [0.0; TRIPLES];
            for (factor, (function, other)) in combination.iter().zip(self.functions.iter().zip(&other)) {
                for (sum, value) in sum.iter_mut().zip(function) {
                    *sum += factor * value;
                }
                sum[0] -= factor * other[0];
            }
            std::array::from_fn(|i| std::array::from_fn(|j| std::array::from_fn(|k| sum[9 * i + 3 * j + k])))
        })
    }
}

/// Vectors of the reflections that bring the columns of the eliminated products into triangular form (Householder).
fn reflections(other: &[[f64; PAIRS]; FUNCTIONS]) -> [[f64; FUNCTIONS]; ELIMINATED_PAIRS] {
    let mut columns: [[f64; FUNCTIONS]; ELIMINATED_PAIRS] =
        std::array::from_fn(|column| std::array::from_fn(|row| other[row][column + 1]));
    for column in 0..ELIMINATED_PAIRS {
        let mut vector = columns[column];
        vector[..column].fill(0.0);
        let norm = dot(&vector, &vector).sqrt();
        vector[column] += norm.copysign(vector[column]);
        let length = dot(&vector, &vector).sqrt();
        if length > 0.0 {
            for value in &mut vector {
                *value /= length;
            }
        }
        columns[column] = vector;
        for next in &mut columns[column + 1..] {
            reflect(&vector, next);
        }
    }
    columns
}

/// A combination of the functions in which the products do not occur.
fn left_out(reflections: &[[f64; FUNCTIONS]; ELIMINATED_PAIRS], number: usize) -> [f64; FUNCTIONS] {
    let mut combination = [0.0; FUNCTIONS];
    for (index, value) in combination[ELIMINATED_PAIRS..].iter_mut().enumerate() {
        // Of no pattern that an arm's own symmetry could share.
        *value = fraction(number, index) - 0.5;
    }
    reflections.iter().rev().for_each(|reflection| reflect(reflection, &mut combination));
    combination
}

fn reflect(unit: &[f64; FUNCTIONS], vector: &mut [f64; FUNCTIONS]) {
    let twice = 2.0 * dot(unit, vector);
    vector.iter_mut().zip(unit).for_each(|(value, unit)| *value -= twice * unit);
}

fn dot(a: &[f64; FUNCTIONS], b: &[f64; FUNCTIONS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
