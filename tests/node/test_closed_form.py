"""The closed form in the node, and its refusal for unsuitable arms."""
import math

import numpy as np
import pytest
from urdf_ik.msg import SolveStatus

from checks import assert_reached, assert_solved
from client import posture
from conftest import ROBOTS, ROOT
from kinematics import Robot, errors, rotation, translation
from process import ros_arguments

ARM6_FILE = ROOT / 'urdf' / 'arm6.urdf'


@pytest.fixture(scope='module')
def robot():
    return Robot.load(ARM6_FILE)


@pytest.fixture(scope='module')
def node(module_start):
    return module_start.node(ARM6_FILE, solver='closed_form', position_tolerance=1e-9, orientation_tolerance=1e-9)


def test_targets_are_met_to_a_nanometre(node, robot, generator):
    for _ in range(50):
        target = robot.pose('tool0', robot.sample(generator))
        status = node.send_pose(target)
        assert status.solver == 'closed_form'
        assert_solved(node, robot, status, 'tool0', target)
        distance, angle = errors(robot.pose('tool0', node.answer_to(status)), target)
        assert distance <= 1e-9 and angle <= 1e-7  # limited by the rounding of the matrix


def test_queries_are_answered_in_closed_form(node, robot, generator):
    for _ in range(20):
        target = robot.pose('tool0', robot.sample(generator))
        answer = node.solve_ik(target)
        assert answer.success and answer.status.solver == 'closed_form', answer.message
        assert_reached(robot, posture(answer.joint_state), 'tool0', target)
    far = node.solve_ik(translation(3, 0, 0))
    assert not far.success and far.status.outcome == SolveStatus.OUT_OF_REACH


def test_a_query_can_ask_for_all_solutions(node, arm, arm_robot, robot, generator):
    for _ in range(20):
        sample = robot.sample(generator)
        target = robot.pose('tool0', sample)
        answer = node.solve_ik(target, all_solutions=True)
        found = [posture(state) for state in answer.all_joint_states]
        assert 1 <= len(found) <= 8
        for positions in found:
            assert_reached(robot, positions, 'tool0', target)
        # Apart from revolutions of the last joint, the configuration that produced the target is among the solutions.
        assert min(max(abs(math.remainder(positions[name] - sample[name], math.tau)) for name in sample)
                   for positions in found) < 1e-6
        assert not node.solve_ik(target).all_joint_states
    assert not node.solve_ik(translation(3, 0, 0), all_solutions=True).all_joint_states
    # A search finds many solutions for a seven-joint arm.
    target = arm_robot.pose('tool0', arm_robot.sample(generator))
    many = arm.solve_ik(target, all_solutions=True)
    assert len(many.all_joint_states) > 1
    for state in many.all_joint_states:
        assert_reached(arm_robot, posture(state), 'tool0', target)


def test_a_query_can_ask_for_every_revolution(node, robot, generator):
    sample = robot.sample(generator)
    target = robot.pose('tool0', sample)
    once = node.solve_ik(target, all_solutions=True)
    assert once.turns_count == 0
    every = node.solve_ik(target, all_solutions=True, max_turns=10_000)
    assert len(every.all_joint_states) == every.turns_count > len(once.all_joint_states)
    found = [posture(state) for state in every.all_joint_states]
    for positions in found:
        assert_reached(robot, positions, 'tool0', target)
    assert len({tuple(np.round(list(positions.values()), 6)) for positions in found}) == len(found)
    few = node.solve_ik(target, all_solutions=True, max_turns=2)
    assert few.turns_count == every.turns_count
    assert [posture(state) for state in few.all_joint_states] == found[:2]


def test_a_query_can_ask_for_it(start, robot, generator):
    node = start.node(ARM6_FILE)
    target = robot.pose('tool0', robot.sample(generator))
    answer = node.solve_ik(target, solver='closed_form')
    assert answer.success and answer.status.solver == 'closed_form', answer.message
    node.set_all(solver='closed_form')
    assert node.send_pose(target).solver == 'closed_form'


def test_an_arm_of_five_joints_points_its_tool(start, generator):
    file = ROOT / 'tests' / 'data' / 'urdf' / 'arm5.urdf'
    robot = Robot.load(file)
    node = start.node(file, solver='closed_form', free_axes=['rz'], position_tolerance=1e-9, orientation_tolerance=1e-9)
    for _ in range(10):
        target = robot.pose('tool', robot.sample(generator))
        target = target @ rotation((0, 0, 1), generator.uniform(-math.pi, math.pi))
        answer = node.solve_ik(target)
        assert answer.success and answer.status.iterations == 0, answer.message
        status = node.send_pose(target)
        assert status.outcome == SolveStatus.SOLVED, status.message
        reached = robot.pose('tool', node.answer_to(status))
        assert np.linalg.norm(reached[:3, 3] - target[:3, 3]) < 2e-9
        assert np.linalg.norm(np.cross(reached[:3, 2], target[:3, 2])) < 2e-9


def test_two_links_in_a_plane_have_two_elbows(start):
    node = start.node(ROBOTS / 'planar.urdf', solver='closed_form', free_axes=['rx', 'ry', 'rz'])
    answer = node.solve_ik(translation(0.5, 0.5, 0), all_solutions=True)
    assert answer.success and answer.status.iterations == 0, answer.message
    found = sorted((state['shoulder'], state['elbow']) for state in map(posture, answer.all_joint_states))
    right = math.pi / 2
    assert np.allclose(found, [(0, right), (right, -right)], atol=1e-9)
    assert not node.solve_ik(translation(0.5, 0.5, 0.1)).success, 'not in the plane'


def test_a_chain_without_one_is_told(start):
    sliding = ROOT / 'tests' / 'data' / 'urdf' / 'mixed_joints.urdf'
    node = start.node(sliding)
    answer = node.solve_ik(translation(0.1, 0, 0), solver='closed_form')
    assert not answer.success and answer.status.outcome == SolveStatus.INVALID
    assert 'closed form' in answer.message, answer.message
    assert 'closed form' in node.refusal(solver='closed_form')
    assert node.get('solver') == ['jacobian']
    other = start.run(*ros_arguments('/sliding', {'urdf_file': str(sliding), 'solver': 'closed_form'}, {}))
    assert other.wait() == 1 and 'no closed form' in other.output(), other.output()
