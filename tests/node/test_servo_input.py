"""Invalid or excessive servo commands: refused or bounded, with one message."""
import math

import numpy as np
import pytest
from geometry_msgs.msg import TwistStamped
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from urdf_ik.msg import ServoStatus

from checks import assert_solved
from client import posture
from conftest import ROBOTS
from kinematics import Robot
from motion import assert_smooth
from servo_client import RATE, Servo, jog, moved, start_servo, tip, twist
from test_noodle import TIP, generate


@pytest.fixture(scope='module')
def shared_servo(module_start):
    return start_servo(module_start)


@pytest.fixture
def servo(shared_servo):
    shared_servo.reset()
    return shared_servo


@pytest.mark.parametrize('message, words', [
    (twist(linear=(0, math.nan, 0)), ['linear y is NaN', 'finite']),
    (twist(linear=(0.1, 0, 0), angular=(0, 0, -math.inf)), ['angular z is -inf', 'finite']),
    (jog(elbow_joint=math.inf), ['elbow_joint', 'is inf', 'finite']),
    (jog(knee_joint=0.1), ['knee_joint', 'is not a movable joint', 'elbow_joint']),
    (JointState(name=['elbow_joint'], velocity=[0.1, 0.2]), ['1 names and 2 velocities']),
    (JointState(name=['elbow_joint'], position=[0.1]), ['1 names and 0 velocities']),
    (JointState(), ['no velocities']),
])
def test_what_makes_no_sense_is_refused_once(start, message, words):
    servo = start_servo(start, servo__timeout=0.1)
    before = servo.node.next_posture()
    refused = servo.refused(message)
    assert refused.code == ServoStatus.INVALID
    for word in words:
        assert word in refused.message, refused.message
    for _ in range(50):
        servo.send(message)
    servo.node.settle()
    assert servo.node.next_posture() == before
    # Later commands on the same topic count.
    servo.stream(twist(linear=(0, 0.01, 0)) if isinstance(message, TwistStamped) else jog(elbow_joint=0.01),
                 lambda: servo.statuses[-1].code == ServoStatus.OK, 'a good command to count')
    assert len([status for status in servo.statuses if status.code == ServoStatus.INVALID]) == 1
    assert len(servo.node.process.lines_with(refused.message[:60])) == 1


def test_an_arm_that_is_too_long_for_the_servo_is_refused_with_the_number_and_still_follows_targets(start, tmp_path):
    file = generate(tmp_path, 150)
    servo = start_servo(start, file, initial_posture={})
    refused = servo.refused(twist(linear=(0, 0.01, 0)))
    assert refused.code == ServoStatus.INVALID
    assert 'at most 100 joints' in refused.message and '150' in refused.message, refused.message
    robot = Robot.load(file)
    target = robot.pose(TIP, dict.fromkeys(robot.movable, 0.01))
    assert_solved(servo.node, robot, servo.node.send_pose(target), TIP, target)


def test_a_bad_command_in_a_stream_is_skipped(servo, arm_robot):
    node = servo.node
    before = node.snapshot()
    start = node.next_posture()
    bad = twist(linear=(0, math.nan, 0))
    reached = servo.moved(start, tip(arm_robot, 1), 0.05)

    def until():
        servo.send(bad)
        return reached()
    servo.stream(twist(linear=(0, 0.1, 0)), until, 'the way')
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


@pytest.mark.parametrize('size', [1e3, 1e30, 1e300, 1.7e308])
def test_enormous_twists_are_clamped(servo, arm_robot, size):
    node = servo.node
    before, since = node.snapshot(), len(servo.statuses)
    servo.stream_for(60, lambda index: twist(linear=(0, size, 0), angular=(size if index % 20 < 10 else -size, 0, 0)))
    node.wait_for(lambda: any(status.code != ServoStatus.OK for status in servo.statuses[since:]), 'a bound')
    states = moved(node, before)
    assert_smooth(states, arm_robot, 1 / RATE)
    places = [arm_robot.pose('tool0', posture(state))[:3, 3] for state in states]
    assert np.linalg.norm(places[-1] - places[0]) > 0.02, 'it moves all the same'
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    stamps = np.array([state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec for state in states])
    assert (steps <= 0.5 * np.diff(stamps) * 1.01 + 1e-6).all()
    assert all(0.0 <= status.scale <= 1.0 for status in servo.statuses)


