"""Free axes: the parameter for arms that cannot follow all six axes, and the messages for such arms."""
import math

import numpy as np
import pytest
from rcl_interfaces.msg import ParameterType
from urdf_ik.msg import SolveStatus

from checks import assert_posture
from client import posture
from conftest import ARM_FILE, ROBOTS, ROOT
from kinematics import Robot, rotation, translation

ARM5_FILE = ROOT / 'tests' / 'data' / 'urdf' / 'arm5.urdf'
HINT = 'can follow'


@pytest.fixture(scope='module')
def arm5_robot():
    return Robot.load(ARM5_FILE)


@pytest.fixture
def arm5(start):
    return start.node(ARM5_FILE, free_axes=['rz'])


def turned(pose, angle):
    """The pose rotated about its own z axis."""
    return pose @ rotation((0, 0, 1), angle)


def assert_reached_but_for_the_turn(robot, positions, target):
    assert_posture(robot, positions)
    reached = robot.pose('tool', positions)
    assert np.linalg.norm(reached[:3, 3] - target[:3, 3]) < 1.1e-5
    assert np.linalg.norm(np.cross(reached[:3, 2], target[:3, 2])) < 1.1e-5 and reached[:3, 2] @ target[:3, 2] > 0


def test_an_arm_of_five_joints_meets_targets_with_one_axis_free(arm5, arm5_robot, generator):
    for _ in range(5):
        target = turned(arm5_robot.pose('tool', arm5_robot.sample(generator)), generator.uniform(-math.pi, math.pi))
        status = arm5.send_pose(target)
        assert status.outcome == SolveStatus.SOLVED, status.message
        assert_reached_but_for_the_turn(arm5_robot, arm5.answer_to(status), target)
        answer = arm5.solve_ik(target)
        assert answer.success, answer.message
        assert_reached_but_for_the_turn(arm5_robot, posture(answer.joint_state), target)


def test_the_parameter_can_be_changed_and_a_query_overrides_it(arm5, arm5_robot):
    target = turned(arm5_robot.pose('tool', {'lift': 0.5, 'elbow': 0.7, 'wrist': 0.4}), 1.0)
    assert arm5.solve_ik(target).success
    answer = arm5.solve_ik(target, free_axes=[True] + [False] * 5)
    assert not answer.success, 'the request frees another axis'
    with arm5.changed(free_axes=[]):
        assert arm5.send_pose(target).outcome != SolveStatus.SOLVED
    assert arm5.send_pose(target).outcome == SolveStatus.SOLVED


def test_free_axes_of_a_target_point_come_on_top(arm5, arm5_robot):
    point = arm5_robot.pose('tool', {'lift': 0.5, 'elbow': 0.7})[:3, 3]
    with arm5.changed(free_axes=['x']):
        assert arm5.send_point(point).outcome == SolveStatus.SOLVED
    with arm5.changed(free_axes=['x', 'y', 'z']):
        status = arm5.send_point(point)
        assert status.outcome == SolveStatus.INVALID and 'leaves all six axes free' in status.message


@pytest.mark.parametrize('value, words', [
    (['yaw'], ['free_axes', 'yaw', 'x, y, z, rx, ry, rz']),
    (['x', 'y', 'z', 'rx', 'ry', 'rz'], ['free_axes', 'nothing']),
    ('rz', ['free_axes', 'string_array']),
])
def test_bad_axes_are_refused(arm5, value, words):
    reason = arm5.refusal(free_axes=value)
    for word in words:
        assert word in reason, reason
    assert arm5.get('free_axes') == [['rz']]


def test_axes_are_described(arm5):
    (descriptor,) = arm5.parameters('describe_parameters', names=['free_axes']).descriptors
    assert descriptor.type == ParameterType.PARAMETER_STRING_ARRAY
    assert descriptor.additional_constraints == 'some of x, y, z, rx, ry, rz'


def test_what_launch_files_make_of_an_empty_list_is_taken(start):
    assert start.node(ARM5_FILE, free_axes=['']).send_point((0.4, 0, 0.6)).outcome == SolveStatus.SOLVED


def test_an_arm_that_cannot_follow_every_axis_says_which_to_free(start):
    node = start.node(ARM5_FILE)
    output = node.process.wait_for_output(HINT)
    (line,) = node.process.lines_with(HINT)
    for word in ('WARN', 'tool', '5 of 6', 'free_axes', '[rz]', 'turn about z', 'target_pose', 'target_point'):
        assert word in line, output


def test_an_arm_of_two_joints_in_a_plane_says_so_as_well(start):
    node = start.node(ROBOTS / 'planar.urdf')
    node.process.wait_for_output('2 of 6 axes')
    (line,) = node.process.lines_with(HINT)
    assert '[z, rx, ry, rz]' in line


def test_others_are_not_told(start, arm5):
    for node in (arm5, start.node(ARM_FILE)):
        node.process.wait_for_output('with the joints')
        node.send_pose(translation(0.4, 0, 0.6))
        assert not node.process.lines_with(HINT), node.process.output()
