//! The negative logarithm of the manipulability (Yoshikawa 1985, "Manipulability of robotic mechanisms").

use crate::kernel::{Configurations, Goals, Kernel, LANES, Svd};

/// Half the difference of positions in the gradient, over the unit of the variable.
const HALF_DIFFERENCE: f64 = 1e-4;
/// Approximate second derivative of the logarithm of the manipulability \[1/rad²\]: the logarithm is a sum of
/// logarithms of sines where joints align.
pub const CURVATURE: f64 = 1.0;

/// The negative logarithm of the manipulability of a decomposed Jacobian with `counted` constrained axes. `floor` is
/// added to each squared singular value \[rad²\].
pub fn value(svd: &mut Svd, counted: usize, floor: f64) -> f64 {
    let squares = svd.squared_singular_values(counted);
    -(0.5 * squares.iter().map(|square| (square + floor).max(f64::MIN_POSITIVE).ln()).sum::<f64>())
}

/// The manipulability of the tips of `goals`, near one configuration.
pub struct Manipulability<'a> {
    pub kernel: &'a Kernel,
    /// Displacement of each variable that counts as one radian \[rad or m\], one entry per variable.
    pub units: &'a [f64],
    pub goals: &'a Goals,
    /// Number of constrained axes of all goals.
    pub counted: usize,
    /// Dimensionless weight of the cost.
    pub weight: f64,
    /// Added to each squared singular value \[rad²\]: above 0, the gradient is finite at singular configurations.
    pub floor: f64,
}

/// Working memory of [`Manipulability`].
#[derive(Debug, Clone)]
pub struct JacobianScratch {
    pub configurations: Configurations,
    pub svd: Svd,
}

impl JacobianScratch {
    pub fn new(kernel: &Kernel) -> Self {
        let (tips, variables) = (kernel.links.ends.len(), kernel.links.variables);
        Self { configurations: Configurations::new(&kernel.links), svd: Svd::new(tips, variables) }
    }
}

impl Manipulability<'_> {
    /// The unweighted negative logarithm of the manipulability of one lane. Call [`Self::linearise`] first.
    pub fn value(&self, scratch: &mut JacobianScratch, lane: usize) -> f64 {
        scratch.svd.decompose(&scratch.configurations, self.goals.len(), lane);
        value(&mut scratch.svd, self.counted, self.floor)
    }

    /// Computes residuals and Jacobians of the configurations in `scratch`, in place.
    pub fn linearise(&self, scratch: &mut JacobianScratch) {
        self.kernel.measure(self.goals, &mut scratch.configurations);
        self.kernel.linearise(self.goals, &mut scratch.configurations);
    }

    /// Adds the weighted gradient at `positions` \[rad or m\] to `gradient` \[1/rad or 1/m\], by central differences of
    /// two variables at a time. Both slices have one entry per variable.
    pub fn add_gradient(&self, positions: &[f64], scratch: &mut JacobianScratch, gradient: &mut [f64]) {
        let variables = positions.len();
        for first in (0..variables).step_by(2) {
            scratch.configurations.write_all(positions);
            for lane in 0..LANES {
                let variable = (first + lane / 2).min(variables - 1);
                let sign = if lane % 2 == 0 { 1.0 } else { -1.0 };
                let difference = sign * HALF_DIFFERENCE * self.units[variable];
                scratch.configurations.positions[variable].0[lane] += difference;
            }
            self.linearise(scratch);
            for (half, variable) in (first..variables.min(first + 2)).enumerate() {
                let difference = self.value(scratch, 2 * half) - self.value(scratch, 2 * half + 1);
                gradient[variable] += self.weight * (difference / (2.0 * HALF_DIFFERENCE * self.units[variable]));
            }
        }
    }
}
