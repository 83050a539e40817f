"""Motion in bounded steps, and its interruption."""
from urdf_ik.msg import SolveStatus

from checks import assert_honest, assert_posture, assert_solved, difference
from client import posture
from conftest import ARM_FILE, ROBOTS
from kinematics import Robot, translation
from motion import assert_steps


def test_steps_are_bounded_until_arrival(start, arm_robot):
    bound, period = 0.05, 1 / 100
    node = start.node(ARM_FILE, max_joint_step=bound, publish_rate=1 / period)
    before = node.snapshot()
    sample = {'shoulder_pan_joint': 0.9, 'shoulder_lift_joint': 0.4, 'elbow_joint': -0.6, 'wrist_flex_joint': 0.3}
    target = arm_robot.pose('tool0', sample)
    first = node.send_pose(target)
    assert first.outcome == SolveStatus.STEP_LIMITED, first.message
    assert_honest(first, arm_robot, node.answer_to(first), 'tool0', target)
    arrival = node.status_of(first.header.stamp, SolveStatus.SOLVED)
    assert_solved(node, arm_robot, arrival, 'tool0', target)
    # Each is for its own configuration.
    assert first.smallest_singular_value >= 0 and arrival.smallest_singular_value >= 0
    assert first.smallest_singular_value != arrival.smallest_singular_value
    travelled = node.states[before.states - 1:]
    assert_steps(travelled, bound, period)
    for state in travelled:
        assert_posture(arm_robot, posture(state))


def test_a_newer_target_replaces_one_that_is_being_approached(start, arm_robot):
    # Small steps: a busy machine may delay the second target, and the arm must not arrive earlier.
    node = start.node(ARM_FILE, max_joint_step=0.005)
    far, near = (arm_robot.pose('tool0', {'shoulder_pan_joint': angle}) for angle in (2.0, -0.1))
    first = node.send_pose(far)
    assert first.outcome == SolveStatus.STEP_LIMITED
    second = node.send_pose(near)
    arrival = node.status_of(second.header.stamp, SolveStatus.SOLVED)
    assert_solved(node, arm_robot, arrival, 'tool0', near)
    node.settle()
    assert all(status.outcome != SolveStatus.SOLVED for status in node.statuses_of(first.header.stamp))


def test_a_target_out_of_reach_is_approached_in_steps(start, arm_robot):
    node = start.node(ARM_FILE, max_joint_step=0.05, publish_rate=200.0)
    target = translation(2, 2, 0.3)
    first = node.send_pose(target)
    assert first.outcome == SolveStatus.STEP_LIMITED, first.message
    end = node.status_of(first.header.stamp, SolveStatus.OUT_OF_REACH)
    positions = node.answer_to(end)
    assert_honest(end, arm_robot, positions, 'tool0', target)
    assert node.next_posture() == positions


def test_a_reset_ends_the_motion(start, arm_robot):
    node = start.node(ARM_FILE, max_joint_step=0.01)
    initial = node.next_posture()
    first = node.send_pose(arm_robot.pose('tool0', {'shoulder_pan_joint': 2.0}))
    assert first.outcome == SolveStatus.STEP_LIMITED
    assert node.reset() == initial
    before = node.snapshot()
    node.settle()
    assert all(posture(state) == initial for state in node.states_since(before))
    assert len(node.statuses) == before.statuses


def test_another_robot_ends_the_motion(start, arm_robot):
    node = start.node(robot_description=ARM_FILE.read_text(), max_joint_step=0.01)
    node.send_pose(arm_robot.pose('tool0', {'shoulder_pan_joint': 2.0}))
    planar = Robot.load(ROBOTS / 'planar.urdf')
    node.set_all(robot_description=planar.text)
    still = node.next_posture()
    assert_posture(planar, still)
    node.settle()
    assert node.next_posture() == still


def test_a_fast_stream_does_not_make_the_steps_faster(start, arm_robot):
    bound, rate = 0.01, 5.0
    node = start.node(ARM_FILE, max_joint_step=bound, publish_rate=rate)
    initial = node.next_posture()
    target = arm_robot.pose('tool0', {'shoulder_pan_joint': 2.0})
    began = node.node.get_clock().now().nanoseconds
    for _ in range(100):
        node.send_pose(target)
    elapsed = (node.node.get_clock().now().nanoseconds - began) / 1e9
    steps = elapsed * rate / 0.95 + 2
    assert difference(initial, posture(node.states[-1])) <= steps * bound + 1e-9
