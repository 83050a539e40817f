"""Limitations reported on ~/servo_status, and their effect."""
import math

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from urdf_ik.msg import ServoStatus

from checks import difference
from client import nanoseconds, posture
from conftest import ROOT
from kinematics import Robot
from motion import assert_smooth, still
from servo_client import BENT, PATIENT, RATE, Servo, jog, moved, start_servo, tip, twist
from solids import BESIDE, MARGIN, MOVING, ROBOT, ROUNDING, start_arm

# Configuration of the bundled six-joint arm, far from limits and singularities.
SIX_BENT = {'column_joint': 0.3, 'shoulder_joint': 0.3, 'elbow_joint': 0.5, 'forearm_roll_joint': 0.2, 'wrist_flex_joint': 0.6}


@pytest.fixture
def servo(start):
    return start_servo(start)


def vector(message):
    return np.array((message.x, message.y, message.z))


def until_status(servo, message, code):
    """Streams a command until a status has this code."""
    since = len(servo.statuses)

    def reported():
        return next((status for status in servo.statuses[since:] if status.code == code), None)
    return servo.stream(message, reported, f'the code {code}')


def test_a_status_belongs_to_each_state(servo):
    node = servo.node
    servo.stream_for(20, lambda _: twist(linear=(0, 0.05, 0)))
    status = servo.status(ServoStatus.OK)
    assert status.header.frame_id == 'base_link' and status.message and status.scale > 0.9
    assert not status.joints and not status.nearest and status.smallest_singular_value > 0.05
    stamps = {nanoseconds(state.header.stamp) for state in node.states}
    assert nanoseconds(status.header.stamp) in stamps


def test_a_joint_limit_is_named(servo, arm_robot):
    upper = arm_robot.joints['elbow_joint'].upper
    status = until_status(servo, jog(elbow_joint=0.5), ServoStatus.JOINT_LIMIT)
    assert status.joints == ['elbow_joint'] and 'elbow_joint' in status.message

    def left():
        return upper - posture(servo.node.states[-1])['elbow_joint']
    servo.stream(jog(elbow_joint=0.5), lambda: left() < 1e-3, 'the limit')
    # Away from the limit again.
    servo.stream(jog(elbow_joint=-0.5), lambda: left() > 0.05, 'the motion away from the limit')


def test_a_singularity_is_told(start):
    """The six-joint arm stretches up to the singularity, and returns."""
    file = ROOT / 'urdf' / 'arm6.urdf'
    robot = Robot.load(file)
    servo = start_servo(start, file, initial_posture=SIX_BENT)
    node = servo.node
    before = node.snapshot()
    status = until_status(servo, twist(linear=(0.14, 0.14, 0)), ServoStatus.SINGULARITY)
    assert status.tip_links == ['tool0'] and 'singular' in status.message
    assert 0.0 <= status.smallest_singular_value < 0.2
    (lost,) = status.singular_direction
    assert vector(lost.linear) @ vector(lost.linear) + vector(lost.angular) @ vector(lost.angular) > 0
    here = node.next_posture()
    servo.stream(twist(linear=(-0.14, -0.14, 0)), servo.moved(here, tip(robot, 0), 0.05), 'the motion away from the limit')
    assert_smooth(moved(node, before), robot, 1 / RATE)


def test_a_limit_that_ends_the_line_is_told(servo, arm_robot):
    """The elbow of the seven-joint arm reaches its limit just before the arm is stretched."""
    twisted = twist(linear=(0.14, 0.14, 0))
    servo.node.set_all(servo__max_deviation_angle=0.0)
    until_status(servo, twisted, ServoStatus.JOINT_LIMIT)
    status = servo.stream(twisted, lambda: servo.statuses[-1].scale == 0.0 and servo.statuses[-1], 'the end of the line')
    assert status.code == ServoStatus.JOINT_LIMIT and status.joints == ['elbow_joint'], status.message
    lower = arm_robot.joints['elbow_joint'].lower
    assert servo.node.next_posture()['elbow_joint'] < lower + 1e-3


def test_sliding_is_told_with_its_angle(servo, arm_robot):
    """At 45° to a face of the workspace."""
    height = arm_robot.pose('tool0', servo.node.next_posture())[2, 3]
    servo.node.set_all(servo__workspace=f'{{max: [.inf, .inf, {height + 0.02}]}}')
    command, since = twist(linear=(0, 0.1, 0.1)), len(servo.statuses)

    def slides():
        status = servo.statuses[-1]
        is_steady = status.sliding and 0.2 < status.scale < 0.9 and abs(status.deviation_angle - math.pi / 4) < 0.02
        return is_steady and status.code == ServoStatus.COLLISION and status
    status = servo.stream(command, lambda: len(servo.statuses) > since and slides(), 'sliding along the face')
    assert f'sliding at an angle of {status.deviation_angle:.2f} rad' in status.message
    assert 'servo.workspace' in status.message
    assert status.position_off_line == status.orientation_off_line == 0.0


