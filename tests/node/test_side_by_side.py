"""Concurrent requests: long searches delay no others, and none of many requests is lost."""
import os

import pytest
from rclpy.qos import QoSProfile
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolveIK, SolveIKBatch, SolvePath

from checks import assert_solved
from client import pose_message
from conftest import ARM_FILE, LONG, UNSOLVABLE
from kinematics import translation

THREADS_PER_CORE = 16  # of low priority, in the node
BENT = {'shoulder_pan_joint': 0.4, 'elbow_joint': 0.3}


@pytest.fixture
def pose(arm_robot):
    return arm_robot.pose('tool0', BENT)


def start_long(node, count=8 * len(os.sched_getaffinity(0))):
    """Queries that take a minute. They end with the node.

    A single one takes some four seconds, so there are eight per core.
    """
    service = node.service(SolveIK, 'solve_ik')
    futures = [service.call_async(SolveIK.Request(pose=pose_message(UNSOLVABLE), **LONG)) for _ in range(count)]
    assert node.forward_kinematics().success  # by then they have begun
    return futures


def none_is_answered(futures):
    return not any(future.done() for future in futures)


def test_queries_are_answered_beside_long_ones(start, arm_robot, pose):
    node = start.node(ARM_FILE)
    alone = node.solve_ik(pose)
    long = start_long(node)
    for _ in range(20):
        answer = node.solve_ik(pose)
        assert answer.success and answer.joint_state.position == alone.joint_state.position
    for _ in range(20):
        assert_solved(node, arm_robot, node.send_pose(pose), 'tool0', pose)
    assert none_is_answered(long)


def test_a_long_query_is_answered_in_its_time_beside_longer_ones(start):
    node = start.node(ARM_FILE)
    long = start_long(node)
    answer = node.solve_ik(UNSOLVABLE, **{**LONG, 'timeout': 0.2})
    assert not answer.success and answer.status.outcome != SolveStatus.INVALID, answer.message
    assert answer.joint_state.name and answer.status.attempts > 1
    assert none_is_answered(long)


def test_paths_batches_and_all_solutions_are_answered_beside_long_queries(start, pose):
    node = start.node(ARM_FILE)
    long = start_long(node)
    target = pose_message(pose).pose
    batch = node.call(SolveIKBatch, 'solve_ik_batch', poses=[target] * 10)
    assert batch.solved == 10, batch.message
    path = node.call(SolvePath, 'solve_path', poses=[target, pose_message(translation(0, 0, 0.01) @ pose).pose],
                     start_at_first_pose=True)
    assert path.success, path.message
    assert node.solve_ik(pose, all_solutions=True).all_joint_states
    assert none_is_answered(long)


def test_queries_and_batches_are_answered_beside_a_long_batch(start, pose):
    node = start.node(ARM_FILE)
    targets = [pose_message(UNSOLVABLE).pose] * 100
    long = [node.service(SolveIKBatch, 'solve_ik_batch').call_async(SolveIKBatch.Request(poses=targets, **LONG))]
    batch = node.call(SolveIKBatch, 'solve_ik_batch', poses=[pose_message(pose).pose] * 10)
    assert batch.solved == 10, batch.message
    assert node.solve_ik(pose).success
    assert none_is_answered(long)


def test_too_many_long_queries_are_refused_and_short_ones_are_not(start, pose):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})  # inherited by the node, to limit its number of threads
    try:
        node = start.node(ARM_FILE)
    finally:
        os.sched_setaffinity(0, cores)
    long = start_long(node, THREADS_PER_CORE + 1)
    node.wait_for(lambda: not none_is_answered(long), 'a refusal')
    (refused,) = [future.result() for future in long if future.done()]
    assert not refused.success and refused.status.outcome == SolveStatus.INVALID
    assert 'busy' in refused.message and 'later' in refused.message, refused.message
    assert node.solve_ik(pose).success


def test_a_search_that_begins_anew_is_one_search(arm, arm_robot, generator, pose):
    """The first attempts of a long search run twice. This changes neither the answer nor its counts."""
    poses = [UNSOLVABLE, *(arm_robot.pose('tool0', arm_robot.sample(generator)) for _ in range(5))]
    for fields in ({}, {'pick': 'most_manipulable'}):
        fields = {'attempts': 300, 'timeout': 20.0, 'random_seed': 3, **fields}
        targets = [pose_message(pose).pose for pose in poses]
        batch = arm.call(SolveIKBatch, 'solve_ik_batch', poses=targets, **fields)
        for index, pose in enumerate(poses):
            single = arm.solve_ik(pose, **fields)
            joints = len(batch.joint_names)
            row = batch.positions[index * joints:(index + 1) * joints]
            assert single.joint_state.position == row and single.joint_state.name == batch.joint_names
            assert single.status.attempts == 300 or (single.success and fields.get('pick') is None)


def test_no_request_of_a_burst_is_lost(arm, pose):
    # The client's own response queue must be as long as the burst.
    service = arm.node.create_client(SolveIK, f'{arm.name}/solve_ik', qos_profile=QoSProfile(depth=100))
    arm.wait_for(service.service_is_ready, 'the service')
    for _ in range(5):
        futures = [service.call_async(SolveIK.Request(pose=pose_message(pose))) for _ in range(60)]
        arm.wait_for(lambda: all(future.done() for future in futures), 'sixty answers')
        assert all(future.result().success for future in futures)
    arm.node.destroy_client(service)
