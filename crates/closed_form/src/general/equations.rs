//! Four equations in three joint angles, after elimination of the others.
//!
//! Raghavan and Roth 1993, "Inverse kinematics of the general 6R manipulator and related linkages": the line of the
//! last axis, moved by three joints on one side of the loop and by two on the other, has fourteen functions that on
//! the latter side are linear in eight products of cosines and sines. Combinations without these products are
//! equations in the other three angles, linear in the cosine and sine of each.

use nalgebra::Isometry3;

use crate::{JOINTS, Line, Turn};
use urdf_ik_mathematics::pseudorandom::fraction;
use urdf_ik_mathematics::vectors::{add_times, dot, length, normalise};

/// Functions of a line whose components are linear in the same products of cosines and sines.
const FUNCTIONS: usize = 14;
/// Products of 1, cosine and sine of two angles.
const PAIRS: usize = 9;
/// Products of 1, cosine and sine of three angles.
const TRIPLES: usize = 27;
/// Eliminated products of two angles.
const ELIMINATED_PAIRS: usize = PAIRS - 1;
/// Equations in use, of six independent ones.
pub(super) const EQUATIONS: usize = 4;

/// Coefficients of 1, cosine and sine.
pub(super) type Wave = [f64; 3];

/// Coefficients of products of 1, cosine and sine of the third, fourth and fifth angle; each sum vanishes.
pub(super) type Equations = [[[Wave; 3]; 3]; EQUATIONS];

/// The three-joint side of the loop, which does not depend on the pose.
#[derive(Debug, Clone)]
pub(super) struct ThreeJointSide {
    /// Coefficient of each product in each function.
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

/// A multiple of a third of a revolution.
fn thirds(times: usize) -> Turn {
    let sine = 0.75_f64.sqrt();
    [Turn::ZERO, Turn { cos: -0.5, sin: sine }, Turn { cos: -0.5, sin: -sine }][times]
}

/// Coefficients of 1, cosine and sine from the values at three thirds of a revolution.
fn wave([first, second, third]: [f64; 3]) -> Wave {
    let mean = (first + second + third) / 3.0;
    [mean, first - mean, (second - third) / 3.0_f64.sqrt()]
}

/// Converts values that depend on several angles into coefficients, for the angle whose samples are `stride` apart.
fn waves(values: &mut [f64], stride: usize) {
    for index in (0..values.len()).filter(|index| (index / stride).is_multiple_of(3)) {
        let [one, cos, sin] = wave([values[index], values[index + stride], values[index + 2 * stride]]);
        (values[index], values[index + stride], values[index + 2 * stride]) = (one, cos, sin);
    }
}

impl ThreeJointSide {
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

    /// The equations for a `motion` of the last link from zero positions, with the given `axes`.
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
                add_times(&mut sum, *factor, function);
                sum[0] -= factor * other[0];
            }
            std::array::from_fn(|i| std::array::from_fn(|j| std::array::from_fn(|k| sum[9 * i + 3 * j + k])))
        })
    }
}

/// Householder vectors that bring the columns of the eliminated products into triangular form.
fn reflections(other: &[[f64; PAIRS]; FUNCTIONS]) -> [[f64; FUNCTIONS]; ELIMINATED_PAIRS] {
    let mut columns: [[f64; FUNCTIONS]; ELIMINATED_PAIRS] =
        std::array::from_fn(|column| std::array::from_fn(|row| other[row][column + 1]));
    for column in 0..ELIMINATED_PAIRS {
        let mut vector = columns[column];
        vector[..column].fill(0.0);
        vector[column] += length(&vector).copysign(vector[column]);
        normalise(&mut vector);
        columns[column] = vector;
        for next in &mut columns[column + 1..] {
            reflect(&vector, next);
        }
    }
    columns
}

/// A combination of the functions without the eliminated products.
fn left_out(reflections: &[[f64; FUNCTIONS]; ELIMINATED_PAIRS], number: usize) -> [f64; FUNCTIONS] {
    let mut combination = [0.0; FUNCTIONS];
    for (index, value) in combination[ELIMINATED_PAIRS..].iter_mut().enumerate() {
        // Pseudorandom, so that no symmetry of an arm makes it degenerate.
        *value = fraction(number, index) - 0.5;
    }
    reflections.iter().rev().for_each(|reflection| reflect(reflection, &mut combination));
    combination
}

fn reflect(unit: &[f64; FUNCTIONS], vector: &mut [f64; FUNCTIONS]) {
    let twice = 2.0 * dot(unit, vector);
    add_times(vector, -twice, unit);
}
