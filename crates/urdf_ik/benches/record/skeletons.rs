//! Skeletons: free and limited chains, trees, planar skeletons, and pitch-yaw arms.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Point3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::pitch_yaw::{self, PathSteps, PitchYawArm};
use urdf_ik::skeleton::{
    Cone, Joint, Outcome, Range, Reason, Root, Segment, Skeleton, SkeletonConfiguration, SkeletonOptions,
    SkeletonProblem, SkeletonTarget,
};

use crate::record::Group;
use crate::{Fallible, Random};

const FIGURES: usize = 700;
const ARMS: usize = 400;
const PATHS: usize = 60;
/// Limit of cycles and restarts, because some targets cannot be met.
const CYCLES: usize = 300;
const RESTARTS: usize = 5;

/// The joints of a skeleton.
#[derive(Debug, Clone, Copy)]
enum Joints {
    Free,
    Balls,
    Hinges,
    Mixed,
    /// Free segments and hinges in the plane.
    Plane,
}

pub fn groups() -> Vec<Group> {
    let joints = [Joints::Free, Joints::Balls, Joints::Hinges, Joints::Mixed, Joints::Plane];
    let shapes = [false, true].into_iter();
    let figures = shapes.flat_map(|is_tree| joints.map(|joints| figures(joints, is_tree)));
    figures.chain([pitch_yaw_arms(), pitch_yaw_paths()]).collect()
}

fn figures(joints: Joints, is_tree: bool) -> Group {
    let shape = if is_tree { "tree" } else { "chain" };
    Group::new(format!("skeleton, {shape}, {joints:?}"), FIGURES, move |random| {
        let segments = segments(random, joints, is_tree);
        let is_planar = matches!(joints, Joints::Plane);
        let skeleton = if is_planar { Skeleton::in_plane(&segments) } else { Skeleton::new(&segments) }?;
        let goal = skeleton.place(&nalgebra::Isometry3::identity(), &rotations(random, &segments, is_planar))?;
        let seed = skeleton.place(&nalgebra::Isometry3::identity(), &rotations(random, &segments, is_planar))?;
        let targets = targets(random, &segments, &goal);
        let root = match random.below(6) {
            0 => Root::Free,
            1 if !is_planar => Root::At(random.pose(0.1)),
            _ => Root::Fixed,
        };
        let options = options(random);
        let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
        skeleton.solve(
            &SkeletonProblem { targets: &targets, root, seed: &seed, options },
            &mut scratch,
            &mut solution,
        )?;
        let residuals = solution.residuals.iter().flat_map(|r| [r.distance, r.angle, number_of(&r.outcome)]);
        let points = solution.configuration.points.iter().flat_map(|point| point.coords.iter().copied());
        Ok(residuals.chain(points).collect())
    })
}

fn segments(random: &mut Random, joints: Joints, is_tree: bool) -> Vec<Segment> {
    let count = 2 + random.below(10);
    let mut of = |index: usize| {
        let parent = if is_tree && index > 0 && random.one_in(3) { random.below(index) + 1 } else { index };
        Segment::new(parent, random.between(0.05, 0.3)).with_joint(joint(random, joints))
    };
    (0..count).map(&mut of).collect()
}

fn joint(random: &mut Random, joints: Joints) -> Joint {
    let [lower, upper] = [-random.between(0.1, 2.0), random.between(0.1, 2.0)];
    match joints {
        Joints::Free => Joint::free(),
        Joints::Balls => {
            let [up, down, left, right] = [(); 4].map(|()| random.between(0.1, 2.0));
            Joint::ball(Cone { up, down, left, right }, Range::new(0.3 * lower, 0.3 * upper))
        }
        Joints::Hinges => Joint::hinge(random.direction(), lower, upper),
        Joints::Mixed => {
            let kinds = [Joints::Free, Joints::Balls, Joints::Hinges];
            let kind = kinds[random.below(kinds.len())];
            joint(random, kind).with_rest(random.rotation())
        }
        Joints::Plane if random.one_in(2) => Joint::free(),
        Joints::Plane => Joint::hinge(Vector3::z(), lower, upper),
    }
}

