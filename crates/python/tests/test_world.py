"""Obstacles and collision avoidance."""

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


def test_a_mesh_in_memory_is_that_of_its_file(arm, tmp_path):
    corners, faces = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    file = tmp_path / "corner.obj"
    lines = ["v {} {} {}\n".format(*corner) for corner in corners] + ["f {} {} {}\n".format(*(face + 1)) for face in faces]
    file.write_text("".join(lines))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0.4, 0.1, 0.2]
    there = {"p": pose[:3, 3], "q_xyzw": [0, 0, np.sqrt(0.5), np.sqrt(0.5)]}
    half = np.sqrt(0.5)
    shapes = [
        {"file": file, "scale": [0.3, 0.3, 0.3], **there},
        {"vertices": 0.3 * corners, "faces": faces, "pose": pose},
        {"vertices": (0.3 * corners).tolist(), "faces": faces.astype(np.uint16), "pose": [0.4, 0.1, 0.2, 0, 0, half, half]},
        {"vertices": corners.astype(np.float32), "faces": faces, "scale": (0.3, 0.3, 0.3), "pose": pose.astype(np.float16)},
    ]
    q = draw(arm, random(31), 30)
    worlds = [urdfik.World(arm, [{"id": "corner", "type": "mesh", **shape}]) for shape in shapes]
    for row in q:
        nearest = [world.nearest(row) for world in worlds]
        # The last one has the position in half precision.
        assert np.ptp([distance for *_, distance in nearest[:3]]) < 1e-6 and np.ptp([distance for *_, distance in nearest]) < 1e-3


def test_obstacles_are_moved(arm):
    q, turned = arm.nominal, [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    stick = {"id": "stick", "type": "box", "size": [1, 0.02, 0.02], "p": [3, 0, 0.5], "q_xyzw": turned}
    far = urdfik.World(arm, [stick, TABLE], margin=0.005)
    assert far.is_free(q)
    tip = arm.forward_kinematics(q)[:3, 3]
    for pose in ([*tip, *turned], tip, np.vstack([np.c_[np.eye(3)[[1, 0, 2]] * [[-1], [1], [1]], tip], [0, 0, 0, 1]])):
        near = far.moved({"stick": pose})
        again = urdfik.World(arm, [{**stick, "p": tip}, TABLE], margin=0.005)
        assert not near.is_free(q) and near.margin == 0.005
        rows = draw(arm, random(32), 50)
        np.testing.assert_array_equal(near.is_free(rows), again.is_free(rows))
    assert far.is_free(q) and near.moved({"stick": [3, 0, 0.5]}).is_free(q)
    # Many times, as for a moving obstacle.
    ways = [far.moved({"stick": [x, 0, tip[2]]}).is_free(q) for x in np.linspace(-2, 2, 41)]
    assert 0 < sum(ways) < 41


def test_carried_parts_count(arm):
    q = arm.nominal
    stick = {"id": "stick", "type": "cylinder", "radius": 0.01, "length": 0.6, "p": [0, 0, 0.35], "link": "tool0"}
    tip = arm.forward_kinematics(q)
    ball = {"id": "ball", "type": "sphere", "radius": 0.05, "p": (tip @ [0, 0, 0.6, 1])[:3]}
    assert urdfik.World(arm, [ball]).is_free(q)
    assert not urdfik.World(arm, [ball], attached=[stick]).is_free(q)
    assert urdfik.World(arm, [ball], attached=[{**stick, "may_touch": ["ball"]}]).is_free(q)


def test_motions_keep_clear_and_say_what_is_in_the_way(arm):
    """A wall between the tool, which points down, and its target."""
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
    bodies = dict(servo.report["limits"])["contact"]
    assert len(bodies) == 2 and "wall" in bodies and 0 < servo.report["distance"] < 0.05


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda arm: urdfik.World(arm, [{"id": "a", "type": "blob", "p": [0, 0, 0]}]), "obstacle 'a': its 'type' is 'blob'"),
        (lambda arm: urdfik.World(arm, [{"type": "sphere"}]), "cannot be named"),
        (lambda arm: urdfik.World(arm, [TABLE, TABLE]), "two of that id"),
        (lambda arm: urdfik.World(arm, margin=-1), "margin is -1"),
        (lambda arm: urdfik.World(arm, attached=[TABLE]), "'link'"),
        (lambda arm: urdfik.World(arm, attached=[{**TABLE, "link": "nobody"}]), "no link 'nobody'"),
        (lambda arm: urdfik.World(arm, rest={"nobody": 1}), "no joint 'nobody'"),
        (lambda arm: urdfik.World(arm).is_free([np.nan] * 7), "finite"),
        (lambda arm: urdfik.World(arm, [{**TABLE, "pose": np.eye(4)}]), "obstacle 'table': the field 'p' is unknown here"),
        (lambda arm: urdfik.World(arm, [TABLE]).moved({"chair": [0, 0, 0]}), "there is no obstacle 'chair'"),
        (lambda arm: urdfik.World(arm, [TABLE]).moved({"table": [0, 0]}), r"the pose of 'table' has the shape \(2,\)"),
        (lambda arm: urdfik.World(arm, [TABLE]).moved({"table": [0, 0, 0, 0, 0, 0, 0]}), "the pose of 'table': .* has the length 0"),
        (lambda arm: urdfik.World(arm, [TABLE]).moved({"table": [0, 0, np.nan]}), "the pose of 'table' is not finite"),
        (lambda arm: urdfik.World(arm, [TABLE]).moved({"table": [0, 0, 1e9]}), "farther than 1000000 m away"),
        (lambda arm: urdfik.World(arm, attached=[{**TABLE, "link": "tool0"}]).moved({"table": [0, 0, 0]}), "attached to a link"),
        (lambda arm: arm.solve([0.3, 0, 0.5], avoid=urdfik.World(urdfik.Arm(arm.robot, tip="elbow_link"))), "another arm"),
        (lambda arm: urdfik.World(urdfik.Arm(
            "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
            "</joint></robot>")), "no link of the robot has a collision shape"),
    ],
)
def test_what_is_wrong_is_named(arm, call, words):
    with pytest.raises(urdfik.Error, match=words):
        call(arm)


def test_shapes_that_are_missing_are_refused_unless_they_are_ignored(arm):
    shape = "<collision><geometry><mesh filename='package://nobody/a.stl'/></geometry></collision>"
    urdf = arm.robot.urdf.replace("</link>", f"{shape}</link>", 1)
    broken = urdfik.Arm(urdf, "tool0")
    link = broken.robot.root
    ball = {"id": "ball", "type": "sphere", "radius": 0.3, "p": [0, 0, 0.1]}
    with pytest.raises(urdfik.Error, match=f"could not be loaded.*: {link} .*nobody/a.stl was not found.*missing_shapes"):
        urdfik.World(broken, [ball])
    world = urdfik.World(broken, missing_shapes="ignore")
    (sentence,) = world.missing_shapes
    assert f"link '{link}'" in sentence and "nobody/a.stl" in sentence
    assert isinstance(world.is_free(broken.nominal), bool)
    with pytest.raises(urdfik.Error, match="'hide'.*refuse, ignore"):
        urdfik.World(broken, missing_shapes="hide")
    # Links without a collision element have no missing shapes.
    assert urdfik.World(arm).missing_shapes == []
