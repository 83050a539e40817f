"""The parameter servo.workspace: a box that tips do not leave under servo commands."""
import numpy as np
import pytest
from urdf_ik.msg import ServoStatus
from visualization_msgs.msg import Marker, MarkerArray

from client import posture
from conftest import ROBOTS
from kinematics import Robot, errors, translation
from servo_client import jog, start_servo, twist

HALF = 0.06  # [m] from the tip to each face
NEAR = 5e-3  # [m] from a face to the tip at rest


def box(place, half=HALF):
    low, high = ([float(value) for value in np.asarray(place) + side * half] for side in (-1, 1))
    return f'{{min: {low}, max: {high}}}'


@pytest.fixture
def servo(start):
    return start_servo(start)


def places(servo, robot, before, tip='tool0'):
    """The positions of the tip since then, shape (states, 3)."""
    return np.array([robot.pose(tip, posture(state))[:3, 3] for state in servo.node.states_since(before)])


def assert_inside(visited, home, half=HALF):
    worst = np.abs(visited - home).max() - half
    assert worst <= 1e-9, f'{worst} m outside'


@pytest.mark.parametrize('axis', range(3))
@pytest.mark.parametrize('direction', [-1, 1])
def test_a_twist_ends_at_a_face_and_leads_back(servo, arm_robot, axis, direction):
    node = servo.node
    home = arm_robot.pose('tool0', node.next_posture())[:3, 3]
    node.set_all(servo__workspace=box(home))
    before, since = node.snapshot(), len(servo.statuses)
    linear = 0.3 * direction * np.eye(3)[axis]

    def moved():
        return direction * (arm_robot.pose('tool0', posture(node.states[-1]))[axis, 3] - home[axis])
    servo.stream(twist(linear=linear), lambda: moved() > HALF - NEAR, 'the tip to reach the face')
    servo.stream_for(30, lambda _: twist(linear=linear))
    blocked = servo.status(ServoStatus.COLLISION, since)
    assert "goal 'servo.workspace of tool0' is at its bound" in blocked.message
    servo.stream(twist(linear=-linear), lambda: moved() < HALF - 0.02, 'the tip to return')
    assert_inside(places(servo, arm_robot, before), home)


def test_a_twist_slides_along_a_face(servo, arm_robot):
    node = servo.node
    home = arm_robot.pose('tool0', node.next_posture())[:3, 3]
    node.set_all(servo__workspace=f'{{max: [.inf, .inf, {home[2] + 0.02}]}}')
    before = node.snapshot()

    def moved():
        return arm_robot.pose('tool0', posture(node.states[-1]))[1, 3] - home[1]
    servo.stream(twist(linear=(0, 0.1, 0.1)), lambda: moved() > 0.1, 'the tip to slide')
    assert places(servo, arm_robot, before)[:, 2].max() <= home[2] + 0.02 + 1e-9


def test_a_hand_beyond_a_face_is_followed_inside_and_back(servo, arm_robot):
    node = servo.node
    start = arm_robot.pose('tool0', node.next_posture())
    home = start[:3, 3]
    node.set_all(servo__workspace=box(home))
    before, hand = node.snapshot(), translation(1, 2, 3)
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(hand))
    servo.stream_for(100, lambda index: servo.hand(translation(0, 0.2 * (index + 1) / 100, 0) @ hand))

    def tip():
        return arm_robot.pose('tool0', posture(node.states[-1]))
    servo.stream(servo.hand(translation(0, 0.2, 0) @ hand), lambda: tip()[1, 3] > home[1] + HALF - NEAR, 'the tip at the face')
    servo.stream_for(200, lambda index: servo.hand(translation(0, 0.2 - 0.2 * (index + 1) / 200, 0) @ hand))
    servo.stream(servo.hand(hand), lambda: errors(tip(), start)[0] < 0.02, 'the tip to return')
    assert_inside(places(servo, arm_robot, before), home)


