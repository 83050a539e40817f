//! Two links in a plane, and in space on a rotating base.
//!
//! **In the plane** ([`TwoLink`]) the links l1 and l2 start at the shoulder, which is the origin. Angles are counted
//! from the first coordinate axis to the second, the elbow's from the direction of the first link:
//!
//! ```text
//! tip = l1 (cos θ0, sin θ0) + l2 (cos(θ0 + θ1), sin(θ0 + θ1))        θ0 shoulder, θ1 elbow
//! ```
//!
//! With the target at the distance d in the direction θ_E, shoulder, elbow and target are a triangle with the sides
//! l1, l2, d. The law of cosines gives the inner angle θ_a at the shoulder and the outer angle at the elbow, cos θ_a
//! = (d² + l1² - l2²) / (2 d l1). The arccosine loses half of the digits if the arm is nearly stretched or folded;
//! half angles do not. With a = l1 + l2 - d, b = d + l1 - l2, c = d - l1 + l2 and p = l1 + l2 + d, from tan²(x/2) =
//! (1 - cos x) / (1 + cos x),
//!
//! ```text
//! θ_a = 2 atan(√(a c) / √(b p))        |θ1| = 2 atan(√(a p) / √(b c))
//! elbow up:    θ0 = θ_E + θ_a, θ1 = -|θ1|
//! elbow down:  θ0 = θ_E - θ_a, θ1 = +|θ1|
//! ```
//!
//! (Kahan, "Miscalculating Area and Angles of a Needle-like Triangle", explains why the differences come first.) A
//! rounding error in a, b or c moves the tip by no more than itself, however large its effect on the angles.
//!
//! **In space** ([`SpatialTwoLink`]) the plane rotates about the y axis of a base by the yaw.
//!
//! **Chains of a robot** with this geometry are [`PlanarChain`] and [`SpatialChain`]. Their solutions are positions
//! of the chain's variables, without regard to joint limits.
//!
//! ```
//! use nalgebra::Point2;
//! use urdf_ik_closed_form::two_link::{Shape, TwoLink};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let arm = TwoLink::new([0.4, 0.3])?;
//! let solutions = arm.solve(&Point2::new(0.3, 0.4))?;
//! assert_eq!((solutions.shape, solutions.configurations().len()), (Shape::Bent, 2));
//! for angles in solutions.configurations() {
//!     let (first, second) = (angles.shoulder, angles.shoulder + angles.elbow);
//!     let tip = Point2::new(0.4 * first.cos() + 0.3 * second.cos(), 0.4 * first.sin() + 0.3 * second.sin());
//!     assert!((tip - Point2::new(0.3, 0.4)).norm() < 1e-15);
//! }
//! // Out of reach: the closest configuration, and its distance from the target.
//! let solutions = arm.solve(&Point2::new(1.0, 0.0))?;
//! assert!(!solutions.is_reached() && (solutions.missing - 0.3).abs() < 1e-15);
//! # Ok(())
//! # }
//! ```

mod answer;
pub(super) mod chain;
mod plane;
mod spatial;

use std::f64::consts::PI;

use nalgebra::Point2;

pub use answer::{Freedom, PlaneFreedom, Shape, Solutions};
pub use chain::{NotOfThisShape, PlanarChain, SHAPE_TOLERANCE, SpatialChain};
pub(super) use plane::{on_both_sides, upright};
pub use spatial::{SpatialAngles, SpatialTwoLink};
use urdf_ik_mathematics::segments::{InputError, Reach, check_coordinates, check_length, check_total};

use super::whole_turns::wrapped;

/// Relative difference below which lengths count as equal, or as zero.
pub(super) const ROUNDINGS: f64 = 4.0 * f64::EPSILON;

/// Two links in a plane. The [module](self) defines the angles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoLink {
    first: f64,
    second: f64,
}

/// Angles of the two joints \[rad\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Angles {
    /// Angle of the first link from the first coordinate axis \[rad\].
    pub shoulder: f64,
    /// Angle of the second link from the first \[rad\].
    pub elbow: f64,
}

