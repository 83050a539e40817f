//! How far to go along a straight line so that the largest of several moves becomes smallest.

/// Where the largest of the magnitudes of `moves[i] + t · motion[i]` is smallest for t from `range.0` to `range.1`, which hold 0
/// between them, and what it is there. Of several such places that nearest to 0.
pub(super) fn minimax_along<const N: usize>(moves: &[f64; N], motion: &[f64; N], range: (f64, f64)) -> (f64, f64) {
    // The largest is convex in t: only one of both directions can lead down.
    let forwards = down(moves, motion, range.1);
    let backwards = down(moves, &motion.map(|rate| -rate), -range.0);
    if backwards.1 < forwards.1 { (-backwards.0, backwards.1) } else { forwards }
}

/// [`minimax_along`] for t from 0 to `end`: down along the line that is on top, until one that rises crosses it.
fn down<const N: usize>(moves: &[f64; N], motion: &[f64; N], end: f64) -> (f64, f64) {
    // Each magnitude is the greater of two lines: height at 0 and slope.
    let lines = || moves.iter().zip(motion).flat_map(|(a, b)| [(*a, *b), (-a, -b)]);
    let steeper = |a: (f64, f64), b: (f64, f64)| if b.0 > a.0 || (b.0 == a.0 && b.1 > a.1) { b } else { a };
    let mut top = lines().fold((f64::NEG_INFINITY, 0.0), steeper);
    let mut at = 0.0;
    while top.1 < 0.0 {
        let crossings = lines().filter(|line| line.1 > top.1).map(|line| ((top.0 - line.0) / (line.1 - top.1), line));
        // The line's own mirror image crosses it where its move vanishes, so that there is always one.
        let first = |a: (f64, (f64, f64)), b: (f64, (f64, f64))| {
            if b.0 < a.0 || (b.0 == a.0 && b.1.1 > a.1.1) { b } else { a }
        };
        let (crossing, next) = crossings.fold((f64::INFINITY, top), first);
        if crossing >= end {
            return (end, top.0 + top.1 * end);
        }
        (at, top) = (crossing, next);
    }
    (at, top.0 + top.1 * at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn largest(moves: &[f64; 3], motion: &[f64; 3], t: f64) -> f64 {
        moves.iter().zip(motion).map(|(a, b)| (a + t * b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn nowhere_is_the_largest_move_smaller() {
        let entries = [-1.3, -0.4, 0.0, 0.7, 1.1];
        for index in 0..5_usize.pow(6) {
            let entry = |place: u32| entries[index / 5_usize.pow(place) % 5];
            let (moves, motion) = ([entry(0), entry(1), entry(2)], [entry(3), entry(4), entry(5)]);
            let (t, least) = minimax_along(&moves, &motion, (-0.8, 1.5));
            assert!((-0.8..=1.5).contains(&t) && (largest(&moves, &motion, t) - least).abs() < 1e-12);
            for step in 0..=23 {
                let other = largest(&moves, &motion, -0.8 + 0.1 * f64::from(step));
                assert!(other >= least - 1e-12, "{moves:?} {motion:?} {t} {least} {other}");
            }
            // Nothing is gained: it stays.
            assert!(largest(&moves, &motion, 0.0) > least || t == 0.0, "{moves:?} {motion:?} {t}");
        }
    }
}
