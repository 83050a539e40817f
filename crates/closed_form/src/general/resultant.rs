//! Elimination of two of three joint angles: a determinant that vanishes where the third has a solution.

use nalgebra::{Matrix4, SMatrix, Schur};

use super::elimination::Eliminated;
use super::equations::{EQUATIONS, Equations, Wave};
use super::harmonics::Harmonics;
use crate::Turn;
use urdf_ik_mathematics::vectors::normalise;

/// Cosine and sine of a half angle and of its triple.
const HALF_TURN_WAVES: usize = 4;
/// Products of these for two angles.
const SIZE: usize = HALF_TURN_WAVES * HALF_TURN_WAVES;

/// Products of cosine and sine of two half angles.
const PLAIN_PRODUCTS: usize = 4;
/// Second-to-last pivot, relative to the first, above which no other solution has the same third angle.
const SHARED_TURN_PIVOT: f64 = 1e-3;
/// Last pivot, relative to the first, below which the determinant is rounding error.
const VANISHING_PIVOT: f64 = 1e-11;
/// Largest imaginary part of a double eigenvalue due to rounding.
const MAX_IMAGINARY_PART: f64 = 0.03;
/// Largest number of iterations for the eigenvalues.
const MAX_ROUNDS: usize = 200;
/// Generic coefficients of cosine and sine of the fourth and fifth angle, in the sum that separates solutions with
/// the same third angle.
const DISTINCTION_FACTORS: [f64; 4] = [1.0, 0.73, 0.41, -1.19];

type Matrix = [[f64; SIZE]; SIZE];

/// The equations, each times cosine or sine of the halves of the fourth and fifth angle: as many as there are
/// products (Sylvester's dialytic method). 1, cosine and sine of the third angle have a matrix each.
pub(super) struct Resultant {
    parts: [Matrix; 3],
}

/// A wave times the cosine of half its angle, or times the sine.
fn times_half([one, cos, sin]: Wave, by_sine: bool) -> [f64; HALF_TURN_WAVES] {
    let (cos, sin) = (0.5 * cos, 0.5 * sin);
    if by_sine { [sin, one - cos, -sin, cos] } else { [one + cos, sin, cos, sin] }
}

impl Resultant {
    pub fn new(equations: &Equations) -> Self {
        let mut parts = [[[0.0; SIZE]; SIZE]; 3];
        debug_assert_eq!(SIZE, 4 * EQUATIONS);
        for (part, matrix) in parts.iter_mut().enumerate() {
            for (index, row) in matrix.iter_mut().enumerate() {
                let by = |bit: usize| index >> bit & 1 == 1;
                let fifth = equations[index / 4][part].map(|wave| times_half(wave, by(0)));
                for number in 0..HALF_TURN_WAVES {
                    let product = times_half(fifth.map(|values| values[number]), by(1));
                    for (fourth, value) in product.into_iter().enumerate() {
                        row[HALF_TURN_WAVES * fourth + number] = value;
                    }
                }
            }
        }
        Self { parts }
    }

    fn at(&self, turn: Turn) -> Matrix {
        let [one, cos, sin] = &self.parts;
        let mut matrix = *one;
        for (row, (cos, sin)) in matrix.iter_mut().zip(cos.iter().zip(sin)) {
            for (value, (cos, sin)) in row.iter_mut().zip(cos.iter().zip(sin)) {
                *value += turn.cos * cos + turn.sin * sin;
            }
        }
        matrix
    }

    /// The determinant as a function of the third angle.
    pub fn determinant(&self) -> Harmonics {
        Harmonics::of(|third| SMatrix::<f64, SIZE, SIZE>::from(self.at(third)).transpose().determinant())
    }

    /// True if the determinant vanishes at the third angle `third`.
    pub fn vanishes(&self, third: Turn) -> bool {
        let eliminated = Eliminated::new(self.at(third), [0.0; SIZE]);
        eliminated.pivot(SIZE - 1) <= VANISHING_PIVOT * eliminated.pivot(0)
    }

    /// Logarithm of the pivot that separates solutions with the same third angle.
    pub fn apart(&self, third: Turn) -> f64 {
        let eliminated = Eliminated::new(self.at(third), [0.0; SIZE]);
        (eliminated.pivot(SIZE - 2) / eliminated.pivot(0)).max(f64::EPSILON).ln()
    }

