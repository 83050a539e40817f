"""Invalid targets are refused with a reason, reported once, and do no harm."""
import math

import pytest
from sensor_msgs.msg import JointState
from urdf_ik.msg import SolveStatus

from checks import assert_solved
from client import fill, nanoseconds, pose_message
from conftest import ARM_FILE
from kinematics import quaternion_of

ZERO = {f'orientation_{axis}': 0.0 for axis in 'xyzw'}
BAD_POSES = {
    'position x is NaN': ({'position_x': math.nan}, 'position'),
    'position y is infinite': ({'position_y': math.inf}, 'position'),
    'position z is infinite': ({'position_z': -math.inf}, 'position'),
    'quaternion has NaN': ({'orientation_x': math.nan}, 'quaternion'),
    'quaternion has infinity': ({'orientation_w': math.inf}, 'quaternion'),
    'quaternion is zero': (ZERO, 'quaternion'),
    'quaternion is too long': ({**ZERO, 'orientation_w': 1.03}, 'quaternion'),
    'quaternion is too short': ({**ZERO, 'orientation_w': 0.97}, 'quaternion'),
}


@pytest.fixture
def target(arm_robot):
    return arm_robot.pose('tool0', {'shoulder_pan_joint': 0.4, 'elbow_joint': 0.3})


def assert_refused(node, status, word):
    assert status.outcome == SolveStatus.INVALID, status.message
    assert word in status.message
    assert nanoseconds(status.joint_state_stamp) == 0


@pytest.mark.parametrize('scale', [0.99, 1.01])
def test_a_rounded_quaternion_is_normalised(arm, target, scale):
    """The convention of KDL. The library accepts norms up to 2 % off."""
    message = pose_message(target)
    fill(message.pose.orientation, 'xyzw', scale * quaternion_of(target))
    answer = arm.solve_ik(message)
    assert answer.success, answer.message


@pytest.mark.parametrize('fault', BAD_POSES)
def test_a_bad_pose_is_refused_and_the_last_state_kept(arm, arm_robot, target, fault):
    reached = arm.answer_to(arm.send_pose(target))
    changes, word = BAD_POSES[fault]
    assert_refused(arm, arm.send_pose(target, **changes), word)
    assert arm.next_posture() == reached
    assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)


@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf])
def test_a_bad_point_is_refused_and_the_last_state_kept(arm, target, value):
    initial = arm.next_posture()
    assert_refused(arm, arm.send_point([0.3, value, 0.3]), 'position')
    assert arm.next_posture() == initial


@pytest.mark.parametrize('scale', [1 + 5e-4, 1 - 5e-4])
def test_a_quaternion_a_little_off_is_normalised(arm, arm_robot, target, scale):
    x, y, z, w = (scale * part for part in quaternion_of(target))
    status = arm.send_pose(target, orientation_x=x, orientation_y=y, orientation_z=z, orientation_w=w)
    assert_solved(arm, arm_robot, status, 'tool0', target)


def test_far_away_is_no_fault(arm, arm_robot, target):
    far = target.copy()
    far[:3, 3] = 1e8, -1e8, 5.0
    assert arm.send_pose(far).outcome == SolveStatus.OUT_OF_REACH
    far[:3, 3] = 1e12, -1e300, 5.0  # where distances are no longer distinguishable, or overflow
    assert arm.send_pose(far).outcome in (SolveStatus.OUT_OF_REACH, SolveStatus.INVALID)
    arm.reset()
    assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)


def test_a_strange_time_is_no_fault(arm, arm_robot, target):
    for stamp in ((2**31 - 1, 999_999_999), (-5, 0), (0, 2**32 - 1)):
        message = pose_message(target)
        message.header.stamp.sec, message.header.stamp.nanosec = stamp
        assert_solved(arm, arm_robot, arm.send(message), 'tool0', target)


def test_a_repeated_fault_is_told_once(start, target):
    node = start.node(ARM_FILE)
    for _ in range(5):
        node.send_pose(target, position_y=math.nan)
    for _ in range(5):
        node.send_pose(target, 'nowhere')
    node.wait_for(lambda: node.process.lines_with('nowhere'), 'the second warning')
    assert len(node.process.lines_with('position')) == 1, node.process.output()
    assert len(node.process.lines_with('nowhere')) == 1, node.process.output()


def test_long_names_and_numbers_are_cut(start, target):
    node = start.node(ARM_FILE)
    name = 'x' * 1_000_000
    assert len(node.send_pose(target, name).message) < 1000
    assert len(node.solve_ik(target, tip_link=name).message) < 1000
    assert len(node.solve_ik(target, solver=name).message) < 1000
    assert len(node.solve_ik(target, position_tolerance=1e300).message) < 200
    assert len(node.forward_kinematics(frame_id=name).message) < 2000
    assert len(node.solve_ik(target, seed=JointState(name=[name], position=[0.0])).message) < 2000
    answer = node.solve_ik(target, seed=JointState(name=['elbow_joint'], position=[1e300]))
    assert '1e300' in answer.message and len(answer.message) < 200, answer.message
    assert len(node.process.output()) < 20_000


def test_a_flood_of_faults_leaves_the_node_well(arm, arm_robot, target):
    for i in range(500):
        message = pose_message(target, stamp=arm.new_stamp())
        message.pose.position.x = math.nan
        message.header.frame_id = f'frame{i}'
        arm.target_publisher('target_pose').publish(message)
    assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)
