//! Pitch-yaw arms: the direction of each segment follows from plain sums of pitch and yaw angles. Inverse kinematics
//! for the position of the tip.
//!
//! The arm has n segments of lengths l_1 … l_n \[m\]. Each has two variables, a pitch p_k and a yaw y_k \[rad\]. The
//! angles of segment i are the sums of the variables up to it,
//!
//! ```text
//! P_i = p_1 + … + p_i        Y_i = y_1 + … + y_i
//! d_i = (cos P_i cos Y_i, cos P_i sin Y_i, sin P_i)
//! tip = base + l_1 d_1 + … + l_n d_n
//! ```
//!
//! in the arm's frame, with x forward, y left and z up. P_i is the elevation above the horizontal plane (positive
//! upwards, unlike a right-handed rotation about y), Y_i the azimuth from x towards y. With all variables zero the arm
//! is along x.
//!
//! This is not a chain of joints: the pitch of segment k adds to the pitch of all later segments regardless of their
//! yaw. No product of rotations does that, so no URDF describes the arm. In return its geometry is simple. The sums are
//! a bijective change of variables: without bounds every segment can have every direction, and the tip reaches exactly
//! the points whose distance from the base is within [`PitchYawArm::reach`].
//!
//! **Jacobian.** Variable k contributes to the segments from k on and to no others, so its column is a suffix sum, and
//! all 2n columns together take O(n):
//!
//! ```text
//! ∂tip/∂p_k = Σ_{i≥k} l_i (-sin P_i cos Y_i, -sin P_i sin Y_i, cos P_i)
//! ∂tip/∂y_k = Σ_{i≥k} l_i (-cos P_i sin Y_i,  cos P_i cos Y_i, 0)
//! ```
//!
//! **Positions** always have 2n entries: the n pitches, then the n yaws.
//!
//! ```
//! use nalgebra::Point3;
//! use urdf_ik_skeleton::pitch_yaw::{PitchYawArm, PitchYawOptions, PitchYawProblem};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let arm = PitchYawArm::new(Point3::origin(), vec![0.4, 0.3, 0.2])?;
//! let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
//!
//! let target = Point3::new(0.2, 0.3, 0.4);
//! let problem = PitchYawProblem { target, seed: &[0.0; 6], options: PitchYawOptions::default() };
//! arm.solve(&problem, &mut scratch, &mut solution)?;
//! assert!(solution.is_solved());
//! assert!((arm.tip(&solution.positions)? - target).norm() <= 1e-6);
//! # Ok(())
//! # }
//! ```

mod path;
mod problem;
mod solve;
mod step;

use nalgebra::{Point3, UnitQuaternion, Vector3};

use crate::SkeletonConfiguration;
pub use crate::solution::{Outcome, Reason, Residual};
pub use path::{PathPoint, PathSteps, PathSummary};
pub use problem::{PitchYawOptions, PitchYawProblem, PitchYawSolution, StepMethod};
pub use solve::PitchYawScratch;
pub use urdf_ik_mathematics::segments::InputError;
use urdf_ik_mathematics::segments::{
    InputErrorKind, Reach, check_any, check_coordinates, check_count, check_positive, check_total, require,
};
use urdf_ik_text::names::number;

/// A pitch-yaw arm: base, segment lengths, and bounds of its variables. Immutable. See the [module](self)
/// documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct PitchYawArm {
    base: Point3<f64>,
    lengths: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    reach: Reach,
}

impl PitchYawArm {
    /// An unbounded arm with its base at `base` \[m\] in the arm's frame, and segments of `lengths` \[m\] from base to
    /// tip.
    ///
    /// # Errors
    /// [`InputError`] if there is no segment, or a number is not finite, not positive or too large.
    pub fn new(base: Point3<f64>, lengths: Vec<f64>) -> Result<Self, InputError> {
        check_coordinates("the base", base.coords.as_slice())?;
        check_any("segment", lengths.len())?;
        for (segment, &length) in lengths.iter().enumerate() {
            check_positive(("the length of segment", segment), length, " m")?;
        }
        let (reach, variables) = (Reach::of(&lengths), 2 * lengths.len());
        check_total(reach.outer)?;
        let (lower, upper) = (vec![f64::NEG_INFINITY; variables], vec![f64::INFINITY; variables]);
        Ok(Self { base, lengths, lower, upper, reach })
    }