    /// Calls `found` with candidates for the fourth and fifth angle at a third angle for which the determinant
    /// vanishes. Several solutions can share it.
    pub fn others(&self, third: Turn, found: &mut dyn FnMut(Turn, Turn)) {
        let eliminated = Eliminated::new(self.at(third), [0.0; SIZE]);
        let alone = eliminated.vanishing(0);
        if eliminated.pivot(SIZE - 2) > SHARED_TURN_PIVOT * eliminated.pivot(0) {
            found(fourth(&alone), fifth(&alone));
            return;
        }
        let mut together: [[f64; SIZE]; PLAIN_PRODUCTS] = std::array::from_fn(|i| eliminated.vanishing(i));
        for one in &mut together {
            normalise(one);
        }
        // A shift multiplies the products of each solution by an eigenvalue of its own.
        let plain = Matrix4::from(together.map(|one| plain(&one)));
        let shifted = Matrix4::from(together.map(|one| shifted(&one)));
        let Some(shift) = plain.try_inverse().map(|inverse| inverse * shifted) else { return };
        let Some(schur) = Schur::try_new(shift, f64::EPSILON, MAX_ROUNDS) else { return };
        for value in schur.complex_eigenvalues().iter().filter(|value| value.im >= 0.0 && value.im < MAX_IMAGINARY_PART)
        {
            let rest = (shift - Matrix4::identity() * value.re).transpose();
            let mix = Eliminated::new(rest.into(), [0.0; PLAIN_PRODUCTS]).vanishing(0);
            let products = std::array::from_fn(|i| mix.iter().zip(&together).map(|(mix, one)| mix * one[i]).sum());
            found(fourth(&products), fifth(&products));
        }
    }
}

/// Products of cosine and sine of both half angles.
fn plain(products: &[f64; SIZE]) -> [f64; PLAIN_PRODUCTS] {
    [products[0], products[1], products[HALF_TURN_WAVES], products[HALF_TURN_WAVES + 1]]
}

/// Products of cosine and sine of both half angles, times a combination of the cosines and sines of the angles, from
/// products with the tripled half angles.
fn shifted(products: &[f64; SIZE]) -> [f64; PLAIN_PRODUCTS] {
    std::array::from_fn(|index| {
        let (i, j) = (index / 2, index % 2);
        let [cos, sin] = multiplied(i, &std::array::from_fn(|k| products[HALF_TURN_WAVES * k + j]));
        let [other_cos, other_sin] = multiplied(j, &std::array::from_fn(|k| products[HALF_TURN_WAVES * i + k]));
        [cos, sin, other_cos, other_sin].iter().zip(DISTINCTION_FACTORS).map(|(value, factor)| value * factor).sum()
    })
}

/// Cosine (0) or sine (1) of a half angle, times cosine and sine of the angle.
fn multiplied(half: usize, halves: &[f64; HALF_TURN_WAVES]) -> [f64; 2] {
    let [cos, sin, cos_three, sin_three] = halves.map(|value| 0.5 * value);
    if half == 0 { [cos + cos_three, sin + sin_three] } else { [sin_three - sin, cos - cos_three] }
}

/// The rotation whose half angle has a cosine and sine proportional to these.
fn doubled(cos: f64, sin: f64) -> Turn {
    let half = Turn::towards(cos, sin);
    half.and(half)
}

fn fourth(products: &[f64; SIZE]) -> Turn {
    let size = |j: usize| products[j].abs() + products[HALF_TURN_WAVES + j].abs();
    let best = (1..HALF_TURN_WAVES).fold(0, |best, j| if size(j) > size(best) { j } else { best });
    doubled(products[best], products[HALF_TURN_WAVES + best])
}

fn fifth(products: &[f64; SIZE]) -> Turn {
    let size = |i: usize| products[HALF_TURN_WAVES * i].abs() + products[HALF_TURN_WAVES * i + 1].abs();
    let best = (1..HALF_TURN_WAVES).fold(0, |best, i| if size(i) > size(best) { i } else { best });
    doubled(products[HALF_TURN_WAVES * best], products[HALF_TURN_WAVES * best + 1])
}
