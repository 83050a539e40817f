"""Invalid goals are refused by name."""
import pytest
from urdf_ik.msg import SolveStatus

from goals import text
from test_batch import solve_batch
from test_goals import LEVEL, NO_POSE, assert_met, assert_refused, judge, solve  # noqa: F401


def cone(**fields):
    return text({**LEVEL, 'name': 'cup', **fields})


# Each letter is a list of ten of the previous letter.
LAUGHS = '{a: &a [0], ' + ', '.join(f'{one}: &{one} [{", ".join([f"*{other}"] * 10)}]' for other, one in zip('abcdefgh', 'bcdefghi')) + '}'
BAD = [
    ({'type': 'magic'}, ['magic', 'position', 'cone']),
    ({'axis': [0, 0, 1]}, ['type']),
    (cone(link='claw'), ['cup', 'claw', 'hand_link']),
    (cone(axis=[0, 0, 0]), ['cup', 'axis']),
    (cone(angle=4), ['cup', 'angle', '4']),
    (cone(weight=0), ['cup', 'weight']),
    (cone(weight=-1), ['cup', 'weight']),
    (cone(frame='tool0'), ['cup', 'link', 'frame']),
    (cone(colour='red'), ['cup', 'colour', 'axis']),
    ('{type: cone, axis: [0, 0, 1], direction: [0, 0, 1], angle: .nan}', ['NaN']),
    ('{type: position, lower: [.inf, 0, 0]}', ['inf']),
    ({'type': 'position', 'lower': [1, 0, 0], 'upper': [0, 0, 0]}, ['position', '1', '0']),
    ({'type': 'position', 'lower': [0, 0]}, ['position', 'lower']),
    ({'type': 'joints', 'coefficients': {'knee': 1}}, ['joints', 'knee']),
    ('level', ['object']), ('', ['object']), ('[1, 2]', ['object']), ('{type: cone', ['line']),
    ('{type: cone, type: gaze}', ['duplicate']),
    (LAUGHS, ['repetition']), ('x' * 70_000, ['bytes']), ('[' * 5000, ['brackets']), ('{type: ' + 'x' * 5000 + '}', ['no goal of type']),
]


@pytest.mark.parametrize('goal, words', BAD)
def test_goals_that_make_no_sense_are_refused_by_name(arm, arm_robot, goal, words):
    goal = goal if isinstance(goal, str) else text(goal)
    assert_refused(arm.solve_ik(goals=[cone(), goal], **NO_POSE), 'goal 2' if 'bytes' not in words else 'goals', *words)
    pose = arm_robot.pose('tool0', {})
    assert_refused(arm.solve_ik(pose, goals=[goal]), *words)
    batch = solve_batch(arm, [pose] * 2, goals=[cone(), goal])
    assert batch.refused == 2 and not batch.joint_names and not batch.goal_violations
    assert all(word in batch.message for word in words), batch.message


def test_the_number_of_goals_is_bounded(arm, judge):
    goals = [{'type': 'position', 'lower': [None, None, -1.0]}] * 100
    assert_met(judge, solve(arm, *goals), goals)
    assert_refused(solve(arm, *goals * 10), '1000', '100')


def test_an_unknown_frame_is_named(arm):
    with arm.changed(transform_timeout=0.0):
        answer = solve(arm, LEVEL, {**LEVEL, 'frame': 'nowhere'})
    assert_refused(answer, 'goal 2', 'nowhere', outcome=SolveStatus.UNKNOWN_FRAME)
