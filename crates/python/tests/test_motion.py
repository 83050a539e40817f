"""Paths and servos."""

import numpy as np
import pytest

import urdfik
from conftest import urdf


@pytest.fixture(scope="module")
def start(arm):
    down = np.diag([1.0, -1, -1, 1])
    down[:3, 3] = [0.4, -0.1, 0.3]
    answer = arm.solve(down, attempts=1000)
    assert answer.solved
    return answer.positions, down


def moved(pose, *shift):
    pose = pose.copy()
    pose[:3, 3] += shift
    return pose


def test_a_path_is_followed_within_all_limits(arm, start):
    q, pose = start
    waypoints = [pose, moved(pose, 0, 0.2, 0), moved(pose, 0, 0.2, 0.1)]
    limits = {name: {"velocity": 0.5, "acceleration": 2, "jerk": 20} for name in arm.joint_names}
    trajectory = arm.path(waypoints, q, blend_radius=0.05, speed=0.2, joint_limits=limits, period=0.02)
    assert trajectory.complete and trajectory.fraction == 1 and trajectory.reason is None
    count = len(trajectory.times)
    assert trajectory.positions.shape == trajectory.velocities.shape == trajectory.accelerations.shape == (count, 7)
    np.testing.assert_allclose(np.diff(trajectory.times), 0.02, atol=1e-12)
    assert np.abs(trajectory.velocities).max() <= 0.5 + 1e-9 and np.abs(trajectory.accelerations).max() <= 2 + 1e-6
    assert (trajectory.velocities[[0, -1]] == 0).all()
    np.testing.assert_allclose(arm.forward_kinematics(trajectory.positions[-1]), waypoints[-1], atol=2e-4)
    assert trajectory.position_deviation <= 2e-4
    # The same limits in MoveIt's format, and waypoints as x y z qx qy qz qw.
    yaml = "joint_limits:\n" + "".join(
        f"  {name}: {{has_velocity_limits: true, max_velocity: 0.5, has_acceleration_limits: true, max_acceleration: 2.0, "
        f"has_jerk_limits: true, max_jerk: 20.0}}\n" for name in arm.joint_names)
    sevens = [[*at[:3, 3], 1, 0, 0, 0] for at in waypoints]
    again = arm.path(sevens, q, blend_radius=0.05, speed=0.2, joint_limits=yaml, period=0.02)
    np.testing.assert_allclose(again.positions, trajectory.positions, atol=1e-9)


def test_a_path_that_leaves_the_reach_says_where(arm, start):
    q, pose = start
    trajectory = arm.path([pose, moved(pose, 2, 0, 0)], q)
    assert not trajectory.complete and 0 < trajectory.fraction < 1 and "m" in trajectory.reason


def test_a_path_may_start_anywhere(arm, start):
    q, pose = start
    waypoints = [pose, moved(pose, 0, 0.35, 0.05)]
    free = arm.path(waypoints, period=0.02)
    assert free.complete, free.reason
    np.testing.assert_allclose(arm.forward_kinematics(free.positions[0]), pose, atol=2e-5)
    np.testing.assert_array_equal(free.positions, arm.path(waypoints, None, period=0.02).positions)
    given = arm.path(waypoints, q, period=0.02)
    np.testing.assert_allclose(given.positions[0], q, atol=1e-12)

    def length(trajectory):
        return np.linalg.norm(np.diff(trajectory.positions, axis=0), axis=1).sum()

    if given.complete:
        assert length(free) <= 1.1 * length(given)
    away = arm.path([pose, moved(pose, 2, 0, 0)])
    assert not away.complete and "out of reach" in away.reason
    with pytest.raises(urdfik.Error, match="search"):
        arm.path(waypoints, search=-1)


