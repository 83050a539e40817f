//! Calls of the C interface with random values: NULL, missing texts, numbers that are not finite, indices out of range.

#![allow(unsafe_code, reason = "the functions take pointers")]

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};

use urdf_ik_c::{
    UrdfIkAnswer, UrdfIkArm, UrdfIkOutcome, UrdfIkPose, UrdfIkProblem, UrdfIkServo, UrdfIkSkeleton, UrdfIkStatus,
    UrdfIkTarget, UrdfIkTipCommand, UrdfIkTrajectory, UrdfIkWorkspace, UrdfIkWorld, urdf_ik_arm_free, urdf_ik_arm_new,
    urdf_ik_error, urdf_ik_forward_kinematics, urdf_ik_jacobian, urdf_ik_path, urdf_ik_path_options, urdf_ik_problem,
    urdf_ik_robot_free, urdf_ik_robot_from_urdf, urdf_ik_servo_free, urdf_ik_servo_new, urdf_ik_servo_options,
    urdf_ik_servo_step, urdf_ik_skeleton_answer_free, urdf_ik_skeleton_free, urdf_ik_skeleton_from_yaml,
    urdf_ik_skeleton_problem, urdf_ik_skeleton_solve, urdf_ik_skeleton_target, urdf_ik_solve, urdf_ik_solve_batch,
    urdf_ik_target, urdf_ik_trajectory_free, urdf_ik_workspace_free, urdf_ik_workspace_new, urdf_ik_workspace_reason,
    urdf_ik_world_free, urdf_ik_world_new,
};
use urdf_ik_testing::Random;

use crate::check_message;
use crate::robots::ARM;

/// Number of joints of the arm, and at least the points of the skeleton times three.
const JOINTS: usize = 6;
/// Values that are hard to treat.
const NUMBERS: [f64; 10] = [0.0, -1.0, 1e-300, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-5, 1e7, -0.0];
const COUNTS: [usize; 5] = [0, 1, 2, 1000, usize::MAX];
const TEXTS: [&str; 8] = [
    "",
    "[]",
    "{",
    "[{\"type\": \"cone\", \"angle\": 0.5, \"axis\": [0, 0, 1], \"direction\": [0, 0, -1]}]",
    "{\"obstacles\": [{\"id\": \"a\", \"type\": \"sphere\", \"radius\": 0.1, \"p\": [0.5, 0, 0.5]}]}",
    "joint_limits: {shoulder_joint: {max_velocity: 1}}",
    "segments: [{name: a, length: 1}, {name: b, length: 1}]",
    "\u{fffd}",
];

/// Random arguments. Texts live as long as it does.
struct Arguments {
    random: Random,
    texts: Vec<CString>,
}

impl Arguments {
    fn number(&mut self) -> f64 {
        if self.random.once_in(12) { NUMBERS[self.random.below(NUMBERS.len())] } else { self.random.between(-1.0, 1.0) }
    }

    /// A number that is usually valid as it is.
    fn or(&mut self, usual: f64) -> f64 {
        if self.random.once_in(12) { self.number() } else { usual }
    }

    fn count(&mut self, usual: usize) -> usize {
        if self.random.once_in(12) { COUNTS[self.random.below(COUNTS.len())] } else { usual }
    }

    fn pose(&mut self) -> UrdfIkPose {
        let mut pose =
            UrdfIkPose { position: [(); 3].map(|()| self.number()), orientation: [(); 4].map(|()| self.number()) };
        if !self.random.once_in(8) {
            let length = pose.orientation.iter().map(|part| part * part).sum::<f64>().sqrt();
            pose.orientation = pose.orientation.map(|part| part / length);
        }
        pose
    }

    /// NULL now and then.
    fn numbers<const N: usize>(&mut self, array: &mut [f64; N]) -> *const f64 {
        *array = [(); N].map(|()| self.number());
        if self.random.once_in(4) { null() } else { array.as_ptr() }
    }

    fn text(&mut self, usual: Option<&str>) -> *const c_char {
        let drawn = if self.random.once_in(3) { Some(TEXTS[self.random.below(TEXTS.len())]) } else { usual };
        let Some(text) = drawn else { return null() };
        self.texts.push(CString::new(text).unwrap());
        self.texts.last().unwrap().as_ptr()
    }
}

/// Checks that a failure has a message, and is no fault of the library. Returns whether the call succeeded.
fn check(status: UrdfIkStatus) -> bool {
    if status != UrdfIkStatus::Ok {
        let message = unsafe { CStr::from_ptr(urdf_ik_error()) }.to_str().unwrap();
        check_message(message);
        assert_ne!(status, UrdfIkStatus::Internal, "{message}");
    }
    status == UrdfIkStatus::Ok
}

/// An arm, a workspace and a world, as far as the arguments make them.
struct Handles {
    arm: *mut UrdfIkArm,
    workspace: *mut UrdfIkWorkspace,
    world: *mut UrdfIkWorld,
}

