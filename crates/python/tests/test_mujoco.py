"""Arms of MuJoCo models, compared with MuJoCo."""

import pickle
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

import urdfik
from conftest import draw, random

CELL = Path(__file__).with_name("cell.xml").read_text()
MODEL = mujoco.MjModel.from_xml_string(CELL)
JOINTS = ["rail", "pan", "lift", "elbow", "roll", "bend", "twist"]


@pytest.fixture(scope="module")
def cell():
    return urdfik.Arm.from_mujoco(MODEL, site="grip")


def measured(arm, q):
    """The data of MuJoCo at these positions of the arm, with its followers at their positions."""
    data = mujoco.MjData(MODEL)
    for name, position in zip(arm.joint_names, q):
        data.joint(name).qpos = position
    data.joint("close").qpos = 0.01 + 0.02 + 0.03 * data.joint("twist").qpos
    data.joint("still").qpos = 0.3
    mujoco.mj_kinematics(MODEL, data)
    return data


def pose(frame):
    """The pose (4, 4) of a body or a site in the world."""
    matrix = np.eye(4)
    matrix[:3, 3] = frame.xpos
    matrix[:3, :3] = frame.xmat.reshape(3, 3)
    return matrix


def test_kinematics_are_those_of_mujoco(cell):
    assert cell.joint_names == JOINTS and (cell.base, cell.tips) == ("world", ["grip"])
    for q in draw(cell, random(1), 200):
        data = measured(cell, q)
        poses = cell.robot.link_poses(dict(zip(cell.joint_names, q)) | {"still": 0.3})
        for body in range(MODEL.nbody):
            np.testing.assert_allclose(poses[MODEL.body(body).name], pose(data.body(body)), atol=1e-12)
        np.testing.assert_allclose(cell.forward_kinematics(q), pose(data.site("grip")), atol=1e-12)


def test_limits_masses_and_names_are_those_of_the_model(cell):
    lower, upper = (dict(zip(JOINTS, limits)) for limits in (cell.lower, cell.upper))
    assert (lower["rail"], upper["rail"], lower["pan"], upper["twist"]) == (-0.4, 0.5, -2.5, 3.0)
    assert np.isinf(lower["roll"]) and cell.robot.name == "cell"
    assert [("locked" in warning, "still" in warning) for warning in cell.robot.warnings] == [(True, True)]
    fingers = urdfik.Arm.from_mujoco(MODEL, body="finger")
    q = draw(fingers, random(2), 1)[0]
    data = measured(fingers, q)
    mujoco.mj_comPos(MODEL, data)
    centre = urdfik.goals.ComGoal(lower=data.subtree_com[0], upper=data.subtree_com[0])
    assert fingers.solve(goals=[centre], seed=q, bounds=np.stack([q, q], axis=1)).violations[0] < 1e-12


def test_tips_are_sites_and_bodies():
    both = urdfik.Arm.from_mujoco(MODEL, site="grip", body=["finger"], base="upper", tool={"finger": [0, 0, 0.1]})
    assert both.tips == ["finger", "grip"] and both.base == "upper"
    q = draw(both, random(3), 1)[0]
    data = measured(both, q)
    expected = np.linalg.inv(pose(data.body("upper"))) @ pose(data.body("finger"))
    np.testing.assert_allclose(both.forward_kinematics(q)[0, :3, 3], expected[:3, :3] @ [0, 0, 0.1] + expected[:3, 3], atol=1e-12)
    beyond = urdfik.Arm.from_mujoco(MODEL, body="bulb", base="lamp")
    assert beyond.joint_names == ["screw"]


def checked_pairs(data):
    """The pairs of geoms checked by MuJoCo, from contacts at any distance."""
    wide = pickle.loads(pickle.dumps(MODEL))
    wide.geom_margin[:] = 100
    mujoco.mj_collision(wide, data)
    return {tuple(sorted(contact.geom)) for contact in data.contact}


def test_a_world_has_the_shapes_and_pairs_of_mujoco(cell):
    world = urdfik.World(cell, rest={"still": 0.3})
    moving = {MODEL.body(name).id for name in ("carriage", "upper", "lower", "wrist", "flange", "finger", "locked")}
    compared = free = 0
    for q in draw(cell, random(4), 60):
        data = measured(cell, q)
        of_arm = [pair for pair in checked_pairs(data) if moving & {MODEL.geom_bodyid[geom] for geom in pair}]
        distances = [mujoco.mj_geomDistance(MODEL, data, *pair, 10.0, None) for pair in of_arm]
        least = min(distances)
        # MuJoCo returns exactly 0 if its iteration for boxes and meshes fails, and less for contacts.
        if 0 in distances:
            continue
        compared += 1
        assert abs(world.nearest(q)[2] - max(least, 0)) < 1e-5
        if abs(least - world.margin) > 1e-5:
            assert world.is_free(q) == (least > world.margin)
        free += least > 0
    assert compared > 40 and 0.1 < free / compared < 0.9


