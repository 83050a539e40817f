"""Standing goals: the parameter goals, which comes before targets."""
import json

import numpy as np
from urdf_ik.msg import SolveStatus

from checks import assert_posture
from client import posture
from goals import ROUNDING, TOLERANCE, Judge, text
from kinematics import rotation, translation

ALL_ROTATIONS = ['rx', 'ry', 'rz']


def level(pose, angle):
    """A cone around the direction that the z axis of the tip has at a pose."""
    return {'type': 'cone', 'name': 'level', 'axis': [0, 0, 1], 'direction': pose[:3, 2].tolist(), 'angle': angle}


def tilt(pose, goal):
    direction = np.array(goal['direction'])
    return float(np.arctan2(np.linalg.norm(np.cross(pose[:3, 2], direction)), pose[:3, 2] @ direction))


def test_a_stream_keeps_a_level_cup(arm, arm_robot, generator):
    start = arm_robot.pose('tool0', posture(arm.states[-1])) if arm.states else arm_robot.pose('tool0', {})
    arm.send_pose(start)
    goal = level(start, 0.05)
    met = 0
    with arm.changed(goals=json.dumps([goal]), free_axes=ALL_ROTATIONS):
        for angle in np.linspace(0, 2 * np.pi, 25):
            turned = rotation(generator.normal(size=3) + 1e-9, 0.3)
            target = translation(0.03 * np.sin(angle), 0.03 * (np.cos(angle) - 1), 0.0) @ start @ turned
            status = arm.send_pose(target)
            positions = arm.answer_to(status)
            assert_posture(arm_robot, positions)
            reached = arm_robot.pose('tool0', positions)
            assert tilt(reached, goal) <= goal['angle'] + TOLERANCE + ROUNDING, status.message
            met += np.linalg.norm(reached[:3, 3] - target[:3, 3]) <= TOLERANCE + ROUNDING
    assert met >= 20, met


def test_targets_yield_to_standing_goals(arm, arm_robot):
    start = arm_robot.pose('tool0', {'shoulder_lift_joint': 0.5, 'elbow_joint': 0.8})
    goal = level(start, 0.0)
    with arm.changed(goals=json.dumps(goal)):
        flipped = start @ rotation((1, 0, 0), 1.0)
        status = arm.send_pose(flipped)
        assert status.outcome != SolveStatus.SOLVED
        assert tilt(arm_robot.pose('tool0', arm.answer_to(status)), goal) <= TOLERANCE + ROUNDING, status.message
        answer = arm.solve_ik(flipped)
        assert not answer.success and not answer.goal_violations, answer.message
        assert tilt(arm_robot.pose('tool0', posture(answer.joint_state)), goal) <= TOLERANCE + ROUNDING, answer.message
        request = {'type': 'distance', 'p': start[:3, 3].tolist(), 'upper': 0.01}
        answer = arm.solve_ik(goals=[text(request)], free_axes=[True] * 6)
        positions = posture(answer.joint_state)
        assert answer.success and len(answer.goal_violations) == 1, answer.message
        assert Judge(arm_robot, 'tool0').violation(request, positions) <= TOLERANCE + ROUNDING
        assert tilt(arm_robot.pose('tool0', positions), goal) <= TOLERANCE + ROUNDING


def test_bad_standing_goals_change_nothing(arm):
    for value, words in [
        ('[{type: cone}]', "goal 1 ('cone'): the field 'axis' is missing"),
        ('{type: position, link: nobody}', "there is no link 'nobody'"),
        ('{type: position, p: [.nan, 0, 0]}', 'goals'),
        ('[', 'goals'),
    ]:
        assert words in arm.refusal(goals=value)
        assert arm.get('goals') == [''], 'the goals are unchanged'
    with arm.changed(goals='{type: position}'):
        assert "the solver 'fabrik' takes poses alone" in arm.refusal(solver='fabrik')
