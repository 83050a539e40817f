//! Joint positions by path length: a smooth curve between two rests of the tip.

use urdf_ik_mathematics::spline::Basis;

/// Joint positions for each length of a path. Between two rests they have a continuous second derivative and a bounded third one.
///
/// Each smooth part is a cubic B-spline for each variable. Its values lie between the values of its control points, so that control points
/// inside the joint limits keep the whole curve inside.
#[derive(Debug, Clone, PartialEq)]
pub struct JointCurve {
    variables: usize,
    parts: Vec<Part>,
    /// One position for each variable, for one control point after the other.
    controls: Vec<f64>,
}

/// A smooth part of a curve, without its control points.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    /// Path length by interval.
    basis: Basis<4>,
    /// Index of its first control point, which is the last one of the part before.
    first: usize,
}

/// A smooth part of a curve.
#[derive(Clone, Copy)]
pub(super) struct SmoothPart<'a> {
    pub(super) curve: &'a JointCurve,
    /// Path length by interval.
    pub(super) basis: &'a Basis<4>,
    /// Index of its first control point.
    pub(super) first: usize,
}

/// A configuration of the curve with its first, second and third derivative by the path length.
pub(super) type Derivatives = [Vec<f64>; 4];

impl JointCurve {
    /// The curve with smooth parts over the given intervals of path length, whose control points are not known yet but for the value that
    /// `positions` gives near each. Without a part it is the one configuration at length 0.
    pub(super) fn new(parts: &[Vec<f64>], variables: usize, mut positions: impl FnMut(f64) -> Vec<f64>) -> Self {
        let mut curve = Self { variables, parts: Vec::new(), controls: positions(0.0) };
        for ends in parts {
            let basis = Basis::new(ends);
            let first = curve.controls.len() / variables - 1;
            for control in 1..basis.coefficients() {
                curve.controls.extend(positions(basis.centre(control)));
            }
            curve.parts.push(Part { basis, first });
        }
        curve
    }

    /// Path length at its end \[m\].
    pub fn length(&self) -> f64 {
        self.parts().next_back().map_or(0.0, |part| part.end())
    }

    /// Path lengths of the rests between its smooth parts.
    pub fn rests(&self) -> impl Iterator<Item = f64> {
        self.parts().skip(1).map(|part| part.start())
    }

    /// Positions of the variables after `length` metres of path \[rad or m\].
    pub fn positions_at(&self, length: f64) -> Vec<f64> {
        let is_before = |part: &Part| part.basis.ends().last().is_some_and(|end| *end <= length);
        let after = self.parts.partition_point(is_before);
        let Some(part) = self.parts.get(after).or(self.parts.last()) else { return self.controls.clone() };
        let part = self.smooth(part);
        let mut positions = vec![0.0; self.variables];
        let length = length.clamp(part.start(), part.end());
        let interval = part.basis.interval(length);
        let first = part.first + interval;
        self.weighted_sum(first, &part.basis.derivatives(interval, length)[0], &mut positions);
        for (variable, position) in positions.iter_mut().enumerate() {
            // Only rounding can bring it outside of its control points.
            let controls = (first..first + 4).map(|control| self.controls[control * self.variables + variable]);
            let (least, most) = controls.fold((f64::MAX, f64::MIN), |(least, most), at| (least.min(at), most.max(at)));
            *position = position.max(least).min(most);
        }
        positions
    }

    /// The sum of four control points from `first` on.
    pub(super) fn weighted_sum(&self, first: usize, weights: &[f64; 4], sum: &mut [f64]) {
        let controls = self.controls[first * self.variables..].chunks_exact(self.variables);
        sum.fill(0.0);
        for (weight, control) in weights.iter().zip(controls) {
            for (sum, entry) in sum.iter_mut().zip(control) {
                *sum += weight * entry;
            }
        }
    }

    pub(super) fn variables(&self) -> usize {
        self.variables
    }

    pub(super) fn parts(&self) -> impl DoubleEndedIterator<Item = SmoothPart<'_>> {
        self.parts.iter().map(|part| self.smooth(part))
    }

    fn smooth<'a>(&'a self, part: &'a Part) -> SmoothPart<'a> {
        SmoothPart { curve: self, basis: &part.basis, first: part.first }
    }

    pub(super) fn controls(&self) -> &[f64] {
        &self.controls
    }

    pub(super) fn controls_mut(&mut self) -> &mut [f64] {
        &mut self.controls
    }
}

impl SmoothPart<'_> {
    /// Path length at its start \[m\].
    pub(super) fn start(&self) -> f64 {
        self.basis.ends()[0]
    }

    /// Path length at its end \[m\].
    pub(super) fn end(&self) -> f64 {
        self.basis.ends()[self.basis.ends().len() - 1]
    }

    /// Room for its derivatives.
    pub(super) fn derivatives(&self) -> Derivatives {
        std::array::from_fn(|_| vec![0.0; self.curve.variables])
    }

    /// The curve after `length` metres, on one of its intervals.
    pub(super) fn at(&self, interval: usize, length: f64, found: &mut Derivatives) {
        for (row, found) in self.basis.derivatives(interval, length).iter().zip(found) {
            self.curve.weighted_sum(self.first + interval, row, found);
        }
    }
}
