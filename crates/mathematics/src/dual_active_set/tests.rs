//! The dual active set compared with enumeration of all active sets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use nalgebra::{DMatrix, DVector};

use super::{DualActiveSet, Inequalities};
use urdf_ik_random::random::Random;

/// A function and inequalities, with the bounds among the rows for the comparison.
struct Problem {
    matrix: DMatrix<f64>,
    vector: DVector<f64>,
    rows: Vec<f64>,
    least: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// A violation that counts in the comparison.
const CLEAR: f64 = 1e-9;

impl Problem {
    /// `rank` rows of a Jacobian, damped a little. Of the inequalities some repeat others or are their sums, some
    /// pass through one point.
    fn random(size: usize, rank: usize, count: usize, random: &mut Random) -> Self {
        let jacobian = DMatrix::from_fn(rank, size, |_, _| random.between(-1.0, 1.0));
        let matrix = jacobian.transpose() * &jacobian + DMatrix::identity(size, size) * 1e-6;
        let vector = jacobian.transpose() * DVector::from_fn(rank, |_, _| random.between(-1.0, 1.0));
        let mut rows: Vec<DVector<f64>> = Vec::new();
        let mut least = Vec::new();
        for at in 0..count {
            let row = match random.below(4) {
                0 if at > 0 => rows[random.below(at)].clone(),
                1 if at > 1 => &rows[at - 1] + &rows[at - 2],
                2 if at > 0 => -&rows[at - 1],
                _ => DVector::from_fn(size, |_, _| random.between(-1.0, 1.0)),
            };
            rows.push(if row.norm() > 1e-3 { row.normalize() } else { DVector::from_element(size, 1.0).normalize() });
            least.push(if random.once_in(3) { 0.0 } else { random.between(-0.5, 0.2) });
        }
        let mut bound = |sign: f64| {
            let one = |random: &mut Random| match random.below(3) {
                0 => 0.0,
                1 => random.between(0.0, 0.5),
                _ => f64::INFINITY,
            };
            (0..size).map(|_| sign * one(random)).collect()
        };
        let (lower, upper) = (bound(-1.0), bound(1.0));
        Self { matrix, vector, rows: rows.iter().flat_map(|row| row.iter().copied()).collect(), least, lower, upper }
    }

    fn inequalities(&self) -> Inequalities<'_> {
        Inequalities { rows: &self.rows, least: &self.least, lower: &self.lower, upper: &self.upper }
    }

    fn solver(&self) -> DualActiveSet {
        let mut set = DualActiveSet::default();
        set.make_room(self.vector.len());
        for row in 0..self.vector.len() {
            (0..=row).for_each(|column| set.matrix.add(row, column, self.matrix[(row, column)]));
        }
        set.vector.copy_from_slice(self.vector.as_slice());
        set
    }

    /// All inequalities as rows.
    fn all(&self) -> Vec<(DVector<f64>, f64)> {
        let size = self.vector.len();
        let rows = self.rows.chunks_exact(size).map(DVector::from_row_slice).zip(self.least.iter().copied());
        let unit = |i: usize, sign: f64| DVector::from_fn(size, |j, _| if i == j { sign } else { 0.0 });
        let lower = self.lower.iter().enumerate().map(|(i, lower)| (unit(i, 1.0), *lower));
        let upper = self.upper.iter().enumerate().map(|(i, upper)| (unit(i, -1.0), -upper));
        rows.chain(lower).chain(upper).filter(|(_, least)| least.is_finite()).collect()
    }

    fn value(&self, x: &DVector<f64>) -> f64 {
        0.5 * x.dot(&(&self.matrix * x)) - self.vector.dot(x)
    }

    /// The minimum over all active sets of at most `size` inequalities that is feasible.
    fn by_enumeration(&self) -> Option<DVector<f64>> {
        let (all, size) = (self.all(), self.vector.len());
        let mut best: Option<DVector<f64>> = None;
        for set in 0_u32..1 << all.len() {
            let active: Vec<_> = (0..all.len()).filter(|at| set >> at & 1 == 1).map(|at| &all[at]).collect();
            let count = active.len();
            if count > size {
                continue;
            }
            let mut equations = DMatrix::zeros(size + count, size + count);
            let mut right = DVector::zeros(size + count);
            equations.view_mut((0, 0), (size, size)).copy_from(&self.matrix);
            right.rows_mut(0, size).copy_from(&self.vector);
            for (at, (row, least)) in active.iter().enumerate() {
                equations.view_mut((0, size + at), (size, 1)).copy_from(row);
                equations.view_mut((size + at, 0), (1, size)).copy_from(&row.transpose());
                right[size + at] = *least;
            }
            // The dependent sets have an independent one with the same places among them.
            let normals = DMatrix::from_fn(count, size, |i, j| active[i].0[j]);
            if count > 0 && normals.singular_values().min() < 1e-6 {
                continue;
            }
            let Some(found) = equations.lu().solve(&right) else { continue };
            let x = found.rows(0, size).into_owned();
            let is_met = all.iter().all(|(row, least)| row.dot(&x) >= least - CLEAR);
            if is_met && best.as_ref().is_none_or(|best| self.value(&x) < self.value(best)) {
                best = Some(x);
            }
        }
        best
    }
}