def test_motion_works_as_for_a_urdf(cell):
    world = urdfik.World(cell, [{"id": "wall", "type": "box", "size": [0.1, 1, 1], "p": [2, 0, 0]}])
    rng, clear = random(5), None
    while clear is None or not world.is_free(clear):
        clear = draw(cell, rng, 1)[0]
    start = cell.forward_kinematics(clear)
    aside = start.copy()
    aside[:3, 3] += start[:3, :3] @ [0.005, 0, 0]
    followed = cell.track(aside, clear, max_step=0.1, avoid=world)
    assert followed.solved
    np.testing.assert_allclose(pose(measured(cell, followed.positions).site("grip")), aside, atol=2e-5)
    limits = {name: {"velocity": 1.0, "acceleration": 5.0} for name in JOINTS}
    path = cell.path([start[:3, 3], aside[:3, 3]], clear, joint_limits=limits, avoid=world)
    assert path.complete
    np.testing.assert_allclose(pose(measured(cell, path.positions[-1]).site("grip"))[:3, 3], aside[:3, 3], atol=1e-4)
    servo = cell.servo(100, clear, joint_limits=limits, avoid=world)
    for _ in range(20):
        servo.step([0.02, 0, 0, 0, 0, 0])
    assert np.any(servo.positions != clear) and world.is_free(servo.positions)
    again = pickle.loads(pickle.dumps(world))
    assert again.nearest(clear) == world.nearest(clear)


def variant(*changes):
    text = CELL
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("cell.xml",), "model is of type str; it must be a mujoco.MjModel, for example"),
        ((MODEL, "hook"), "the model has no site 'hook'; its sites are: grip, label"),
        ((MODEL, None, "hook"), "hook"),
        ((MODEL, 3), "site is 3; it must be a string, or a list of strings"),
        ((MODEL, None, "bulb"), "joint 'ball' between the base link 'world' and the tip link 'bulb' is floating"),
        ((MODEL, "label"), "joint 'loose' between the base link 'world' and the tip link 'label' is floating"),
        ((variant((".02 .03 0 0 0", ".02 .03 0 .1 0")), "grip"), "joint 'close' follows 'twist' by a polynomial of degree 3"),
        ((variant(('joint1="still"', 'joint1="close"')), "grip"), "joint 'close' has two joint equalities"),
        ((variant(('site name="grip"', 'site name="upper"')), "upper"), "two links are named 'upper'"),
    ],
)
def test_what_is_wrong_is_named(arguments, words):
    model, site, body, *_ = *arguments, None, None
    with pytest.raises(urdfik.Error, match=words):
        urdfik.Arm.from_mujoco(model, site=site, body=body)


def test_unsupported_shapes_are_refused_or_ignored():
    plane = 'type="box" size=".5 .4 .02"', 'type="plane" size="1 1 1"'
    ellipsoid = 'type="cylinder" size=".08 .1"', 'type="ellipsoid" size=".1 .1 .1"'
    arm = urdfik.Arm.from_mujoco(variant(plane, ellipsoid), site="grip")
    with pytest.raises(urdfik.Error, match="shapes of these links could not be loaded.*: world, carriage .<plane> is no shape"):
        urdfik.World(arm)
    assert len(urdfik.World(arm, missing_shapes="ignore").missing_shapes) == 2


def test_models_without_names_and_without_limits_work():
    inner = '<body pos="1 0 0"> <joint/> <geom size=".1"/> </body>'
    text = f'<body> <joint type="slide" axis="1 0 0"/> <geom size=".1"/> {inner} </body>'
    arm = urdfik.Arm.from_mujoco(mujoco.MjModel.from_xml_string(f"<mujoco> <worldbody> {text} </worldbody> </mujoco>"))
    assert (arm.joint_names, arm.tips) == (["joint_0", "joint_1"], ["body_2"])
    assert arm.solve([5.0, 0, 0]).solved


def test_without_mujoco_it_is_named():
    script = "import sys; sys.modules['mujoco'] = None; import urdfik; urdfik.Arm.from_mujoco(object())"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.stderr.endswith("from_mujoco needs the package mujoco: pip install mujoco\n")
