//! Figures of segments, without a URDF: chains, trees with several ends, limited joints, in space and in the plane; and
//! the arm of summed pitch and yaw ([`pitch_yaw`]).
//!
//! A [`Skeleton`] is a tree of n segments of constant length \[m\] between n + 1 points: point 0 is the root, point k +
//! 1 the end of segment k. Where a segment begins, it has a [`Joint`]. All points are in one frame, which the caller
//! chooses.
//!
//! **Frames.** The frame of a segment has its x axis along the segment; y is left and z is up. The rotation of a joint
//! takes the joint's frame, that of the segment before (of the root, for those that begin there) times [`Joint::rest`],
//! to the frame of the segment. Its [`Limit`] is none, an irregular cone of directions with a range of twist, or a
//! hinge. Where no joint is limited and no target has an orientation, a solve works on points alone.
//!
//! **FABRIK** (Aristidou and Lasenby 2011, "FABRIK: A fast, iterative solver for the inverse kinematics problem"). A
//! cycle has two passes. *Forward reaching* puts the points that have targets there, and draws each point before them
//! along a straight line towards where it was until its segment has its length. Where branches meet, at a *sub-base*,
//! each suggests a place, and the point moves to their centroid, weighted by the weights of the targets beyond.
//! *Backward reaching* puts the root back in its place ([`Root`]) and does the same from there to the ends. After every
//! cycle all lengths hold.
//!
//! **Limits** (Aristidou, Chrysanthou and Lasenby 2016, "Extending FABRIK with model constraints"). With limits each
//! segment carries its frame, and one that would leave the limits of a joint is moved and turned to where it does not.
//! The backward pass sees to it that *after every cycle every limit holds*, whatever the target.
//!
//! **Convergence.** A point that is drawn to the sphere around its moved neighbour moves by no more than that neighbour
//! did. So in a chain of free joints with a fixed root the distance between end and target never grows, and it stays
//! the same only where chain and target lie in one line: there the chain is bent into a flat arc, always to the same
//! side, and the cycles continue. With branches or limits that does not hold: a cycle moves the joints one by one, and
//! none of them makes way for another. An attempt that stalls is followed by others from scattered configurations, the
//! same ones each time.
//!
//! **Acceleration.** Near a stretched chain cycles converge slowly. Anderson acceleration combines the last few
//! ([`Options::acceleration`]). Lengths and limits are then restored, and the accelerated configuration is taken only
//! if it is nearer to the targets than the plain one.
//!
//! **Circles.** After the forward pass of a chain there are two partial chains, one from the root as far as the
//! backward pass has come, the other from the target. A joint between the two lies on the circle in which the spheres
//! around its neighbours meet ([`circle_between`]). Where they meet, the chain can be closed at once
//! ([`Options::circles`]). It saves the last cycles of short or well bent chains; in a long, nearly stretched chain no
//! joint can move far enough. A single chain that comes nearer slowly, as one folded near its root does, is closed by
//! circles without being asked.
//!
//! **Polish.** With limits or orientations, an attempt whose cycles have stalled goes on by least squares on all joints
//! at once, within their limits ([`Options::polish`]); without them, the best of all attempts does, but for a single
//! chain. It takes a few steps where cycles take hundreds, or are blocked; `cargo bench --bench skeleton` tells how many
//! targets are met with it and without. From a seed near its targets, as where they are dragged, it comes first, because
//! it leads to the nearest answer.
//!
//! **Targets that cannot be met.** A target farther from a root that is not free than the segments between them are
//! long together, or nearer than the longest of them minus the others, is certainly out of reach:
//! [`Reason::OutOfReach`]. It yields to the others, and its branch stretches towards it as far as they allow. Two
//! targets that are farther apart, or nearer together, than the segments between their points allow contradict each
//! other for certain ([`Reason::Apart`]), and their weights decide.
//!
//! ```
//! use nalgebra::Point3;
//! use urdf_ik_skeleton::{Cone, Joint, Options, Problem, Range, Root, Segment, Skeleton, Target};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A trunk and two arms of two segments each, whose shoulders are limited.
//! let cone = Cone { up: 0.9, down: 0.4, left: 1.2, right: 1.2 };
//! let shoulder = Joint::ball(cone, Range::new(-0.3, 0.3));
//! let skeleton = Skeleton::new(&[
//!     Segment::new(0, 0.5),
//!     Segment::new(1, 0.3).with_joint(shoulder),
//!     Segment::new(2, 0.3),
//!     Segment::new(1, 0.3).with_joint(shoulder),
//!     Segment::new(4, 0.3),
//! ])?;
//! let options = Options::default();
//! let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
//!
//! let targets = [Target::new(3, Point3::new(0.6, 0.5, 0.3)), Target::new(5, Point3::new(0.6, -0.4, 0.2))];
//! let problem = Problem { targets: &targets, root: Root::Fixed, seed: &skeleton.at_rest(), options };
//! skeleton.solve(&problem, &mut scratch, &mut solution)?;
//! assert!(solution.is_solved());
//! assert!((solution.configuration.points[3] - targets[0].position).norm() <= 1e-6);
//! assert!(skeleton.violation(&solution.configuration)? < 1e-12);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod anderson;
mod circle;
mod cone;
mod configuration;
mod cycle;
mod direction;
pub mod file;
mod frames;
mod joint;
mod joint_motion;
mod least_squares;
mod merged;
mod motion;
pub mod pitch_yaw;
mod points;
mod polish;
mod posture;
mod problem;
mod search;
mod setup;
mod single_passes;
mod solution;
mod stall;
mod start;
mod straight;
mod swing_twist;
mod tree;

pub use circle::{Circle, circle_between};
pub use cone::{Cone, Range};
pub use configuration::Configuration;
pub use joint::{Joint, Limit};
pub use problem::{Options, Problem, Root, Target};
pub use search::Scratch;
pub use solution::{Outcome, Reason, Residual, Solution};
pub use tree::{Segment, Skeleton};
pub use urdf_ik_mathematics::segments::{InputError, Reach};