def test_the_deviation_of_an_arm_that_comes_to_rest_is_told(start, arm_robot):
    """The joints brake independently when the commands end, so the tip leaves its line."""
    servo = start_servo(start, servo__timeout=0.5)
    node = servo.node
    direction = np.array((0, 1, 0))
    before = node.snapshot()
    servo.stream_for(150, lambda _: twist(linear=0.25 * direction))
    servo.rest()
    places = {nanoseconds(state.header.stamp): arm_robot.pose('tool0', posture(state))[:3, 3] for state in moved(node, before)}
    last = max(index for index, status in enumerate(servo.statuses) if status.code != ServoStatus.TIMEOUT)
    line, *coasting = [(places[nanoseconds(status.header.stamp)], status) for status in servo.statuses[last:]
                       if nanoseconds(status.header.stamp) in places]
    beside = max(np.linalg.norm(np.cross(place - line[0], direction)) for place, status in coasting)
    reported = max(status.position_off_line for _, status in coasting)
    assert reported > 1e-4 and abs(reported - beside) < 1e-3, f'{reported} m reported, {beside} m'
    assert not any(status.sliding or status.deviation_angle for _, status in coasting)


def test_the_greatest_speeds_are_parameters(servo, arm_robot):
    node = servo.node
    node.set_all(servo__linear_speed=0.03)
    status = until_status(servo, twist(linear=(0, 0.06, 0)), ServoStatus.SPEED)
    assert 0.0 < status.scale <= 1.0 and 'linear_speed' in status.message
    before = node.snapshot()
    servo.stream_for(100, lambda _: twist(linear=(0, 0.06, 0)))
    states = node.states_since(before)
    places = np.array([arm_robot.pose('tool0', posture(state))[:3, 3] for state in states])
    stamps = np.array([nanoseconds(state.header.stamp) for state in states])
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / (1e-9 * np.diff(stamps))
    assert 0.9 * 0.03 <= speeds.max() <= 1.02 * 0.03


def test_what_is_in_the_way_is_told_and_kept_clear_of(start):
    node = start_arm(start, BESIDE, publish_rate=RATE, servo__timeout=PATIENT).client
    servo = Servo(node)
    before = node.snapshot()
    status = until_status(servo, twist(linear=(0, 0.1, 0)), ServoStatus.COLLISION)
    servo.stream(twist(linear=(0, 0.1, 0)), lambda: 'ball' in servo.statuses[-1].nearest, 'the ball to be named')
    status = servo.statuses[-1]
    assert len(status.nearest) == 2 and 'ball' in status.message
    assert MARGIN - ROUNDING <= status.nearest_distance < 0.1
    servo.stream_for(100, lambda _: twist(linear=(0, 0.1, 0)))
    BESIDE.assert_passed(moved(node, before), 1 / RATE, **MOVING)
    start_at = node.next_posture()
    servo.stream(twist(linear=(0, -0.1, 0)), servo.moved(start_at, tip(ROBOT, 1), 0.05), 'the motion away from the limit')
    assert_smooth(moved(node, before), ROBOT, 1 / RATE)


def test_without_obstacles_the_arm_avoids_itself_from_the_first_command_on(start):
    node = start_arm(start, publish_rate=RATE, servo__timeout=PATIENT).client
    servo = Servo(node)
    servo.stream(jog(shoulder_pan_joint=0.3), servo.moved(node.next_posture(), tip(ROBOT, 1), 0.02), 'the way')


def test_the_arm_starts_from_where_it_was_measured(start, arm_robot):
    servo = start_servo(start, initial_posture={}, measured_timeout=60.0)
    node = servo.node
    measured = node.next_posture() | BENT
    for _ in range(20):
        message = JointState(name=list(measured), position=list(measured.values()))
        message.header.stamp = node.new_stamp()
        node.measured.publish(message)
        node.pace(0.01)
    before = node.snapshot()
    servo.stream_for(10, lambda _: jog(wrist_roll_joint=0.2))
    first = posture(next(state for state in moved(node, before)))
    assert difference(first, measured) < 0.01
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_simulated_time_sets_the_pace(start, arm_robot):
    from rosgraph_msgs.msg import Clock
    servo = start_servo(start, robot=False, use_sim_time=True)
    node = servo.node
    clock = node.wait_until_heard(node.publisher(Clock, '/clock'))
    now = [100.0]

    def running(by=0.004):
        now[0] += by
        message = Clock()
        message.clock.sec, message.clock.nanosec = int(now[0]), int(now[0] % 1 * 1e9)
        clock.publish(message)
        node.pace(0.01)
    node.wait_for(lambda: running() or node.states, 'joint states')
    start_at = posture(node.states[-1])
    far = servo.moved(start_at, tip(arm_robot, 1), 0.01)
    servo.stream(twist(linear=(0, 0.1, 0)), lambda: running() or far(), 'the way')
    # Time is paused, and so is the arm.
    node.settle()
    before = node.next_state()
    servo.stream_for(10, lambda _: twist(linear=(0, 0.1, 0)))
    assert node.next_state().position == before.position
    assert not math.isnan(sum(before.velocity))


def test_two_publishers_of_a_topic_are_told_once(start):
    servo = start_servo(start)
    node = servo.node
    other = node.wait_until_heard(node.node.create_publisher(type(twist()), f'{node.name}/target_twist', 10))

    def warning():
        other.publish(twist(linear=(0, -0.01, 0)))
        return node.process.lines_with('2 publishers')
    servo.stream(twist(linear=(0, 0.01, 0)), warning, 'the warning')
    assert not still(node.states[-1])
