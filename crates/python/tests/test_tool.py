"""Tools on the tip links, and bounds and weights of joints."""

import pickle

import numpy as np
import pytest

import urdfik
from conftest import draw, random, urdf
from test_solve import apart, quaternion

TOOL = np.array([[0.6, 0, 0.8, 0.05], [0, 1, 0, -0.03], [-0.8, 0, 0.6, 0.12], [0, 0, 0, 1]])


@pytest.fixture(scope="module")
def tooled(panda):
    return panda.with_tool(TOOL)


def test_forward_kinematics_and_the_jacobian_are_those_of_the_tool(panda, tooled):
    q = draw(panda, random(40), 20)
    np.testing.assert_allclose(tooled.forward_kinematics(q), panda.forward_kinematics(q) @ TOOL, atol=1e-12)
    np.testing.assert_allclose(tooled.tool, TOOL, atol=1e-12)
    np.testing.assert_array_equal(panda.tool, np.eye(4))
    step = 1e-6 * np.eye(len(panda.joint_names))
    slope = [(tooled.forward_kinematics(q[0] + d) - tooled.forward_kinematics(q[0] - d))[:3, 3] / 2e-6 for d in step]
    np.testing.assert_allclose(tooled.jacobian(q[0])[:3], np.array(slope).T, atol=1e-8)


@pytest.mark.parametrize("solver", ["jacobian", "fabrik", "closed_form"])
def test_a_solve_brings_the_tool_to_the_pose(panda, tooled, solver):
    for q in draw(panda, random(41), 10):
        pose = panda.forward_kinematics(q) @ TOOL
        answer = tooled.solve(pose, solver=solver)
        assert answer.solved
        assert max(apart(panda.forward_kinematics(answer.positions) @ TOOL, pose)) <= 1.001e-5
        by_request = panda.solve(pose, solver=solver, tool=TOOL)
        np.testing.assert_array_equal(by_request.positions, answer.positions)
        np.testing.assert_array_equal(tooled.solve(pose, solver=solver, tool=np.eye(4)).positions,
                                      panda.solve(pose, solver=solver).positions)


def test_batches_tracks_paths_and_servos_have_the_tool(panda, tooled):
    poses = tooled.forward_kinematics(draw(panda, random(42), 50))
    batch = panda.solve_batch(poses, tool=TOOL)
    np.testing.assert_array_equal(batch.positions, tooled.solve_batch(poses).positions)
    assert batch.solved.all()
    assert all(max(apart(pose, tooled.forward_kinematics(found.positions))) <= 1.001e-5
               for pose in poses[:3] for found in panda.solve_all(pose, tool=TOOL))
    q = panda.nominal + 0.2
    near = tooled.forward_kinematics(q + 0.01)
    assert panda.track(near, q, tool=TOOL).solved
    trajectory = panda.path([near], q, tool=TOOL)
    assert max(apart(tooled.forward_kinematics(trajectory.positions[-1]), near)) < 1e-3
    servo = tooled.servo(250, q)
    for _ in range(250):
        turned = servo.step([0, 0, 0, 0, 0, 0.3])
    moved = tooled.forward_kinematics(turned)
    distance, angle = apart(moved, tooled.forward_kinematics(q))
    assert distance < 2e-4 and angle > 0.1