impl Handles {
    fn new(arguments: &mut Arguments) -> Self {
        let mut made = Self { arm: null_mut(), workspace: null_mut(), world: null_mut() };
        let urdf = CString::new(ARM.1.as_str()).unwrap();
        let (mut robot, tip) = (null_mut(), [c"tool0".as_ptr(), c"tool0".as_ptr()]);
        unsafe {
            assert!(check(urdf_ik_robot_from_urdf(urdf.as_ptr(), &raw mut robot)));
            let (base, solver) = (arguments.text(None), arguments.text(None));
            if !check(urdf_ik_arm_new(robot, base, tip.as_ptr(), 1, solver, &raw mut made.arm)) {
                assert!(check(urdf_ik_arm_new(robot, null(), tip.as_ptr(), 1, null(), &raw mut made.arm)));
            }
            urdf_ik_robot_free(robot);
            check(urdf_ik_workspace_new(made.arm, &raw mut made.workspace));
            if arguments.random.once_in(2) {
                check(urdf_ik_world_new(made.arm, arguments.text(Some(TEXTS[4])), &raw mut made.world));
            }
        }
        made
    }
}

impl Drop for Handles {
    fn drop(&mut self) {
        unsafe {
            urdf_ik_workspace_free(self.workspace);
            urdf_ik_world_free(self.world);
            urdf_ik_arm_free(self.arm);
        }
    }
}

/// Arrays that a problem points to.
#[derive(Default)]
struct Arrays([[f64; JOINTS]; 6]);

fn target(arguments: &mut Arguments) -> UrdfIkTarget {
    let (tip, pose) = (arguments.count(0), arguments.pose());
    let mut target = urdf_ik_target(tip, pose);
    if arguments.random.once_in(3) {
        target.free_axes = [(); 6].map(|()| u8::from(arguments.random.once_in(3)));
    }
    target.position_tolerance = arguments.or(target.position_tolerance);
    target.orientation_tolerance = arguments.or(target.orientation_tolerance);
    target.weight = arguments.or(1.0);
    target.reserved[0] = u64::from(arguments.random.once_in(30));
    target
}

fn problem(
    arguments: &mut Arguments,
    targets: &[UrdfIkTarget; 2],
    arrays: &mut Arrays,
    world: *const UrdfIkWorld,
) -> UrdfIkProblem {
    let mut problem = urdf_ik_problem();
    (problem.targets, problem.target_count) = (targets.as_ptr(), 1 + usize::from(arguments.random.once_in(8)));
    if arguments.random.once_in(12) {
        // The count of targets that are NULL may be any.
        (problem.targets, problem.target_count) = (null(), arguments.count(1));
    }
    problem.goals = arguments.text(None);
    let Arrays([seed, max_step, lower, upper, posture, move_weights]) = arrays;
    problem.seed = arguments.numbers(seed);
    if arguments.random.once_in(3) {
        problem.max_step = arguments.numbers(max_step);
    }
    if arguments.random.once_in(3) {
        (problem.lower, problem.upper) = (arguments.numbers(lower), arguments.numbers(upper));
    }
    problem.pick = i32::try_from(arguments.count(0)).unwrap_or(i32::MIN);
    problem.attempts = arguments.count(5);
    problem.timeout = arguments.or(1e-3);
    if problem.attempts > 1000 && (problem.timeout <= 0.0 || problem.timeout > 1e-3) {
        problem.timeout = 1e-3;
    }
    problem.closest = u8::try_from(arguments.random.below(4)).unwrap();
    if arguments.random.once_in(3) {
        problem.posture = arguments.numbers(posture);
        problem.move_weights = arguments.numbers(move_weights);
        problem.posture_weight = arguments.or(0.1);
        problem.manipulability_weight = arguments.or(0.1);
    }
    problem.max_turns = arguments.count(problem.max_turns);
    problem.avoid = world;
    problem
}

/// Solves, plans and steps with the arguments that these bytes choose.
pub fn calls(bytes: &[u8]) {
    let mut arguments = Arguments { random: Random::from_bytes(bytes), texts: Vec::new() };
    let handles = Handles::new(&mut arguments);
    let (targets, mut arrays) = ([target(&mut arguments), target(&mut arguments)], Arrays::default());
    let problem = problem(&mut arguments, &targets, &mut arrays, handles.world);
    match arguments.random.below(6) {
        0 | 1 => solve(&handles, &targets, &problem),
        2 => batch(&handles, &mut arguments, &problem),
        3 => path(&handles, &mut arguments, &problem),
        4 => servo(&handles, &mut arguments),
        _ => skeleton(&mut arguments),
    }
    kinematics(&handles, &mut arguments);
}

