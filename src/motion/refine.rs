//! More postures where the smooth curve through those of a followed path would stray.

use super::curve::Curve;
use super::follow::{Followed, Knot, Walk, larger, share};
use super::rates::TipRates;
use crate::solver::{ProblemError, Residual};

/// Points of a piece, ends apart, at which the curve is compared with the path.
const POINTS: u8 = 3;

/// Puts a posture into the middle of each piece on which the smooth curve through all of them would stray farther than is allowed, until there
/// is none, or only pieces that must not be halved: where a joint comes to its limit, others take over at once, and the curve needs
/// postures close to that place.
pub(super) fn refine(walk: &mut Walk, followed: &mut Followed) -> Result<(), ProblemError> {
    let knots = followed.knots.len();
    loop {
        let further = further_knots(walk, followed)?;
        if further.is_empty() {
            break;
        }
        // From the end, so that the places of those before still hold.
        for (place, knot) in further.into_iter().rev() {
            followed.knots.insert(place, knot);
            followed.rests.iter_mut().filter(|rest| **rest >= place).for_each(|rest| *rest += 1);
        }
    }
    if followed.knots.len() > knots {
        let ends = |knot: &Knot| walk.residual(knot.length, &knot.positions);
        let at_knots = followed.knots.iter().map(ends).fold(Residual::default(), larger);
        let pieces = followed.knots.windows(2).map(|pair| {
            let [from, to] = [&pair[0], &pair[1]].map(|knot| (knot.length, knot.positions.as_slice()));
            walk.even_deviation(from, to)
        });
        followed.deviation = pieces.fold(at_knots, larger);
    }
    Ok(())
}

/// The knots that are missing, each with its place among those there are.
fn further_knots(walk: &mut Walk, followed: &Followed) -> Result<Vec<(usize, Knot)>, ProblemError> {
    let mut tip = TipRates::new(walk.chain, walk.target, walk.path);
    let mut further = Vec::new();
    for (first, last) in followed.stretches() {
        let curve = Curve::new(&followed.knots[first..=last], &mut tip);
        for after in first + 1..=last {
            let (start, end) = (followed.knots[after - 1].length, followed.knots[after].length);
            let middle = 0.5 * (start + end);
            let mut strayed = Residual::default();
            for point in 1..=POINTS {
                let length = start + (end - start) * f64::from(point) / f64::from(POINTS + 1);
                strayed = larger(strayed, walk.residual(length, &positions(walk, &curve, length)));
            }
            let may_be_halved = middle - start >= walk.options.shortest_piece;
            if share(&strayed, &walk.options.deviation) > 1.0
                && may_be_halved
                && walk.track(middle, &positions(walk, &curve, middle))?
            {
                further.push((after, Knot { length: middle, positions: walk.solution.positions.clone() }));
            }
        }
    }
    Ok(further)
}

/// The posture on the curve, inside the limits.
fn positions(walk: &Walk, curve: &Curve, length: f64) -> Vec<f64> {
    let variables = walk.chain.variables().iter().enumerate();
    variables.map(|(index, variable)| variable.domain.clamp(curve.at(length, index).position)).collect()
}