def test_every_form_of_a_tool(panda, hands):
    for tool in (TOOL, TOOL.tolist(), quaternion(TOOL), {"panda_hand_tcp": TOOL}):
        np.testing.assert_allclose(urdfik.Arm(urdf("panda"), tip="panda_hand_tcp", tool=tool).tool, TOOL, atol=1e-12)
    np.testing.assert_allclose(panda.with_tool([0, 0, 0.1]).tool, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    right = hands.with_tool({"right_hand": TOOL})
    np.testing.assert_allclose(right.tool, [np.eye(4), TOOL], atol=1e-12)
    np.testing.assert_allclose(right.with_tool({"left_hand": TOOL}).tool, [TOOL, TOOL], atol=1e-12)


def test_a_tool_survives_pickling(tooled):
    again = pickle.loads(pickle.dumps(tooled))
    np.testing.assert_array_equal(again.tool, tooled.tool)
    pose = tooled.forward_kinematics(tooled.nominal + 0.1)
    np.testing.assert_array_equal(again.solve(pose).positions, tooled.solve(pose).positions)


def test_a_world_serves_the_arm_with_any_tool(arm):
    world = urdfik.World(arm, [{"id": "table", "type": "box", "size": [1, 1, 0.05], "p": [0.6, 0, 0.1]}])
    assert arm.solve([0.4, 0.1, 0.4], avoid=world, tool=[0, 0, 0.05]).solved
    with pytest.raises(urdfik.Error, match="another arm"):
        urdfik.Arm(arm.robot, tip="elbow_link").solve([0.4, 0.1, 0.4], avoid=world)


@pytest.mark.parametrize("tool, words", [
    (np.full(7, np.nan), "tool"), (np.zeros(7), "tool: .*quaternion"), ([1, 2], "tool has the shape"), ("x", "tool"),
    ({"hand": TOOL}, "'hand'"), ([np.inf, 0, 0], "tool"), ([1e300, 0, 0], "the tool of 'panda_hand_tcp'"),
])
def test_bad_tools_are_refused_by_name(panda, tool, words):
    for use in (panda.with_tool, lambda tool: panda.solve(np.eye(4), tool=tool)):
        with pytest.raises(urdfik.Error, match=words):
            use(tool)


def test_bounds_in_every_form(panda):
    name = panda.joint_names[2]
    pose = panda.forward_kinematics(panda.nominal + 0.2)
    lower, upper = panda.lower.copy(), panda.upper.copy()
    lower[2] = upper[2] = 0.3
    forms = ({name: (0.3, 0.3)}, (lower, upper), np.stack([lower, upper], axis=1))
    answers = [panda.solve(pose, bounds=bounds) for bounds in forms]
    for answer in answers:
        assert answer.solved and answer.positions[2] == 0.3
        np.testing.assert_array_equal(answer.positions, answers[0].positions)
    assert (panda.solve_batch([pose] * 3, bounds=forms[0]).positions[:, 2] == 0.3).all()
    assert all(found.positions[2] == 0.3 for found in panda.solve_all(pose, bounds=forms[0]))
    assert panda.track(pose, panda.nominal + 0.2, bounds={name: (0.19, 0.21)}).positions[2] <= 0.21
    narrow = panda.solve(pose, bounds=dict.fromkeys(panda.joint_names[:3], (-0.01, 0.01)))
    assert not narrow.solved and narrow.outcome is urdfik.Outcome.JOINT_LIMITS
    assert (np.abs(narrow.positions[:3]) <= 0.01).all()
    np.testing.assert_array_equal(panda.solve(pose, bounds=None).positions, panda.solve(pose).positions)


def test_a_heavy_joint_moves_less(panda):
    q = panda.nominal + 0.2
    pose = panda.forward_kinematics(q + [0.3, 0, 0, 0, 0, 0, 0])
    moves = [np.abs(panda.solve(pose, q, move_weights=weights).positions - q)[2]
             for weights in (np.ones(7), {joint: 100.0 if i == 2 else 1.0 for i, joint in enumerate(panda.joint_names)})]
    assert moves[1] < 0.5 * moves[0]


@pytest.mark.parametrize("options, words", [
    ({"bounds": {"knee": (0, 1)}}, "bounds name 'knee'"), ({"bounds": {"panda_joint3": (np.nan, 1)}}, "'panda_joint3'.*NaN"),
    ({"bounds": {"panda_joint3": (1, 0)}}, "'panda_joint3' has no position"), ({"bounds": {"panda_joint3": (50, 60)}}, "limits"),
    ({"bounds": {"panda_joint3": 1}}, "bounds of 'panda_joint3'"), ({"bounds": {3: (0, 1)}}, "bounds"), ({"bounds": [1, 2]}, "bounds has"),
    ({"bounds": "x"}, "bounds"), ({"bounds": ([0] * 7, [1] * 6)}, "upper bounds"),
    ({"move_weights": {"knee": 1}}, "move_weights name 'knee'"),
    ({"move_weights": {"panda_joint3": -1}}, "'panda_joint3' is -1"), ({"move_weights": [np.nan] * 7}, "'panda_joint1' is NaN"),
    ({"move_weights": [1] * 6}, "move_weights has"), ({"move_weights": {"panda_joint3": "x"}}, "move_weights of"),
])
def test_bad_bounds_and_weights_are_refused_by_name(panda, options, words):
    with pytest.raises(urdfik.Error, match=words):
        panda.solve(np.eye(4), **options)
