//! Inverse kinematics of skeletons without a URDF: chains and trees of segments with several end effectors and limited
//! joints, in space and in the plane; and the pitch-yaw arm ([`pitch_yaw`]).
//!
//! A [`Skeleton`] is a tree of n segments of constant length \[m\] between n + 1 points: point 0 is the root, point k +
//! 1 the end of segment k. Each segment starts with a [`Joint`]. All points are in a common frame chosen by the caller.
//!
//! **Frames.** The frame of a segment has its x axis along the segment; y is left and z is up. The rotation of a joint
//! maps the joint's frame, which is the frame of the parent segment (or of the root) times [`Joint::rest`], to the
//! frame of the segment. Its [`Limit`] is none, an irregular cone of directions with a range of twist, or a hinge. If
//! no joint is limited and no target has an orientation, a solve works on points only.
//!
//! **FABRIK** (Aristidou and Lasenby 2011, "FABRIK: A fast, iterative solver for the inverse kinematics problem"). A
//! cycle has two passes. The *forward pass* moves the points that have targets to them. It then moves each point before
//! them along the line to its old position until the segment has its length again. At a *sub-base*, where branches
//! meet, the point moves to the centroid of the places that the branches suggest, weighted by the targets beyond. The
//! *backward pass* returns the root to its place ([`Root`]) and proceeds in the same way from there to the ends. After
//! every cycle all lengths hold.
//!
//! **Limits** (Aristidou, Chrysanthou and Lasenby 2016, "Extending FABRIK with model constraints"). With limits each
//! segment has a frame, and a segment that would violate a joint limit is moved and turned to the nearest permitted
//! pose. The backward pass ensures that *after every cycle every limit holds*, whatever the target.
//!
//! **Convergence.** A point that moves to the sphere around its moved neighbour moves by no more than that neighbour
//! did. So in a chain of free joints with a fixed root the distance between end and target never grows, and it stays
//! the same only if chain and target are collinear: then the chain is bent into a flat arc, always to the same side,
//! and the cycles continue. With branches or limits this does not hold: a cycle moves the joints one by one, and none
//! of them yields to another. An attempt that stalls is followed by restarts from scattered configurations, always the
//! same ones.
//!
//! **Acceleration.** Near a stretched chain cycles converge slowly. Anderson acceleration combines the last few
//! ([`SkeletonOptions::acceleration`]). Lengths and limits are then restored, and the accelerated configuration is
//! accepted only if it is nearer to the targets than the plain one.
//!
//! **Circles.** After the forward pass of a chain there are two partial chains, one from the root as far as the
//! backward pass has come, the other from the target. A joint between the two lies on the circle in which the spheres
//! around its neighbours intersect ([`circle_between`]). If they intersect, the chain can be closed at once
//! ([`SkeletonOptions::circles`]). This saves the last cycles of short or well bent chains; in a long, nearly stretched
//! chain no joint can move far enough. A single chain that converges slowly, such as one folded near its root, is
//! closed by circles even without the option.
//!
//! **Polish.** With limits or orientations, an attempt whose cycles have stalled continues with least squares on all
//! joints at once, within their limits ([`SkeletonOptions::polish`]); without them, the best of all attempts does,
//! unless it is a single chain. It needs a few steps where cycles need hundreds or are blocked; `cargo bench --bench
//! skeleton` prints success rates with and without it. From a seed near its targets, as in a drag, it comes first,
//! because it leads to the nearest solution.
//!
//! **Targets that cannot be met.** A target is proven out of reach if it is farther from a root that is not free than
//! the total length of the segments between them, or nearer than the longest of them minus the others:
//! [`Reason::OutOfReach`]. It yields to the other targets, and its branch stretches towards it as far as they permit.
//! Two targets that are farther apart, or nearer together, than the segments between their points permit contradict
//! each other ([`Reason::Apart`]), and their weights decide.
//!
//! ```
//! use nalgebra::Point3;
//! use urdf_ik_skeleton::{
//!     Cone, Joint, Range, Root, Segment, Skeleton, SkeletonOptions, SkeletonProblem, SkeletonTarget,
//! };
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A trunk and two arms of two segments each, with limited shoulders.
//! let cone = Cone { up: 0.9, down: 0.4, left: 1.2, right: 1.2 };
//! let shoulder = Joint::ball(cone, Range::new(-0.3, 0.3));
//! let skeleton = Skeleton::new(&[
//!     Segment::new(0, 0.5),
//!     Segment::new(1, 0.3).with_joint(shoulder),
//!     Segment::new(2, 0.3),
//!     Segment::new(1, 0.3).with_joint(shoulder),
//!     Segment::new(4, 0.3),
//! ])?;
//! let options = SkeletonOptions::default();
//! let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
//!
//! let target = |point, y, z| SkeletonTarget::new(point, Point3::new(0.6, y, z));
//! let targets = [target(3, 0.5, 0.3), target(5, -0.4, 0.2)];
//! let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &skeleton.at_rest(), options };
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
pub use configuration::SkeletonConfiguration;
pub use joint::{Joint, Limit};
pub use problem::{Root, SkeletonOptions, SkeletonProblem, SkeletonTarget};
pub use search::SkeletonScratch;
pub use solution::{Outcome, Reason, Residual, SkeletonSolution};
pub use tree::{Segment, Skeleton};
pub use urdf_ik_mathematics::segments::{InputError, Reach};
