"""What arms keep clear of."""

import numpy as np
import pytest

import urdfik
from conftest import draw, random

TABLE = {"id": "table", "type": "box", "size": [1.0, 1.0, 0.05], "p": [0.6, 0.0, 0.2]}


def test_solutions_keep_clear(arm):
    world = urdfik.World(arm, [TABLE], margin=0.01)
    assert world.margin == 0.01 and world.missing_shapes == []
    poses = arm.forward_kinematics(draw(arm, random(30), 40))
    plain, clear = arm.solve_batch(poses), arm.solve_batch(poses, avoid=world, threads=0)
    assert plain.solved.all() and not world.is_free(plain.positions).all()
    assert clear.solved.any() and world.is_free(clear.positions[clear.solved]).all()
    for row in np.flatnonzero(clear.solved)[:5]:
        np.testing.assert_array_equal(arm.solve(poses[row], avoid=world).positions, clear.positions[row])
        first, second, distance = world.nearest(clear.positions[row])
        assert distance >= 0.01 and first in arm.robot.link_names and (second == "table" or second in arm.robot.link_names)


def test_every_shape_is_an_obstacle(arm, tmp_path):
    mesh = tmp_path / "corner.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    shapes = [
        {"type": "sphere", "radius": 0.1},
        {"type": "cylinder", "radius": 0.1, "length": 0.3},
        {"type": "capsule", "radius": 0.1, "length": 0.3},
        {"type": "mesh", "file": str(mesh), "scale": [0.2, 0.2, 0.2]},
    ]
    for shape in shapes:
        far, near = [urdfik.World(arm, [{"id": "thing", "p": place, **shape}]) for place in ([5, 5, 5], [0, 0, 0.5])]
        assert far.is_free(arm.nominal) and not near.is_free(arm.nominal)
        assert near.nearest(arm.nominal)[2] == 0


def test_carried_parts_count(arm):
    q = arm.nominal
    stick = {"id": "stick", "type": "cylinder", "radius": 0.01, "length": 0.6, "p": [0, 0, 0.35], "link": "tool0"}
    tip = arm.forward_kinematics(q)
    ball = {"id": "ball", "type": "sphere", "radius": 0.05, "p": (tip @ [0, 0, 0.6, 1])[:3]}
    assert urdfik.World(arm, [ball]).is_free(q)
    assert not urdfik.World(arm, [ball], attached=[stick]).is_free(q)
    assert urdfik.World(arm, [ball], attached=[{**stick, "may_touch": ["ball"]}]).is_free(q)


def test_motions_keep_clear_and_say_what_is_in_the_way(arm):
    """A wall between the tool, which points down, and where it should go."""
    here = np.diag([1.0, -1, -1, 1])
    here[:3, 3] = [0.4, -0.2, 0.3]
    q = arm.solve(here, attempts=1000).positions
    there = here.copy()
    there[1, 3] += 0.5
    wall = {"id": "wall", "type": "box", "size": np.array([0.4, 0.02, 0.3]), "p": here[:3, 3] + [0, 0.25, -0.1]}
    world = urdfik.World(arm, [wall])
    assert world.is_free(q)

    answer = arm.track(there, q, max_step=0.5, avoid=world)
    assert answer.outcome is urdfik.Outcome.COLLISION and "wall" in answer.reason and world.is_free(answer.positions)

    trajectory = arm.path([here, there], q, avoid=world)
    assert not trajectory.complete and 0.1 < trajectory.fraction < 0.5 and "wall" in trajectory.reason
    assert world.is_free(trajectory.positions).all()

    servo = arm.servo(100, q, avoid=world)
    reached = np.array([servo.step([0, 0.2, 0, 0, 0, 0]) for _ in range(300)])
    assert world.is_free(reached).all() and arm.forward_kinematics(reached[-1])[1, 3] > here[1, 3] + 0.05


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda arm: urdfik.World(arm, [{"id": "a", "type": "cone", "p": [0, 0, 0]}]), "obstacle 'a': its 'type' is 'cone'"),
        (lambda arm: urdfik.World(arm, [{"type": "sphere"}]), "cannot be named"),
        (lambda arm: urdfik.World(arm, [TABLE, TABLE]), "two of that id"),
        (lambda arm: urdfik.World(arm, margin=-1), "margin is -1"),
        (lambda arm: urdfik.World(arm, attached=[TABLE]), "'link'"),
        (lambda arm: urdfik.World(arm, attached=[{**TABLE, "link": "nobody"}]), "no link 'nobody'"),
        (lambda arm: urdfik.World(arm, rest={"nobody": 1}), "no joint 'nobody'"),
        (lambda arm: urdfik.World(arm).is_free([np.nan] * 7), "finite"),
        (lambda arm: arm.solve([0.3, 0, 0.5], avoid=urdfik.World(urdfik.Arm(arm.robot, tip="elbow_link"))), "another arm"),
        (lambda arm: urdfik.World(urdfik.Arm(
            "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
            "</joint></robot>")), "no link of the robot has a collision shape"),
    ],
)
def test_what_is_wrong_is_named(arm, call, words):
    with pytest.raises(urdfik.Error, match=words):
        call(arm)


def test_only_a_world_is_avoided(arm):
    with pytest.raises(TypeError):
        arm.solve([0.3, 0, 0.5], avoid=[TABLE])
