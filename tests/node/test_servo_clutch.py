"""The clutch: while it is engaged the tip follows the hand's motion, from its current pose."""
import numpy as np
import pytest
from std_srvs.srv import SetBool
from urdf_ik.msg import ServoStatus

from checks import assert_solved, difference
from client import posture, transform_message
from conftest import ROBOTS
from kinematics import Robot, errors, rotation, translation
from motion import assert_smooth, still
from servo_client import BENT, RATE, moved, start_servo, twist

HAND = translation(3.0, -2.0, 1.5) @ rotation((0, 0, 1), 1.1)  # far from the tip
WAY = np.array([0.03, -0.04, 0.05])


@pytest.fixture
def servo(start):
    return start_servo(start)


def shifted(by):
    return translation(*by) @ HAND


def tip_of(servo, robot):
    return robot.pose('tool0', posture(servo.node.states[-1]))


def follow(servo, robot, hand, aim, frame=''):
    """Streams a hand at its final pose until the tip is at its goal."""
    def has_arrived():
        distance, angle = errors(tip_of(servo, robot), aim)
        return distance < 1e-4 and angle < 1e-4
    servo.stream(servo.hand(hand, frame), has_arrived, 'the tip to follow')


def test_nothing_moves_when_it_closes_and_then_the_tip_moves_as_the_hand(servo, arm_robot):
    node = servo.node
    start = node.next_posture()
    home = arm_robot.pose('tool0', start)
    before = node.snapshot()
    assert 'tool0' in servo.clutch(True)
    servo.stream_for(20, lambda _: servo.hand(HAND))
    assert difference(node.next_posture(), start) < 1e-9
    servo.stream_for(50, lambda index: servo.hand(shifted(WAY * index / 50)))
    aim = translation(*WAY) @ home
    follow(servo, arm_robot, shifted(WAY), aim)
    # A rotation of the hand about an axis of the base frame rotates the tip in place about this axis.
    turn = rotation((0, 1, 0), 0.15)
    turned = shifted(WAY)
    turned = translation(*turned[:3, 3]) @ turn @ translation(*-turned[:3, 3]) @ turned
    follow(servo, arm_robot, turned, translation(*aim[:3, 3]) @ turn @ translation(*-aim[:3, 3]) @ aim)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)
    node.settle()
    assert not node.statuses, 'hand poses must not count as targets'
    assert servo.status(ServoStatus.OK).tip_links == ['tool0']


def test_while_it_is_open_the_hand_moves_freely(servo, arm_robot):
    node = servo.node
    servo.clutch(True)
    servo.stream_for(10, lambda _: servo.hand(HAND))
    servo.lead(HAND, shifted(WAY))
    follow(servo, arm_robot, shifted(WAY), translation(*WAY) @ arm_robot.pose('tool0', BENT))
    before = node.snapshot()
    servo.clutch(False)
    at_rest = servo.stream(servo.hand(HAND), lambda: still(node.states[-1]) and posture(node.states[-1]), 'the rest')
    elsewhere = translation(-0.5, 0.2, 0.1) @ HAND
    servo.stream_for(20, lambda _: servo.hand(elsewhere))
    assert difference(node.next_posture(), at_rest) < 1e-12
    servo.clutch(True)
    servo.stream_for(20, lambda _: servo.hand(elsewhere))
    assert difference(node.next_posture(), at_rest) < 1e-9
    aim = translation(*WAY) @ arm_robot.pose('tool0', at_rest)
    servo.lead(elsewhere, translation(*WAY) @ elsewhere)
    follow(servo, arm_robot, translation(*WAY) @ elsewhere, aim)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_a_hand_that_comes_back_is_anchored_anew(servo, arm_robot):
    node = servo.node
    before = node.snapshot()
    servo.clutch(True)
    with node.changed(servo__timeout=0.1):
        servo.stream_for(20, lambda index: servo.hand(shifted(WAY * index / 20)))
        since = len(servo.statuses)
        # One more, so that the report of the pause follows those statuses.
        servo.send(servo.hand(shifted(WAY)))
        servo.status(ServoStatus.TIMEOUT, since)
        at_rest = servo.rest()
        elsewhere = translation(0.5, 0.5, 0.5) @ HAND
        servo.stream_for(20, lambda _: servo.hand(elsewhere))
        assert difference(node.next_posture(), at_rest) < 1e-9
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_a_reset_without_a_hand_takes_the_clutch_away(servo, arm_robot):
    node = servo.node
    servo.clutch(True)
    servo.stream_for(10, lambda _: servo.hand(HAND))
    since = len(servo.statuses)
    with node.changed(servo__timeout=0.1):
        servo.status(ServoStatus.TIMEOUT, since)
        node.reset()
    aim = translation(0, 0.05, 0) @ arm_robot.pose('tool0', BENT)
    assert_solved(node, arm_robot, node.send_pose(aim), 'tool0', aim)


