"""The robot's actual configuration, from ~/measured_joint_states."""
import math

import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus

from checks import assert_solved, difference
from client import LATCHED, posture
from conftest import ARM_FILE
from driver import MEASURED_AT, publish, stream, stream_until
from motion import PERIOD, assert_steps
from servo_client import Servo, twist


@pytest.fixture
def node(start):
    """The drivers of these tests measure, but do not follow."""
    return start.node(ARM_FILE, measured_timeout=60.0, following_error__enabled=False)


def test_a_reset_goes_to_where_the_robot_is(node):
    stream(node, MEASURED_AT)
    assert difference(node.reset(), MEASURED_AT) < 1e-9


def test_the_first_target_starts_from_where_the_robot_is(node, arm_robot):
    target = arm_robot.pose('tool0', MEASURED_AT)
    stream(node, MEASURED_AT)
    positions = assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)
    assert difference(positions, MEASURED_AT) < 1e-6, 'it was there already'


def test_a_robot_that_comes_late_stands_where_it_was_measured(start):
    node = start.node(robot=False, measured_timeout=60.0)
    stream(node, MEASURED_AT)
    node.publisher(String, f'{node.namespace}/robot_description', LATCHED).publish(String(data=ARM_FILE.read_text()))
    assert difference(node.next_posture(), MEASURED_AT) < 1e-9


def test_a_stream_goes_on_from_its_last_command_while_the_robot_lags(node, arm_robot):
    """It is measured far from there, but in motion."""
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    commanded = assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)
    for index in range(60):
        publish(node, {**MEASURED_AT, 'elbow_joint': 0.9 - 0.01 * index})
        node.pace(0.01)
    assert difference(node.next_posture(), commanded) < 1e-9
    assert difference(assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target), commanded) < 1e-6


@pytest.mark.parametrize('by, is_displaced', [(0.02, False), (0.05, True)])
def test_a_motion_starts_from_the_last_command_or_from_where_the_arm_was_displaced(node, arm_robot, by, is_displaced):
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    commanded = assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)
    displaced = {**commanded, 'upper_arm_roll_joint': commanded['upper_arm_roll_joint'] + by}
    there = displaced if is_displaced else commanded
    stream_until(node, displaced, lambda: difference(posture(node.states[-1]), there) < 1e-9, 'the arm to be there')
    stream(node, displaced)
    assert difference(node.next_posture(), there) < 1e-9
    # The pose at the measured configuration: as precise as a target.
    here = arm_robot.pose('tool0', there)
    assert difference(assert_solved(node, arm_robot, node.send_pose(here), 'tool0', here), there) < 1e-4


def test_a_measurement_that_is_too_old_does_not_count(start):
    node = start.node(ARM_FILE, measured_timeout=60.0)
    initial = node.next_posture()
    stream(node, MEASURED_AT)
    assert difference(node.reset(), MEASURED_AT) < 1e-9
    node.set_all(measured_timeout=0.5)
    node.wait_for(lambda: node.reset() == initial, 'the measurement to be too old')


def test_other_joints_beside_those_of_the_robot_do_not_matter(node):
    stream(node, {'wheel': 7.0, **MEASURED_AT})
    assert difference(node.reset(), MEASURED_AT) < 1e-9


def test_a_refused_target_moves_nothing(node, arm_robot):
    stream(node, MEASURED_AT)
    status = node.send_pose(arm_robot.pose('tool0', {'elbow_joint': 0.3}), position_x=math.nan)
    assert status.outcome == SolveStatus.INVALID
    assert difference(node.next_posture(), MEASURED_AT) < 1e-9


def test_an_arm_that_is_still_stepping_is_not_idle(start, arm_robot):
    """The robot lags; a target after a pause must not set the command back to the measured positions."""
    node = start.node(ARM_FILE, measured_timeout=0.2, max_joint_step=0.01, following_error__enabled=False)
    lagging = node.next_posture()
    before = node.snapshot()
    far, farther = (arm_robot.pose('tool0', {'shoulder_pan_joint': angle}) for angle in (1.5, 1.6))
    node.send_pose(far)

    def half_a_second_later():
        publish(node, lagging)
        return len(node.states) > before.states + 25
    node.wait_for(half_a_second_later, 'some steps')
    node.send_pose(farther)
    node.next_posture()
    assert_steps(node.states_since(before), 0.01, PERIOD)


