"""Many targets in one request: order, errors of single targets, frames, seeds, and the node's other work meanwhile."""
import math

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolveIK, SolveIKBatch

from checks import ROUNDING, assert_reached, assert_solved, difference
from client import faulty, pose_message, transform_message
from conftest import ARM_FILE, ROBOTS, UNSOLVABLE
from kinematics import Robot, errors, rotation, translation

FAR = translation(3, 0, 0.3)
POSES = 1000  # distinct poses
MANY = 10  # repetitions of each in a large request


@pytest.fixture(scope='module')
def shared_arm(module_start):
    """Batches have the lowest priority: on a busy machine the default timeout ends searches early."""
    return module_start.node(ARM_FILE, timeout=60.0)


@pytest.fixture(scope='module')
def many_poses(arm_robot):
    """Poses within reach of the arm."""
    generator = np.random.default_rng(11)
    return [arm_robot.pose('tool0', arm_robot.sample(generator)) for _ in range(POSES)]


def request(poses, frame='', stamp=None, **fields):
    """A request for 4 x 4 matrices or pose messages."""
    poses = [pose_message(pose).pose if isinstance(pose, np.ndarray) else pose for pose in poses]
    message = SolveIKBatch.Request(poses=poses, **fields)
    message.header.frame_id = frame
    if stamp is not None:
        message.header.stamp = stamp
    return message


def start_batch(node, message):
    service = node.service(SolveIKBatch, 'solve_ik_batch')
    node.wait_for(service.service_is_ready, f'the service {service.srv_name}')
    return service.call_async(message)


def finish_batch(node, future):
    """The response, after the checks that all responses must pass."""
    node.wait_for(future.done, 'the response of a batch')
    answer = future.result()
    counts = answer.solved, answer.not_met, answer.refused, answer.skipped
    targets = len(answer.outcomes)
    assert sum(counts) == targets == len(answer.position_errors) == len(answer.orientation_errors), answer.message
    assert answer.success == (targets > 0 and answer.solved == targets)
    assert len(answer.positions) in (0, targets * len(answer.joint_names))
    assert list(answer.outcomes).count(SolveStatus.SOLVED) == answer.solved
    assert list(answer.outcomes).count(SolveStatus.SKIPPED) == answer.skipped
    assert answer.message
    return answer


def solve_batch(node, poses, frame='', stamp=None, **fields):
    return finish_batch(node, start_batch(node, request(poses, frame, stamp, **fields)))


def rows(answer):
    """Joint positions {name: position} of each target."""
    table = np.array(answer.positions).reshape(len(answer.outcomes), len(answer.joint_names))
    return [dict(zip(answer.joint_names, row)) for row in table.tolist()]


def assert_batch_refused(answer, targets, outcome, *words):
    assert not answer.success and not answer.joint_names and len(answer.positions) == 0
    assert list(answer.outcomes) == [outcome] * targets and answer.refused == targets
    assert np.isnan(answer.position_errors).all() and np.isnan(answer.orientation_errors).all()
    for word in words:
        assert word in answer.message, answer.message


def test_each_target_has_its_row_in_their_order(arm, arm_robot, many_poses):
    poses = many_poses[:200]
    answer = solve_batch(arm, poses)
    assert answer.success, answer.message
    assert (answer.solved, answer.tip_link, answer.solver) == (200, 'tool0', 'jacobian')
    assert answer.header.frame_id == 'base_link' and answer.header.stamp.sec > 0
    assert answer.joint_names == arm_robot.movable and answer.solve_time > 0
    for index, (pose, positions) in enumerate(zip(poses, rows(answer))):
        assert_reached(arm_robot, positions, 'tool0', pose)
        distance, angle = errors(arm_robot.pose('tool0', positions), pose)
        assert answer.position_errors[index] == pytest.approx(distance, abs=ROUNDING)
        assert answer.orientation_errors[index] == pytest.approx(angle, abs=ROUNDING)


def test_the_answers_are_those_of_single_queries_whatever_the_cores(arm, many_poses):
    poses = [*many_poses[:40], FAR, UNSOLVABLE]
    batch = solve_batch(arm, poses, timeout=10.0, attempts=20)
    for pose, positions, outcome in zip(poses, rows(batch), batch.outcomes):
        single = arm.solve_ik(pose, timeout=10.0, attempts=20)
        assert dict(zip(single.joint_state.name, single.joint_state.position)) == positions
        assert single.status.outcome == outcome
    for cores in (1, 256):
        with arm.changed(batch_cores=cores):
            again = solve_batch(arm, poses, timeout=10.0, attempts=20)
            assert again.positions == batch.positions and again.outcomes == batch.outcomes


def test_a_batch_moves_nothing(arm, many_poses):
    before, initial = arm.snapshot(), arm.next_posture()
    assert solve_batch(arm, many_poses[:10]).success
    arm.settle()
    assert arm.next_posture() == initial and len(arm.statuses) == before.statuses


