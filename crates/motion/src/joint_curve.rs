//! Joint positions by path length: a smooth curve between rests of the tip.

use urdf_ik_mathematics::spline::Basis;

/// Joint positions \[rad or m\] as a function of path length \[m\]. Between two rests, the second derivative is
/// continuous and the third one bounded.
///
/// Each smooth part is a cubic B-spline per variable. Its values stay within the range of its control points. If these
/// are inside the joint limits, so is the whole curve.
#[derive(Debug, Clone, PartialEq)]
pub struct JointCurve {
    pub(super) variables: usize,
    pub(super) parts: Vec<CurvePart>,
    /// Positions of all variables, control point after control point.
    pub(super) controls: Vec<f64>,
}

/// A smooth part of a curve, without its control points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CurvePart {
    /// Path length by interval.
    pub(super) basis: Basis<4>,
    /// Index of its first control point, the last one of the previous part.
    pub(super) first: usize,
}

/// Positions with their first, second and third derivatives by the path length.
pub(super) type Derivatives = [Vec<f64>; 4];

impl JointCurve {
    /// A curve with smooth parts over the given intervals of path length. Its control points are initialised with
    /// `positions` at the centres of their supports. Without a part it is the configuration at length 0.
    pub(super) fn new(parts: &[Vec<f64>], variables: usize, mut positions: impl FnMut(f64) -> Vec<f64>) -> Self {
        let mut curve = Self { variables, parts: Vec::new(), controls: positions(0.0) };
        for ends in parts {
            let basis = Basis::new(ends);
            let first = curve.controls.len() / variables - 1;
            for control in 1..basis.coefficients() {
                curve.controls.extend(positions(basis.centre(control)));
            }
            curve.parts.push(CurvePart { basis, first });
        }
        curve
    }

    /// Total path length \[m\].
    pub fn length(&self) -> f64 {
        self.parts.last().map_or(0.0, CurvePart::end)
    }

    /// Path lengths of the rests between the smooth parts \[m\], in ascending order.
    pub fn rests(&self) -> impl Iterator<Item = f64> {
        self.parts.iter().skip(1).map(CurvePart::start)
    }

    /// Positions of the chain's variables \[rad or m\] at path length `length` \[m\], which is clamped to the ends of
    /// the curve.
    pub fn positions_at(&self, length: f64) -> Vec<f64> {
        let after = self.parts.partition_point(|part| part.end() <= length);
        let Some(part) = self.parts.get(after).or(self.parts.last()) else { return self.controls.clone() };
        let length = length.clamp(part.start(), part.end());
        let interval = part.basis.interval(length);
        let first = part.first + interval;
        let mut positions = self.weighted_sum(first, &part.basis.derivatives(interval, length)[0]);
        for (variable, position) in positions.iter_mut().enumerate() {
            // Only rounding can exceed the control points.
            let controls = (first..first + 4).map(|control| self.controls[control * self.variables + variable]);
            let (least, most) = controls.fold((f64::MAX, f64::MIN), |(least, most), at| (least.min(at), most.max(at)));
            *position = position.max(least).min(most);
        }
        positions
    }

    /// The weighted sum of four control points from index `first` on.
    pub(super) fn weighted_sum(&self, first: usize, weights: &[f64; 4]) -> Vec<f64> {
        let controls = self.controls[first * self.variables..].chunks_exact(self.variables);
        let mut sum = vec![0.0; self.variables];
        for (weight, control) in weights.iter().zip(controls) {
            for (sum, entry) in sum.iter_mut().zip(control) {
                *sum += weight * entry;
            }
        }
        sum
    }

    /// The derivatives at path length `length` \[m\] on an interval of `part`.
    pub(super) fn derivatives(&self, part: &CurvePart, interval: usize, length: f64) -> Derivatives {
        part.basis.derivatives(interval, length).map(|row| self.weighted_sum(part.first + interval, &row))
    }
}

impl CurvePart {
    /// Path length at its start \[m\].
    pub(super) fn start(&self) -> f64 {
        self.basis.ends()[0]
    }

    /// Path length at its end \[m\].
    pub(super) fn end(&self) -> f64 {
        self.basis.ends()[self.basis.ends().len() - 1]
    }
}
