"""Worlds, servos and skeletons are copied and pickled."""

import copy
import pickle

import numpy as np
import pytest

import urdfik
from conftest import ROOT, draw, random, urdf

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
FACES = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                  [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


WAYS = pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickled])


@WAYS
def test_worlds(arm, way):
    world = urdfik.World(
        arm,
        [
            {"id": "table", "type": "box", "size": [1, 1, 0.05], "p": [0.6, 0, 0.1]},
            {"id": "crate", "type": "mesh", "vertices": 0.2 * CUBE, "faces": FACES, "pose": [0.5, 0.3, 0.2, 0, 0, 0.6, 0.8]},
            {"id": "can", "type": "cylinder", "radius": 0.05, "length": 0.2, "p": [0.4, -0.3, 0.3]},
            {"id": "egg", "type": "capsule", "radius": 0.05, "length": 0.2, "p": [0.2, -0.5, 0.3]},
        ],
        attached=[{"id": "tool", "type": "sphere", "radius": 0.03, "p": [0, 0, 0.1], "link": "tool0", "may_touch": ["can"]}],
        margin=0.02,
    )
    other = way(world)
    q = draw(arm, random(40), 100)
    assert other.margin == 0.02
    np.testing.assert_array_equal(other.is_free(q), world.is_free(q))
    assert 5 < world.is_free(q).sum() < 95
    for row in q[:20]:
        first, second = world.nearest(row), other.nearest(row)
        assert first[:2] == second[:2] and abs(first[2] - second[2]) < 1e-9
    poses = arm.forward_kinematics(q[:10])
    np.testing.assert_array_equal(arm.solve_batch(poses, avoid=other).solved, arm.solve_batch(poses, avoid=world).solved)


@WAYS
def test_servos(arm, way):
    q = arm.solve([0.4, -0.1, 0.3, 1, 0, 0, 0], attempts=1000).positions
    world = urdfik.World(arm, [{"id": "wall", "type": "box", "size": [1, 0.1, 1], "p": [0.4, 0.5, 0.3]}])
    limits = {name: {"velocity": 0.5} for name in arm.joint_names}
    goals = [urdfik.goals.PositionGoal(upper=[9, 9, 9])]
    servo = arm.servo(100, q, joint_limits=limits, free_axes=["rz"], linear_speed=0.2, avoid=world, goals=goals)
    resting = way(servo)
    for _ in range(30):
        servo.step([0, 0.1, 0, 0, 0, 0])
        np.testing.assert_array_equal(resting.step([0, 0.1, 0, 0, 0, 0]), servo.positions)
    # Also in motion: and one copy does not move the other.
    moving, before = way(servo), servo.positions
    for _ in range(30):
        servo.step([0, 0.1, 0, 0, 0, 0])
    np.testing.assert_array_equal(moving.positions, before)
    assert np.abs(moving.velocities).max() > 0
    following = [moving.step([0, 0.1, 0, 0, 0, 0]) for _ in range(30)]
    assert np.abs(np.diff([before, *following], axis=0)).max() <= 0.5 / 100 + 1e-9
    np.testing.assert_allclose(arm.forward_kinematics(moving.positions)[:3, 3], arm.forward_kinematics(servo.positions)[:3, 3], atol=2e-3)
    if way is not pickled:
        np.testing.assert_array_equal(moving.positions, servo.positions)


@WAYS
@pytest.mark.parametrize("name", ["humanoid", "pitch_yaw"])
def test_skeletons(way, name):
    figure = urdfik.Skeleton(ROOT / f"config/skeletons/{name}.yaml")
    other = way(figure)
    assert (other.name, other.points, other.ends) == (figure.name, figure.points, figure.ends)
    np.testing.assert_array_equal(other.rest, figure.rest)
    targets = {figure.ends[-1]: figure.rest[figure.points.index(figure.ends[-1])] * 0.9}
    np.testing.assert_array_equal(other.solve(targets).points, figure.solve(targets).points)


def test_a_world_is_for_every_equal_arm(arm):
    world = urdfik.World(arm, [{"id": "ball", "type": "sphere", "radius": 0.1, "p": [0.3, 0, 0.5]}])
    text = urdf("arm7").read_text()
    for equal in (pickled(arm), urdfik.Arm(urdf("arm7"), tip=["tool0"]), urdfik.Arm(text)):
        answer = equal.solve([0.3, 0.2, 0.5], avoid=world)
        np.testing.assert_array_equal(answer.positions, arm.solve([0.3, 0.2, 0.5], avoid=world).positions)
        equal.servo(100, answer.positions, avoid=world).step([0, 0.1, 0, 0, 0, 0])
    for other in (urdfik.Arm(text, tip="tool0", base="shoulder_pan_link"), urdfik.Arm(text.replace("0.3", "0.31"))):
        with pytest.raises(urdfik.Error, match="avoid is a World of another arm"):
            other.solve([0.3, 0.2, 0.5], avoid=world)
