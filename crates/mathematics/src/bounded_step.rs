//! Clamps the step of a linear problem to its bounds.
//!
//! An active set: variables whose steps would leave their bounds are clamped to them, their effect is subtracted from
//! the right-hand side, and the others are solved again. No variable is released, so the step is not always the
//! minimum; [`bounded_quadratic`](crate::bounded_quadratic) and [`dual_active_set`](crate::dual_active_set) find
//! that.

/// A linear system J · step = error whose variables can be clamped one after the other.
pub trait StepProblem {
    /// Writes the unbounded steps of the variables that are not `clamped` into `step`, with the clamped ones fixed.
    /// Both slices have one entry per variable.
    fn solve(&mut self, clamped: &[bool], step: &mut [f64]);

    /// Lower and upper bound of the step of a variable.
    fn bounds(&self, variable: usize) -> [f64; 2];

    /// Subtracts the effect of a clamped variable's step from the right-hand side.
    fn subtract(&mut self, variable: usize, step: f64);
}

/// Solves a system within its bounds. Writes the steps into `step`, and into `clamped` which variables were clamped to
/// a bound. Both slices have one entry per variable.
pub fn solve_within_bounds(problem: &mut impl StepProblem, clamped: &mut [bool], step: &mut [f64]) {
    clamped.fill(false);
    // Each pass but the last clamps a variable.
    let mut is_done = false;
    while !is_done {
        problem.solve(clamped, step);
        is_done = true;
        for (variable, (clamped, step)) in clamped.iter_mut().zip(step.iter_mut()).enumerate() {
            let [lower, upper] = problem.bounds(variable);
            let bounded = step.max(lower).min(upper);
            if !*clamped && bounded != *step {
                (*step, *clamped, is_done) = (bounded, true, false);
                problem.subtract(variable, bounded);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A single equation, solved by the shortest step.
    struct Equation {
        row: [f64; 3],
        error: f64,
    }

    impl StepProblem for Equation {
        fn solve(&mut self, clamped: &[bool], step: &mut [f64]) {
            let free = |i: usize| if clamped[i] { 0.0 } else { self.row[i] };
            let square: f64 = (0..3).map(|i| free(i) * free(i)).sum();
            for i in (0..3).filter(|i| !clamped[*i]) {
                step[i] = if square > 0.0 { self.row[i] * self.error / square } else { 0.0 };
            }
        }

        fn bounds(&self, variable: usize) -> [f64; 2] {
            [[-1.0, 1.0], [-1.0, 2.0], [-9.0, 9.0]][variable]
        }

        fn subtract(&mut self, variable: usize, step: f64) {
            self.error -= self.row[variable] * step;
        }
    }

    #[test]
    fn variables_that_are_not_clamped_make_up_for_the_others() {
        let (mut step, mut clamped) = ([0.0; 3], [false; 3]);
        for (error, steps, at_bounds) in [
            (3.0, [1.0, 1.0, 1.0], [false; 3]),
            (4.5, [1.0, 1.75, 1.75], [true, false, false]),
            (9.0, [1.0, 2.0, 6.0], [true, true, false]),
            (20.0, [1.0, 2.0, 9.0], [true, true, true]),
        ] {
            solve_within_bounds(&mut Equation { row: [1.0; 3], error }, &mut clamped, &mut step);
            assert_eq!((step, clamped), (steps, at_bounds), "{error}");
        }
    }
}