def test_a_reset_beside_a_hand_opens_the_clutch(servo, arm_robot):
    node = servo.node
    servo.clutch(True)
    servo.stream_for(10, lambda _: servo.hand(HAND))
    at_rest = node.reset()
    servo.stream_for(20, lambda _: servo.hand(shifted(WAY)))
    assert node.next_posture() == at_rest


def test_a_twist_takes_over_and_the_hand_goes_on_from_there(servo, arm_robot):
    node = servo.node
    before = node.snapshot()
    servo.clutch(True)
    servo.stream_for(10, lambda _: servo.hand(HAND))
    servo.stream_for(30, lambda _: twist(linear=(0, 0.1, 0)))
    at_rest = servo.stream(twist(), lambda: still(node.states[-1]) and posture(node.states[-1]), 'the rest')
    servo.stream_for(20, lambda _: servo.hand(shifted(WAY)))
    assert difference(node.next_posture(), at_rest) < 1e-9
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_the_frame_of_the_hand_gives_the_axes(servo, arm_robot):
    node = servo.node
    mount = translation(1, -2, 0.5) @ rotation((0, 0, 1), 0.7)
    node.publish_transforms(transform_message('base_link', 'tracker', mount, node.new_stamp()), static=True)
    home = arm_robot.pose('tool0', BENT)
    since = len(servo.statuses)
    servo.clutch(True)
    servo.stream(servo.hand(HAND, 'tracker'), lambda: any(s.code == ServoStatus.OK for s in servo.statuses[since:]),
                 'the frame to be known')
    aim = home.copy()
    aim[:3, 3] += mount[:3, :3] @ WAY
    servo.lead(HAND, shifted(WAY), 'tracker')
    follow(servo, arm_robot, shifted(WAY), aim, 'tracker')


def test_bad_poses_are_refused_once(servo):
    servo.clutch(True)
    before = servo.node.next_posture()
    message = servo.hand(HAND)
    message.pose.orientation.w = 7.0
    refused = servo.refused(message)
    assert refused.code == ServoStatus.INVALID and 'quaternion' in refused.message
    for _ in range(20):
        servo.send(message)
    servo.stream(servo.hand(HAND), lambda: servo.statuses[-1].code == ServoStatus.OK, 'a good pose to count')
    assert difference(servo.node.next_posture(), before) < 1e-9
    assert len([status for status in servo.statuses if status.code == ServoStatus.INVALID]) == 1


def test_there_is_no_clutch_without_a_robot(start):
    node = start.node(robot=False)
    answer = node.call(SetBool, 'clutch', data=True)
    assert not answer.success and 'no robot' in answer.message


def test_each_tip_has_a_clutch_and_twists_and_the_other_tip_holds(start):
    robot = Robot.load(ROBOTS / 'two_arms.urdf')
    tips = ['left-hand', 'right-hand']
    posture_of = dict.fromkeys(robot.movable, 0.4)
    servo = start_servo(start, ROBOTS / 'two_arms.urdf', posture_of, tip_links=tips)
    node = servo.node
    start_at = node.next_posture()
    left, right = (robot.pose(tip, start_at) for tip in tips)
    node.wait_until_heard(node.publisher(type(twist()), f'{node.name}/right_hand/target_twist'))

    def moved_by():
        return np.linalg.norm(robot.pose(tips[1], posture(node.states[-1]))[:3, 3] - right[:3, 3]) > 0.02
    servo.stream(twist(linear=(0, 0, 0.05)), moved_by, 'the right hand', 'right_hand/target_twist')
    assert errors(robot.pose(tips[0], posture(node.states[-1])), left)[0] < 1e-3
    assert ['right-hand'] in [status.tip_links for status in servo.statuses]
    assert 'right-hand' in servo.clutch(True, 'right_hand/clutch')
    assert 'left-hand' in servo.clutch(True, 'left_hand/clutch')
    # A clutch message without a tip name is for the first tip.
    assert 'left-hand' in servo.clutch(False)
