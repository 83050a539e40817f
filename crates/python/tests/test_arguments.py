"""Invalid arguments of every public function: refused by urdfik.Error with the name of the argument."""

import inspect
import re

import numpy as np
import pytest

import urdfik
from conftest import ROOT, urdf

PERSON = ROOT / "config/skeletons/humanoid.yaml"
BALL = {"id": "ball", "type": "sphere", "radius": 0.1, "p": [2, 0, 0]}
POSE = [0.4, 0.1, 0.4]


def good_calls():
    """Valid arguments of each public function."""
    arm = urdfik.Arm(urdf("arm7"), tip="tool0")
    q, robot, world = arm.nominal, arm.robot, urdfik.World(arm, [BALL])
    person = urdfik.Skeleton(PERSON)
    return [
        (urdfik.Robot, {"urdf": urdf("arm7")}),
        (robot.link_poses, {"positions": {}}),
        (urdfik.Arm, {"robot": urdf("arm7")}),
        (arm.order, {"names": arm.joint_names}),
        (arm.forward_kinematics, {"q": q}),
        (arm.jacobian, {"q": q}),
        (arm.manipulability, {"q": q}),
        (arm.solve, {"pose": POSE}),
        (arm.solve_all, {"pose": POSE, "attempts": 8}),
        (arm.solve_batch, {"poses": [POSE]}),
        (arm.track, {"pose": POSE, "q": q}),
        (arm.path, {"waypoints": [[*POSE, 1, 0, 0, 0]], "q": arm.solve([*POSE, 1, 0, 0, 0], attempts=1000).positions}),
        (arm.servo, {"rate": 100, "q": q}),
        (urdfik.World, {"arm": arm}),
        (world.moved, {"poses": {"ball": POSE}}),
        (world.is_free, {"q": q}),
        (world.nearest, {"q": q}),
        (arm.servo(100, q).step, {}),
        (urdfik.Skeleton, {"model": PERSON}),
        (person.solve, {"targets": {"head": [0.1, 0, 1.5]}}),
    ]


class Nonsense:
    """Values that no argument accepts."""


@pytest.mark.parametrize("function, arguments", [pytest.param(*call, id=call[0].__qualname__) for call in good_calls()])
def test_every_argument_is_named(function, arguments):
    function(**arguments)
    for name in inspect.signature(function).parameters:
        with pytest.raises(urdfik.Error, match=rf"\b{name}\b"):
            function(**{**arguments, name: Nonsense()})


def test_random_arguments_are_taken_or_refused():
    """No other exception than urdfik.Error."""
    values = [None, True, 0, -1, 3, 1e308, -1e-320, np.nan, np.inf, "", "x", b"x", [], [[]], [1, "a"], {}, {"tool0": 1}, (1, 2)]
    values += [np.zeros(0), np.zeros((2, 3)), np.full(7, np.nan), np.array(["a"]), np.zeros(7, int), Nonsense()]
    random, calls, taken = np.random.default_rng(54), good_calls(), 0
    for _ in range(5000):
        function, arguments = calls[random.integers(len(calls))]
        names = list(inspect.signature(function).parameters) or ["nothing"]
        changed = {str(name): values[random.integers(len(values))] for name in random.choice(names, 1 + random.integers(2))}
        try:
            function(**{**arguments, **changed})
            taken += 1
        except (urdfik.Error, TypeError) as error:
            assert isinstance(error, urdfik.Error) or "nothing" in str(error), (function, changed)
            assert str(error) and "\n" not in str(error), (function, changed)
    assert taken > 100


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("attempts", -1, "attempts is -1; it must be a whole number"),
        ("attempts", 10**30, "attempts is 1000000000000000000000000000000; it must be a whole number"),
        ("attempts", 1.5, "attempts is 1.5; it must be a whole number"),
        ("attempts", "many", "attempts is 'many'; it must be a whole number"),
        ("random_seed", -1, "random_seed is -1"),
        ("position_tolerance", "1e-5", "position_tolerance is '1e-5'; it must be a number"),
        ("orientation_tolerance", None, "orientation_tolerance is None; it must be a number"),
        ("timeout", "1", "timeout is '1'; it must be a number"),
        ("timeout", np.nan, "timeout is NaN"),
        ("closest", 1, "closest is 1; it must be True, False or 'position'"),
        ("solver", 3, "solver is 3; it must be a string"),
        ("pick", b"first", "pick is of type bytes; it must be a string"),
        ("free_axes", 3, "free_axes is 3; it must be a string, or a list of strings"),
        ("free_axes", {3: ["rz"]}, "a tip of free_axes is 3; it must be a string"),
        ("avoid", [BALL], "avoid is of type list; it must be a World"),
        ("posture", {"shoulder_pan_joint": "up"}, "posture of joint 'shoulder_pan_joint' is 'up'; it must be a number"),
        ("posture_weight", "much", "posture_weight is 'much'; it must be a number"),
    ],
)
def test_arguments_of_a_solve(arm, name, value, words):
    with pytest.raises(urdfik.Error, match=re.escape(words)):
        arm.solve(POSE, **{name: value})


def test_other_arguments(arm):
    for call, words in [
        (lambda: urdfik.Arm(urdf("arm7").read_bytes()), "robot is of type bytes; it must be the path or the text of a URDF, or a Robot"),
        (lambda: urdfik.Arm(urdf("arm7"), package_dirs="/tmp"), "package_dirs is '/tmp'; it must be a list of paths"),
        (lambda: arm.solve_batch([POSE], threads=-1), "threads is -1; it must be a whole number"),
        (lambda: arm.solve_batch([POSE], progress=3), "progress must be callable"),
        (lambda: arm.order("elbow_joint"), "names is 'elbow_joint'; it must be a list of strings"),
        (lambda: arm.solve(POSE, attempts=10**5000), "attempts is of type int; it must be a whole number"),
        (lambda: urdfik.World(arm, 3), "obstacles must be a list of dicts"),
        (lambda: urdfik.World(arm, [{**BALL, "radius": np.nan}]), "'radius' of obstacles has an entry that is not a finite number"),
        (lambda: urdfik.World(arm, rest={"elbow_joint": "up"}), "rest is of type dict; it must be a dict from names to numbers"),
    ]:
        with pytest.raises(urdfik.Error, match=re.escape(words)):
            call()
    with open(urdf("arm7")) as file, pytest.raises(urdfik.Error, match="robot is of type TextIOWrapper"):
        urdfik.Arm(file)
    endless = []
    endless.append(endless)
    with pytest.raises(urdfik.Error, match="nested too deeply"):
        urdfik.World(arm, endless)
