"""Use of self-motion, and selection among several solutions."""
import json

import pytest
from std_srvs.srv import Trigger

from checks import assert_reached, assert_solved, difference
from client import nanoseconds, posture
from conftest import ARM_FILE
from motion import velocity_limits

POSTURE = {'shoulder_pan_joint': 0.4, 'shoulder_lift_joint': 0.5, 'upper_arm_roll_joint': 0.9, 'elbow_joint': -0.5}
LATENESS = 0.02  # [s]
AS_TEXT = '{' + ', '.join(f'{name}: {value}' for name, value in POSTURE.items()) + '}'


@pytest.fixture
def bent(arm, arm_robot):
    """A configuration away from singularities."""
    target = arm_robot.pose('tool0', {**POSTURE, 'upper_arm_roll_joint': 0.2, 'wrist_flex_joint': 0.7})
    return assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)


def distance(positions):
    """The squared distance from the preferred posture, with 0 for the other joints."""
    return sum((position - POSTURE.get(name, 0.0)) ** 2 for name, position in positions.items())


def test_a_posture_is_approached_without_leaving_the_target(arm, arm_robot, bent):
    target = arm_robot.pose('tool0', bent)
    assert difference(arm.answer_to(arm.send_pose(target)), bent) < 1e-6, 'no motion was needed'
    with arm.changed(posture=AS_TEXT):
        answer = arm.solve_ik(target)
        assert answer.success, answer.message
        optimum = posture(answer.joint_state)
        assert_reached(arm_robot, optimum, 'tool0', target)
        assert distance(optimum) < distance(bent) - 0.1, 'a service gives the optimum at once'
        before = arm.snapshot()
        assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)
        positions = wait_for_the_end_of_the_flow(arm)
        assert distance(positions) < distance(optimum) + 0.01 * (distance(bent) - distance(optimum))
        assert_flows(arm_robot, arm.states_since(before), target)
    assert difference(arm.answer_to(arm.send_pose(target)), positions) < 1e-6, 'without a preference the arm stays'


@pytest.fixture
def slow(start, arm_robot):
    """A node with slow joints, on its way to the posture, and the target that keeps its tip in place."""
    limits = {name: {'has_velocity_limits': True, 'max_velocity': 0.05} for name in arm_robot.movable}
    node = start.node(ARM_FILE, joint_limits=json.dumps({'joint_limits': limits}), posture=AS_TEXT)
    target = arm_robot.pose('tool0', {**POSTURE, 'upper_arm_roll_joint': 0.2, 'wrist_flex_joint': 0.7})
    first = assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)
    node.wait_for(lambda: difference(posture(node.states[-1]), first) > 0.01, 'the self-motion')
    return node, target


def test_a_stop_ends_the_flow(slow):
    node, _ = slow
    assert node.call(Trigger, 'stop').success
    stopped = node.next_posture()
    count = len(node.states) + 10
    node.wait_for(lambda: len(node.states) >= count, 'more states')
    assert difference(posture(node.states[-1]), stopped) == 0.0


def test_a_newer_target_goes_on_from_where_the_arm_has_flowed(slow, arm_robot):
    node, target = slow
    before = node.snapshot()
    for _ in range(20):
        assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)
    assert_flows(arm_robot, node.states_since(before), target, fastest=0.05)


def wait_for_the_end_of_the_flow(node):
    """The joint positions at rest, after ten equal states in a row."""
    def is_at_rest():
        last = [posture(state) for state in list(node.states)[-10:]]
        return len(last) == 10 and all(positions == last[0] for positions in last)

    count = len(node.states) + 10
    node.wait_for(lambda: len(node.states) >= count and is_at_rest(), 'the arm to rest')
    return posture(node.states[-1])


def assert_flows(robot, states, target, fastest=None):
    """Checks that the tip stays at the target in all states, and no joint exceeds its velocity limit."""
    limits = velocity_limits(robot)
    for state in states:
        assert_reached(robot, posture(state), 'tool0', target)
    for before, after in zip(states, states[1:]):
        # A solve uses the time since the previous one, which was published shortly after its start.
        time = (nanoseconds(after.header.stamp) - nanoseconds(before.header.stamp)) / 1e9 + LATENESS
        for name, position in posture(after).items():
            step = abs(position - posture(before)[name])
            assert step <= (fastest or limits[name]) * time, (name, step, time)


def test_a_posture_within_reach_is_reached(arm, arm_robot):
    target = arm_robot.pose('tool0', POSTURE)
    with arm.changed(posture=AS_TEXT):
        assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)
        positions = wait_for_the_end_of_the_flow(arm)
    assert_reached(arm_robot, positions, 'tool0', target)
    assert distance(positions) < 1e-4


def test_a_posture_without_weight_does_nothing(arm, arm_robot, bent):
    with arm.changed(posture=AS_TEXT, null_space__posture=0.0):
        status = arm.send_pose(arm_robot.pose('tool0', bent))
        assert difference(arm.answer_to(status), bent) < 1e-6


@pytest.mark.parametrize('weight', ['null_space__limits', 'null_space__manipulability'])
def test_the_other_weights_need_no_posture(arm, arm_robot, bent, weight):
    target = arm_robot.pose('tool0', bent)
    with arm.changed(**{weight: 1.0}):
        before = arm.snapshot()
        assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)
        positions = wait_for_the_end_of_the_flow(arm)
        assert_flows(arm_robot, arm.states_since(before), target)
    assert difference(positions, bent) > 0.01


def test_a_posture_file_serves_a_start(start, tmp_path):
    file = tmp_path / 'elbow.yaml'
    file.write_text('elbow_joint: -0.5\n')
    node = start.node(ARM_FILE, posture=str(file))
    file.unlink()
    node.set_all(attempts=7)
    assert node.get('posture') == [str(file)]
    assert 'no such file' in node.refusal(posture=str(file) + '.gone.yaml')


def test_the_nearest_of_several_solutions(arm, arm_robot, generator):
    initial = arm.next_posture()
    farther = 0
    for _ in range(5):
        target = arm_robot.pose('tool0', arm_robot.sample(generator))
        moves = {}
        for pick in ('first', 'nearest', 'most_manipulable'):
            answer = arm.solve_ik(target, pick=pick, timeout=10.0)
            assert answer.success, answer.message
            positions = posture(answer.joint_state)
            assert_reached(arm_robot, positions, 'tool0', target)
            moves[pick] = difference(positions, initial)
        assert moves['nearest'] <= moves['first'] + 1e-6, moves
        farther += moves['nearest'] < moves['first'] - 1e-3
        with arm.changed(pick='nearest'):
            answer = arm.solve_ik(target, timeout=10.0)
            assert difference(posture(answer.joint_state), initial) == moves['nearest'], 'the parameter has the same effect'
    assert farther > 0, 'the first solution is not always the nearest'


def test_an_unknown_pick_is_refused(arm, arm_robot):
    answer = arm.solve_ik(arm_robot.pose('tool0', POSTURE), pick='farthest')
    assert not answer.success and not answer.joint_state.name
    for word in ('farthest', 'first', 'nearest', 'most_manipulable'):
        assert word in answer.message, answer.message
