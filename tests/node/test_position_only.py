"""Arms of four and five joints: with `on_unreachable: position` the position is reached, and the orientation as closely as possible."""
import math

import numpy as np
import pytest
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolveIKBatch

from checks import assert_posture
from client import pose_message, posture
from conftest import ROBOTS, ROOT
from handle_client import HandleClient
from kinematics import Robot, rotation, translation

SO101_FILE = ROOT / 'tests' / 'data' / 'robots' / 'so101.urdf'
SCARA_FILE = ROOT / 'tests' / 'data' / 'urdf' / 'scara.urdf'
TIP = 'gripper_frame_link'


@pytest.fixture(scope='module')
def so101_robot():
    return Robot.load(SO101_FILE)


@pytest.fixture
def so101(start):
    return start.node(SO101_FILE, tip_links=[TIP], on_unreachable='position')


def angle_between(a, b):
    return math.acos(np.clip((np.trace(a[:3, :3].T @ b[:3, :3]) - 1) / 2, -1, 1))


def turned(pose, angle):
    """The pose, rotated in place about the base's vertical axis."""
    return translation(*pose[:3, 3]) @ rotation((0, 0, 1), angle) @ translation(*-pose[:3, 3]) @ pose


def beyond(robot, generator):
    """A pose with a reachable position, but a largely unreachable orientation."""
    return turned(robot.pose(TIP, robot.sample(generator)), generator.uniform(0.5, 2.5))


def assert_at_position(robot, positions, target, orientation_error, tip=TIP):
    assert_posture(robot, positions)
    reached = robot.pose(tip, positions)
    assert np.linalg.norm(reached[:3, 3] - target[:3, 3]) <= 1.001e-5
    assert angle_between(reached, target) == pytest.approx(orientation_error, abs=1e-6)


def test_targets_move_the_arm_to_the_position(so101, so101_robot, generator):
    for _ in range(10):
        target = beyond(so101_robot, generator)
        status = so101.send_pose(target)
        assert status.outcome == SolveStatus.POSITION_ONLY, status.message
        assert f'{status.orientation_error:.4f} rad' in status.message and status.orientation_error > 1e-3
        assert_at_position(so101_robot, so101.answer_to(status), target, status.orientation_error)
    met = so101_robot.pose(TIP, so101_robot.sample(generator))
    assert so101.send_pose(met).outcome == SolveStatus.SOLVED
    assert so101.send_pose(translation(2, 0, 0)).outcome == SolveStatus.OUT_OF_REACH


def test_nothing_is_said_of_free_axes(so101):
    so101.process.wait_for_output('with the joints')
    so101.send_pose(translation(0.2, 0, 0.1))
    assert not so101.process.lines_with('can follow')


def test_a_stream_holds_the_position_without_a_jump(so101, so101_robot):
    start = so101_robot.pose(TIP, posture(so101.next_state()))
    before = None
    with so101.changed(branch_jumps=False):
        for angle in np.linspace(0, 1.5, 60):
            status = so101.send_pose(turned(start, angle))
            positions = so101.answer_to(status)
            assert status.outcome in (SolveStatus.SOLVED, SolveStatus.POSITION_ONLY), status.message
            assert np.linalg.norm(so101_robot.pose(TIP, positions)[:3, 3] - start[:3, 3]) <= 1.001e-5
            if before is not None:
                assert max(abs(positions[name] - before[name]) for name in positions) < 0.3
            before = positions


def test_a_drag_moves_the_whole_pose(so101, so101_robot, generator):
    handle = HandleClient(so101).connect()
    target = beyond(so101_robot, generator)
    status = so101.status_of(handle.drag([target], TIP)[-1])
    assert status.outcome == SolveStatus.POSITION_ONLY, status.message
    assert_at_position(so101_robot, so101.answer_to(status), target, status.orientation_error)
    so101.wait_for(lambda: handle.text(TIP).startswith('position only'), 'the reason')


def test_a_drag_of_an_arm_in_a_plane_leaves_the_plane_free(start):
    file = ROBOTS / 'planar.urdf'
    node, robot = start.node(file, on_unreachable='position'), Robot.load(file)
    handle = HandleClient(node).connect()
    target = robot.pose('tip', {'shoulder': 0.4, 'elbow': 0.3})
    status = node.status_of(handle.drag([translation(0, 0, 0.1) @ turned(target, 0.5)], 'tip')[-1])
    assert status.outcome == SolveStatus.POSITION_ONLY, status.message
    assert np.allclose(robot.pose('tip', node.answer_to(status))[:3, 3], target[:3, 3], atol=2e-5)


def test_requests_say_what_they_want(so101, so101_robot, generator):
    target = beyond(so101_robot, generator)
    answer = so101.solve_ik(target)
    assert not answer.success and answer.status.outcome == SolveStatus.POSITION_ONLY, answer.message
    assert_at_position(so101_robot, posture(answer.joint_state), target, answer.status.orientation_error)
    closest = so101.solve_ik(target, on_unreachable='closest')
    assert not closest.success and closest.status.outcome != SolveStatus.POSITION_ONLY
    assert closest.joint_state.name and closest.status.position_error > 1e-5
    held = so101.solve_ik(target, on_unreachable='hold')
    assert not held.success and not held.joint_state.name and held.status.outcome == closest.status.outcome
    refused = so101.solve_ik(target, on_unreachable='jump')
    assert refused.status.outcome == SolveStatus.INVALID
    for word in ('jump', 'closest', 'position', 'hold'):
        assert word in refused.message


def test_batches_say_what_they_want(so101, so101_robot, generator):
    met, missed = so101_robot.pose(TIP, so101_robot.sample(generator)), beyond(so101_robot, generator)
    poses = [pose_message(pose).pose for pose in (met, missed)]
    answer = so101.call(SolveIKBatch, 'solve_ik_batch', poses=poses)
    assert list(answer.outcomes) == [SolveStatus.SOLVED, SolveStatus.POSITION_ONLY], answer.message
    assert not answer.success and (answer.solved, answer.not_met) == (1, 1)
    rows = np.reshape(answer.positions, (2, -1))
    assert_at_position(so101_robot, dict(zip(answer.joint_names, rows[1])), missed, answer.orientation_errors[1])
    held = so101.call(SolveIKBatch, 'solve_ik_batch', poses=poses, on_unreachable='hold')
    rows = np.reshape(held.positions, (2, -1))
    assert np.isfinite(rows[0]).all() and np.isnan(rows[1]).all() and held.outcomes[1] != SolveStatus.POSITION_ONLY
    assert so101.call(SolveIKBatch, 'solve_ik_batch', poses=poses, on_unreachable='x').refused == 2


def test_a_vertical_tool_keeps_the_angle_of_its_tilt(start, generator):
    robot = Robot.load(SCARA_FILE)
    node = start.node(SCARA_FILE, on_unreachable='position')
    for _ in range(5):
        tilt = generator.uniform(0.2, 1.2)
        reached = robot.pose('tool', robot.sample(generator))
        status = node.send_pose(reached @ rotation((1, 0, 0), tilt))
        assert status.outcome == SolveStatus.POSITION_ONLY, status.message
        assert status.orientation_error == pytest.approx(tilt, abs=1e-5)
