//! The damped least-squares step of a skeleton, by conjugate gradients (Hestenes and Stiefel 1952) on the normal equations.
//!
//! A motion of a skeleton with p points is a vector of 3p + 3 numbers: for each point the angular velocity of its segment relative to the one before (of
//! the root, in the frame of all points), then the velocity of the root. An error has 6p numbers, position and orientation of each point by turns,
//! 0 where it has no target. The Jacobian J between them is never written down: see [`motion`](super::motion).

use nalgebra::{DVector, Matrix3, Point3, Vector3};

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
    /// The motion found.
    pub step: DVector<f64>,
    gradient: DVector<f64>,
    direction: DVector<f64>,
    residual: DVector<f64>,
    image: DVector<f64>,
}

/// The linear problem.
pub(super) struct Linear<'a> {
    pub skeleton: &'a Skeleton,
    pub points: &'a [Point3<f64>],
    /// What the errors are multiplied by: the square roots of their weights.
    pub weights: &'a DVector<f64>,
    /// The errors times these.
    pub errors: &'a DVector<f64>,
}

impl LeastSquares {
    pub(super) fn new(points: usize) -> Self {
        let (motion, error) = (DVector::zeros(3 * points + 3), DVector::zeros(6 * points));
        Self {
            projectors: vec![Matrix3::identity(); points],
            root_is_free: false,
            step: motion.clone(),
            gradient: motion.clone(),
            direction: motion,
            residual: error.clone(),
            image: error,
        }
    }

    /// The torques that the errors put on the joints, by [`torque`](Self::torque): the direction of steepest descent.
    pub(super) fn find_descent(&mut self, linear: &Linear) {
        self.residual.copy_from(linear.errors);
        self.pull_back(linear);
    }

    /// The torque about the joint of the segment that ends at `point`.
    pub(super) fn torque(&self, point: usize) -> Vector3<f64> {
        three(&self.gradient, 3 * point)
    }

    /// Changes that.
    pub(super) fn set_turn(&mut self, point: usize, turn: &Vector3<f64>) {
        self.step.fixed_rows_mut::<3>(3 * point).copy_from(turn);
    }

    /// The velocity of the root in the step.
    pub(super) fn slide(&self) -> Vector3<f64> {
        three(&self.step, self.step.len() - 3)
    }

    /// The angular velocity of the step for the segment that ends at `point`, relative to the one before.
    pub(super) fn turn(&self, point: usize) -> Vector3<f64> {
        three(&self.step, 3 * point)
    }

    /// Changes the step, as far as the projectors allow, to where |J step - errors|² + damping |step|² is least.
    pub(super) fn minimise(&mut self, linear: &Linear, damping: f64) {
        self.direction.copy_from(&self.step);
        self.push_forward(linear);
        self.residual.copy_from(linear.errors);
        self.residual.axpy(-1.0, &self.image, 1.0);
        let mut square = self.find_gradient(linear, damping);
        self.direction.copy_from(&self.gradient);
        let least = PRECISION * PRECISION * square;
        // In exact arithmetic it ends after as many steps as there are errors.
        let errors = linear.weights.iter().filter(|weight| **weight > 0.0).count();
        for _ in 0..errors {
            if square <= least {
                break;
            }
            self.push_forward(linear);
            let length = square / (self.image.norm_squared() + damping * self.direction.norm_squared());
            self.step.axpy(length, &self.direction, 1.0);
            self.residual.axpy(-length, &self.image, 1.0);
            let next = self.find_gradient(linear, damping);
            self.direction.axpy(1.0, &self.gradient, next / square);
            square = next;
        }
    }

    /// The gradient of what is minimised, downward and as far as the projectors allow. Returns its squared length.
    fn find_gradient(&mut self, linear: &Linear, damping: f64) -> f64 {
        self.pull_back(linear);
        self.gradient.axpy(-damping, &self.step, 1.0);
        for (point, projector) in self.projectors.iter().enumerate() {
            let projected = projector * self.torque(point);
            self.gradient.fixed_rows_mut::<3>(3 * point).copy_from(&projected);
        }
        if !self.root_is_free {
            let slide = self.gradient.len() - 3;
            self.gradient.fixed_rows_mut::<3>(slide).fill(0.0);
        }
        self.gradient.norm_squared()
    }

    /// image = J direction
    fn push_forward(&mut self, linear: &Linear) {
        write_velocities(linear.skeleton, linear.points, &self.direction, &mut self.image);
        self.image.component_mul_assign(linear.weights);
    }

    /// gradient = Jᵀ residual
    fn pull_back(&mut self, linear: &Linear) {
        self.image.copy_from(&self.residual);
        self.image.component_mul_assign(linear.weights);
        write_torques(linear.skeleton, linear.points, &mut self.image, &mut self.gradient);
    }
}
