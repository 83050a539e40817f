"""Frames of twists: the axes of the motion of a tip."""

import numpy as np
import pytest
from urdf_ik.msg import ServoStatus

from client import posture, transform_message
from kinematics import rotation, translation
from motion import still
from servo_client import BENT, start_servo, twist

SPEED = np.array([0.02, 0.06, -0.05])


@pytest.fixture
def servo(start):
    return start_servo(start)


def direction(servo, robot, frame, linear=SPEED):
    """The unit vector of the tip's displacement, in the base link's frame."""
    node = servo.node
    first = robot.pose('tool0', node.next_posture())[:3, 3]

    def displacement():
        moved = robot.pose('tool0', posture(node.states[-1]))[:3, 3] - first
        return moved if np.linalg.norm(moved) > 0.05 else None
    # While TF is unknown, the first commands are refused.
    def has_moved():
        return displacement() is not None
    servo.stream(twist(linear=linear, frame=frame), has_moved, f'a displacement along the axes of {frame}')
    moved = displacement()
    servo.stream(twist(), lambda: still(node.states[-1]), 'the rest')
    return moved / np.linalg.norm(moved)


def assert_along(moved, axes, linear=SPEED):
    expected = axes @ linear / np.linalg.norm(linear)
    assert np.linalg.norm(moved - expected) < 2e-3, (moved, expected)


@pytest.mark.parametrize('frame', ['', 'base_link', '/base_link', 'tool0', 'elbow_link'])
def test_links_give_their_axes(servo, arm_robot, frame):
    link = frame.strip('/') or 'base_link'
    axes = arm_robot.pose(link, servo.node.next_posture())[:3, :3]
    moved = direction(servo, arm_robot, frame)
    # A link of the arm rotates slightly during the motion.
    expected = axes @ SPEED / np.linalg.norm(SPEED)
    assert np.linalg.norm(moved - expected) < (0.2 if link == 'elbow_link' else 2e-3), (moved, expected)


def test_a_frame_of_tf_gives_its_axes(servo, arm_robot):
    mount = translation(1, -2, 0.5) @ rotation((0, 0, 1), 0.7) @ rotation((1, 0, 0), -0.4)
    servo.node.publish_transforms(transform_message('base_link', 'desk', mount, servo.node.new_stamp()), static=True)
    assert_along(direction(servo, arm_robot, 'desk'), mount[:3, :3])


def test_a_frame_on_the_tip_turns_with_it(servo, arm_robot):
    camera = translation(0.1, 0.02, -0.05) @ rotation((0, 0, 1), 0.9) @ rotation((0, 1, 0), 0.5)
    servo.node.publish_transforms(transform_message('tool0', 'camera', camera, servo.node.new_stamp()), static=True)
    axes = (arm_robot.pose('tool0', BENT) @ camera)[:3, :3]
    assert_along(direction(servo, arm_robot, 'camera'), axes)


def test_the_stamp_of_a_twist_does_not_hold_it_up(servo, arm_robot):
    """A hand sends faster than TF: the newest axes count."""
    node = servo.node
    mount = translation(0, 0, 1) @ rotation((0, 0, 1), -0.7)
    node.publish_transforms(transform_message('base_link', 'desk', mount, node.new_stamp()))
    command = twist(linear=SPEED, frame='desk')
    command.header.stamp.sec = node.new_stamp().sec + 5
    since = len(servo.statuses)
    servo.stream(command, lambda: any(s.code == ServoStatus.OK for s in servo.statuses[since:]), 'a status')


def test_an_unknown_frame_among_known_ones_does_not_stop_the_arm(servo, arm_robot):
    node = servo.node
    first = arm_robot.pose('tool0', node.next_posture())[:3, 3]

    def has_moved():
        servo.send(twist(linear=(0.1, 0, 0), frame='nowhere'))
        return np.linalg.norm(arm_robot.pose('tool0', posture(node.states[-1]))[:3, 3] - first) > 0.05
    servo.stream(twist(linear=(0, 0.1, 0)), has_moved, 'the displacement')
    assert [s.code for s in servo.statuses].count(ServoStatus.UNKNOWN_FRAME) == 1


def test_a_prefix_belongs_to_the_names_of_links(start, arm_robot):
    servo = start_servo(start, frame_prefix='left/')
    assert_along(direction(servo, arm_robot, 'left/tool0'), arm_robot.pose('tool0', BENT)[:3, :3])
    assert servo.refused(twist(linear=SPEED, frame='tool0')).code == ServoStatus.UNKNOWN_FRAME