#[test]
fn the_least_is_that_of_the_best_active_set() {
    let mut random = Random::new(1);
    let (mut met, mut impossible) = (0, 0);
    for round in 0..1500 {
        let size = 1 + round % 4;
        let problem = Problem::random(size, 1 + random.below(4), random.below(6), &mut random);
        let mut set = problem.solver();
        let is_met = set.minimise(&problem.inequalities());
        let expected = problem.by_enumeration();
        assert_eq!(is_met, expected.is_some(), "round {round}: {expected:?}");
        let Some(expected) = expected else {
            impossible += 1;
            continue;
        };
        met += 1;
        let found = DVector::from_row_slice(&set.minimum);
        for (row, least) in problem.all() {
            assert!(row.dot(&found) >= least - CLEAR, "round {round}: {found} against {expected}");
        }
        let (found, expected) = (problem.value(&found), problem.value(&expected));
        assert!((found - expected).abs() < 1e-7, "round {round}: {found} against {expected}");
    }
    assert!(met > 700 && impossible > 150, "{met} met, {impossible} impossible");
}

/// With many unknowns and rows: the Karush-Kuhn-Tucker conditions.
#[test]
fn what_presses_balances_the_slope() {
    let mut random = Random::new(2);
    let mut pressing = 0;
    for round in 0..200 {
        let size = 6 + random.below(27);
        let mut problem = Problem::random(size, 6, 40, &mut random);
        // x = 0 is feasible.
        problem.least.iter_mut().for_each(|least| *least = least.min(0.0));
        let mut set = problem.solver();
        assert!(set.minimise(&problem.inequalities()), "round {round}");
        let x = DVector::from_row_slice(&set.minimum);
        assert!(problem.all().iter().all(|(row, least)| row.dot(&x) >= least - CLEAR), "round {round}");
        let mut rest = &problem.matrix * &x - &problem.vector;
        for (row, multiplier) in set.pressing() {
            assert!(multiplier >= -CLEAR, "round {round}: {multiplier}");
            rest -= DVector::from_row_slice(&problem.rows[row * size..][..size]) * multiplier;
            pressing += 1;
        }
        // The bounds balance the rest of the gradient.
        for (i, rest) in rest.iter().enumerate() {
            let (at_lower, at_upper) = (x[i] <= problem.lower[i] + CLEAR, x[i] >= problem.upper[i] - CLEAR);
            assert!(*rest > -1e-7 || at_upper, "round {round}: {rest} at {i}");
            assert!(*rest < 1e-7 || at_lower, "round {round}: {rest} at {i}");
        }
    }
    assert!(pressing > 200, "{pressing}");
}

#[test]
fn an_inequality_is_released_where_another_makes_it_idle() {
    // x ≥ 1 is violated most and added first. x is cheap to move: the other inequality moves it beyond 1.
    let (along, across) = (0.1, 0.99_f64.sqrt());
    let mut set = DualActiveSet::default();
    set.make_room(2);
    set.begin_function([0.01, 1.0].into_iter());
    let free = [f64::INFINITY; 2];
    let rows = [1.0, 0.0, along, across];
    assert!(set.minimise(&Inequalities { rows: &rows, least: &[1.0, 0.9], lower: &free.map(|x| -x), upper: &free }));
    let factor = 0.9 / (100.0 * along * along + across * across);
    assert!((set.minimum[0] - 100.0 * along * factor).abs() < 1e-12, "{:?}", set.minimum);
    assert!((set.minimum[1] - across * factor).abs() < 1e-12, "{:?}", set.minimum);
    assert_eq!(set.pressing().map(|(row, _)| row).collect::<Vec<_>>(), [1]);
}