def test_goals_are_met_all_along_a_path(arm, start):
    q, pose = start
    level = {"type": "cone", "axis": [0, 0, 1], "direction": [0, 0, -1], "angle": 0.05, "name": "level"}
    corners = [pose[:3, 3], moved(pose, -0.1, 0.3, 0.1)[:3, 3]]
    axes = ["rx", "ry", "rz"]
    trajectory = arm.path(corners, q, free_axes=axes, goals=[level], period=0.02)
    assert trajectory.complete, trajectory.reason
    down = -arm.forward_kinematics(trajectory.positions)[:, 2, 2]
    assert np.arccos(np.clip(down, -1, 1)).max() <= 0.051
    assert trajectory.goal_violations.shape == (1,) and trajectory.goal_violations[0] <= 1e-3
    same = arm.path(corners, q, free_axes=axes, constraints=[level], period=0.02)
    np.testing.assert_array_equal(same.positions, trajectory.positions)
    free = arm.path(corners, q, free_axes=axes, period=0.02)
    assert free.goal_violations.shape == (0,)
    with pytest.raises(urdfik.Error, match="at the start goal 'up'"):
        arm.path(corners, q, free_axes=axes, goals=[{**level, "direction": [0, 0, 1], "name": "up"}])
    fence = {"type": "position", "p": pose[:3, 3], "upper": [None, 0.15, None], "name": "fence"}
    stopped = arm.path(corners, q, free_axes=axes, goals=[level, fence])
    assert not stopped.complete and "goal 'fence'" in stopped.reason


def test_a_servo_moves_the_tip_along_a_line(arm, start):
    q, pose = start
    servo = arm.servo(250, q)
    assert servo.is_at_rest
    for _ in range(250):
        positions = servo.step([0, 0.05, 0, 0, 0, 0])
    assert not servo.is_at_rest and np.abs(servo.velocities).max() > 0
    np.testing.assert_array_equal(positions, servo.positions)
    tip = arm.forward_kinematics(positions)
    assert 0.02 < tip[1, 3] - pose[1, 3] < 0.051
    np.testing.assert_allclose(tip[[0, 2], 3], pose[[0, 2], 3], atol=1e-3)
    for _ in range(250):
        servo.step()
    assert servo.is_at_rest and np.abs(servo.accelerations).max() == 0


def test_a_servo_turns_about_a_free_axis(arm, start):
    q, pose = start
    turned = []
    for free_axes in (None, ["rz"], "rz"):
        servo = arm.servo(250, q, free_axes=free_axes)
        for _ in range(500):
            servo.step([0, 0.1, 0, 0, 0, 0])
        rotation = arm.forward_kinematics(servo.positions)[:3, :3]
        np.testing.assert_allclose(rotation[:, 2], pose[:3, 2], atol=1e-3)
        turned.append(np.abs(rotation - pose[:3, :3]).max())
    assert turned[0] < 1e-3 and turned[1] == turned[2] > 0.05


def test_a_servo_takes_the_axes_of_the_tip_and_joint_velocities(arm, start):
    q, pose = start
    servo = arm.servo(250, q)
    for _ in range(100):
        servo.step({"tool0": [0, 0.05, 0, 0, 0, 0]}, frame="tip")
    # The tool points down, rotated about x: its y is the base's -y.
    assert arm.forward_kinematics(servo.positions)[1, 3] < pose[1, 3] - 0.002
    joints = arm.servo(250, q)
    for _ in range(100):
        joints.step(velocities=dict.fromkeys(arm.joint_names, 0.0) | {arm.joint_names[0]: 0.2})
    assert joints.positions[0] > q[0] + 0.02
    np.testing.assert_allclose(joints.positions[1:], q[1:], atol=1e-9)


def test_a_servo_follows_poses(arm, start):
    q, pose = start
    matrix = moved(pose, 0, 0.1, 0)
    turn = np.eye(4)
    turn[np.ix_([0, 2], [0, 2])] = [[np.cos(0.4), np.sin(0.4)], [-np.sin(0.4), np.cos(0.4)]]
    turned = matrix @ turn
    for goal, given in [(matrix, matrix), (turned, {"tool0": turned})]:
        servo = arm.servo(250, q)
        for _ in range(1500):
            positions = servo.step(pose=given)
        np.testing.assert_array_equal(positions, servo.positions)
        np.testing.assert_allclose(arm.forward_kinematics(positions), goal, atol=1e-6)
        assert servo.is_at_rest and servo.report["speed_ratio"] == 1.0