fn solve(handles: &Handles, targets: &[UrdfIkTarget], problem: &UrdfIkProblem) {
    let (mut positions, mut answer) = ([f64::NAN; JOINTS], std::mem::MaybeUninit::<UrdfIkAnswer>::uninit());
    let status = unsafe { urdf_ik_solve(handles.workspace, problem, positions.as_mut_ptr(), answer.as_mut_ptr()) };
    if check(status) {
        let answer = unsafe { answer.assume_init() };
        assert!(positions.iter().all(|position| position.is_finite()), "{positions:?}");
        let reason = unsafe { CStr::from_ptr(urdf_ik_workspace_reason(handles.workspace)) };
        check_message(reason.to_str().unwrap());
        let [target, _] = targets else { return };
        if answer.outcome == UrdfIkOutcome::Solved && problem.target_count == 1 && target.free_axes == [0; 6] {
            let mut pose = target.pose;
            assert!(check(unsafe { urdf_ik_forward_kinematics(handles.workspace, positions.as_ptr(), &raw mut pose) }));
            let apart = pose.position.iter().zip(&target.pose.position).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            assert!(apart.sqrt() <= target.position_tolerance + 1e-9, "{positions:?}, {target:?}");
        }
    }
}

fn batch(handles: &Handles, arguments: &mut Arguments, problem: &UrdfIkProblem) {
    let (problems, mut positions) = ([*problem; 3], [f64::NAN; 3 * JOINTS]);
    let threads = if arguments.random.once_in(8) { usize::MAX } else { 1 };
    let rows = if arguments.random.once_in(8) { null_mut() } else { positions.as_mut_ptr() };
    check(unsafe { urdf_ik_solve_batch(handles.arm, problems.as_ptr(), 3, threads, rows, null_mut()) });
}

fn path(handles: &Handles, arguments: &mut Arguments, problem: &UrdfIkProblem) {
    let mut options = urdf_ik_path_options();
    options.blend_radius = arguments.or(0.0);
    options.speed = arguments.or(0.1);
    options.acceleration = arguments.or(0.5);
    options.period = arguments.or(0.01);
    options.search = arguments.count(0).min(5);
    options.joint_limits = arguments.text(None);
    let mut trajectory: *mut UrdfIkTrajectory = null_mut();
    if check(unsafe { urdf_ik_path(handles.arm, problem, &raw const options, &raw mut trajectory) }) {
        assert!(unsafe { &*trajectory }.fraction >= 0.0);
    }
    unsafe { urdf_ik_trajectory_free(trajectory) };
}

fn servo(handles: &Handles, arguments: &mut Arguments) {
    let mut options = urdf_ik_servo_options(arguments.or(100.0));
    options.linear_speed = arguments.or(options.linear_speed);
    options.angular_speed = arguments.or(options.angular_speed);
    options.slack_position = arguments.or(options.slack_position);
    options.joint_limits = arguments.text(None);
    options.goals = arguments.text(None);
    options.avoid = handles.world;
    let (mut start, mut servo): (_, *mut UrdfIkServo) = ([0.0; JOINTS], null_mut());
    let from = arguments.numbers(&mut start);
    check(unsafe { urdf_ik_servo_new(handles.arm, &raw const options, from, &raw mut servo) });
    for _ in 0..3 {
        let kind = i32::try_from(arguments.random.below(4)).unwrap();
        let twist = [(); 6].map(|()| arguments.number());
        let command =
            UrdfIkTipCommand { tip: arguments.count(0), kind, twist, pose: arguments.pose(), reserved: [0; 2] };
        let mut positions = [f64::NAN; JOINTS];
        if check(unsafe { urdf_ik_servo_step(servo, &raw const command, 1, positions.as_mut_ptr()) }) {
            assert!(positions.iter().all(|position| position.is_finite()), "{positions:?}");
        }
    }
    unsafe { urdf_ik_servo_free(servo) };
}

fn skeleton(arguments: &mut Arguments) {
    let (mut skeleton, mut answer): (*mut UrdfIkSkeleton, _) = (null_mut(), null_mut());
    check(unsafe { urdf_ik_skeleton_from_yaml(arguments.text(Some(TEXTS[6])), &raw mut skeleton) });
    let mut point = [0.0; 3];
    let mut target = unsafe { urdf_ik_skeleton_target(arguments.count(2), arguments.numbers(&mut point)) };
    target.weight = arguments.or(1.0);
    let mut problem = urdf_ik_skeleton_problem();
    (problem.targets, problem.target_count) = (&raw const target, 1);
    problem.root = i32::try_from(arguments.random.below(4)).unwrap();
    problem.root_pose = arguments.pose();
    problem.tolerance = arguments.or(problem.tolerance);
    check(unsafe { urdf_ik_skeleton_solve(skeleton, &raw const problem, &raw mut answer) });
    unsafe {
        urdf_ik_skeleton_answer_free(answer);
        urdf_ik_skeleton_free(skeleton);
    }
}

fn kinematics(handles: &Handles, arguments: &mut Arguments) {
    let (mut at, mut jacobian) = ([0.0; JOINTS], [0.0; 6 * JOINTS]);
    let positions = arguments.numbers(&mut at);
    check(unsafe { urdf_ik_jacobian(handles.workspace, positions, arguments.count(0), jacobian.as_mut_ptr()) });
}