    /// The arm with bounds on its variables \[rad\]. Each list has 2n entries: the pitches, then the yaws. An infinite
    /// entry leaves that side unbounded. The bounds apply to the variables, not to their sums.
    ///
    /// # Errors
    /// [`InputError`] if a list does not have 2n entries, or no angle lies between two bounds.
    pub fn with_bounds(mut self, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, InputError> {
        check_count("list of lower bounds", lower.len(), self.variables())?;
        check_count("list of upper bounds", upper.len(), self.variables())?;
        for (variable, (&lower, &upper)) in lower.iter().zip(&upper).enumerate() {
            require(lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY, || {
                let [lower, upper] = [lower, upper].map(number);
                InputErrorKind::Model(format!(
                    "variable {variable} (from 0) is bounded by {lower} and {upper} rad; no angle lies between them"
                ))
            })?;
        }
        (self.lower, self.upper) = (lower, upper);
        Ok(self)
    }

    /// Position of the base \[m\], in the arm's frame.
    pub fn base(&self) -> Point3<f64> {
        self.base
    }

    /// Lengths of the n segments \[m\], from the base to the tip.
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// Lower, then upper bounds of the variables \[rad\]: 2n entries each, the pitches, then the yaws; infinite if
    /// unbounded.
    pub fn bounds(&self) -> (&[f64], &[f64]) {
        (&self.lower, &self.upper)
    }

    /// Number of variables: 2n.
    pub fn variables(&self) -> usize {
        2 * self.lengths.len()
    }

    /// The range of possible distances of the tip from the base \[m\], ignoring bounds.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Position of the tip \[m\] in the arm's frame at `positions` (n pitches, then n yaws \[rad\]).
    ///
    /// # Errors
    /// [`InputError`] if `positions` does not have 2n entries.
    pub fn tip(&self, positions: &[f64]) -> Result<Point3<f64>, InputError> {
        check_count("list of positions", positions.len(), self.variables())?;
        Ok(self.tip_at(positions))
    }

    /// Forward kinematics at `positions` (n pitches, then n yaws \[rad\]).
    ///
    /// Writes to `points` the n + 1 points \[m\] in the arm's frame: the base, then the end of each segment. The last
    /// one is the tip.
    ///
    /// # Errors
    /// [`InputError`] if `positions` does not have 2n entries or `points` not n + 1.
    pub fn forward_kinematics(&self, positions: &[f64], points: &mut [Point3<f64>]) -> Result<(), InputError> {
        check_count("list of positions", positions.len(), self.variables())?;
        check_count("list of points", points.len(), self.lengths.len() + 1)?;
        points[0] = self.base;
        self.walk(positions, |segment, end, _| points[segment + 1] = end);
        Ok(())
    }

    /// The n + 1 points \[m\] and orientations in the arm's frame at `positions` (n pitches, then n yaws \[rad\]): of
    /// the base, then of each segment, whose x axis points along it.
    ///
    /// # Panics
    /// If there are fewer than n positions.
    pub fn configuration(&self, positions: &[f64]) -> SkeletonConfiguration {
        let (pitches, yaws) = positions.split_at(self.lengths.len());
        let (mut point, mut pitch, mut yaw) = (self.base, 0.0, 0.0);
        let mut placed = SkeletonConfiguration { points: vec![point], orientations: vec![UnitQuaternion::identity()] };
        for (length, turns) in self.lengths.iter().zip(pitches.iter().zip(yaws)) {
            pitch += turns.0;
            yaw += turns.1;
            // Pitch is positive upwards, unlike a rotation about y.
            let orientation = UnitQuaternion::from_euler_angles(0.0, -pitch, yaw);
            point += orientation * Vector3::x() * *length;
            placed.points.push(point);
            placed.orientations.push(orientation);
        }
        placed
    }

    /// Computes the Jacobian of the tip position at `positions` (n pitches, then n yaws \[rad\]) by suffix sums in
    /// O(n), and returns the tip \[m\] in the arm's frame.
    ///
    /// Writes to `columns` the 2n columns of the 3×2n matrix \[m/rad\]: ∂tip/∂p_1 … ∂tip/∂p_n, ∂tip/∂y_1 … ∂tip/∂y_n.
    ///
    /// # Errors
    /// [`InputError`] if `positions` or `columns` does not have 2n entries.
    pub fn jacobian(&self, positions: &[f64], columns: &mut [Vector3<f64>]) -> Result<Point3<f64>, InputError> {
        check_count("list of positions", positions.len(), self.variables())?;
        check_count("list of columns", columns.len(), self.variables())?;
        Ok(self.linearise(positions, columns))
    }

    /// [`Self::tip`] without checks.
    fn tip_at(&self, positions: &[f64]) -> Point3<f64> {
        let mut tip = self.base;
        self.walk(positions, |_, end, _| tip = end);
        tip
    }

    /// [`Self::jacobian`] without checks.
    fn linearise(&self, positions: &[f64], columns: &mut [Vector3<f64>]) -> Point3<f64> {
        let mut tip = self.base;
        let (pitches, yaws) = columns.split_at_mut(self.lengths.len());
        self.walk(positions, |segment, end, angles| {
            let length = self.lengths[segment];
            let ((pitch_sine, pitch_cosine), (yaw_sine, yaw_cosine)) = angles;
            pitches[segment] = Vector3::new(-pitch_sine * yaw_cosine, -pitch_sine * yaw_sine, pitch_cosine) * length;
            yaws[segment] = Vector3::new(-pitch_cosine * yaw_sine, pitch_cosine * yaw_cosine, 0.0) * length;
            tip = end;
        });
        for columns in [pitches, yaws] {
            let mut sum = Vector3::zeros();
            for column in columns.iter_mut().rev() {
                sum += *column;
                *column = sum;
            }
        }
        tip
    }

    /// Visits the segments from the base to the tip: index, end point, and sine and cosine of P_i and of Y_i.
    fn walk(&self, positions: &[f64], mut visit: impl FnMut(usize, Point3<f64>, ((f64, f64), (f64, f64)))) {
        let (pitches, yaws) = positions.split_at(self.lengths.len());
        let (mut pitch, mut yaw, mut end) = (0.0, 0.0, self.base);
        for (segment, length) in self.lengths.iter().enumerate() {
            pitch += pitches[segment];
            yaw += yaws[segment];
            let angles = (f64::sin_cos(pitch), f64::sin_cos(yaw));
            let ((pitch_sine, pitch_cosine), (yaw_sine, yaw_cosine)) = angles;
            end += Vector3::new(pitch_cosine * yaw_cosine, pitch_cosine * yaw_sine, pitch_sine) * *length;
            visit(segment, end, angles);
        }
    }
}
