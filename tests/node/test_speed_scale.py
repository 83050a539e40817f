"""The parameter speed_scale: slower motion on the same path, smooth changes, and stops at the full limits."""
import pytest
from geometry_msgs.msg import PoseArray
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory
from urdf_ik.msg import ServoStatus, SolveStatus

from checks import assert_solved, difference
from client import pose_message, posture
from conftest import ARM_FILE
from kinematics import translation
from motion import ACCELERATION, JERK, assert_smooth, still, velocity_limits
from servo_client import RATE, jog, moved, start_servo, twist
from test_smooth import FAR_OFF

CHANGING = {'jerk': 6 * JERK}  # while the scale changes


@pytest.fixture(scope='module')
def shared(module_start):
    return module_start.node(ARM_FILE, motion='smooth', publish_rate=RATE)


@pytest.fixture
def node(shared):
    shared.set_all(speed_scale=1.0)
    shared.reset()
    yield shared
    shared.set_all(speed_scale=1.0)


@pytest.fixture(scope='module')
def shared_servo(module_start):
    return start_servo(module_start)


@pytest.fixture
def servo(shared_servo):
    shared_servo.node.set_all(speed_scale=1.0)
    shared_servo.reset()
    yield shared_servo
    shared_servo.node.set_all(speed_scale=1.0)


def fastest(state):
    return max(map(abs, state.velocity), default=0.0)


def wait_for_speed(node, speed):
    node.wait_for(lambda: fastest(node.states[-1]) > speed, 'the arm to be fast')


def assert_held(node):
    """Waits until the arm rests, and stays at rest for a while."""
    node.wait_for(lambda: still(node.states[-1]), 'the arm to stand')
    held = node.next_posture()
    node.live(20)
    assert node.next_posture() == held
    return held


@pytest.mark.parametrize('scale', [0.5, 0.1])
def test_a_smooth_motion_is_slower_from_its_beginning(node, arm_robot, scale):
    target = arm_robot.pose('tool0', FAR_OFF)
    node.set_all(speed_scale=scale)
    before = node.snapshot()
    first = node.send_pose(target)
    assert f'at speed_scale {scale}' in first.message
    reached = assert_solved(node, arm_robot, node.status_of(first.header.stamp, SolveStatus.SOLVED), 'tool0', target)
    states = moved(node, before)
    limits = {name: scale * limit for name, limit in velocity_limits(arm_robot).items()}
    assert_smooth(states, arm_robot, 1 / RATE, limits, scale ** 2 * ACCELERATION, scale ** 3 * JERK)
    duration = float(first.message.split('arrives in ')[1].split(' s')[0])
    stamps = [state.header.stamp for state in states if not still(state)]
    took = (stamps[-1].sec - stamps[0].sec) + 1e-9 * (stamps[-1].nanosec - stamps[0].nanosec)
    assert took > 0.9 * duration and posture(states[-1]) == reached


def test_it_changes_smoothly_and_zero_keeps_the_motion(node, arm_robot):
    target = arm_robot.pose('tool0', FAR_OFF)
    before = node.snapshot()
    first = node.send_pose(target)
    wait_for_speed(node, 0.3)
    for scale in (0.3, 0.8, 0.2):
        node.set_all(speed_scale=scale)
        node.live(15)
    node.set_all(speed_scale=0.0)
    assert_held(node)
    assert len(node.statuses_of(first.header.stamp)) == 1, 'it has not arrived'
    node.set_all(speed_scale=1.0)
    assert_solved(node, arm_robot, node.status_of(first.header.stamp, SolveStatus.SOLVED), 'tool0', target)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE, **CHANGING)


def test_a_path_waits_and_goes_on(node, arm_robot):
    start = arm_robot.pose('tool0', posture(node.states[-1]))
    ends = [translation(0, 0, -0.05) @ start, translation(0, 0.05, -0.05) @ start]
    path = PoseArray(poses=[pose_message(pose).pose for pose in ends])
    path.header.stamp = node.new_stamp()
    node.set_all(speed_scale=0.0)
    before = node.snapshot()
    first = node.send(path, 'target_path')
    assert first.outcome == SolveStatus.STEP_LIMITED and 'waits until speed_scale is above 0' in first.message
    assert difference(assert_held(node), posture(node.states_since(before)[0])) < 2e-6, 'a path may begin so far away'
    node.set_all(speed_scale=1.0)
    wait_for_speed(node, 0.02)
    node.set_all(speed_scale=0.5)
    end = node.status_of(first.header.stamp, SolveStatus.SOLVED)
    assert_solved(node, arm_robot, end, 'tool0', ends[-1])
    states = moved(node, before)
    assert_smooth(states, arm_robot, 1 / RATE, **CHANGING)
    for state in states:
        # On one of the two lines.
        tip = (arm_robot.pose('tool0', posture(state)) - start)[:3, 3]
        assert abs(tip[0]) < 2e-4 and min(abs(tip[1]), abs(tip[2] + 0.05)) < 2e-4, tip


