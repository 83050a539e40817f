//! Quadratic equations in the cosine and sine of one angle, with up to four roots.

use nalgebra::Complex;

use super::Turn;

/// Largest number of iterations of the root finder.
const MAX_ROUNDS: usize = 80;
/// The root finder stops when no step exceeds this, relative to one plus the size of the root.
const LAST_STEP: f64 = 1e-15;
/// Leading coefficient, relative to the largest, below which the equation counts as linear.
const NO_SECOND_DEGREE: f64 = 1e-13;
/// Largest distance of a root from the unit circle for which it is an angle. Double roots are accurate to the square
/// root of rounding.
const MAX_OFF_CIRCLE: f64 = 1e-4;
/// Newton steps that refine an angle.
const NEWTON_STEPS: usize = 3;

/// The function `one + cos · cosine + sin · sine` of an angle.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    /// Constant term.
    pub one: f64,
    /// Coefficient of the cosine.
    pub cos: f64,
    /// Coefficient of the sine.
    pub sin: f64,
}

impl Linear {
    /// The value at the angle `turn`.
    pub fn at(&self, turn: Turn) -> f64 {
        self.one + self.cos * turn.cos + self.sin * turn.sin
    }

    /// The product of the function and `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self { one: self.one * factor, cos: self.cos * factor, sin: self.sin * factor }
    }

    /// The sum of the function and `constant`.
    #[must_use]
    pub fn plus(&self, constant: f64) -> Self {
        Self { one: self.one + constant, ..*self }
    }

    /// The square.
    pub(super) fn squared(&self) -> Quadratic {
        Quadratic {
            one: self.one * self.one + 0.5 * (self.cos * self.cos + self.sin * self.sin),
            first: Complex::new(self.one * self.cos, -self.one * self.sin) * 2.0,
            second: Complex::new(0.5 * (self.cos * self.cos - self.sin * self.sin), -self.cos * self.sin),
        }
    }
}

/// The function `one` + Re(`first` z + `second` z²) of an angle, with z = exp(i angle).
#[derive(Debug, Clone, Copy)]
pub struct Quadratic {
    /// Constant term.
    pub one: f64,
    /// Coefficient of z.
    pub first: Complex<f64>,
    /// Coefficient of z².
    pub second: Complex<f64>,
}

impl Quadratic {
    /// The constant function with the value `one`.
    pub fn constant(one: f64) -> Self {
        Self { one, first: Complex::ZERO, second: Complex::ZERO }
    }

    /// The sum of this function and `factor` times `other`.
    #[must_use]
    pub fn and(&self, factor: f64, other: &Self) -> Self {
        Self {
            one: self.one + factor * other.one,
            first: self.first + other.first * factor,
            second: self.second + other.second * factor,
        }
    }

    /// Calls `on_root` with each root, possibly twice for a double root.
    pub fn roots(&self, on_root: &mut dyn FnMut(Turn)) {
        let largest = self.one.abs().max(self.first.norm()).max(self.second.norm());
        if largest == 0.0 {
            return;
        }
        if self.second.norm() > NO_SECOND_DEGREE * largest {
            let on_circle = |z: &Complex<f64>| (z.norm() - 1.0).abs() <= MAX_OFF_CIRCLE;
            self.complex_roots().into_iter().filter(on_circle).for_each(|z| on_root(self.exact(z)));
            return;
        }
        let ratio = -self.one / self.first.norm();
        if ratio.abs() <= 1.0 {
            let (middle, half) = (-self.first.arg(), ratio.acos());
            on_root(Turn::new(middle + half));
            on_root(Turn::new(middle - half));
        }
    }

