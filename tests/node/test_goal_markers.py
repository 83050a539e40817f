"""Standing goals in displays: the markers of each goal, and the handles that move it."""
import json
import math

import numpy as np
import pytest
from urdf_ik.msg import SolveStatus
from visualization_msgs.msg import InteractiveMarkerControl, Marker
from visualization_msgs.msg import InteractiveMarkerFeedback as Feedback

from client import pose_from, posture
from conftest import ROBOTS
from goals import angle_between
from handle_client import HandleClient
from kinematics import quaternion_of, rotation, translation
from test_markers import EXACT, watch

MET, VIOLATED = (0.0, 0.72, 0.5), (0.86, 0.3, 0.05)
CONE = {'type': 'cone', 'name': 'level', 'axis': [0, 0, 1], 'direction': [0, 0, 2], 'angle': 0.3}


def box_at(place, half=0.1):
    return {'type': 'position', 'name': 'box', 'p': list(place), 'lower': [-half] * 3, 'upper': [half] * 3}


def of(scene, name, kind):
    """The marker of this type of a goal, or None."""
    found = (marker for marker in scene.markers.values() if marker.ns == f'goals/{name}' and marker.type == kind)
    return next(found, None)


def wait_for(node, scene, name, text, kind=Marker.LINE_LIST):
    """The marker of this type of a goal, once the goal's label begins with this text, with the lines."""
    def labelled():
        label = of(scene, name, Marker.TEXT_VIEW_FACING)
        return label and label.text.startswith(text) and (kind is None or of(scene, name, kind))
    return node.wait_for(labelled, f'the goal {text!r}')


def corners(marker):
    return np.array([(point.x, point.y, point.z) for point in marker.points])


def rgb(marker):
    return marker.color.r, marker.color.g, marker.color.b


def tip(arm, arm_robot):
    return arm_robot.pose('tool0', posture(arm.next_state()))


def test_a_box_and_a_cone_are_drawn_and_highlighted_where_violated(arm, arm_robot):
    scene = watch(arm)
    start = tip(arm, arm_robot)
    direction = start[:3, 2].tolist()
    far = start[:3, 3] + (0.3, 0, 0)
    with arm.changed(goals=json.dumps([box_at(start[:3, 3]), {**CONE, 'direction': direction}])):
        lines = wait_for(arm, scene, 'box', 'box')
        assert np.allclose(np.ptp(corners(lines), axis=0), 0.2) and np.allclose(corners(lines).mean(axis=0), start[:3, 3])
        assert np.allclose(rgb(lines), MET) and lines.color.a < 0.5, 'markers of met goals are unobtrusive'
        cone = corners(wait_for(arm, scene, 'level', 'level'))
        apart = [angle_between(end - start[:3, 3], direction) for end in cone if np.linalg.norm(end - start[:3, 3]) > EXACT]
        assert math.isclose(max(apart), 0.3, abs_tol=1e-6), 'the lines are at the angle of the cone'
        arm.set_all(goals=json.dumps([box_at(far), {**CONE, 'direction': [-value for value in direction]}]))
        lines = wait_for(arm, scene, 'box', 'box\n0.200 m')
        assert np.allclose(rgb(lines), VIOLATED) and lines.color.a > 0.9
        assert np.allclose(rgb(wait_for(arm, scene, 'level', f'level\n{math.pi - 0.3:.3f} rad')), VIOLATED)
    arm.wait_for(lambda: not any(name.startswith('goal') for name in scene.namespaces()), 'no goals')


def test_a_cone_follows_the_tip(arm, arm_robot):
    scene = watch(arm)
    with arm.changed(goals=json.dumps(CONE)):
        wait_for(arm, scene, 'level', 'level')
        status = arm.send_pose(arm_robot.pose('tool0', {'shoulder_lift_joint': 0.5, 'elbow_joint': 0.8}))
        there = arm_robot.pose('tool0', arm.answer_to(status))[:3, 3]
        arm.wait_for(lambda: np.allclose(corners(of(scene, 'level', Marker.LINE_LIST))[0], there, atol=1e-6), 'the cone')


