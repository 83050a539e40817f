"""The branch and the revolutions of the joints for a topic target."""
import math

import pytest
from urdf_ik.msg import SolveStatus

from checks import assert_reached, assert_solved, difference
from conftest import ROOT
from kinematics import Robot, rotation, translation

UR5 = ROOT / 'tests/data/robots/ur5_robot.urdf'
WIDE = ROOT / 'tests/data/urdf/wide.urdf'
JOINTS = ['shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint', 'wrist_1_joint', 'wrist_2_joint', 'wrist_3_joint']


def pose(position, quaternion):
    """4 x 4 matrix from a position and a quaternion x, y, z, w."""
    *axis, w = quaternion
    length = math.hypot(*axis)
    return translation(*position) @ rotation([part / length for part in axis], 2 * math.atan2(length, w))


def start_ur5(start, *positions, **parameters):
    initial = '{' + ', '.join(f'{name}: {position}' for name, position in zip(JOINTS, positions)) + '}'
    return start.node(UR5, base_link='base_link', tip_links=['tool0'], initial_posture=initial, **parameters)


@pytest.mark.parametrize('motion', ['immediate', 'smooth'])
def test_no_joint_makes_a_needless_turn(start, motion):
    """Lift 0.17 and wrist_1 -2.53; -6.11 and 3.76 are the same pose."""
    node = start_ur5(start, .3, -1.2, 1.5, -1.8, -1.5, .4, motion=motion)
    target = pose((-.1026, .0355, -.0982), (.4813, -.2579, -.1496, .8243))
    before = node.next_posture()
    stamp = node.send_pose(target).header.stamp
    positions = node.answer_to(node.status_of(stamp, SolveStatus.SOLVED))
    assert_reached(Robot.load(UR5), positions, 'tool0', target)
    assert difference(positions, before) < math.pi


def test_no_joint_of_a_planar_arm_makes_a_needless_turn(start):
    node = start.node(WIDE, initial_posture='{a: .3, e: 1, w: -.5}', free_axes=['z', 'rx', 'ry'])
    target = pose((.5473, -.7085, 0), (0, 0, .944, -.33))
    status = node.send_pose(target)
    assert status.outcome == SolveStatus.SOLVED, status.message
    assert abs(node.answer_to(status)['e']) == pytest.approx(.077, abs=2e-3)


@pytest.mark.parametrize('on_unreachable', ['hold', 'closest'])
def test_a_limit_is_named_where_the_branch_ends(start, on_unreachable):
    """The tool rotates by 1.6 rad, and wrist_3 has 0.08 rad left to its limit."""
    robot = Robot.load(UR5)
    node = start_ur5(start, .3, -1.2, 1.5, -1.8, -1.5, 6.2, branch_jumps=False, on_unreachable=on_unreachable)
    before = node.next_posture()
    target = robot.pose('tool0', before) @ rotation((0, 0, 1), 1.6)
    status = node.send_pose(target)
    assert status.outcome == SolveStatus.JOINT_LIMITS, status.message
    assert status.limiting_joints == ['wrist_3_joint']
    after = node.answer_to(status)
    if on_unreachable == 'hold':
        assert after == before
    else:
        assert after['wrist_3_joint'] == pytest.approx(2 * math.pi, abs=1e-3)


def test_the_other_way_round_is_on_the_branch(start):
    robot = Robot.load(UR5)
    node = start_ur5(start, .3, -1.2, 1.5, -1.8, -1.5, 6.2, branch_jumps=False, on_unreachable='hold')
    before = node.next_posture()
    target = robot.pose('tool0', before) @ rotation((0, 0, 1), -1.6)
    positions = assert_solved(node, robot, node.send_pose(target), 'tool0', target)
    assert positions['wrist_3_joint'] == pytest.approx(4.6, abs=1e-4)