@pytest.mark.parametrize('changes, word', [
    ({'position_y': math.nan}, 'position y'),
    ({'position_z': -math.inf}, 'position z'),
    ({'orientation_x': math.nan}, 'quaternion'),
    ({f'orientation_{axis}': 0.0 for axis in 'xyzw'}, 'quaternion'),
    ({'position_x': 1e300}, '1e9 m'),
])
def test_one_bad_target_is_told_and_the_others_are_solved(arm, arm_robot, many_poses, changes, word):
    poses = many_poses[:21]
    answer = solve_batch(arm, [*poses[:7], faulty(poses[7], **changes), *poses[8:]])
    assert (answer.solved, answer.refused) == (20, 1)
    assert 'poses[7]' in answer.message and word in answer.message, answer.message
    for index, (pose, positions) in enumerate(zip(poses, rows(answer))):
        if index == 7:
            assert answer.outcomes[index] == SolveStatus.INVALID
            assert all(math.isnan(position) for position in positions.values())
            assert math.isnan(answer.position_errors[index]) and math.isnan(answer.orientation_errors[index])
        else:
            assert_reached(arm_robot, positions, 'tool0', pose)


def test_what_cannot_be_met_brings_the_nearest(arm, arm_robot, many_poses):
    poses = [many_poses[0], FAR, many_poses[1], UNSOLVABLE, faulty(many_poses[2], position_x=math.nan)]
    answer = solve_batch(arm, poses)
    assert not answer.success
    assert (answer.solved, answer.not_met, answer.refused, answer.skipped) == (2, 2, 1, 0)
    assert answer.outcomes[1] == SolveStatus.OUT_OF_REACH
    assert answer.outcomes[3] in (SolveStatus.JOINT_LIMITS, SolveStatus.NOT_CONVERGED)
    for index in (1, 3):
        positions = rows(answer)[index]
        assert not arm_robot.violations(positions)
        distance, angle = errors(arm_robot.pose('tool0', positions), poses[index])
        assert answer.position_errors[index] == pytest.approx(distance, abs=ROUNDING)
        assert answer.orientation_errors[index] == pytest.approx(angle, abs=ROUNDING)


def test_nothing_to_solve_is_said(arm):
    assert_batch_refused(solve_batch(arm, []), 0, SolveStatus.INVALID, 'empty')


def test_only_bad_targets(arm, many_poses):
    answer = solve_batch(arm, [faulty(many_poses[0], position_x=math.nan)] * 3)
    assert (answer.solved, answer.refused) == (0, 3) and 'poses[0]' in answer.message


def test_the_frame_of_a_link(arm, arm_robot, many_poses):
    elbow = np.linalg.inv(arm_robot.pose('elbow_link', arm.next_posture()))
    answer = solve_batch(arm, [elbow @ pose for pose in many_poses[:10]], frame='elbow_link')
    assert answer.success and answer.header.frame_id == 'elbow_link', answer.message
    for pose, positions in zip(many_poses, rows(answer)):
        assert_reached(arm_robot, positions, 'tool0', pose)


def test_a_frame_of_tf(arm, arm_robot, many_poses):
    mount = translation(1, -2, 0.5) @ rotation((0, 0, 1), 0.7)
    arm.publish_transforms(transform_message('yard', 'base_link', mount, arm.new_stamp()), static=True)
    with arm.changed(transform_timeout=5.0):
        answer = solve_batch(arm, [mount @ pose for pose in many_poses[:10]], frame='yard')
    assert answer.success and answer.header.frame_id == 'yard', answer.message
    for pose, positions in zip(many_poses, rows(answer)):
        assert_reached(arm_robot, positions, 'tool0', pose)


def test_an_unknown_frame_refuses_all(arm, many_poses):
    answer = solve_batch(arm, many_poses[:3], frame='nowhere')
    assert_batch_refused(answer, 3, SolveStatus.UNKNOWN_FRAME, 'nowhere')
    assert solve_batch(arm, many_poses[:3]).success


@pytest.mark.parametrize('fields, word', [
    ({'tip_link': 'tool9'}, 'tool9'),
    ({'solver': 'magic'}, 'magic'),
    ({'pick': 'best'}, 'best'),
    ({'position_tolerance': math.nan}, 'position_tolerance'),
    ({'orientation_tolerance': -1.0}, 'orientation_tolerance'),
    ({'timeout': math.inf}, 'timeout'),
    ({'batch_timeout': -1.0}, 'batch_timeout'),
    ({'batch_timeout': math.nan}, 'batch_timeout'),
    ({'batch_timeout': 1e300}, 'batch_timeout'),
    ({'attempts': 4_000_000_000}, 'attempts'),
    ({'seed': JointState(name=['knee_joint'], position=[0.0])}, 'knee_joint'),
    ({'seed': JointState(name=['elbow_joint'], position=[math.nan])}, 'elbow_joint'),
    ({'seed': JointState(name=['elbow_joint'], position=[0.0, 0.0])}, 'seed'),
    ({'seed': JointState(position=[0.0, 0.0, 0.0])}, 'seed'),
])
def test_a_bad_choice_refuses_all(arm, many_poses, fields, word):
    assert_batch_refused(solve_batch(arm, many_poses[:3], **fields), 3, SolveStatus.INVALID, word)