def test_goals_of_every_kind_are_drawn_or_labelled(arm, arm_robot):
    scene = watch(arm)
    place = tip(arm, arm_robot)[:3, 3].tolist()
    goals = [
        {'type': 'position', 'name': 'plane', 'lower': [None, None, 0.1]},
        {'type': 'position', 'name': 'place', 'p': place, 'lower': [0, 0, 0], 'upper': [0, 0, 0]},
        {'type': 'distance', 'name': 'sphere', 'p': place, 'upper': 0.2},
        {'type': 'distance', 'name': 'line', 'p': place, 'direction': [0, 1, 0], 'lower': 0.05, 'upper': 0.2},
        {'type': 'gaze', 'name': 'gaze', 'axis': [0, 0, 1], 'p': [0.5, 0.5, 0], 'angle': 0.2},
        {'type': 'orientation', 'name': 'turn', 'lower': [-3, -3, -3]},
        {'type': 'joints', 'name': 'bent', 'coefficients': {'elbow_joint': 1}, 'lower': 0.5},
    ]
    with arm.changed(goals=json.dumps(goals)):
        for goal in goals:
            wait_for(arm, scene, goal['name'], goal['name'], None if goal['type'] == 'joints' else Marker.LINE_LIST)
        assert len(corners(of(scene, 'plane', Marker.LINE_LIST))) == 8
        assert of(scene, 'bent', Marker.TEXT_VIEW_FACING).text == 'bent\n0.500 rad'
        assert {type_ for (ns, _), type_ in ((key, marker.type) for key, marker in scene.markers.items())
                if ns == 'goals/bent'} == {Marker.TEXT_VIEW_FACING}, 'goals of joints have no shape'
        handles = {ns.removeprefix('goal_handles/') for ns, _ in scene.markers if ns.startswith('goal_handles/')}
        assert handles == {'plane', 'place', 'sphere', 'line', 'gaze', 'turn'}
        labels = [marker.pose.position for (_, marker) in scene.markers.items() if marker.type == Marker.TEXT_VIEW_FACING]
        places = np.array([(place.x, place.y, place.z) for place in labels])
        apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(len(places))
        assert apart.min() > 0.02, 'labels do not cover each other'


def test_a_goal_between_hands_moves_with_them(start):
    node = start.node(ROBOTS / 'two_arms.urdf', tip_links=['left-hand', 'right-hand'])
    scene = watch(node)
    hand = pose_from(node.forward_kinematics(link_names=['right-hand']).poses[0].pose)
    node.set_all(goals=json.dumps({**box_at((0, 0, 0)), 'link': 'left-hand', 'frame': 'right-hand'}))
    lines = wait_for(node, scene, 'box', 'box')
    assert np.allclose(corners(lines).mean(axis=0), hand[:3, 3], atol=1e-6)
    assert not any(name.startswith('goal_handles/') for name in scene.namespaces()), 'its frame moves'


@pytest.fixture
def goal_handle(arm, arm_robot):
    """A client of the handles of two goals."""
    start = tip(arm, arm_robot)
    cone = {**CONE, 'direction': start[:3, 2].tolist()}
    with arm.changed(goals=json.dumps([box_at(start[:3, 3]), cone])):
        client = HandleClient(arm).connect()
        arm.wait_for(lambda: {'goals/box', 'goals/level'} <= set(client.markers or ()), 'the handles of the goals')
        yield client
        client.vanish()
        for name in ('goals/box', 'goals/level'):
            client.send(Feedback.MOUSE_UP, name)


def goals_in_use(arm):
    (text,) = arm.get('goals')
    return {goal['name']: goal for goal in json.loads(text)}


def test_a_drag_moves_the_box(arm, arm_robot, goal_handle):
    scene = watch(arm)
    name, start = 'goals/box', goal_handle.pose('goals/box')
    assert np.allclose(start, translation(*tip(arm, arm_robot)[:3, 3])) and not goal_handle.marker(name).menu_entries
    end = translation(0.3, 0.0, 0.05) @ start
    goal_handle.drag([translation(part * 0.3, 0.0, part * 0.05) @ start for part in np.linspace(0.1, 1, 10)], name)
    arm.wait_for(lambda: np.allclose(goals_in_use(arm)['box']['p'], end[:3, 3], atol=1e-6), 'the box to be moved')
    assert goals_in_use(arm)['level'] == {**CONE, 'direction': goals_in_use(arm)['level']['direction']}
    arm.wait_for(lambda: np.allclose(corners(wait_for(arm, scene, 'box', 'box\n')).mean(axis=0), end[:3, 3], atol=1e-6), 'the lines there')
    assert np.allclose(rgb(of(scene, 'box', Marker.LINE_LIST)), VIOLATED)
    # The goal counts for the next target.
    status = arm.send_pose(tip(arm, arm_robot))
    assert status.outcome != SolveStatus.SOLVED
    reached = arm_robot.pose('tool0', arm.answer_to(status))[:3, 3]
    assert np.abs(reached - end[:3, 3]).max() < 0.1 + 2e-5, status.message


def test_a_click_on_a_handle_leaves_the_goal(arm):
    goals = [box_at((1 / 3, 0.1, 0.2)), {**box_at((0, 0, 0)), 'name': 'other'}]
    with arm.changed(goals=json.dumps(goals)):
        client, name = HandleClient(arm).connect(), 'goals/box'
        arm.wait_for(lambda: {name, 'goals/other'} <= set(client.markers or ()), 'the handles of the goals')
        # RViz sends the displayed pose, in single precision, before each press and each release.
        shown = client.pose(name)
        for event in (Feedback.POSE_UPDATE, Feedback.MOUSE_DOWN, Feedback.POSE_UPDATE, Feedback.MOUSE_UP):
            client.send(event, name, shown.astype(np.float32).astype(float))
        client.drag([translation(0.1, 0, 0)], 'goals/other')
        arm.wait_for(lambda: goals_in_use(arm)['other']['p'] == [0.1, 0, 0], 'the other goal to be moved')
        assert goals_in_use(arm)['box'] == goals[0]
        client.vanish()


