"""Standing goals: the service change_goals, and the topic goals with their states."""
import json
import math

import numpy as np
import pytest
from rcl_interfaces.msg import ParameterEvent
from rclpy.qos import qos_profile_parameter_events
from urdf_ik.msg import Goals, SolveStatus
from urdf_ik.srv import ChangeGoals

from client import LATCHED, python_value, transform_message
from conftest import ARM_FILE
from goals import ROUNDING, TOLERANCE, Judge
from kinematics import rotation, translation

ALL_ROTATIONS = ['rx', 'ry', 'rz']
LEVEL = {'type': 'cone', 'name': 'level', 'axis': [0, 0, 1], 'direction': [0, 0, 1], 'angle': 0.3}
LOW = {'type': 'position', 'name': 'low', 'upper': [None, None, 2.0]}


def change(node, *added, **fields):
    """Calls change_goals; text is sent unchanged."""
    goals = added[0] if added and isinstance(added[0], str) else json.dumps(added) if added else ''
    return node.call(ChangeGoals, 'change_goals', goals=goals, **fields)


def changed(node, *added, **fields):
    """The goals in force after a change that must be accepted."""
    answer = change(node, *added, **fields)
    assert answer.success and not answer.message, answer.message
    goals = json.loads(answer.goals)
    (parameter,) = node.get('goals')
    assert goals == (json.loads(parameter) if parameter else [])
    return goals


class Shown:
    """The messages of ~/goals."""

    def __init__(self, node):
        self.node, self.messages = node, node.subscribe(Goals, f'{node.name}/goals', [], LATCHED)

    def wait_for(self, *goals, **states):
        """The states of exactly these goals by name; with `is_met`, once all of them have this state."""
        def found():
            if not self.messages:
                return None
            shown = self.messages[-1].goals
            fits = [json.loads(state.definition) for state in shown] == list(goals)
            fits = fits and all(getattr(state, name) == value for state in shown for name, value in states.items())
            return {state.name: state for state in shown} if fits else None
        return self.node.wait_for(lambda: found() is not None, f'{goals} to be published') and found()


@pytest.fixture(scope='module')
def shared_shown(shared_arm):
    return Shown(shared_arm)


@pytest.fixture
def shown(arm, shared_shown):
    """The message of a node without standing goals."""
    changed(arm, clear=True)
    shared_shown.wait_for()
    yield shared_shown
    changed(arm, clear=True)


def test_goals_are_added_replaced_and_removed(arm, shown):
    events = arm.subscribe(ParameterEvent, '/parameter_events', [], qos_profile_parameter_events)
    assert changed(arm, LEVEL, LOW) == [LEVEL, LOW]
    states = shown.wait_for(LEVEL, LOW)
    assert [(state.type, state.unit) for state in states.values()] == [('cone', 'rad'), ('position', 'm')]
    assert shown.messages[-1].header.frame_id == 'base_link'
    wide = {**LEVEL, 'angle': 1e-5}
    assert changed(arm, wide) == [wide, LOW]
    assert changed(arm, '{type: position, name: low, upper: [null, null, 2.0]}') == [wide, LOW]
    assert changed(arm, remove=['low']) == [wide]
    assert changed(arm, LOW, LEVEL, remove=['level']) == [LOW, LEVEL]
    assert changed(arm, wide, clear=True) == [wide]
    shown.wait_for(wide)
    assert changed(arm, clear=True) == []
    assert arm.get('goals') == ['']
    shown.wait_for()

    def announced():
        values = [python_value(one.value) for event in events if event.node == arm.name for one in event.changed_parameters]
        return len(values) == 7 and values[-1] == ''
    arm.wait_for(announced, 'parameter events')


def test_a_goal_without_a_name_has_that_of_its_type(arm, shown):
    bare = {name: value for name, value in LEVEL.items() if name != 'name'}
    named = [{**bare, 'name': 'cone'}, {**bare, 'name': 'cone 2'}]
    assert changed(arm, bare) == named[:1]
    assert changed(arm, bare, bare) == named
    assert changed(arm, remove=['cone']) == named[1:], 'the other goal keeps its name'
    with arm.changed(goals=json.dumps([bare, bare])):
        assert list(shown.wait_for(bare, bare)) == ['cone', 'cone 2']
        assert changed(arm, remove=['cone 2']) == named[:1]


BAD = [
    ([{**LEVEL, 'axis': [0, 0, 0]}], {}, ['level', 'axis']),
    ([LOW, {**LEVEL, 'link': 'claw'}], {}, ['goal 2', 'level', 'claw', 'hand_link']),
    ([{**LOW, 'lower': [0, 0, 3]}], {}, ['low', 'no value lies between 3 and 2']),
    (['{type: position, name: low, p: [.nan, 0, 0]}'], {}, ['NaN']),
    ([{'type': 'center_of_mass'}], {}, ['center_of_mass', 'masses']),
    ([{'type': 'magic'}], {}, ['magic', 'position', 'cone']),
    ([{**LEVEL, 'frame': 'nowhere'}], {}, ['goal 1', 'nowhere']),
    ([LOW] * 101, {}, ['101', '100']),
    ([{**LOW, 'name': str(number)} for number in range(100)], {}, ['101', '100']),
    (['[{type: cone'], {}, ['list of goals']),
    ([], {'remove': ['high']}, ["'high'", 'level']),
    ([LOW], {'remove': ['level', 'level']}, ["'level'", 'no goal']),
    ([LOW], {'remove': ['level'], 'clear': True}, ["'level'", 'no goal']),
]


