"""Targets in, joint states out."""
import math

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.qos import QoSProfile, ReliabilityPolicy
from urdf_ik.msg import SolveStatus

from checks import POSITION_TOLERANCE, assert_honest, assert_posture, assert_reached, assert_solved, difference
from client import nanoseconds, pose_message, posture
from conftest import ARM_FILE, ROBOTS, UNSOLVABLE
from kinematics import Robot, translation

PLANAR = ROBOTS / 'planar.urdf'
TELESCOPE = ROBOTS / 'telescope.urdf'
STRAIGHT_AHEAD = translation(3, 0, 0.3)  # out of the arm's reach


def planar(shoulder, elbow):
    """The planar arm's tip, derived by hand."""
    angle = shoulder + elbow
    pose = translation(0.5 * (math.cos(shoulder) + math.cos(angle)), 0.5 * (math.sin(shoulder) + math.sin(angle)), 0)
    pose[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    return pose


def test_reachable_poses_are_met(arm, arm_robot, generator):
    for _ in range(20):
        target = arm_robot.pose('tool0', arm_robot.sample(generator))
        message = pose_message(target, 'base_link', arm.new_stamp())
        status = arm.send(message)
        assert_solved(arm, arm_robot, status, 'tool0', target)
        assert status.header == message.header
        assert (status.tip_link, status.solver) == ('tool0', 'jacobian')
        assert status.message and not status.limiting_joints
        assert status.attempts >= 1 and status.solve_time >= 0 and status.smallest_singular_value >= 0


def test_points_are_met_by_position_alone(arm, arm_robot, generator):
    for _ in range(10):
        target = arm_robot.pose('tool0', arm_robot.sample(generator))
        status = arm.send_point(target[:3, 3])
        assert status.outcome == SolveStatus.SOLVED, status.message
        positions = arm.answer_to(status)
        assert_posture(arm_robot, positions)
        distance = np.linalg.norm(arm_robot.pose('tool0', positions)[:3, 3] - target[:3, 3])
        assert distance <= POSITION_TOLERANCE
        assert status.position_error == pytest.approx(distance, abs=1e-9)
        assert status.orientation_error == 0


def test_each_target_has_one_status(arm, arm_robot, generator):
    before = arm.snapshot()
    stamps = []
    for _ in range(10):
        status = arm.send_pose(arm_robot.pose('tool0', arm_robot.sample(generator)))
        stamps.append(status.header.stamp)
    arm.settle()
    assert [status.header.stamp for status in arm.statuses[before.statuses:]] == stamps


def test_a_target_without_stamp_is_taken(arm, arm_robot):
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    status = arm.send(pose_message(target))
    assert_solved(arm, arm_robot, status, 'tool0', target)
    assert status.header.frame_id == 'base_link'


def test_the_posture_is_published_from_the_start_and_repeated(start, arm_robot):
    node = start.node(ARM_FILE, publish_rate=100.0)
    first = posture(node.states[0])
    assert_posture(arm_robot, first)
    assert nanoseconds(node.states[0].header.stamp) > 0

    def steps():
        """The times between recent states [s]."""
        return np.diff([nanoseconds(state.header.stamp) for state in node.states[-60:]]) * 1e-9
    node.wait_for(lambda: len(steps()) > 50 and np.median(steps()) == pytest.approx(0.01, rel=0.3), 'states at publish_rate')
    assert all(posture(state) == first for state in node.states)
    assert (steps() > 0).all()


def test_a_posture_can_be_chosen_for_the_start(start):
    node = start.node(PLANAR, initial_posture='{elbow: 0.7}')
    assert node.next_posture() == {'shoulder': 0.0, 'elbow': 0.7}


def test_every_kind_of_joint(start, generator):
    robot = Robot.load(TELESCOPE)
    node = start.node(TELESCOPE, tip_links=['tool'])
    initial = node.next_posture()
    assert_posture(robot, initial)
    for _ in range(10):
        target = robot.pose('tool', robot.sample(generator))
        positions = assert_solved(node, robot, node.send_pose(target), 'tool', target)
        for name in ('door', 'finger', 'finger_mirror'):
            assert positions[name] == initial[name], 'a joint outside the chain moved'


def test_a_base_link_inside_the_robot(start):
    robot = Robot.load(TELESCOPE)
    node = start.node(TELESCOPE, base_link='stage2', tip_links=['tool'])
    sample = robot.follow_mimics({**node.next_posture(), 'shoulder': 0.5, 'elbow': 1.0, 'roll': 2.0})
    target = robot.pose('tool', sample, base='stage2')
    status = node.send_pose(target)
    assert status.header.frame_id == 'stage2'
    assert_solved(node, robot, status, 'tool', target, base='stage2')


def test_out_of_reach_goes_as_near_as_possible(arm, arm_robot):
    status = arm.send_pose(STRAIGHT_AHEAD)
    assert status.outcome == SolveStatus.OUT_OF_REACH, status.message
    positions = arm.answer_to(status)
    assert_posture(arm_robot, positions)
    assert_honest(status, arm_robot, positions, 'tool0', STRAIGHT_AHEAD)


def test_out_of_reach_point_is_approached(start):
    robot = Robot.load(PLANAR)
    node = start.node(PLANAR)
    target = np.array([1.2, 1.6, 0.0])  # 2 m away in a direction in which the 1 m arm can point
    status = node.send_point(target)
    assert status.outcome == SolveStatus.OUT_OF_REACH, status.message
    positions = node.answer_to(status)
    assert_posture(robot, positions)
    assert np.linalg.norm(robot.pose('tip', positions)[:3, 3] - target / 2) < 1e-3, 'not the nearest point'
    assert status.position_error == pytest.approx(1.0, abs=1e-6)


def test_out_of_reach_holds_where_told(start, arm_robot):
    node = start.node(ARM_FILE, on_unreachable='hold')
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    reached = assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)
    status = node.send_pose(STRAIGHT_AHEAD)
    assert status.outcome == SolveStatus.OUT_OF_REACH, status.message
    assert node.answer_to(status) == reached
    assert node.next_posture() == reached
    assert_honest(status, arm_robot, reached, 'tool0', STRAIGHT_AHEAD)


