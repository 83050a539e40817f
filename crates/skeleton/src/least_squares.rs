//! Trust-region steps of a skeleton by conjugate gradients (Hestenes and Stiefel 1952), truncated at the boundary of
//! the region (Steihaug 1983, "The conjugate gradient method and trust regions in large scale optimization").
//!
//! A motion of a skeleton with p points is a vector of 3p + 3 numbers: for each point the angular velocity of its
//! segment relative to the parent (of the root, in the common frame), then the velocity of the root. An error vector
//! has 6p numbers, the position and orientation error of each point, 0 without a target. The Jacobian J is never
//! formed: see [`motion`](super::motion). The model of the squared error is |J step - errors|² (Gauss-Newton), or with
//! the curvature of the errors (Newton), which matters where errors remain.

use nalgebra::{DVector, Matrix3, Vector3};

use super::motion::{LeadingTree, vector_at};

/// Conjugate gradients stop when the gradient has fallen by this factor.
const GRADIENT_REDUCTION: f64 = 1e-3;

/// Scratch memory of a step, and the step.
#[derive(Debug, Clone)]
pub(super) struct LeastSquares {
    /// For each point, the projector onto permitted angular velocities of its segment relative to the parent.
    pub projectors: Vec<Matrix3<f64>>,
    /// True if the root may move.
    pub root_is_free: bool,
    /// True if the model includes the curvature of the errors.
    pub bends: bool,
    /// Square roots of the weights, and the errors multiplied by them.
    pub weights: DVector<f64>,
    pub errors: DVector<f64>,
    /// The computed motion of the joints and of a free root.
    pub step: DVector<f64>,
    /// The negative gradient before projection: torques at the joints, and the force on the root.
    pub torques: DVector<f64>,
    /// Forces and moments, accumulated over each point and all beyond it.
    loads: DVector<f64>,
    /// The negative gradient of the model after the step, before and after projection.
    gradient: DVector<f64>,
    allowed: DVector<f64>,
    direction: DVector<f64>,
    /// The Hessian applied to the direction.
    response: DVector<f64>,
    image: DVector<f64>,
    beyond: Vec<Vector3<f64>>,
}

impl LeastSquares {
    pub(super) fn new(points: usize) -> Self {
        let (motion, error) = (DVector::zeros(3 * points + 3), DVector::zeros(6 * points));
        Self {
            projectors: vec![Matrix3::identity(); points],
            root_is_free: false,
            bends: false,
            step: motion.clone(),
            torques: motion.clone(),
            gradient: motion.clone(),
            allowed: motion.clone(),
            direction: motion.clone(),
            response: motion,
            weights: error.clone(),
            errors: error.clone(),
            loads: error.clone(),
            image: error,
            beyond: vec![Vector3::zeros(); points],
        }
    }

    /// Starts with a zero step, and computes the torques of the errors: the direction of steepest descent.
    pub(super) fn begin(&mut self, tree: LeadingTree) {
        self.loads.copy_from(&self.errors);
        self.loads.component_mul_assign(&self.weights);
        self.torques.fill(0.0);
        tree.add_torques(&mut self.loads, &mut self.torques);
        self.gradient.copy_from(&self.torques);
        self.step.fill(0.0);
    }

    /// Minimises the model over permitted steps of at most `radius`, from the current step.
    pub(super) fn minimise(&mut self, tree: LeadingTree, radius: f64) {
        self.project();
        self.direction.copy_from(&self.allowed);
        let mut square = self.allowed.norm_squared();
        let least = GRADIENT_REDUCTION * GRADIENT_REDUCTION * square;
        // In exact arithmetic it ends after as many steps as there are numbers.
        for _ in 0..self.step.len() {
            if square <= least {
                break;
            }
            self.respond(tree);
            let length = square / self.direction.dot(&self.response);
            let boundary_step = self.boundary_step(radius);
            let is_inside = (0.0..boundary_step).contains(&length);
            let length = if is_inside { length } else { boundary_step };
            self.step.axpy(length, &self.direction, 1.0);
            self.gradient.axpy(-length, &self.response, 1.0);
            if !is_inside {
                break;
            }
            self.project();
            let next = self.allowed.norm_squared();
            self.direction.axpy(1.0, &self.allowed, next / square);
            square = next;
        }
    }

    /// Restarts from a modified step.
    pub(super) fn restart(&mut self, tree: LeadingTree) {
        self.direction.copy_from(&self.step);
        self.respond(tree);
        self.gradient.copy_from(&self.torques);
        self.gradient -= &self.response;
    }

    /// The predicted decrease of the squared error.
    pub(super) fn gain(&self) -> f64 {
        self.step.dot(&self.torques) + self.step.dot(&self.gradient)
    }

    /// The largest multiple of the direction within the trust region.
    fn boundary_step(&self, radius: f64) -> f64 {
        let (square, along) = (self.direction.norm_squared(), self.step.dot(&self.direction));
        let left = (radius * radius - self.step.norm_squared()).max(0.0);
        ((along * along + square * left).sqrt() - along) / square
    }

    /// response = JᵀJ direction, minus the curvature of the errors
    fn respond(&mut self, tree: LeadingTree) {
        let Self { weights, torques, loads, direction, response, image, beyond, .. } = self;
        tree.write_velocities(direction, image);
        response.fill(0.0);
        if self.bends {
            tree.subtract_bending([direction, image], [loads, torques], beyond, response);
        }
        image.component_mul_assign(weights);
        image.component_mul_assign(weights);
        tree.add_torques(image, response);
    }

    /// Projects the gradient to permitted motions.
    fn project(&mut self) {
        self.allowed.copy_from(&self.gradient);
        for (point, projector) in self.projectors.iter().enumerate() {
            let projected = projector * vector_at(&self.gradient, 3 * point);
            self.allowed.fixed_rows_mut::<3>(3 * point).copy_from(&projected);
        }
        if !self.root_is_free {
            let slide = self.allowed.len() - 3;
            self.allowed.fixed_rows_mut::<3>(slide).fill(0.0);
        }
    }
}