impl TwoLink {
    /// An arm with links of `lengths` \[m\], from the shoulder to the tip. They may be 0.
    ///
    /// # Errors
    /// [`InputError`] if a length is negative or not finite, or if the sum exceeds 1e9 m.
    pub fn new(lengths: [f64; 2]) -> Result<Self, InputError> {
        for (index, &length) in lengths.iter().enumerate() {
            check_length(("link", index), length)?;
        }
        let [first, second] = lengths;
        check_total(first + second)?;
        Ok(Self { first, second })
    }

    /// Lengths of the links \[m\], from the shoulder to the tip.
    pub fn lengths(&self) -> [f64; 2] {
        [self.first, self.second]
    }

    /// Interval of the distances \[m\] between shoulder and tip that are within reach.
    pub fn reach(&self) -> Reach {
        Reach::of(&self.lengths())
    }

    /// All angles \[rad\] for which the tip is at `target` \[m\], relative to the shoulder: elbow up (left of the line
    /// from shoulder to target), then elbow down; one configuration if both coincide. Out of reach, the angles for
    /// which the tip is closest.
    ///
    /// # Errors
    /// [`InputError`] if a coordinate is not finite or beyond 1e9 m.
    pub fn solve(&self, target: &Point2<f64>) -> Result<Solutions<Angles, 2>, InputError> {
        check_coordinates("the target", target.coords.as_slice())?;
        Ok(self.solve_within([target.x, target.y], ROUNDINGS * (self.first + self.second)))
    }

    /// [`Self::solve`] for a target with a rounding error of at most `slack` \[m\], which extends the reach.
    pub(crate) fn solve_within(&self, [x, y]: [f64; 2], slack: f64) -> Solutions<Angles, 2> {
        let distance = x.hypot(y);
        let at_shoulder = distance <= slack;
        let towards = if at_shoulder { 0.0 } else { y.atan2(x) };
        let gap = self.reach().gap(distance);
        let missing = if gap > slack { gap } else { 0.0 };
        let freedom = self.freedom(at_shoulder, slack);
        let straight = |shape, shoulder, elbow| {
            let mut solutions = Solutions::new(shape, freedom, PlaneFreedom::None, missing);
            solutions.push(Angles { shoulder: wrapped(shoulder), elbow });
            solutions
        };
        let (first, second) = (self.first, self.second);
        if distance >= first + second - slack || first <= slack || second <= slack {
            return straight(Shape::Stretched, towards, 0.0);
        }
        if distance <= (first - second).abs() + slack {
            return straight(Shape::Folded, if first >= second { towards } else { towards + PI }, PI);
        }
        let [shoulder, elbow] = elbow_triangle(first, second, distance);
        let mut solutions = Solutions::new(Shape::Bent, freedom, PlaneFreedom::None, missing);
        solutions.push(Angles { shoulder: wrapped(towards + shoulder), elbow: wrapped(-elbow) });
        solutions.push(Angles { shoulder: wrapped(towards - shoulder), elbow });
        solutions
    }

    fn freedom(&self, at_shoulder: bool, slack: f64) -> Freedom {
        match (self.first <= slack, self.second <= slack) {
            (true, true) => Freedom::Both,
            (true, false) | (false, true) if at_shoulder => Freedom::Both,
            (true, false) => Freedom::AllButSum,
            (false, true) => Freedom::Elbow,
            (false, false) if at_shoulder => Freedom::Shoulder,
            (false, false) => Freedom::None,
        }
    }
}

/// Angles of the triangle of shoulder, elbow and target \[rad\], inner at the shoulder, outer at the elbow, from its
/// sides \[m\], which satisfy the strict triangle inequality.
fn elbow_triangle(first: f64, second: f64, distance: f64) -> [f64; 2] {
    // Roots before products, which could underflow for tiny arms.
    let a = (first + second - distance).sqrt();
    let b = (distance + (first - second)).sqrt();
    let c = (distance - (first - second)).sqrt();
    let p = (first + second + distance).sqrt();
    [2.0 * (a * c).atan2(b * p), 2.0 * (a * p).atan2(b * c)]
}
