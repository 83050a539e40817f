"""Standing goals: the parameter goals, which has priority over targets."""
import json

import numpy as np
from urdf_ik.msg import SolveStatus

from checks import assert_posture, assert_reached
from client import faulty, posture
from goals import ROUNDING, TOLERANCE, Judge, text
from kinematics import rotation, translation
from servo_client import start_servo, twist
from test_batch import rows, solve_batch

ALL_ROTATIONS = ['rx', 'ry', 'rz']


def level(pose, angle):
    """A cone around the direction of the tip's z axis at a pose."""
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
        assert status.outcome == SolveStatus.GOAL_CONFLICT and "goal 'level' excludes" in status.message, status.message
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


def test_the_goal_that_excludes_a_target_is_named_without_branch_jumps(arm, arm_robot):
    start = arm_robot.pose('tool0', {'shoulder_lift_joint': 0.5, 'elbow_joint': 0.8})
    with arm.changed(goals=json.dumps(level(start, 0.0)), branch_jumps=False):
        status = arm.send_pose(start @ rotation((1, 0, 0), 1.0))
        assert status.outcome == SolveStatus.GOAL_CONFLICT and "goal 'level' excludes" in status.message, status.message


def test_targets_of_a_batch_keep_standing_goals(arm, arm_robot, generator):
    samples = [arm_robot.sample(generator) for _ in range(20)]
    heights = [float(arm_robot.pose('elbow_link', sample)[2, 3]) for sample in samples]
    elbow = {'type': 'position', 'name': 'elbow', 'link': 'elbow_link', 'lower': [None, None, min(heights)]}
    poses = [arm_robot.pose('tool0', sample) for sample in samples]
    with arm.changed(goals=json.dumps(elbow)):
        answer = solve_batch(arm, poses, timeout=30.0)
    assert answer.success and not answer.goal_violations, answer.message
    for row, pose in zip(rows(answer), poses):
        assert Judge(arm_robot).violation(elbow, row) <= TOLERANCE + ROUNDING
        assert_reached(arm_robot, row, 'tool0', pose)


def test_standing_goals_refer_to_the_tool_of_the_parameter(arm, arm_robot, generator):
    tool = translation(0, 0, 0.2)
    place = (arm_robot.pose('tool0', arm_robot.sample(generator)) @ tool)[:3, 3].tolist()
    standing = {'type': 'distance', 'name': 'near', 'p': place, 'upper': 0.01}
    request = {'type': 'cone', 'axis': [0, 0, 1], 'direction': [0, 0, 1], 'angle': 3.1}
    with arm.changed(tool='{tool0: {p: [0, 0, 0.2]}}', goals=json.dumps(standing)):
        for tools in ([], [faulty(np.eye(4))]):
            answer = arm.solve_ik(goals=[text(request)], free_axes=[True] * 6, tools=tools, timeout=30.0)
            assert answer.success, answer.message
            measured = Judge(arm_robot).violation({**standing, 'point': [0, 0, 0.2]}, posture(answer.joint_state))
            assert measured <= TOLERANCE + ROUNDING


def test_bad_standing_goals_change_nothing(arm):
    for value, words in [
        ('[{type: cone}]', "goal 1 ('cone'): the field 'axis' is missing"),
        ('{type: position, link: nobody}', "there is no link 'nobody'"),
        ('{type: position, p: [.nan, 0, 0]}', 'goals'),
        ('[', 'goals'),
    ]:
        assert words in arm.refusal(goals=value)
        assert arm.get('goals') == [''], 'the goals are unchanged'


def test_the_servo_keeps_a_level_cup(start, arm_robot):
    servo = start_servo(start)
    node = servo.node
    home = arm_robot.pose('tool0', node.next_posture())
    goal = level(home, 0.05)
    node.set_all(goals=json.dumps([goal]))
    before, since = node.snapshot(), len(servo.statuses)
    servo.stream_for(150, lambda _: twist(linear=(0, 0.05, 0), angular=(0.4, 0.2, 0)))
    poses = [arm_robot.pose('tool0', posture(state)) for state in node.states_since(before)]
    assert max(tilt(pose, goal) for pose in poses) <= goal['angle'] + np.radians(0.01)
    assert poses[-1][1, 3] > home[1, 3] + 0.02
    assert any("the goal 'level' is at its bound" in status.message for status in servo.statuses[since:])
