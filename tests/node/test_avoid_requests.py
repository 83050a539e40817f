"""Queries and paths with collision avoidance by parameter or request."""
import numpy as np
import pytest
from geometry_msgs.msg import PoseArray
from sensor_msgs.msg import JointState
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolveIK, SolveIKBatch, SolvePath

from checks import assert_reached
from client import pose_message, posture
from motion import assert_smooth
from solids import BESIDE, MARGIN, MOVING, ROBOT, ROUNDING, Ball, aside, home, start_arm
from world import change

RATE = 100.0
INSIDE = aside(BESIDE.centre[1])  # the hand would be in the ball


@pytest.fixture(scope='module')
def shared_world(module_start):
    return start_arm(module_start, BESIDE, avoid_collisions=False, publish_rate=RATE)


@pytest.fixture
def node(shared_world):
    shared_world.client.reset()
    return shared_world.client


def poses(*matrices):
    return [pose_message(matrix).pose for matrix in matrices]


def rows(answer):
    """The rows of a trajectory as configurations."""
    return [dict(zip(answer.trajectory.joint_names, point.positions)) for point in answer.trajectory.points]


def test_a_query_keeps_clear_if_it_asks_for_it(node):
    free = [False] * 5 + [True]
    for choice in ('', 'off'):
        answer = node.solve_ik(INSIDE, avoid_collisions=choice)
        assert answer.success and BESIDE.nearest(posture(answer.joint_state)) < 0, answer.message
    refused = node.solve_ik(INSIDE, avoid_collisions='on')
    assert not refused.success
    # Half a metre to the left the hand is beside the ball, and only some configurations are clear.
    solved = node.solve_ik(aside(0.45), avoid_collisions='on', free_axes=free)
    assert solved.success, solved.message
    assert BESIDE.nearest(posture(solved.joint_state)) >= MARGIN - ROUNDING
    with node.changed(avoid_collisions=True, collision_margin=0.05):
        assert not node.solve_ik(INSIDE).success
        assert node.solve_ik(INSIDE, avoid_collisions='off').success
        wide = node.solve_ik(aside(0.45), free_axes=free)
        assert not wide.success or BESIDE.nearest(posture(wide.joint_state)) >= 0.05 - ROUNDING


def test_all_solutions_keep_clear(node):
    answer = node.solve_ik(aside(0.05), avoid_collisions='on', all_solutions=True)
    assert answer.success and answer.all_joint_states
    for state in answer.all_joint_states:
        assert BESIDE.nearest(posture(state)) >= MARGIN - ROUNDING


def test_a_batch_is_as_single_queries(node):
    targets = [INSIDE, *(aside(y) for y in np.linspace(-0.2, 0.4, 20))]
    answer = node.call(SolveIKBatch, 'solve_ik_batch', poses=poses(*targets), avoid_collisions='on')
    assert answer.refused == answer.skipped == 0 and 0 < answer.solved < len(targets), answer.message
    joints = len(answer.joint_names)
    for index, target in enumerate(targets):
        row = list(answer.positions[index * joints:][:joints])
        single = node.solve_ik(target, avoid_collisions='on')
        assert row == list(single.joint_state.position) and answer.outcomes[index] == single.status.outcome
        if single.success:
            assert_reached(ROBOT, posture(single.joint_state), 'tool0', target)
            assert BESIDE.nearest(posture(single.joint_state)) >= MARGIN - ROUNDING


@pytest.mark.parametrize('service, fields', [
    (SolveIK, {'pose': pose_message(home())}), (SolveIKBatch, {'poses': poses(home())}), (SolvePath, {'poses': poses(home())})])
@pytest.mark.parametrize('given', ['maybe', 'ON', 'x' * 10_000])
def test_other_words_are_refused(node, service, fields, given):
    name = {SolveIK: 'solve_ik', SolveIKBatch: 'solve_ik_batch', SolvePath: 'solve_path'}[service]
    answer = node.call(service, name, avoid_collisions=given, **fields)
    assert not answer.success and len(answer.message) < 1000
    assert "avoid_collisions is '" in answer.message and "'on', 'off'" in answer.message


def test_a_path_ends_before_the_ball(node):
    through = node.call(SolvePath, 'solve_path', poses=poses(INSIDE))
    assert through.success, through.message
    answer = node.call(SolvePath, 'solve_path', poses=poses(INSIDE), avoid_collisions='on')
    assert answer.outcome == SolveStatus.COLLISION and not answer.success
    assert 0.1 < answer.fraction < 0.9 and "obstacle 'ball'" in answer.message, answer.message
    assert MARGIN / 2 < BESIDE.assert_clear(rows(answer)) < 2 * MARGIN


def test_a_clear_path_is_the_same_path(node):
    away = poses(aside(-0.2))
    one, other = (node.call(SolvePath, 'solve_path', poses=away, avoid_collisions=choice) for choice in ('on', 'off'))
    assert one.success and rows(one) == rows(other)


def test_a_path_that_begins_in_contact_leads_away(node):
    start = node.solve_ik(aside(0.12), avoid_collisions='off').joint_state
    assert BESIDE.nearest(posture(start)) < MARGIN
    fields = {'start': JointState(name=start.name, position=start.position), 'avoid_collisions': 'on'}
    away = node.call(SolvePath, 'solve_path', poses=poses(home()), **fields)
    assert away.success, away.message


def test_the_arm_follows_a_path_until_something_comes(start):
    there, here = Ball((0, 0, 3), 0.08), Ball((0.5, 0.25, 0.4), 0.08)
    # Slow, so that a busy machine can place the obstacle in time.
    world = start_arm(start, there, publish_rate=RATE, path__speed=0.04)
    node = world.client
    path = PoseArray(poses=poses(aside(0.3)))
    path.header.stamp = node.new_stamp()
    before = node.snapshot()
    node.wait_until_heard(node.publisher(PoseArray, f'{node.name}/target_path')).publish(path)
    first = node.status_of(path.header.stamp)
    assert first.outcome == SolveStatus.STEP_LIMITED, first.message
    world.make(change('move', 'ball', here.centre))
    end = node.status_of(path.header.stamp, SolveStatus.COLLISION)
    assert 'ball' in end.nearest and end.position_error > 0.01
    states = [state for state in node.states_since(before) if len(state.velocity)]
    assert_smooth(states, ROBOT, 1 / RATE)
    here.assert_passed(states, 1 / RATE, **MOVING)
    assert here.nearest(node.next_posture()) >= MARGIN - ROUNDING


def test_a_path_is_followed_as_far_as_it_is_clear(start):
    node = start_arm(start, BESIDE, publish_rate=RATE, path__partial=True).client
    path = PoseArray(poses=poses(INSIDE))
    path.header.stamp = node.new_stamp()
    node.wait_until_heard(node.publisher(PoseArray, f'{node.name}/target_path')).publish(path)
    end = node.status_of(path.header.stamp, SolveStatus.COLLISION)
    assert "obstacle 'ball'" in end.message, end.message
    assert MARGIN - ROUNDING <= BESIDE.nearest(node.answer_to(end)) < 2 * MARGIN
