//! The step of a skeleton that brings the squares of its errors down the most among short ones, by conjugate gradients
//! (Hestenes and Stiefel 1952) that end at the border of a ball (Steihaug 1983, "The conjugate gradient method and trust
//! regions in large scale optimization").
//!
//! A motion of a skeleton with p points is a vector of 3p + 3 numbers: for each point the angular velocity of its
//! segment relative to the one before (of the root, in the frame of all points), then the velocity of the root. An
//! error has 6p numbers, position and orientation of each point by turns, 0 where it has no target. The Jacobian J
//! between them is never written down: see [`motion`](super::motion). The model of the squares is |J step - errors|²
//! (Gauss and Newton), or with it how the errors' own forces bend it (Newton), which counts where errors remain.

use nalgebra::{DVector, Matrix3, Vector3};

use super::motion::{Figure, three};

/// Conjugate gradients end where the gradient has fallen to this share.
const PRECISION: f64 = 1e-3;

/// Scratch memory of a step, and the step.
#[derive(Debug, Clone)]
pub(super) struct LeastSquares {
    /// By point, what its segment may do: projects its angular velocity relative to the one before.
    pub projectors: Vec<Matrix3<f64>>,
    /// Whether the root may move.
    pub root_is_free: bool,
    /// Whether the model bends with the forces.
    pub bends: bool,
    /// What the errors are multiplied by, the square roots of their weights; and the errors times these.
    pub weights: DVector<f64>,
    pub errors: DVector<f64>,
    /// The motion found.
    pub step: DVector<f64>,
    /// Where the squares fall, before the projectors: torques, and the force on the root.
    pub torques: DVector<f64>,
    /// The forces and moments on each point and all beyond it.
    loads: DVector<f64>,
    /// Where the model falls after the step, before and after the projectors.
    gradient: DVector<f64>,
    allowed: DVector<f64>,
    direction: DVector<f64>,
    /// How the gradient falls along the direction.
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

    /// Begins with no step, and finds the torques that the errors put on the joints: the direction of steepest descent.
    pub(super) fn begin(&mut self, figure: Figure) {
        self.loads.copy_from(&self.errors);
        self.loads.component_mul_assign(&self.weights);
        self.torques.fill(0.0);
        figure.add_torques(&mut self.loads, &mut self.torques);
        self.gradient.copy_from(&self.torques);
        self.step.fill(0.0);
    }

    /// Changes the step, as far as the projectors allow, to where the model is least among those of at most `radius`.
    pub(super) fn minimise(&mut self, figure: Figure, radius: f64) {
        self.project();
        self.direction.copy_from(&self.allowed);
        let mut square = self.allowed.norm_squared();
        let least = PRECISION * PRECISION * square;
        // In exact arithmetic it ends after as many steps as there are numbers.
        for _ in 0..self.step.len() {
            if square <= least {
                break;
            }
            self.respond(figure);
            let length = square / self.direction.dot(&self.response);
            let room = self.room(radius);
            let is_inside = (0.0..room).contains(&length);
            let length = if is_inside { length } else { room };
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

    /// Goes on from the step after it was changed.
    pub(super) fn renew(&mut self, figure: Figure) {
        self.direction.copy_from(&self.step);
        self.respond(figure);
        self.gradient.copy_from(&self.torques);
        self.gradient -= &self.response;
    }

    /// By how much the squares fall with the step, if the model is right.
    pub(super) fn gain(&self) -> f64 {
        self.step.dot(&self.torques) + self.step.dot(&self.gradient)
    }

    /// How often the direction fits between the step and the border of the ball.
    fn room(&self, radius: f64) -> f64 {
        let (square, along) = (self.direction.norm_squared(), self.step.dot(&self.direction));
        let left = (radius * radius - self.step.norm_squared()).max(0.0);
        ((along * along + square * left).sqrt() - along) / square
    }

    /// response = JᵀJ direction, less what bends
    fn respond(&mut self, figure: Figure) {
        let Self { weights, torques, loads, direction, response, image, beyond, .. } = self;
        figure.write_velocities(direction, image);
        response.fill(0.0);
        if self.bends {
            figure.subtract_bending([direction, image], [loads, torques], beyond, response);
        }
        image.component_mul_assign(weights);
        image.component_mul_assign(weights);
        figure.add_torques(image, response);
    }

    /// Writes what the projectors allow of the gradient.
    fn project(&mut self) {
        self.allowed.copy_from(&self.gradient);
        for (point, projector) in self.projectors.iter().enumerate() {
            let projected = projector * three(&self.gradient, 3 * point);
            self.allowed.fixed_rows_mut::<3>(3 * point).copy_from(&projected);
        }
        if !self.root_is_free {
            let slide = self.allowed.len() - 3;
            self.allowed.fixed_rows_mut::<3>(slide).fill(0.0);
        }
    }
}
