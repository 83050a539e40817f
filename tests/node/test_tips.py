"""Several tips: a topic for each, and nearly simultaneous targets."""
import numpy as np
import pytest
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from urdf_ik.msg import SolveStatus

from checks import assert_honest, assert_reached
from client import pose_message, posture
from conftest import ROBOTS
from kinematics import Robot, translation
from path_client import PathFollower

FILE = ROBOTS / 'two_arms.urdf'
TIPS = ['left-hand', 'right-hand']
TOPICS = [tip.replace('-', '_') for tip in TIPS]


@pytest.fixture(scope='module')
def robot():
    return Robot.load(FILE)


@pytest.fixture(scope='module')
def shared_node(module_start):
    node = module_start.node(FILE, tip_links=TIPS)
    for topic in TOPICS:
        for kind, name in ((PoseStamped, 'target_pose'), (PointStamped, 'target_point'), (PoseArray, 'target_path')):
            node.wait_until_heard(node.publisher(kind, f'{node.name}/{topic}/{name}', 100))
    return node


@pytest.fixture
def node(shared_node):
    shared_node.reset()
    return shared_node


def send_both(node, poses):
    """Publishes a target for each tip at once; returns the statuses."""
    stamps = []
    for topic, pose in zip(TOPICS, poses):
        message = pose_message(pose, '', node.new_stamp())
        stamps.append(message.header.stamp)
        node.publisher(PoseStamped, f'{node.name}/{topic}/target_pose', 100).publish(message)
    return [node.status_of(stamp) for stamp in stamps]


def test_each_tip_has_its_topics(node, robot, generator):
    with node.changed(join_targets=0.0):
        for topic, tip in zip(TOPICS, TIPS):
            pose = robot.pose(tip, robot.sample(generator))
            status = node.send_pose(pose, topic=f'{topic}/target_pose')
            assert (status.outcome, status.tip_link) == (SolveStatus.SOLVED, tip), status.message
            assert_reached(robot, node.answer_to(status), tip, pose)
            point = robot.pose(tip, robot.sample(generator))[:3, 3]
            status = node.send_point(point, topic=f'{topic}/target_point')
            assert (status.outcome, status.tip_link) == (SolveStatus.SOLVED, tip), status.message
            assert np.allclose(robot.pose(tip, node.answer_to(status))[:3, 3], point, atol=2e-5)


def test_the_short_name_is_the_first_tips(node, robot, generator):
    pose = robot.pose(TIPS[0], robot.sample(generator))
    status = node.send_pose(pose)
    assert (status.outcome, status.tip_link) == (SolveStatus.SOLVED, TIPS[0])


def test_targets_that_come_together_are_met_together(node, robot, generator):
    # On a busy machine the second may be late: it then joins the first.
    with node.changed(join_targets=3600.0):
        for _ in range(20):
            node.reset()
            sample = robot.sample(generator)
            poses = [robot.pose(tip, sample) for tip in TIPS]
            statuses = send_both(node, poses)
            assert [status.outcome for status in statuses] == [SolveStatus.SOLVED] * 2, [s.message for s in statuses]
            # Whichever status came last, the arm is at both.
            positions = node.next_posture()
            for tip, pose in zip(TIPS, poses):
                assert_reached(robot, positions, tip, pose)


def test_an_earlier_target_counts_along_for_a_while(node, robot, generator):
    sample = robot.sample(generator)
    poses = [robot.pose(tip, sample) for tip in TIPS]
    for window, kept in ((3600.0, True), (0.0, False)):
        node.reset()
        with node.changed(join_targets=window):
            for topic, pose in zip(TOPICS, poses):
                status = node.send_pose(pose, topic=f'{topic}/target_pose')
                assert status.outcome == SolveStatus.SOLVED, status.message
            positions = node.answer_to(status)
            assert_reached(robot, positions, TIPS[1], poses[1])
            if kept:
                assert_reached(robot, positions, TIPS[0], poses[0])


