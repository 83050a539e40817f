//! Adds configurations to a followed path until the smooth curve through them stays within the deviation.

use super::curve::Curve;
use super::followed::{Followed, Knot, larger, ratio};
use super::path_solver::PathSolver;
use super::tip_rates::TipRates;
use crate::solver::{ProblemError, Residual};

/// Number of points between the ends of a piece where the curve is compared with the path.
const COMPARED_POINTS: u8 = 3;

/// Halves each piece on which the smooth curve through all knots leaves the path by more than is allowed, until there is no such piece, or
/// only pieces that are too short to halve. Where a joint comes to its limit, the others have to move faster at once: the curve needs more
/// knots there.
pub(super) fn subdivide(solver: &mut PathSolver, followed: &mut Followed) -> Result<(), ProblemError> {
    let knots = followed.knots.len();
    loop {
        let missing = missing_knots(solver, followed)?;
        if missing.is_empty() {
            break;
        }
        // From the end, so that the indices of the others stay valid.
        for (index, knot) in missing.into_iter().rev() {
            followed.knots.insert(index, knot);
            followed.rests.iter_mut().filter(|rest| **rest >= index).for_each(|rest| *rest += 1);
        }
    }
    if followed.knots.len() > knots {
        let ends = |knot: &Knot| solver.residual(knot.length, &knot.positions);
        let at_knots = followed.knots.iter().map(ends).fold(Residual::default(), larger);
        let pieces = followed.knots.windows(2).map(|pair| {
            let [from, to] = [&pair[0], &pair[1]].map(|knot| (knot.length, knot.positions.as_slice()));
            solver.deviation_between(from, to)
        });
        followed.deviation = pieces.fold(at_knots, larger);
    }
    Ok(())
}

/// The knots that are missing, each with its index among the present ones.
fn missing_knots(solver: &mut PathSolver, followed: &Followed) -> Result<Vec<(usize, Knot)>, ProblemError> {
    let mut tip = TipRates::new(solver.chain, solver.target, solver.path);
    let mut missing = Vec::new();
    for (first, last) in followed.smooth_parts() {
        let curve = Curve::new(&followed.knots[first..=last], &mut tip);
        for after in first + 1..=last {
            let (start, end) = (followed.knots[after - 1].length, followed.knots[after].length);
            let middle = 0.5 * (start + end);
            let mut deviation = Residual::default();
            for point in 1..=COMPARED_POINTS {
                let length = start + (end - start) * f64::from(point) / f64::from(COMPARED_POINTS + 1);
                deviation = larger(deviation, solver.residual(length, &positions(solver, &curve, length)));
            }
            let may_be_halved = middle - start >= solver.options.shortest_piece;
            if ratio(&deviation, &solver.options.deviation) > 1.0
                && may_be_halved
                && solver.track(middle, &positions(solver, &curve, middle))?
            {
                missing.push((after, Knot { length: middle, positions: solver.solution.positions.clone() }));
            }
        }
    }
    Ok(missing)
}

/// The positions on the curve, inside the limits.
fn positions(solver: &PathSolver, curve: &Curve, length: f64) -> Vec<f64> {
    let variables = solver.chain.variables().iter().enumerate();
    variables.map(|(index, variable)| variable.domain.clamp(curve.at(length, index).position)).collect()
}