@pytest.mark.parametrize('added, fields, words', BAD)
def test_a_change_that_makes_no_sense_is_refused_without_side_effects(arm, shown, added, fields, words):
    changed(arm, LEVEL)
    shown.wait_for(LEVEL)
    parameter, count = arm.get('goals'), len(shown.messages)
    with arm.changed(transform_timeout=0.0):
        answer = change(arm, *added, **fields)
        assert not answer.success and not answer.goals
        assert all(word in answer.message for word in words) and len(answer.message) < 1000, answer.message
    assert arm.get('goals') == parameter
    arm.live(20)
    assert len(shown.messages) == count


def test_a_change_needs_a_robot(start):
    node = start.node(robot=False)
    answer = change(node, LEVEL)
    assert not answer.success and 'there is no robot yet' in answer.message


def test_met_and_violated_goals_are_shown(arm, shown, arm_robot):
    judge = Judge(arm_robot)
    there = {'elbow_joint': 0.7, 'shoulder_lift_joint': 0.4}
    place = arm_robot.pose('tool0', there)
    near = {'type': 'distance', 'name': 'near', 'p': place[:3, 3].tolist(), 'upper': 0.05}
    changed(arm, near)
    initial = arm.next_posture()
    assert judge.violation(near, initial) > 0.01
    states = shown.wait_for(near, is_met=False)
    assert states['near'].violation == pytest.approx(judge.violation(near, initial), abs=ROUNDING)
    arm.send_pose(place)
    assert shown.wait_for(near, is_met=True)['near'].violation == 0.0
    count = len(shown.messages)
    for step in np.linspace(0.0, 0.04, 20):
        arm.send_pose(translation(step, 0, 0) @ place)
    arm.live(20)
    assert len(shown.messages) == count, 'goals that remain met are not published again'
    arm.reset()
    shown.wait_for(near, is_met=False)


def mounted(arm, mount):
    """Pose of the base link in the frame `table`."""
    return transform_message('table', 'base_link', mount, arm.node.get_clock().now().to_msg())


def test_a_frame_of_tf_may_move(arm, shown, arm_robot):
    table = {**LEVEL, 'frame': 'table', 'angle': 0.05}
    place = arm_robot.pose('tool0', {'elbow_joint': 0.8, 'shoulder_lift_joint': 0.5})

    def follows(mount):
        arm.publish_transforms(mounted(arm, mount))
        status = arm.send_pose(place)
        assert status.outcome in (SolveStatus.SOLVED, SolveStatus.UNKNOWN_FRAME), status.message
        if status.outcome == SolveStatus.UNKNOWN_FRAME:
            return False
        judge = Judge(arm_robot, frames={'table': np.linalg.inv(mount)})
        return judge.violation(table, arm.answer_to(status)) <= TOLERANCE + ROUNDING
    arm.publish_transforms(mounted(arm, np.eye(4)))
    with arm.changed(transform_timeout=10.0, free_axes=ALL_ROTATIONS):
        changed(arm, table)
        for angle in (0.0, 0.4, -0.4):
            arm.wait_for(lambda angle=angle: follows(rotation((1, 0, 0), angle)), 'the goal to be kept in its frame')
        shown.wait_for(table, is_met=True)


def test_a_frame_may_come_late(start, arm_robot):
    table = {**LEVEL, 'frame': 'table', 'angle': 3.0}
    node = start.node(ARM_FILE, goals=json.dumps(table))
    shown, place = Shown(node), arm_robot.pose('tool0', {'elbow_joint': 0.8})
    assert math.isnan(shown.wait_for(table, is_met=False)['level'].violation)
    status = node.send_pose(place)
    assert status.outcome == SolveStatus.UNKNOWN_FRAME and 'table' in status.message, status.message
    answer = node.solve_ik(place)
    assert not answer.success and 'table' in answer.message, answer.message
    stamp = node.node.get_clock().now().to_msg()
    node.publish_transforms(transform_message('table', 'base_link', np.eye(4), stamp), static=True)
    # In the initial configuration the tool points down.
    violation = Judge(arm_robot).violation({**table, 'frame': 'base_link'}, node.next_posture())
    assert shown.wait_for(table, is_met=False, unit='rad')['level'].violation == pytest.approx(violation, abs=ROUNDING)
    assert node.send_pose(place).outcome == SolveStatus.SOLVED
    shown.wait_for(table, is_met=True)


def test_the_parameter_must_have_a_frame_that_is_known(arm, shown):
    reason = arm.refusal(goals=json.dumps({**LEVEL, 'frame': 'nowhere'}))
    assert 'goals' in reason and 'goal 1' in reason and 'nowhere' in reason
    assert arm.get('goals') == ['']


def test_late_subscribers_see_the_goals(arm, shown):
    changed(arm, LOW)
    shown.wait_for(LOW)
    late = Shown(arm)
    assert late.wait_for(LOW)['low'].is_met
