"""Long arms written by `urdf_ik generate`."""
import subprocess

import pytest
from urdf_ik.msg import SolveStatus

from checks import assert_honest, assert_posture, assert_reached, assert_solved
from client import posture
from kinematics import Robot, translation
from process import executable

TIP = 'tip_link'
BEND = 2.0  # [rad] maximum sum of bends of all hinges about one axis in a smooth configuration


def generate(folder, segments, *options):
    """The URDF file of a noodle, from the command line installed with the node."""
    file = folder / f'noodle{segments}.urdf'
    command_line = executable('urdf_ik')
    subprocess.run([command_line, 'generate', '--segments', str(segments), '--output', file, *options], check=True)
    return file


def smooth(robot, generator):
    """A configuration with a small bend at every joint."""
    bends = generator.uniform(-BEND, BEND, 2)
    return {name: 2 * bends[index % 2] / len(robot.movable) for index, name in enumerate(robot.movable)}


@pytest.mark.parametrize('solver', ['jacobian', 'fabrik'])
@pytest.mark.parametrize('segments, options', [
    (100, ()), (100, ('--joints', 'ball')), (1000, ('--limit', '0.5')), (1000, ('--joints', 'ball', '--length', '20'))])
def test_targets_are_met(start, tmp_path, generator, segments, options, solver):
    file = generate(tmp_path, segments, *options)
    robot = Robot.load(file)
    assert len(robot.movable) == segments * (3 if 'ball' in options else 1)
    node = start.node(file, solver=solver)
    assert_posture(robot, node.next_posture())
    for _ in range(3):
        target = robot.pose(TIP, smooth(robot, generator))
        assert_solved(node, robot, node.send_pose(target), TIP, target)
        target = robot.pose(TIP, robot.sample(generator))
        answer = node.solve_ik(target)
        assert answer.success, answer.message
        assert answer.status.solver == solver
        assert_reached(robot, posture(answer.joint_state), TIP, target)
        assert_honest(answer.status, robot, posture(answer.joint_state), TIP, target)


@pytest.mark.parametrize('segments', [100, 1000])
def test_a_stream_of_points_is_followed(start, tmp_path, segments):
    """Consecutive published states differ little: the noodle does not jump."""
    file = generate(tmp_path, segments)
    robot = Robot.load(file)
    node = start.node(file)
    before = None
    for step in range(20):
        place = translation(0.3 + 0.01 * step, 0.2, 0.5)
        status = node.send_point(place[:3, 3])
        assert status.outcome == SolveStatus.SOLVED, status.message
        positions = node.answer_to(status)
        assert_posture(robot, positions)
        assert abs(robot.pose(TIP, positions)[:3, 3] - place[:3, 3]).max() < 1e-5
        if before:
            moved = max(abs(positions[name] - before[name]) for name in positions)
            assert moved < 0.1, f'{moved} rad in step {step}'
        before = positions


def test_out_of_reach_it_stretches(start, tmp_path):
    file = generate(tmp_path, 1000)
    robot = Robot.load(file)
    node = start.node(file)
    target = translation(1.2, 0.9, 0.0)
    status = node.send_point(target[:3, 3])
    assert status.outcome == SolveStatus.OUT_OF_REACH, status.message
    positions = node.answer_to(status)
    assert_posture(robot, positions)
    reached = robot.pose(TIP, positions)[:3, 3]
    assert abs(status.position_error - sum((reached - target[:3, 3]) ** 2) ** 0.5) < 1e-9
    assert status.position_error < 0.51, 'on a straight line half a metre would remain'