def test_a_drag_turns_the_cone(arm, arm_robot, goal_handle):
    name, apex = 'goals/level', tip(arm, arm_robot)[:3, 3]
    assert np.allclose(goal_handle.pose(name)[:3, 3] - apex, 0, atol=0.3)
    goal_handle.drag([translation(*(apex + (0.3, 0.0, 0.4)))], name)
    arm.wait_for(lambda: np.allclose(goals_in_use(arm)['level']['direction'], (0.6, 0, 0.8), atol=1e-6), 'the cone to turn')
    # On release it returns to the length of the cone.
    arm.wait_for(lambda: np.linalg.norm(goal_handle.pose(name)[:3, 3] - apex) < 0.45, 'the handle to return')


def test_rings_turn_an_orientation(arm, arm_robot):
    start = tip(arm, arm_robot)
    with arm.changed(goals=json.dumps({'type': 'orientation', 'name': 'turn', 'lower': [-0.1] * 3, 'upper': [0.1] * 3})):
        client, name = HandleClient(arm).connect(), 'goals/turn'
        arm.wait_for(lambda: name in (client.markers or ()), 'the handle')
        controls = {control.interaction_mode for control in client.marker(name).controls}
        assert controls == {InteractiveMarkerControl.ROTATE_AXIS, InteractiveMarkerControl.ROTATE_3D}
        assert np.allclose(client.pose(name), translation(*start[:3, 3]))
        # The orientation counts, in the frame of the goal, and the place does not.
        turns = [start @ rotation((1, 0, 0), angle) for angle in np.linspace(0.05, 0.5, 10)]
        client.drag([translation(0.2, 0, 0) @ turn for turn in turns], name)
        wanted = quaternion_of(turns[-1])
        turned = lambda: goals_in_use(arm)['turn'].get('q_xyzw', [0] * 4)  # noqa: E731
        arm.wait_for(lambda: any(np.allclose(turned(), sign * wanted, atol=1e-6) for sign in (1, -1)), 'the orientation')
        # The target yields to it.
        status = arm.send_pose(start)
        reached = arm_robot.pose('tool0', arm.answer_to(status))
        between = turns[-1][:3, :3].T @ reached[:3, :3]
        assert math.acos((np.trace(between) - 1) / 2) < 0.1 * math.sqrt(3) + 1e-4, status.message
        arm.wait_for(lambda: np.allclose(client.pose(name)[:3, 3], reached[:3, 3], atol=1e-5), 'the handle at the link')
        client.vanish()


def test_bad_drags_of_goals_are_refused(arm, goal_handle):
    before = goals_in_use(arm)
    here = goal_handle.pose('goals/box')
    far = HandleClient(arm, frame='nowhere').connect()
    for client, name, pose, words in ((far, 'goals/box', here, 'base link'),
                                      (goal_handle, 'goals/box', translation(math.nan, 0, 0), 'finite'),
                                      (goal_handle, 'goals/none', here, 'tool0; those of goals: goals/box, goals/level')):
        stamp = client.send(Feedback.POSE_UPDATE, name, pose)
        client.send(Feedback.MOUSE_UP, name, here)
        status = arm.status_of(stamp)
        assert status.outcome == SolveStatus.INVALID and words in status.message, status.message
    assert goals_in_use(arm) == before
    # A position beyond the range of coordinates is refused at the handle.
    goal_handle.send(Feedback.POSE_UPDATE, 'goals/box', translation(1e300, 0, 0))
    arm.wait_for(lambda: 'finite numbers' in goal_handle.text('goals/box'), 'the reason at the handle')
    assert goals_in_use(arm) == before


def test_two_clients_do_not_move_one_goal(arm, goal_handle):
    name, start = 'goals/box', goal_handle.pose('goals/box')
    goal_handle.press(name)
    moved = translation(0.1, 0, 0) @ start
    goal_handle.move(moved, name)
    arm.wait_for(lambda: np.allclose(goals_in_use(arm)['box']['p'], moved[:3, 3], atol=1e-6), 'the box to be moved')
    other = HandleClient(arm).connect()
    other.send(Feedback.POSE_UPDATE, name, start)
    goal_handle.release(moved, name)
    arm.wait_for(lambda: np.allclose(goal_handle.pose(name), moved, atol=1e-5), 'the handle')
    assert np.allclose(goals_in_use(arm)['box']['p'], moved[:3, 3], atol=1e-6)