def test_limits_in_the_way_are_named(start):
    robot = Robot.load(PLANAR)
    node = start.node(PLANAR)
    target = planar(0.3, 2.9)  # elbow beyond its limit
    status = node.send_pose(target)
    assert status.outcome == SolveStatus.JOINT_LIMITS, status.message
    assert set(status.limiting_joints) <= {'shoulder', 'elbow'} and status.limiting_joints
    positions = node.answer_to(status)
    assert_posture(robot, positions)
    assert_honest(status, robot, positions, 'tip', target)
    for name in status.limiting_joints:
        assert name in status.message
        assert abs(positions[name]) == pytest.approx(robot.joints[name].upper, abs=1e-6)


def test_a_slow_target_never_makes_the_arm_jump(arm, arm_robot):
    start_posture = arm.next_posture()
    last = start_posture
    for phase in np.linspace(0, 2 * math.pi, 120):
        circle = translation(0.1 * math.sin(phase), 0.1 * (1 - math.cos(phase)), 0)
        target = arm_robot.pose('tool0', start_posture) @ circle
        positions = assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)
        assert difference(positions, last) < 0.1
        last = positions


@pytest.mark.parametrize('jumps', [False, True])
def test_branch_jumps(start, jumps):
    """From one end of the shoulder's range the target lies beyond the other end: a short distance away, but behind the limit."""
    robot = Robot.load(PLANAR)
    node = start.node(PLANAR, branch_jumps=jumps, initial_posture='{shoulder: 2.9, elbow: 0.3}')
    target = planar(-2.9, 0.3)
    status = node.send_pose(target)
    positions = node.answer_to(status)
    if jumps:
        assert_reached(robot, positions, 'tip', target)
        assert positions['shoulder'] == pytest.approx(-2.9, abs=1e-3)
    else:
        assert status.outcome in (SolveStatus.JOINT_LIMITS, SolveStatus.NOT_CONVERGED), status.message
        assert status.attempts == 1
        assert positions['shoulder'] > 2
        assert_honest(status, robot, positions, 'tip', target)


def test_a_status_says_that_time_was_up(arm):
    with arm.changed(timeout=1e-3, attempts=1_000_000):
        status = arm.send_pose(UNSOLVABLE)
    assert 'time was up' in status.message and 1 <= status.attempts < 1_000_000, status.message


def test_a_flood_of_targets_never_queues_up(start, arm_robot):
    """Each target but the last takes 50 ms until failure: in a queue the last would wait for minutes."""
    node = start.node(ARM_FILE, timeout=0.05, attempts=1_000_000)
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    messages = [pose_message(pose, stamp=node.new_stamp()) for pose in [UNSOLVABLE] * 2000 + [target]]
    for message in messages:
        node.target_publisher('target_pose').publish(message)
    last = messages[-1].header.stamp
    (status,) = node.wait_for(lambda: node.statuses_of(last), 'the answer to the last target')
    positions = assert_solved(node, arm_robot, status, 'tool0', target)
    node.settle()
    stamps = [nanoseconds(status.header.stamp) for status in node.statuses]
    assert stamps == sorted(set(stamps)) and stamps[-1] == nanoseconds(last), 'an old target was answered late'
    assert node.next_posture() == positions


def test_best_effort_publishers_are_heard_where_told(start, arm_robot):
    node = start.node(ARM_FILE, target_reliability='best_effort')
    qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = node.node.create_publisher(PoseStamped, f'{node.name}/target_pose', qos)
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})

    def answered():
        publisher.publish(pose_message(target, stamp=node.new_stamp()))  # may be lost with best-effort delivery
        return node.statuses
    assert_solved(node, arm_robot, node.wait_for(answered, 'a status')[0], 'tool0', target)