def test_choices_replace_parameters(arm, arm_robot, many_poses):
    poses = many_poses[:10]
    coarse = solve_batch(arm, poses, position_tolerance=0.5, orientation_tolerance=3.0, solver='fabrik')
    assert coarse.success and coarse.solver == 'fabrik'
    free = solve_batch(arm, poses, free_axes=[False] * 3 + [True] * 3)
    assert free.success and max(free.orientation_errors) == 0
    for pose, positions in zip(poses, rows(free)):
        assert errors(arm_robot.pose('tool0', positions), pose)[0] <= 1e-5 + ROUNDING


def test_one_seed_for_all_or_one_for_each(arm, arm_robot, generator):
    samples = [arm_robot.sample(generator) for _ in range(5)]
    poses = [arm_robot.pose('tool0', sample) for sample in samples]
    names = list(samples[0])
    table = [[sample[name] for name in names] for sample in samples]
    each = solve_batch(arm, poses, seed=JointState(name=names, position=sum(table, [])))
    for sample, positions in zip(samples, rows(each)):
        assert difference(positions, sample) < 1e-6
    one = solve_batch(arm, poses, seed=JointState(name=names, position=table[2]))
    assert one.success and difference(rows(one)[2], samples[2]) < 1e-6
    table[1][0] = math.nan
    bad = solve_batch(arm, poses, seed=JointState(name=names, position=sum(table, [])))
    assert bad.solved == 4 and bad.outcomes[1] == SolveStatus.INVALID
    assert 'poses[1]' in bad.message and names[0] in bad.message


def test_a_time_for_the_whole_batch(arm, many_poses):
    skipped = solve_batch(arm, many_poses[:50], batch_timeout=1e-12)
    assert skipped.skipped == 50 and 'batch_timeout' in skipped.message
    assert np.isnan(skipped.positions).all()
    each = {'attempts': 1_000_000, 'timeout': 0.05, 'threads': 1}
    for batch_timeout in (0.5, 2.0, 8.0, 32.0):
        # They take twice the timeout, so some are always skipped. A busy machine may not reach the first ones in a
        # short timeout.
        targets = many_poses[:1] + [UNSOLVABLE] * round(2 * batch_timeout / each['timeout'])
        part = solve_batch(arm, targets, batch_timeout=batch_timeout, **each)
        assert part.skipped > 0
        if part.not_met > 0:
            break
    assert part.not_met > 0 and part.outcomes[0] == SolveStatus.SOLVED
    assert solve_batch(arm, many_poses[:50], batch_timeout=60.0).success


def test_several_tips_one_at_a_time(start, generator):
    robot = Robot.load(ROBOTS / 'two_arms.urdf')
    tips = ['left-hand', 'right-hand']
    node = start.node(ROBOTS / 'two_arms.urdf', tip_links=tips)
    for tip in tips:
        poses = [robot.pose(tip, robot.sample(generator)) for _ in range(10)]
        answer = solve_batch(node, poses, tip_link=tip)
        assert answer.success and answer.tip_link == tip, answer.message
        for pose, positions in zip(poses, rows(answer)):
            assert_reached(robot, positions, tip, pose)


def test_before_a_robot_is_there(start):
    node = start.node(robot=False)
    assert_batch_refused(solve_batch(node, [np.eye(4)] * 2), 2, SolveStatus.NO_ROBOT, 'robot')


def test_streams_and_queries_are_answered_while_a_large_batch_runs(arm, arm_robot, many_poses):
    # With this pick each target takes a hundred attempts, long enough to observe the node meanwhile.
    batch = start_batch(arm, request(many_poses * MANY, pick='nearest', timeout=10.0))
    other = start_batch(arm, request(many_poses[:100]))
    query = arm.service(SolveIK, 'solve_ik').call_async(SolveIK.Request(pose=pose_message(many_poses[0])))
    answered = 0
    while not batch.done():
        pose = many_poses[answered % 100]
        assert_solved(arm, arm_robot, arm.send_pose(pose), 'tool0', pose)
        answered += 0 if batch.done() else 1
    assert answered >= 10 and query.done() and query.result().success
    answer = finish_batch(arm, batch)
    assert answer.success, answer.message
    table = rows(answer)
    assert table == table[:POSES] * MANY, 'different answers for the same target'
    for pose, positions in list(zip(many_poses, table))[::13]:
        assert_reached(arm_robot, positions, 'tool0', pose)
    assert finish_batch(arm, other).success


def test_a_node_that_is_stopped_leaves_its_batch(start):
    node = start.node(ARM_FILE)
    start_batch(node, request([UNSOLVABLE] * 1000, attempts=1_000_000, timeout=0.05))
    query = node.solve_ik(FAR)
    assert query.status.outcome == SolveStatus.OUT_OF_REACH
    node.process.stop()
    assert not node.process.is_alive()