def test_the_report_of_a_servo(arm, start):
    q, pose = start
    servo = arm.servo(250, q)
    assert servo.report["speed_ratio"] == 1.0 and servo.report["limits"] == []
    for _ in range(100):
        servo.step([0, 0.05, 0, 0, 0, 0])
    report = servo.report
    assert report["speed_ratio"] > 0.9 and report["angle"] < 0.01 and not report["sliding"] and report["limits"] == []
    assert report["position_off_line"] < 1e-4 and report["smallest_singular_value"] > 0.05 and report["distance"] is None
    servo.step([0, 5.0, 0, 0, 0, 0])
    assert servo.report["limits"] == [("tip_speed", ["tool0"])]
    # Out of reach the tip waits on its line. The report is compared with the positions.
    servo, direction = arm.servo(250, q, max_deviation_angle=0.0), np.array([0.2, 0.1, 0.0])
    along, factors, share = [0.0], set(), 1.0
    for _ in range(1500):
        servo.step([*direction, 0, 0, 0])
        report, way = servo.report, arm.forward_kinematics(servo.positions)[:3, 3] - pose[:3, 3]
        along.append(way @ direction / (direction @ direction))
        beside = np.linalg.norm(way - along[-1] * direction)
        assert abs(report["position_off_line"] - beside) < 1e-5 and not report["sliding"]
        share = (along[-1] - along[max(0, len(along) - 14)]) / (0.004 * min(13, len(along) - 1))
        assert abs(report["speed_ratio"] - share) < 0.03
        for factor, names in report["limits"]:
            factors.add(factor)
            assert factor == "singularity" or names[0] in arm.joint_names
    assert share < 1e-3 and factors & {"joint_limit", "singularity"} and factors <= {"joint_limit", "singularity", "joint_speed"}
    servo = arm.servo(250, q)
    for _ in range(500):
        servo.step(velocities=dict.fromkeys(arm.joint_names, 0.0) | {arm.joint_names[0]: 2.0})
    assert servo.report["smallest_singular_value"] is None and servo.report["angle"] == 0.0


def test_a_servo_names_the_motion_that_is_lost_at_a_singularity():
    arm = urdfik.Arm(urdf("arm6"))
    servo = arm.servo(100, [0, -0.45, 0.72, 0, -0.47, 0], max_deviation_angle=0.0)
    assert servo.report["singular_direction"] == {}
    for _ in range(600):
        servo.step([0.178, 0.014, 0.089, 0, 0, 0])
    report = servo.report
    assert ("singularity", []) in report["limits"] and list(report["singular_direction"]) == ["tool0"]
    # The elbow is stretched: the infeasible part of the translation.
    lost = report["singular_direction"]["tool0"][:3]
    vectors, values, _ = np.linalg.svd(arm.jacobian(servo.positions))
    nearest = vectors[:3, -1]
    assert values[-1] < 1e-2 and abs(lost @ nearest) > 0.99 * np.linalg.norm(lost) * np.linalg.norm(nearest)


def test_deprecated_arguments_of_a_servo_warn(arm, start):
    q, _ = start
    for old, new in [({"held_back": "wait"}, {"max_deviation_angle": 0.0}), ({"held_back": "slide"}, {}),
                     ({"give_position": 0.01}, {"slack_position": 0.01}), ({"give_orientation": 0.0}, {"slack_orientation": 0.0})]:
        (name,) = old
        with pytest.warns(DeprecationWarning, match=f"{name} of servo is deprecated: use "):
            servo = arm.servo(250, q, **old)
        assert servo.__reduce__()[1][1] == arm.servo(250, q, **new).__reduce__()[1][1]