def test_enormous_jogs_are_clamped(servo, arm_robot):
    node = servo.node
    before, since = node.snapshot(), len(servo.statuses)
    servo.stream_for(100, lambda _: jog(shoulder_pan_joint=1e300))
    states = moved(node, before)
    assert_smooth(states, arm_robot, 1 / RATE)
    places = [arm_robot.pose('tool0', posture(state))[:3, 3] for state in states]
    stamps = np.array([state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec for state in states])
    assert (np.linalg.norm(np.diff(places, axis=0), axis=1) <= 0.5 * np.diff(stamps) * 1.01 + 1e-6).all()
    # While the joint accelerates, its own limits hold the arm back too.
    status = [s for s in servo.statuses[since:] if s.code == ServoStatus.SPEED][-1]
    assert 'tool0 has the speed' in status.message and status.joints == [] and math.isnan(status.smallest_singular_value)


def test_a_frame_that_nobody_knows_is_refused(servo):
    before = servo.node.next_posture()
    refused = servo.refused(twist(linear=(0.1, 0, 0), frame='nowhere'))
    assert refused.code == ServoStatus.UNKNOWN_FRAME and 'nowhere' in refused.message
    assert refused.header.frame_id == 'nowhere' and refused.tip_links == ['tool0']
    assert servo.node.next_posture() == before


def test_a_frame_name_that_is_not_utf8_does_not_mean_the_base_link(servo):
    raw = serialize_message(twist(linear=(0.1, 0, 0), frame='wor?ld')).replace(b'wor?ld', b'wor\xffld')
    since = len(servo.statuses)
    publisher = servo.node.publisher(type(twist()), f'{servo.node.name}/target_twist')
    publisher.publish(raw)
    assert 'UTF-8' in servo.status(ServoStatus.UNKNOWN_FRAME, since).message


def test_without_a_robot_commands_are_refused(start):
    servo = Servo(start.node(robot=False))
    assert servo.refused(twist(linear=(0.1, 0, 0))).code == ServoStatus.NO_ROBOT
    assert servo.refused(jog(elbow_joint=0.1)).code == ServoStatus.NO_ROBOT


def test_joints_that_follow_others_are_named(start):
    file = ROBOTS / 'telescope.urdf'
    follower, joint = next((name, joint) for name, joint in Robot.load(file).joints.items() if joint.mimic)
    servo = Servo(start.node(file, tip_links=['tool']))
    message = servo.refused(jog(**{follower: 0.1})).message
    assert follower in message and f"follows joint '{joint.mimic[0]}'" in message


def test_joints_beside_the_chain_are_named(start):
    servo = Servo(start.node(ROBOTS / 'two_arms.urdf', tip_links=['left-hand']))
    message = servo.refused(jog(right_elbow=0.1)).message
    assert "'right_elbow' is not moved by the chain" in message and 'left_elbow' in message


@pytest.mark.parametrize('name, least, greatest', [
    ('servo.timeout', 0.0, 1e9), ('servo.linear_speed', 0.0, 1e9), ('servo.angular_speed', -1.0, 1e9),
    ('servo.slack.position', -1.0, 1e9), ('servo.slack.orientation', -1.0, 1e9), ('servo.max_deviation_angle', -1.0, 1.6),
    ('servo.give.position', -1.0, 1e9), ('servo.give.orientation', -1.0, 1e9),
])
def test_the_parameters_have_bounds(servo, name, least, greatest):
    for value in (least, greatest, math.nan):
        assert name in servo.node.refusal(**{name.replace('.', '__'): value})


@pytest.mark.parametrize('name, words', [
    ('servo.priority', ['translation', 'rotation', 'both']), ('servo.held_back', ['wait', 'slide']),
])
def test_some_parameters_are_one_of_a_few_words(servo, name, words):
    key = name.replace('.', '__')
    assert ', '.join(words) in servo.node.refusal(**{key: 'speed'})
    with servo.node.changed(**{key: words[-1]}):
        assert servo.node.get(name) == words[-1:]


def test_deprecated_parameters_warn_and_name_their_replacement(servo):
    node = servo.node
    for old, new, value in [('held_back', 'max_deviation_angle', 'wait'), ('give.position', 'slack.position', 0.01),
                            ('give.orientation', 'slack.orientation', 0.2)]:
        with node.changed(**{f'servo.{old}'.replace('.', '__'): value}):
            node.wait_for(lambda old=old: node.process.lines_with(f'servo.{old} is deprecated'), 'a warning')
        warning, = node.process.lines_with(f'servo.{old} is deprecated')
        assert f'use servo.{new}' in warning


def test_a_deprecated_name_waits_on_the_line(start):
    """From its first status on, the tip of an arm that may not slide is on the line."""
    servo = start_servo(start, servo__held_back='wait')
    assert servo.node.process.lines_with('servo.held_back is deprecated')
    servo.stream(twist(linear=(0.14, 0.14, 0)), lambda: servo.statuses and servo.statuses[-1].code == ServoStatus.JOINT_LIMIT,
                 'the limit of the elbow')
    assert not any(status.sliding for status in servo.statuses)
    assert max(status.position_off_line for status in servo.statuses) < 1e-3
