"""Hands with an engaged clutch: the scale of their motion, and implausible poses."""
import itertools

import numpy as np
import pytest
from urdf_ik.msg import ServoStatus

from checks import difference
from client import posture
from conftest import ROOT
from kinematics import errors, rotation, translation
from motion import assert_smooth
from servo_client import BENT, RATE, moved, start_servo
from test_servo_clutch import HAND, WAY, follow, shifted, tip_of

FAR = translation(0.3, 0.1, -0.2)


@pytest.fixture
def servo(start, monkeypatch):
    """Stamps the poses of its hand 10 ms apart, however long sending takes."""
    servo = start_servo(start)
    make, count = servo.hand, itertools.count(1)
    first = servo.node.node.get_clock().now().nanoseconds

    def hand(pose, frame=''):
        message = make(pose, frame)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(first + next(count) * 10**7, 10**9)
        return message
    monkeypatch.setattr(servo, 'hand', hand)
    return servo


def stamped(message, nanoseconds):
    """A pose with its stamp shifted."""
    total = 10**9 * message.header.stamp.sec + message.header.stamp.nanosec + nanoseconds
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(total, 10**9)
    return message


@pytest.mark.parametrize('scale', [0.1, 0.5, 2.0])
def test_the_tip_moves_by_a_multiple_of_the_hand(servo, arm_robot, scale):
    node = servo.node
    node.set_all(clutch__scale__translation=scale, clutch__scale__rotation=scale)
    home = arm_robot.pose('tool0', BENT)
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(HAND))
    servo.lead(HAND, shifted(WAY))
    aim = translation(*(scale * WAY)) @ home
    follow(servo, arm_robot, shifted(WAY), aim)
    # The hand rotates in place, and so does the tip.
    at_tip, at_hand = (translation(*pose[:3, 3]) for pose in (aim, shifted(WAY)))

    def hand(angle):
        return at_hand @ rotation((0, 0, 1), angle) @ np.linalg.inv(at_hand) @ shifted(WAY)
    servo.stream_for(40, lambda index: servo.hand(hand(0.2 * (index + 1) / 40)))
    follow(servo, arm_robot, hand(0.2), at_tip @ rotation((0, 0, 1), 0.2 * scale) @ np.linalg.inv(at_tip) @ aim)


def test_a_new_scale_counts_for_the_motion_after_it(servo, arm_robot):
    node = servo.node
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(HAND))
    servo.lead(HAND, shifted(WAY))
    aim = translation(*WAY) @ arm_robot.pose('tool0', BENT)
    follow(servo, arm_robot, shifted(WAY), aim)
    node.set_all(clutch__scale__translation=3.0)
    servo.stream_for(30, lambda _: servo.hand(shifted(WAY)))
    assert errors(tip_of(servo, arm_robot), aim)[0] < 1e-4
    farther = translation(0, 0.01, 0) @ shifted(WAY)
    follow(servo, arm_robot, farther, translation(0, 0.03, 0) @ aim)


def test_a_jump_of_the_hand_is_ignored_with_a_status_and_the_tip_goes_on_from_where_it_is(servo, arm_robot):
    node = servo.node
    before = node.snapshot()
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(HAND))
    at_rest, since = node.next_posture(), len(servo.statuses)
    servo.stream_for(40, lambda _: servo.hand(FAR @ HAND))
    assert difference(node.next_posture(), at_rest) < 1e-9
    ignored = servo.status(ServoStatus.INVALID, since)
    for word in ('ignored', 'm/s', 'clutch.max_hand_speed.linear is 3', '0.1 s'):
        assert word in ignored.message, ignored.message
    assert node.process.lines_with('clutch.max_hand_speed.linear')
    hand = translation(0, 0.02, 0) @ FAR @ HAND
    follow(servo, arm_robot, hand, translation(0, 0.02, 0) @ arm_robot.pose('tool0', BENT))
    servo.stream(servo.hand(hand), lambda: servo.statuses[-1].code == ServoStatus.OK, 'the end of the motion')
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_one_wrong_pose_among_good_ones_changes_nothing(servo, arm_robot):
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(HAND))
    since = len(servo.statuses)

    def hand(index):
        wrong = FAR if index % 10 == 5 else np.eye(4)
        return servo.hand(wrong @ shifted(WAY * index / 50))
    servo.stream_for(51, hand)
    follow(servo, arm_robot, shifted(WAY), translation(*WAY) @ arm_robot.pose('tool0', BENT))
    assert any('ignored' in status.message for status in servo.statuses[since:])