@pytest.mark.parametrize('scale', [0.3, 0.0])
def test_a_stop_does_not_wait_for_the_scale(node, arm_robot, scale):
    before = node.snapshot()
    first = node.send_pose(arm_robot.pose('tool0', FAR_OFF))
    wait_for_speed(node, 0.3)
    node.set_all(speed_scale=scale)
    if scale == 0.0:
        node.wait_for(lambda: still(node.states[-1]), 'the arm to stand')
    answer = node.call(Trigger, 'stop')
    assert answer.success and float(answer.message.split('rest in ')[1].split(' s')[0]) < 0.6, answer.message
    held = assert_held(node)
    node.set_all(speed_scale=1.0)
    node.live(20)
    assert node.next_posture() == held, 'the motion is over'
    assert len(node.statuses_of(first.header.stamp)) == 1
    assert_smooth(moved(node, before), arm_robot, 1 / RATE, **CHANGING)


def test_immediate_targets_have_no_speed(start, arm_robot):
    node = start.node(ARM_FILE, speed_scale=0.0)
    target = arm_robot.pose('tool0', FAR_OFF)
    assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)


@pytest.mark.parametrize('message, zero', [
    (twist(linear=(0, 0.05, 0)), twist()),
    (jog(shoulder_pan_joint=0.4), jog(shoulder_pan_joint=0.0)),
])
def test_velocity_commands_are_slower_and_the_status_says_so(servo, arm_robot, message, zero):
    node = servo.node
    node.set_all(speed_scale=0.5)
    before, since = node.snapshot(), len(servo.statuses)
    trajectories = node.subscribe(JointTrajectory, f'{node.name}/servo_trajectory', [])

    def has_half_speed():
        return next((status for status in servo.statuses[since:] if abs(status.scale - 0.5) < 0.01), None)
    status = servo.stream(message, has_half_speed, 'half of the speed')
    assert status.code == ServoStatus.SPEED and 'speed_scale is 0.500' in status.message
    for scale in (0.0, 1.0, 0.2):
        node.set_all(speed_scale=scale)
        servo.stream(message, lambda scale=scale: abs(servo.statuses[-1].scale - scale) < 0.02, f'a scale of {scale}')
    servo.stream(zero, lambda: still(node.states[-1]), 'the arm to stand')
    states = moved(node, before)
    assert_smooth(states, arm_robot, 1 / RATE, **CHANGING)
    # Velocities for controllers are scaled too.
    published = {tuple(state.velocity) for state in states}
    assert len(trajectories) > 20
    assert all(tuple(trajectory.points[0].velocities) in published for trajectory in trajectories)


def test_at_zero_commands_still_become_too_old(start):
    servo = start_servo(start, servo__timeout=0.2)
    node = servo.node
    command = twist(linear=(0, 0.05, 0))
    servo.stream(command, lambda: fastest(node.states[-1]) > 0.05, 'motion')
    node.set_all(speed_scale=0.0)
    servo.stream(command, lambda: still(node.states[-1]), 'the arm to stand')
    since = len(servo.statuses)
    servo.stream(command, lambda: len(servo.statuses) > since + 10, 'statuses go on')
    assert servo.statuses[-1].scale == 0.0
    since = len(servo.statuses)
    servo.send(command)
    servo.status(ServoStatus.TIMEOUT, since)
    held = node.next_posture()
    # The cancelled motion does not continue.
    node.set_all(speed_scale=1.0)
    node.live(20)
    assert node.next_posture() == held


@pytest.mark.parametrize('value', [-0.1, 1.1, float('nan'), 'fast'])
def test_other_values_are_refused(node, value):
    assert 'speed_scale' in node.refusal(speed_scale=value)
    assert node.get('speed_scale') == [1.0]
