//! A smooth curve of joint positions through knots.

use super::followed::Knot;
use super::tip_rates::TipRates;

/// For each variable, a cubic Hermite curve by path length through the knots between two rests. Positions and rates are continuous. The
/// rate at a knot is that of the parabola through three knots, corrected so that the tip moves along the path.
pub(super) struct Curve<'a> {
    knots: &'a [Knot],
    /// Rate of change of each variable at each knot \[rad/m or m/m\].
    rates: Vec<Vec<f64>>,
}

/// A position, and its first and second derivative by the path length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) position: f64,
    pub(super) rate: f64,
    pub(super) curvature: f64,
}

impl<'a> Curve<'a> {
    /// The curve through `knots`: at least two, with increasing lengths.
    pub(super) fn new(knots: &'a [Knot], tip: &mut TipRates) -> Self {
        let last = knots.len() - 1;
        let variables = knots[0].positions.len();
        let ends = (knots[0].length, knots[last].length);
        let rates = (0..=last).map(|at| {
            let middle = at.clamp(1, last.max(2) - 1);
            let rate = |variable| match knots.get(middle - 1..=middle + 1) {
                Some([a, b, c]) => parabola_rate([a, b, c], variable, knots[at].length),
                _ => slope(&knots[0], &knots[last], variable),
            };
            let mut rates: Vec<f64> = (0..variables).map(rate).collect();
            tip.correct(knots[at].length, ends, &knots[at].positions, &mut rates);
            rates
        });
        Self { rates: rates.collect(), knots }
    }

    /// Length of the path at the first knot, and from there to the last knot.
    pub(super) fn extent(&self) -> (f64, f64) {
        let start = self.knots[0].length;
        (start, self.knots[self.knots.len() - 1].length - start)
    }

    /// The variable at this length of the path.
    pub(super) fn at(&self, length: f64, variable: usize) -> Sample {
        let piece = self.knots.partition_point(|knot| knot.length <= length).clamp(1, self.knots.len() - 1) - 1;
        self.on_piece(piece, length, variable)
    }

    /// Greatest absolute rate and second derivative of a variable on the whole curve. A cubic has them at its ends, or where its second
    /// derivative is 0.
    pub(super) fn greatest(&self, variable: usize) -> (f64, f64) {
        let mut greatest = (0.0_f64, 0.0_f64);
        for (piece, ends) in self.knots.windows(2).enumerate() {
            let [before, after] = [&ends[0], &ends[1]].map(|knot| self.on_piece(piece, knot.length, variable));
            let change = before.curvature - after.curvature;
            let part = if change == 0.0 { 0.0 } else { (before.curvature / change).clamp(0.0, 1.0) };
            let inside = ends[0].length + part * (ends[1].length - ends[0].length);
            for sample in [before, after, self.on_piece(piece, inside, variable)] {
                greatest = (greatest.0.max(sample.rate.abs()), greatest.1.max(sample.curvature.abs()));
            }
        }
        greatest
    }

    fn on_piece(&self, piece: usize, length: f64, variable: usize) -> Sample {
        let (before, after) = (&self.knots[piece], &self.knots[piece + 1]);
        let (from, to) = (before.positions[variable], after.positions[variable]);
        let step = after.length - before.length;
        let [rate_from, rate_to] = [piece, piece + 1].map(|knot| self.rates[knot][variable]);
        cubic((from, rate_from), (to, rate_to), step, length - before.length)
    }
}

/// The cubic through two positions with two rates (Hermite), which are `step` apart, at `offset` after the first.
pub(super) fn cubic((from, rate_from): (f64, f64), (to, rate_to): (f64, f64), step: f64, offset: f64) -> Sample {
    let (x, slope) = (offset / step, (to - from) / step);
    // p = from + step (rate_from x + (3 slope - 2 rate_from - rate_to) x² + (rate_from + rate_to - 2 slope) x³)
    let (square, cube) = (3.0 * slope - 2.0 * rate_from - rate_to, rate_from + rate_to - 2.0 * slope);
    Sample {
        position: from + step * x * (rate_from + x * (square + x * cube)),
        rate: rate_from + x * (2.0 * square + 3.0 * x * cube),
        curvature: (2.0 * square + 6.0 * x * cube) / step,
    }
}

fn slope(a: &Knot, b: &Knot, variable: usize) -> f64 {
    (b.positions[variable] - a.positions[variable]) / (b.length - a.length)
}

/// The rate at `length` of the parabola through three knots.
fn parabola_rate([a, b, c]: [&Knot; 3], variable: usize, length: f64) -> f64 {
    let (first, second) = (slope(a, b, variable), slope(b, c, variable));
    let change = (second - first) / (c.length - a.length);
    first + change * (2.0 * length - a.length - b.length)
}