def test_a_turn_that_no_hand_makes_is_ignored(servo):
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(HAND))
    at_rest, since = servo.node.next_posture(), len(servo.statuses)
    servo.stream_for(20, lambda _: servo.hand(HAND @ rotation((1, 0, 0), 2.0)))
    assert 'clutch.max_hand_speed.angular is 15' in servo.status(ServoStatus.INVALID, since).message
    assert difference(servo.node.next_posture(), at_rest) < 1e-9


@pytest.mark.parametrize('parameter, hand', [
    ('clutch__max_hand_speed__linear', translation(0.1, 0, 0)),
    ('clutch__max_hand_speed__angular', rotation((0, 0, 1), 0.5))], ids=['linear', 'angular'])
def test_with_a_higher_limit_the_same_motion_is_followed(servo, parameter, hand):
    servo.clutch(True)
    servo.node.set_all(**{parameter: 1000.0})
    servo.stream_for(5, lambda _: servo.hand(HAND))
    at_rest = servo.node.next_posture()
    servo.stream(servo.hand(HAND @ hand), lambda: difference(posture(servo.node.states[-1]), at_rest) > 1e-3, 'the tip to follow')


def test_late_and_equal_stamps_are_handled(servo, arm_robot):
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(HAND))
    servo.lead(HAND, shifted(WAY))
    aim = translation(*WAY) @ arm_robot.pose('tool0', BENT)
    follow(servo, arm_robot, shifted(WAY), aim)
    since = len(servo.statuses)
    # An old pose between two new ones: it is outdated, and the tip stays.

    def outdated(index):
        return stamped(servo.hand(HAND), -10**9) if index % 2 else servo.hand(shifted(WAY))
    servo.stream_for(20, outdated)
    assert 'older' in servo.status(ServoStatus.INVALID, since).message
    assert errors(tip_of(servo, arm_robot), aim)[0] < 1e-4
    # A pose that is sent again, and poses from a stopped clock.
    frozen = servo.hand(shifted(WAY)).header.stamp
    farther = translation(0, 0.01, 0) @ shifted(WAY)

    def equal(index):
        message = servo.hand(translation(0, 0.01 * min(index, 40) / 40, 0) @ shifted(WAY))
        message.header.stamp = frozen
        return message
    servo.stream_for(60, equal)
    follow(servo, arm_robot, farther, translation(0, 0.01, 0) @ aim)


def test_a_clock_that_is_set_back_is_a_new_stream(servo, arm_robot):
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(HAND))

    def delayed(hand):
        return stamped(servo.hand(hand), -3600 * 10**9)
    with servo.node.changed(servo__timeout=0.1):
        servo.stream_for(40, lambda _: delayed(HAND))
    servo.stream_for(40, lambda index: delayed(shifted(WAY * (index + 1) / 40)))
    aim = translation(*WAY) @ arm_robot.pose('tool0', BENT)

    def has_arrived():
        servo.send(delayed(shifted(WAY)))
        return errors(tip_of(servo, arm_robot), aim)[0] < 1e-4
    servo.node.wait_for(has_arrived, 'the tip to follow')


def test_poses_without_stamps_are_followed(servo, arm_robot):
    def hand(pose):
        message = servo.hand(pose)
        message.header.stamp.sec, message.header.stamp.nanosec = 0, 0
        return message
    servo.clutch(True)
    servo.stream_for(5, lambda _: hand(HAND))
    servo.stream_for(50, lambda index: hand(shifted(WAY * index / 50)))
    aim = translation(*WAY) @ arm_robot.pose('tool0', BENT)
    servo.stream(hand(shifted(WAY)), lambda: errors(tip_of(servo, arm_robot), aim)[0] < 1e-4, 'the tip to follow')


@pytest.mark.parametrize('field, value', [('position', np.nan), ('position', np.inf), ('orientation', np.nan)])
def test_numbers_that_are_not_finite_are_refused_and_the_clutch_stays_closed(servo, arm_robot, field, value):
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(HAND))
    message = servo.hand(HAND)
    getattr(message.pose, field).x = float(value)
    assert servo.refused(message).code == ServoStatus.INVALID
    follow(servo, arm_robot, translation(0.005, 0, 0) @ HAND, translation(0.005, 0, 0) @ arm_robot.pose('tool0', BENT))


def test_the_documents_name_the_parameters():
    text = (ROOT / 'docs' / 'teleop.md').read_text()
    for name in ('clutch.scale.translation', 'clutch.scale.rotation', 'clutch.max_hand_speed', 'servo.workspace'):
        assert name in text