def test_joint_velocities_and_a_sudden_change_do_not_lead_out(servo, arm_robot):
    node = servo.node
    home = arm_robot.pose('tool0', node.next_posture())[:3, 3]
    node.set_all(servo__workspace=box(home))
    before = node.snapshot()
    for direction in (1, -1):
        servo.stream_for(100, lambda _, direction=direction: jog(shoulder_pan_joint=1.0 * direction))
    for index in range(12):
        linear = 0.5 * (-1) ** index * np.eye(3)[index % 3]
        servo.stream_for(15, lambda _, linear=linear: twist(linear=linear, angular=(0, 1.5, 0)))
    assert_inside(places(servo, arm_robot, before), home)


def test_a_tip_outside_may_only_come_inside(servo, arm_robot):
    node = servo.node
    home = arm_robot.pose('tool0', node.next_posture())[:3, 3]
    node.set_all(servo__workspace=f'{{max: [.inf, .inf, {home[2] - 0.03}]}}')
    before = node.snapshot()
    servo.stream_for(40, lambda _: twist(linear=(0, 0, 0.2)))
    assert places(servo, arm_robot, before)[:, 2].max() <= home[2] + 1e-9

    def height():
        return arm_robot.pose('tool0', posture(node.states[-1]))[2, 3]
    servo.stream(twist(linear=(0, 0, -0.2)), lambda: height() < home[2] - 0.03 - 1e-3, 'the tip to enter the workspace')
    servo.stream_for(40, lambda _: twist(linear=(0, 0, 0.2)))
    assert height() <= home[2] - 0.03


def test_every_tip_stays_inside(start):
    robot = Robot.load(ROBOTS / 'two_arms.urdf')
    tips = ['left-hand', 'right-hand']
    servo = start_servo(start, ROBOTS / 'two_arms.urdf', dict.fromkeys(robot.movable, 0.4), tip_links=tips)
    node = servo.node
    at = node.next_posture()
    lowest = min(robot.pose(tip, at)[2, 3] for tip in tips)
    node.set_all(servo__workspace=f'{{min: [-.inf, -.inf, {lowest - 0.04}]}}')
    before = node.snapshot()
    for tip in tips:
        topic = f'{tip.replace("-", "_")}/target_twist'
        node.wait_until_heard(node.publisher(type(twist()), f'{node.name}/{topic}'))
        servo.stream_for(100, lambda _, topic=topic: twist(linear=(0, 0, -0.3)), topic)
    for tip in tips:
        assert places(servo, robot, before, tip)[:, 2].min() >= lowest - 0.04 - 1e-9


def test_without_a_workspace_the_tip_goes_on(servo, arm_robot):
    node = servo.node
    home = arm_robot.pose('tool0', node.next_posture())[:3, 3]
    node.set_all(servo__workspace=box(home))
    servo.stream_for(60, lambda _: twist(linear=(0, 0.3, 0)))
    node.set_all(servo__workspace='')

    def moved():
        return arm_robot.pose('tool0', posture(node.states[-1]))[1, 3] - home[1]
    servo.stream(twist(linear=(0, 0.1, 0)), lambda: moved() > HALF + 0.02, 'the tip to continue')


def test_its_faces_are_drawn(servo):
    node = servo.node
    arrays = node.subscribe(MarkerArray, f'{node.name}/markers', [])

    def drawn():
        found = [marker for array in arrays[-3:] for marker in array.markers if marker.ns == 'workspace']
        return found[-1] if found and found[-1].action == Marker.ADD else None
    node.set_all(servo__workspace='{min: [-0.5, -0.6, 0.1], max: [0.5, 0.6, 0.9]}')
    marker = node.wait_for(drawn, 'a marker')
    points = np.array([(point.x, point.y, point.z) for point in marker.points])
    assert len(points) == 6 * 8 and marker.header.frame_id == 'base_link'
    assert np.allclose(points.min(axis=0), (-0.5, -0.6, 0.1)) and np.allclose(points.max(axis=0), (0.5, 0.6, 0.9))
    node.set_all(servo__workspace='{min: [-.inf, -.inf, 0.2]}')
    floor = node.wait_for(lambda: (found := drawn()) and len(found.points) == 8 and found, 'one face')
    assert {point.z for point in floor.points} == {0.2}
    arrays.clear()
    node.set_all(servo__workspace='')
    node.wait_for(lambda: arrays and drawn() is None and any(m.ns == 'tip' for m in arrays[-1].markers), 'no face')
