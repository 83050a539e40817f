//! Motions and paths next to a ball: they end before it, and nothing else changes.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use urdf_ik::collision::{Clearance, Geometry, LinkShapes, Obstacle, Pairs, Scene, World};
use urdf_ik::motion::{
    FollowOptions, Followed, JointLimits, JointMotion, MotionLimits, Path, PathOptions, PathProblem, Step, StopReason,
    TRANSIT_ALLOWANCE, Timing, Trajectory, follow,
};
use urdf_ik::robot::{Chain, MeshFolders, Robot};
use urdf_ik::solver::{Solver, SolverKind, Target};

use crate::common::LIMITS;

const MARGIN: f64 = 0.01;
const HAND: f64 = 0.05;
const BALL: f64 = 0.1;
const STEP: f64 = 0.01;
const ROUNDING: f64 = 1e-8;

/// A hand that three joints move along x, y and z: a sphere.
struct Gantry {
    robot: Robot,
    chain: Arc<Chain>,
    shapes: LinkShapes,
    limits: MotionLimits,
}

impl Gantry {
    fn new() -> Self {
        let joint = |at: usize, parent: &str, child: &str, axis: &str| {
            format!(
                r#"<joint name="j{at}" type="prismatic"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>
                   <limit lower="-3" upper="3"/></joint>"#
            )
        };
        let sphere = format!(r#"<collision><geometry><sphere radius="{HAND}"/></geometry></collision>"#);
        let urdf = format!(
            r#"<robot name="gantry"><link name="base"/><link name="a"/><link name="b"/><link name="hand">{sphere}</link>
               {}{}{}</robot>"#,
            joint(0, "base", "a", "1 0 0"),
            joint(1, "a", "b", "0 1 0"),
            joint(2, "b", "hand", "0 0 1"),
        );
        let robot = Robot::from_urdf(&urdf).unwrap();
        let chain = Arc::new(Chain::with_defaults(&robot, None, &[]).unwrap());
        let shapes = LinkShapes::of_urdf(&urdf, &robot, &MeshFolders::new([], None)).unwrap();
        let limits = MotionLimits::new(&robot, &chain, &JointLimits::default()).or(&LIMITS);
        Self { robot, chain, shapes, limits }
    }

    /// The gantry with a ball at `centre`.
    fn beside(&self, centre: [f64; 3]) -> Scene {
        let mut ball = Obstacle::default();
        ball.add_primitive(Geometry::Sphere { radius: BALL }, &Isometry3::identity()).unwrap();
        let mut world = World::default();
        world.add("ball", Arc::new(ball), Isometry3::translation(centre[0], centre[1], centre[2])).unwrap();
        let pairs = Pairs::of_chain(&self.robot, &self.chain, &self.shapes, None).unwrap();
        Scene::new(&self.robot, &self.chain, &self.shapes, &pairs, &world, &self.robot.neutral_positions()).unwrap()
    }

    fn motion(&self, from: [f64; 3]) -> JointMotion {
        JointMotion::new(&self.chain, &self.limits, &from).unwrap()
    }
}

/// Distance between hand and ball.
fn distance(hand: &[f64], ball: [f64; 3]) -> f64 {
    (Vector3::from_column_slice(hand) - Vector3::from(ball)).norm() - HAND - BALL
}

/// Moves to rest next to a ball at `ball`. Returns the least distance, and whether the motion continued as planned.
fn run(motion: &mut JointMotion, scene: &Scene, ball: [f64; 3]) -> (f64, bool) {
    let (mut least, mut as_planned) = (f64::INFINITY, true);
    while !motion.is_at_rest() {
        as_planned &= motion.advance_if_clear(STEP, &Clearance { scene, margin: MARGIN }) != Step::Braking;
        least = least.min(distance(motion.positions(), ball));
    }
    (least, as_planned)
}

#[test]
fn a_motion_brakes_before_a_ball_and_can_leave_it() {
    let gantry = Gantry::new();
    let ball = [1.0, 0.0, 0.0];
    let scene = gantry.beside(ball);
    let mut motion = gantry.motion([0.0; 3]);
    let mut last = f64::INFINITY;
    // Each attempt gets nearer, and none too near.
    for _ in 0..20 {
        motion.move_to(&[2.0, 0.0, 0.0]).unwrap();
        let (least, as_planned) = run(&mut motion, &scene, ball);
        let stands = distance(motion.positions(), ball);
        assert!(!as_planned && least >= MARGIN - TRANSIT_ALLOWANCE && stands >= MARGIN - ROUNDING, "{least} {stands}");
        assert!(stands <= last + ROUNDING);
        last = stands;
    }
    assert!(last < MARGIN + 1e-3, "{last}");
    motion.move_to(&[0.0, 0.5, 0.0]).unwrap();
    let (least, as_planned) = run(&mut motion, &scene, ball);
    assert!(as_planned && least >= last - TRANSIT_ALLOWANCE);
    assert_eq!(motion.positions(), [0.0, 0.5, 0.0]);
}

#[test]
fn a_way_past_a_ball_may_come_a_millimetre_nearer() {
    let gantry = Gantry::new();
    for (room, passes) in [(1e-3, true), (-0.5e-3, true), (-2e-3, false)] {
        let ball = [1.0, HAND + BALL + MARGIN + room, 0.0];
        let scene = gantry.beside(ball);
        let mut motion = gantry.motion([0.0; 3]);
        motion.move_to(&[2.0, 0.0, 0.0]).unwrap();
        let (least, as_planned) = run(&mut motion, &scene, ball);
        assert_eq!(as_planned, passes, "{room}");
        assert!(least >= MARGIN - TRANSIT_ALLOWANCE, "{least}");
    }
}

#[test]
fn what_comes_too_near_is_met_while_braking() {
    let gantry = Gantry::new();
    let mut motion = gantry.motion([0.0; 3]);
    motion.move_to(&[2.0, 0.0, 0.0]).unwrap();
    for _ in 0..100 {
        motion.advance(STEP);
    }
    let speed = motion.velocities()[0];
    assert!(speed > 0.9);
    let ball = [motion.positions()[0] + HAND + BALL + 0.05, 0.0, 0.0];
    let (_, as_planned) = run(&mut motion, &gantry.beside(ball), ball);
    let mut braked = gantry.motion([0.0; 3]);
    braked.move_to(&[2.0, 0.0, 0.0]).unwrap();
    for _ in 0..100 {
        braked.advance(STEP);
    }
    braked.stop().unwrap();
    while !braked.is_at_rest() {
        braked.advance(STEP);
    }
    assert!(!as_planned);
    assert!((motion.positions()[0] - braked.positions()[0]).abs() < ROUNDING, "it brakes as fast as it can");
}

#[test]
fn time_may_stand_still_or_pass_by_next_to_nothing() {
    let gantry = Gantry::new();
    let scene = gantry.beside([1.0, 0.0, 0.0]);
    let clearance = Clearance { scene: &scene, margin: MARGIN };
    let mut motion = gantry.motion([0.0; 3]);
    motion.move_to(&[0.5, 0.0, 0.0]).unwrap();
    for step in [STEP, 0.0, 1e-12, f64::MIN_POSITIVE, STEP, 0.0] {
        let before = motion.positions()[0];
        assert_eq!(motion.advance_if_clear(step, &clearance), Step::Safe);
        assert!((0.0..=step).contains(&(motion.positions()[0] - before)));
    }
}

#[test]
fn far_from_everything_a_motion_has_the_same_bits() {
    let gantry = Gantry::new();
    let ball = [0.0, 0.0, 2.0];
    let scene = gantry.beside(ball);
    let (mut one, mut other) = (gantry.motion([0.0; 3]), gantry.motion([0.0; 3]));
    for goal in [[1.0, 0.3, 0.0], [-1.0, 0.1, 0.4]] {
        one.move_to(&goal).unwrap();
        other.move_to(&goal).unwrap();
        for _ in 0..70 {
            one.advance(STEP);
            let clearance = Clearance { scene: &scene, margin: MARGIN };
            assert_eq!(other.advance_if_clear(STEP, &clearance), Step::Safe);
            assert_eq!(one.positions(), other.positions());
        }
    }
}

/// Follows a straight path of the hand from the origin to `end`.
fn follow_to(gantry: &Gantry, scene: Option<&Scene>, start: [f64; 3], end: [f64; 3]) -> (Followed, Trajectory) {
    let solver = Solver::prepare(SolverKind::Jacobian, &gantry.chain).unwrap();
    let pose = |at: [f64; 3]| Isometry3::translation(at[0], at[1], at[2]);
    let path = Path::new(&[pose(start), pose(end)], PathOptions::default()).unwrap();
    let target = Target::new(0, pose(start)).position_only();
    let problem = PathProblem::new(&path, &target, &start, &gantry.limits)
        .with_clearance(scene.map(|scene| Clearance { scene, margin: MARGIN }));
    let followed = follow(&solver, &problem, &FollowOptions::default()).unwrap();
    let trajectory = Trajectory::new(&gantry.chain, &problem, &followed, &Timing::default()).unwrap();
    (followed, trajectory)
}

#[test]
fn a_path_ends_before_a_ball() {
    let gantry = Gantry::new();
    let ball = [1.0, 0.0, 0.0];
    let (followed, trajectory) = follow_to(&gantry, Some(&gantry.beside(ball)), [0.0; 3], [2.0, 0.0, 0.0]);
    let stop = followed.stop.unwrap();
    let StopReason::Collision { bodies: Some([hand, other]), .. } = &stop.reason else { panic!("{stop}") };
    assert_eq!([hand.to_string(), other.to_string()], ["link 'hand'", "obstacle 'ball'"]);
    assert!(stop.to_string().contains("link 'hand' would come within 0.0"), "{stop}");
    let exact = (1.0 - HAND - BALL - MARGIN) / 2.0;
    assert!((-1e-9..5e-4).contains(&(exact - followed.fraction)), "{} of {exact}", followed.fraction);
    for point in &trajectory.points {
        assert!(distance(&point.positions, ball) >= MARGIN);
    }
}

#[test]
fn a_path_leads_away_from_contact_but_not_into_it() {
    let gantry = Gantry::new();
    let scene = gantry.beside([1.0, 0.0, 0.0]);
    let start = [1.0 - HAND - BALL - 0.5 * MARGIN, 0.0, 0.0];
    let (away, _) = follow_to(&gantry, Some(&scene), start, [0.0, 0.2, 0.0]);
    assert_eq!(away.fraction, 1.0, "{:?}", away.stop);
    let (towards, trajectory) = follow_to(&gantry, Some(&scene), start, [1.0, 0.0, 0.0]);
    assert!(matches!(towards.stop.unwrap().reason, StopReason::Collision { .. }));
    assert!(trajectory.points.iter().all(|point| point.positions[0] <= start[0] + 1e-6));
}

#[test]
fn far_from_everything_a_path_has_the_same_bits() {
    let gantry = Gantry::new();
    let scene = gantry.beside([0.0, 0.0, 2.0]);
    let end = [0.5, 0.3, 0.1];
    assert_eq!(follow_to(&gantry, Some(&scene), [0.0; 3], end), follow_to(&gantry, None, [0.0; 3], end));
}