@pytest.mark.parametrize('message', [
    {'knee_joint': 1.0},
    {**MEASURED_AT, 'elbow_joint': math.nan},
    {},
])
def test_a_measurement_that_makes_no_sense_does_not_count(node, message):
    initial = node.next_posture()
    stream(node, message)
    assert node.reset() == initial
    # A valid message on the same topic counts.
    stream(node, MEASURED_AT)
    assert difference(node.reset(), MEASURED_AT) < 1e-9


def test_measured_joints_may_come_in_several_messages(node):
    """Models an arm and a gripper with separate drivers."""
    names = list(MEASURED_AT)
    for part in (names[:4], names[4:]):
        stream(node, {name: MEASURED_AT[name] for name in part})
    assert difference(node.reset(), MEASURED_AT) < 1e-9


def test_a_measurement_far_outside_the_limits_is_told(node):
    stream(node, {**MEASURED_AT, 'elbow_joint': 100.0})
    node.reset()
    (line,) = node.wait_for(lambda: node.process.lines_with('measured at 100,'), 'the warning')
    assert 'elbow_joint' in line and '1.05' in line


def test_an_inexact_encoder_is_no_fault(node, arm_robot):
    upper = node.next_posture() | {'elbow_joint': arm_robot.joints['elbow_joint'].upper + 1e-3}
    stream(node, upper)
    assert node.reset() == upper
    assert not node.process.lines_with('outside')


def refused(node, message, *words):
    """The status of a refused target, which moves nothing."""
    before = node.next_posture()
    status = node.send_pose(message)
    assert status.outcome == SolveStatus.INVALID, status.message
    for word in words:
        assert word in status.message, status.message
    assert node.next_posture() == before


@pytest.mark.parametrize('partial, words', [
    ({**MEASURED_AT, 'elbow_joint': math.nan}, ['elbow_joint', "position of joint 'elbow_joint' is NaN"]),
    ({name: MEASURED_AT[name] for name in list(MEASURED_AT)[2:]}, ['shoulder_pan_joint, shoulder_lift_joint']),
    ({}, list(MEASURED_AT)),
])
def test_no_command_moves_the_arm_before_it_is_measured_whole(node, arm_robot, partial, words):
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    stream(node, partial)
    refused(node, target, 'measured_joint_states', 'measured_timeout', *words)
    servo = Servo(node)
    assert words[0] in servo.refused(twist(linear=(0, 0, 0.1))).message
    assert words[0] in node.call(Trigger, 'reset').message
    stream(node, MEASURED_AT)
    assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)


def test_a_measured_topic_is_waited_for(start, arm_robot):
    """With a remapped topic there is a robot, although nothing has been received from it yet."""
    node = start.node(ARM_FILE, remaps={'~/measured_joint_states': '/driver/joint_states'}, measured_timeout=60.0,
                      following_error__enabled=False)
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    refused(node, target, *MEASURED_AT)
    stream(node, MEASURED_AT)
    assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)


def test_an_arm_whose_measurement_has_stopped_does_not_set_out(start, arm_robot):
    node = start.node(ARM_FILE, measured_timeout=0.3)
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    publish(node, MEASURED_AT)
    node.wait_for(lambda: 'the robot is unknown' in node.call(Trigger, 'reset').message, 'the measurement to be too old')
    refused(node, target, *MEASURED_AT)
    node.set_all(measured_timeout=0.0)
    assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)


def test_a_joint_that_is_not_measured_does_not_spoil_the_others(node):
    stream(node, {'gripper': math.nan, **MEASURED_AT})
    assert difference(node.reset(), MEASURED_AT) < 1e-9
    assert node.process.lines_with("'gripper' is NaN")


def test_when_a_measurement_came_counts_and_not_its_stamp(start):
    """Robots' clocks differ: a measurement may have a stamp of any year."""
    node = start.node(ARM_FILE, measured_timeout=60.0)
    for seconds in (0, 1, 2**31 - 1):
        at = {**MEASURED_AT, 'elbow_joint': -1.0 / (1 + seconds % 7)}
        for _ in range(20):
            message = JointState(name=list(at), position=list(at.values()))
            message.header.stamp.sec = seconds
            node.measured.publish(message)
            node.pace(0.01)
        assert difference(node.reset(), at) < 1e-9