def test_a_servo_that_starts_outside_the_limits_moves_inside_first(arm, start):
    q, _ = start
    outside = q.copy()
    outside[0] = arm.upper[0] + 0.05
    servo = arm.servo(100, outside)
    reached = np.array([servo.step([0, 0, 0.05, 0, 0, 0]) for _ in range(200)])[:, 0]
    assert reached.max() <= outside[0] and reached[-1] <= arm.upper[0]
    # From rest, the first step of a jump would be 0.05.
    assert np.abs(np.diff(reached, prepend=outside[0])).max() < 0.01


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda arm, q, pose: arm.path([pose, np.eye(3)], q), "waypoints must be an array"),
        (lambda arm, q, pose: arm.path([pose, np.diag([1, 1, 2, 1])], q), "waypoint 1: .*rotation"),
        (lambda arm, q, pose: arm.path([pose], q, speed=0), "speed is 0"),
        (lambda arm, q, pose: arm.path([pose], q, blend_radius=-1), "blend radius is -1"),
        (lambda arm, q, pose: arm.path([pose], q, joint_limits={"elbow": {}}), "joint 'elbow', which the robot does not have"),
        (lambda arm, q, pose: arm.path([pose], q, joint_limits={arm.joint_names[0]: {"speed": 1}}), "they can be velocity"),
        (lambda arm, q, pose: arm.path([pose], q, joint_limits={arm.joint_names[0]: {"jerk": 0}}), "jerk of joint_limits of .* is 0"),
        (lambda arm, q, pose: arm.servo(0, q), "rate is 0"),
        (lambda arm, q, pose: arm.servo(100, q, held_back="go"), "the behaviours at a limit are: wait, slide"),
        (lambda arm, q, pose: arm.servo(100, q, slack_orientation=-1), "slack_orientation is -1"),
        (lambda arm, q, pose: arm.servo(100, q, free_axes=["yaw"]), "x, y, z, rx, ry, rz"),
        (lambda arm, q, pose: arm.servo(100, q, free_axes=["rz", "x"]), "leaves no translation free"),
        (lambda arm, q, pose: arm.servo(100, q * np.nan), "q has an entry that is not a finite number"),
        (lambda arm, q, pose: arm.servo(100, q).step([1, 2, 3]), r"twist has the shape \(3,\); it must be \(6,\)"),
        (lambda arm, q, pose: arm.servo(100, q).step([np.nan] * 6), "finite"),
        (lambda arm, q, pose: arm.servo(100, q).step([0] * 6, velocities=q), "not both"),
        (lambda arm, q, pose: arm.servo(100, q).step([0] * 6, pose=pose), "not both"),
        (lambda arm, q, pose: arm.servo(100, q).step(pose=[0, 0, 0.3]), "pose has no orientation"),
        (lambda arm, q, pose: arm.servo(100, q).step(pose=np.full(7, np.nan)), "pose"),
        (lambda arm, q, pose: arm.servo(100, q).step(pose={"hand": pose}), "hand"),
        (lambda arm, q, pose: arm.servo(100, q, max_deviation_angle=-1), "max_deviation_angle is -1"),
        (lambda arm, q, pose: arm.servo(100, q, give_position=-1), "slack_position is -1"),
    ],
)
def test_what_is_wrong_is_named(arm, start, call, words):
    with pytest.raises(urdfik.Error, match=words):
        call(arm, *start)


@pytest.mark.parametrize("angle", [0.0, 0.05])
def test_a_servo_keeps_a_cup_level(arm, start, angle):
    q, pose = start
    up = pose[:3, 2]
    goals = [urdfik.goals.ConeGoal(axis=[0, 0, 1], direction=up, angle=angle, name="level")]
    servo = arm.servo(100, q, goals=goals)
    assert servo.goals is goals and arm.servo(100, q).goals is None
    tilts, named = [], False
    for _ in range(200):
        servo.step([0, 0.05, 0, 0.3, 0.2, 0])
        axis = arm.forward_kinematics(servo.positions)[:3, 2]
        tilts.append(np.arctan2(np.linalg.norm(np.cross(axis, up)), axis @ up))
        named |= ("goal", ["level"]) in servo.report["limits"]
    assert max(tilts) < angle + np.radians(0.01) and named
    assert arm.forward_kinematics(servo.positions)[1, 3] > pose[1, 3] + 0.03
    with pytest.raises(urdfik.Error, match="goals"):
        arm.servo(100, q, goals=[{"type": "cone"}])