/// Arbitrary rotations: beyond the joint limits, targets may be out of reach, and seeds are corrected.
fn rotations(random: &mut Random, segments: &[Segment], is_planar: bool) -> Vec<UnitQuaternion<f64>> {
    let mut rotation = |_| {
        let about = if is_planar { Vector3::z() } else { random.direction() };
        UnitQuaternion::from_scaled_axis(about * random.between(-0.8, 0.8))
    };
    segments.iter().map(&mut rotation).collect()
}

/// Targets for the ends, some of them with an orientation.
fn targets(random: &mut Random, segments: &[Segment], goal: &SkeletonConfiguration) -> Vec<SkeletonTarget> {
    let is_end = |point: &usize| segments.iter().all(|segment| segment.parent != *point);
    let ends = (1..=segments.len()).filter(is_end);
    let target = |point: usize| {
        let target = SkeletonTarget::new(point, goal.points[point] * if random.one_in(8) { 1.5 } else { 1.0 });
        if random.one_in(4) { target.with_orientation(goal.orientations[point]) } else { target }
    };
    ends.map(target).collect()
}

fn options(random: &mut Random) -> SkeletonOptions {
    SkeletonOptions::default()
        .with_iterations(CYCLES)
        .with_restarts(RESTARTS)
        .with_acceleration(if random.one_in(3) { 0 } else { 5 })
        .with_circles(random.one_in(3))
        .with_polish(!random.one_in(4))
}

fn number_of(outcome: &Outcome) -> f64 {
    match outcome {
        Outcome::Solved => 0.0,
        Outcome::Closest(Reason::OutOfReach { .. }) => 1.0,
        Outcome::Closest(Reason::Apart { .. }) => 2.0,
        Outcome::Closest(Reason::Limits) => 3.0,
        Outcome::Closest(_) => 4.0,
    }
}

fn pitch_yaw_arms() -> Group {
    Group::new("pitch-yaw arm", ARMS, |random| {
        let (arm, target, seed) = pitch_yaw(random)?;
        let method = match random.below(3) {
            0 => pitch_yaw::StepMethod::Pseudoinverse,
            _ => pitch_yaw::StepMethod::DampedLeastSquares,
        };
        let options = pitch_yaw::PitchYawOptions::default().with_method(method);
        let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
        arm.solve(&pitch_yaw::PitchYawProblem { target, seed: &seed, options }, &mut scratch, &mut solution)?;
        Ok(pitch_yaw_numbers(&solution))
    })
}

fn pitch_yaw_paths() -> Group {
    Group::new("pitch-yaw path", PATHS, |random| {
        let (arm, target, seed) = pitch_yaw(random)?;
        let problem =
            pitch_yaw::PitchYawProblem { target, seed: &seed, options: pitch_yaw::PitchYawOptions::default() };
        let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
        let mut numbers = Vec::new();
        arm.follow_path(&problem, &PathSteps::new(0.02), &mut scratch, &mut solution, |point| {
            numbers.extend(point.tip.coords.iter());
        })?;
        numbers.extend(pitch_yaw_numbers(&solution));
        Ok(numbers)
    })
}

/// An arm, a target within its unbounded reach, and a seed.
fn pitch_yaw(random: &mut Random) -> Fallible<(PitchYawArm, Point3<f64>, Vec<f64>)> {
    let segments = 1 + random.below(8);
    let arm = PitchYawArm::new(Point3::origin(), (0..segments).map(|_| random.between(0.1, 0.4)).collect())?;
    let [goal, seed] = [(); 2].map(|()| (0..2 * segments).map(|_| random.between(-1.0, 1.0)).collect::<Vec<f64>>());
    let target = arm.tip(&goal)?;
    let bound = random.between(0.3, PI);
    let bounds = vec![bound.min(FRAC_PI_2); 2 * segments];
    let arm = if random.one_in(2) { arm.with_bounds(bounds.iter().map(|b| -b).collect(), bounds)? } else { arm };
    Ok((arm, target, seed))
}

fn pitch_yaw_numbers(solution: &pitch_yaw::PitchYawSolution) -> Vec<f64> {
    let residual = [solution.residual.distance, number_of(&solution.residual.outcome)];
    residual.into_iter().chain(solution.positions.iter().copied()).collect()
}
