//! The damped least-squares step of a skeleton, by conjugate gradients (Hestenes and Stiefel 1952).
//!
//! A motion of a skeleton with p points is a vector of 3p + 3 numbers: for each point the angular velocity of its
//! segment relative to the one before (of the root, in the frame of all points), then the velocity of the root. An
//! error has 6p numbers, position and orientation of each point by turns, 0 where it has no target. The Jacobian J
//! between them is never written down: see [`motion`](super::motion).

use nalgebra::{DVector, Matrix3, Point3};

use super::motion::{three, write_torques, write_velocities};
use super::tree::Skeleton;

/// Conjugate gradients end where the gradient has fallen to this share.
const PRECISION: f64 = 1e-6;

/// Scratch memory of a step, and the step.
#[derive(Debug, Clone)]
pub(super) struct LeastSquares {
    /// By point, what its segment may do: projects its angular velocity relative to the one before.
    pub projectors: Vec<Matrix3<f64>>,
    /// Whether the root may move.
    pub root_is_free: bool,
    /// What the errors are multiplied by, the square roots of their weights; and the errors times these.
    pub weights: DVector<f64>,
    pub errors: DVector<f64>,
    /// The motion found.
    pub step: DVector<f64>,
    /// Where what is minimised falls, before the projectors: torques, and the force on the root.
    pub gradient: DVector<f64>,
    direction: DVector<f64>,
    residual: DVector<f64>,
    image: DVector<f64>,
}

/// What moves: a skeleton and where its points are.
pub(super) type Figure<'a> = (&'a Skeleton, &'a [Point3<f64>]);

impl LeastSquares {
    pub(super) fn new(points: usize) -> Self {
        let (motion, error) = (DVector::zeros(3 * points + 3), DVector::zeros(6 * points));
        Self {
            projectors: vec![Matrix3::identity(); points],
            root_is_free: false,
            step: motion.clone(),
            gradient: motion.clone(),
            direction: motion,
            weights: error.clone(),
            errors: error.clone(),
            residual: error.clone(),
            image: error,
        }
    }

    /// The torques that the errors put on the joints, as the gradient: the direction of steepest descent.
    pub(super) fn find_descent(&mut self, figure: Figure) {
        self.residual.copy_from(&self.errors);
        self.pull_back(figure);
    }

    /// Changes the step, as far as the projectors allow, to where |J step - errors|² + damping |step|² is least.
    pub(super) fn minimise(&mut self, figure: Figure, damping: f64) {
        self.direction.copy_from(&self.step);
        self.push_forward(figure);
        self.residual.copy_from(&self.errors);
        self.residual.axpy(-1.0, &self.image, 1.0);
        let mut square = self.find_gradient(figure, damping);
        self.direction.copy_from(&self.gradient);
        let least = PRECISION * PRECISION * square;
        // In exact arithmetic it ends after as many steps as there are errors.
        let errors = self.weights.iter().filter(|weight| **weight > 0.0).count();
        for _ in 0..errors {
            if square <= least {
                break;
            }
            self.push_forward(figure);
            let length = square / (self.image.norm_squared() + damping * self.direction.norm_squared());
            self.step.axpy(length, &self.direction, 1.0);
            self.residual.axpy(-length, &self.image, 1.0);
            let next = self.find_gradient(figure, damping);
            self.direction.axpy(1.0, &self.gradient, next / square);
            square = next;
        }
    }

    /// The gradient of what is minimised, downward and as far as the projectors allow. Returns its squared length.
    fn find_gradient(&mut self, figure: Figure, damping: f64) -> f64 {
        self.pull_back(figure);
        self.gradient.axpy(-damping, &self.step, 1.0);
        for (point, projector) in self.projectors.iter().enumerate() {
            let projected = projector * three(&self.gradient, 3 * point);
            self.gradient.fixed_rows_mut::<3>(3 * point).copy_from(&projected);
        }
        if !self.root_is_free {
            let slide = self.gradient.len() - 3;
            self.gradient.fixed_rows_mut::<3>(slide).fill(0.0);
        }
        self.gradient.norm_squared()
    }

    /// image = J direction
    fn push_forward(&mut self, figure: Figure) {
        write_velocities(figure.0, figure.1, &self.direction, &mut self.image);
        self.image.component_mul_assign(&self.weights);
    }

    /// gradient = Jᵀ residual
    fn pull_back(&mut self, figure: Figure) {
        self.image.copy_from(&self.residual);
        self.image.component_mul_assign(&self.weights);
        write_torques(figure.0, figure.1, &mut self.image, &mut self.gradient);
    }
}