def test_one_tip_out_of_reach_does_not_spoil_the_others_word(node, robot, generator):
    poses = [translation(50, 0, 0), robot.pose(TIPS[1], robot.sample(generator))]
    far, near = send_both(node, poses)
    assert far.outcome == SolveStatus.OUT_OF_REACH, far.message
    positions = node.answer_to(near)
    assert_honest(near, robot, positions, TIPS[1], poses[1])
    met = near.position_error <= 1e-5 and near.orientation_error <= 1e-5
    assert (near.outcome == SolveStatus.SOLVED) == met, near.message


def test_a_bad_target_of_one_tip_leaves_the_other(node, robot, generator):
    pose = robot.pose(TIPS[1], robot.sample(generator))
    with node.changed(join_targets=0.0):
        bad, good = send_both(node, [translation(np.nan, 0, 0), pose])
        assert bad.outcome == SolveStatus.INVALID and bad.tip_link == TIPS[0]
        assert good.outcome == SolveStatus.SOLVED and good.tip_link == TIPS[1], good.message


def test_a_query_for_several_tips(node, robot, generator):
    for _ in range(10):
        sample = robot.sample(generator)
        poses = [robot.pose(tip, sample) for tip in TIPS]
        answer = node.solve_ik(poses[1], tip_link=TIPS[1], other_tip_links=[TIPS[0]], other_poses=[pose_message(poses[0])])
        assert answer.success, answer.message
        assert [answer.status.tip_link] + [status.tip_link for status in answer.other_statuses] == TIPS[::-1]
        for tip, pose in zip(TIPS, poses):
            assert_reached(robot, posture(answer.joint_state), tip, pose)
    far = node.solve_ik(poses[0], other_tip_links=[TIPS[1]], other_poses=[pose_message(translation(50, 0, 0))])
    assert not far.success and far.other_statuses[0].outcome == SolveStatus.OUT_OF_REACH


@pytest.mark.parametrize('links, poses, word', [
    ([TIPS[1]], 0, 'same length'), ([], 1, 'same length'), (['tail'], 1, 'tail'), ([TIPS[0]], 1, 'left-hand'),
    ([TIPS[1]], -1, 'other_poses[0]')])
def test_bad_queries_for_several_tips(node, robot, links, poses, word):
    pose = robot.pose(TIPS[0], node.next_posture())
    others = [pose_message(translation(np.nan, 0, 0) if poses < 0 else pose)] * abs(poses)
    answer = node.solve_ik(pose, other_tip_links=links, other_poses=others)
    assert not answer.success and answer.status.outcome == SolveStatus.INVALID and word in answer.message, answer.message


def test_a_path_of_the_second_tip(node, robot):
    tip = TIPS[1]
    here = robot.pose(tip, node.next_posture())
    message = PoseArray(poses=[pose_message(here).pose])
    message.header.stamp = node.new_stamp()
    node.publisher(PoseArray, f'{node.name}/{TOPICS[1]}/target_path', 100).publish(message)
    status = node.status_of(message.header.stamp)
    assert status.tip_link == tip, status.message
    node.status_of(message.header.stamp, SolveStatus.SOLVED)


def test_tips_whose_topics_would_have_one_name_are_refused(start):
    process = start.run('--ros-args', '-p', 'tip_links:=["left-hand", "left_hand"]')
    assert process.wait() == 1
    assert "'left-hand' and 'left_hand'" in process.output()


def test_a_goal_of_the_second_tip_that_is_there_already(node, robot):
    tip = TIPS[1]
    goal = PathFollower(node).follow([robot.pose(tip, node.next_posture())], tip_link=tip)
    result = goal.result()
    assert result.success and result.tip_link == tip and result.fraction == 1.0, result.message
    assert all(feedback.progress in (0.0, 1.0) for feedback in goal.feedback)