    /// The four roots of z² times the function, by the iteration of Aberth 1973, "Iteration methods for finding all
    /// zeros of a polynomial simultaneously".
    fn complex_roots(&self) -> [Complex<f64>; 4] {
        let coefficients =
            [self.second, self.first, Complex::from(2.0 * self.one), self.first.conj(), self.second.conj()];
        // Distinct starting points, none on an axis of symmetry.
        let mut roots = [0.4_f64, 1.9, 3.6, 5.3].map(|angle| Complex::from_polar(1.0 + 0.02 * angle, angle));
        for _ in 0..MAX_ROUNDS {
            let mut largest = 0.0_f64;
            for index in 0..roots.len() {
                let z = roots[index];
                let (mut value, mut slope) = (Complex::<f64>::ZERO, Complex::<f64>::ZERO);
                for coefficient in coefficients {
                    slope = slope * z + value;
                    value = value * z + coefficient;
                }
                let others = (0..roots.len()).filter(|other| *other != index);
                let push: Complex<f64> = others.map(|other| (z - roots[other]).inv()).sum();
                let step: Complex<f64> = value / (slope - value * push);
                if step.is_finite() {
                    roots[index] = z - step;
                    largest = largest.max(step.norm() / (1.0 + z.norm()));
                }
            }
            if largest <= LAST_STEP {
                break;
            }
        }
        roots
    }

    /// The angle of a root, refined where its slope allows.
    fn exact(&self, z: Complex<f64>) -> Turn {
        let mut z = z / z.norm();
        for _ in 0..NEWTON_STEPS {
            let (value, slope) = self.value_and_slope(z);
            let step = -value / slope;
            // At a double root the step is 0/0 up to rounding.
            if !step.is_finite() || step.abs() > MAX_OFF_CIRCLE {
                break;
            }
            z *= Complex::from_polar(1.0, step);
        }
        Turn { cos: z.re, sin: z.im }
    }

    fn value_and_slope(&self, z: Complex<f64>) -> (f64, f64) {
        let (first, second) = (self.first * z, self.second * z * z);
        (self.one + first.re + second.re, -first.im - 2.0 * second.im)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use urdf_ik_mathematics::pseudorandom::fraction;

    fn found(equation: &Quadratic) -> Vec<Turn> {
        let mut roots = Vec::new();
        equation.roots(&mut |turn| roots.push(turn));
        roots
    }

    #[test]
    fn every_change_of_sign_is_a_root() {
        let mut counts = [0; 5];
        for number in 0..2000 {
            let value = |index| 2.0 * fraction(number, index) - 1.0;
            let equation = Quadratic {
                one: value(0),
                first: Complex::new(value(1), value(2)),
                second: Complex::new(value(3), value(4)) * if number % 10 == 0 { 1e-15 } else { 1.0 },
            };
            let at = |step: u32| equation.value_and_slope(Complex::from_polar(1.0, f64::from(step) * TAU / 4000.0)).0;
            let changes = (0..4000).filter(|step| at(*step) * at(step + 1) < 0.0).count();
            let roots = found(&equation);
            assert_eq!(roots.len(), changes, "{equation:?}: {roots:?}");
            for root in roots {
                let value = equation.value_and_slope(Complex::new(root.cos, root.sin)).0;
                assert!(value.abs() < 1e-13, "{equation:?}: {root:?} leaves {value:e}");
            }
            counts[changes] += 1;
        }
        assert!(counts[0] > 50 && counts[2] > 50 && counts[4] > 50, "{counts:?}");
    }

    #[test]
    fn double_roots_are_found_and_nothing_is_nan() {
        for step in 0..100 {
            let angle = f64::from(step) * 0.0628;
            let linear = Linear { one: -1.0, cos: angle.cos(), sin: angle.sin() };
            let roots = found(&linear.squared());
            assert!(!roots.is_empty(), "{angle}");
            for root in roots {
                assert!(linear.at(root).abs() < 1e-6, "{angle}: {root:?}");
            }
        }
        assert!(found(&Quadratic::constant(0.0)).is_empty() && found(&Quadratic::constant(1.0)).is_empty());
    }
}
