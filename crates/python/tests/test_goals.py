"""Goals other than poses. The judge evaluates each goal independently by forward kinematics."""

import dataclasses
import pickle
import re

import numpy as np
import pytest

import urdfik
from conftest import draw, random, urdf
from test_solve import quaternion
from urdfik import goals

TOLERANCE = 1e-5
CLASSES = {each.type: each for each in vars(goals).values() if isinstance(each, type) and hasattr(each, "type")}
UP = [0.0, 0.0, 1.0]
LEVEL = {"type": "cone", "name": "level", "axis": UP, "direction": UP, "angle": 0.1}


def places(arm, q, rest):
    """The pose of each link in the base link's frame, with other joints at `rest`; the only tip has the key None."""
    links = arm.robot.link_poses({**rest, **dict(zip(arm.joint_names, q))})
    places = {name: np.linalg.inv(links[arm.base]) @ pose for name, pose in links.items()}
    if len(arm.tips) == 1:
        places[None] = arm.forward_kinematics(q)
    return places


def rotation(q_xyzw):
    x, y, z, w = q_xyzw
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


def between(a, b):
    """The angle between two vectors [rad]."""
    return np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)


def values(arm, goal, q, rest=None):
    """The values that the bounds of a goal apply to, at joint positions q."""
    if goal["type"] == "joints":
        return np.array([sum(factor * q[arm.joint_names.index(joint)] for joint, factor in goal["coefficients"].items())])
    links = places(arm, q, rest or {})
    frame = np.eye(4) if goal.get("frame") is None else links[goal["frame"]]
    link = np.linalg.inv(frame) @ links[goal.get("link")]
    turn, point = link[:3, :3], link[:3, :3] @ goal.get("point", np.zeros(3)) + link[:3, 3]
    p, axes = np.asarray(goal.get("p", np.zeros(3))), rotation(goal.get("q_xyzw", [0, 0, 0, 1]))
    if goal["type"] == "position":
        return axes.T @ (point - p)
    if goal["type"] == "distance":
        along = goal.get("direction")
        return np.array([np.linalg.norm(point - p if along is None else np.cross(point - p, along / np.linalg.norm(along)))])
    if goal["type"] == "cone":
        return np.array([between(turn @ goal["axis"], np.asarray(goal["direction"]))])
    if goal["type"] == "gaze":
        return np.array([between(turn @ goal["axis"], p - point)])
    offset = axes.T @ turn
    if goal.get("parameterization") == "xyz_euler":
        return np.array([np.arctan2(-offset[1, 2], offset[2, 2]), np.arcsin(offset[0, 2]), np.arctan2(-offset[0, 1], offset[0, 0])])
    *vector, w = quaternion(np.block([[offset, np.zeros((3, 1))], [0, 0, 0, 1]]))[3:]
    length = np.linalg.norm(vector)
    numbers = 2 * np.arctan2(length, abs(w)) * np.sign(w) * np.array(vector) / length
    return axes @ numbers if goal.get("axes") == "frame" else numbers


def violation(arm, goal, q, rest=None):
    """Excess of the values over their bounds."""
    found = values(arm, goal, q, rest)
    lower, upper = (0.0, goal["angle"]) if "angle" in goal else (goal["lower"], goal["upper"])
    return np.linalg.norm(np.maximum(np.maximum(lower - found, found - upper), 0))


def vector(rng):
    return rng.normal(size=3)


def turn(rng):
    q_xyzw = rng.normal(size=4)
    return q_xyzw / np.linalg.norm(q_xyzw)


KINDS = {
    "position": lambda rng: {"point": 0.1 * vector(rng), "p": vector(rng), "q_xyzw": turn(rng)},
    "distance": lambda rng: {"point": 0.1 * vector(rng), "p": vector(rng)},
    "distance from a line": lambda rng: {"point": 0.1 * vector(rng), "p": vector(rng), "direction": vector(rng)},
    "cone": lambda rng: {"axis": vector(rng), "direction": vector(rng)},
    "gaze": lambda rng: {"point": 0.1 * vector(rng), "axis": vector(rng), "p": vector(rng)},
    "orientation": lambda rng: {"q_xyzw": turn(rng)},
    "orientation along the frame": lambda rng: {"q_xyzw": turn(rng), "axes": "frame"},
    "orientation by Euler angles": lambda rng: {"q_xyzw": turn(rng), "parameterization": "xyz_euler"},
    "joints": lambda rng: {},
}


def feasible(arm, kind, rng, links):
    """A goal of this kind that holds at random joint positions."""
    goal = {"type": kind.split()[0], **KINDS[kind](rng)}
    if goal["type"] == "joints":
        goal["coefficients"] = dict(zip(rng.choice(arm.joint_names, 2, replace=False), rng.uniform(0.5, 2, 2) * rng.choice([-1, 1], 2)))
    else:
        goal |= links
    met = values(arm, goal, draw(arm, rng, 1)[0])
    if goal["type"] in ("cone", "gaze"):
        return {**goal, "angle": min(float(met[0] + rng.uniform(0, 0.1)), np.pi)}
    bounds = {"lower": met - rng.uniform(0, 0.1, len(met)), "upper": met + rng.uniform(0, 0.1, len(met))}
    if goal["type"] == "distance":
        bounds["lower"] = np.maximum(bounds["lower"], 0)
    return {**goal, **(bounds if len(met) > 1 else {name: float(bound[0]) for name, bound in bounds.items()})}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_solved_on_tips_links_and_between_tips(panda, hands, kind):
    rng = random(60 + list(KINDS).index(kind))
    for arm, links in [(panda, {}), (panda, {"link": "panda_link6"}), (hands, {"link": "left_hand", "frame": "right_hand"})]:
        for _ in range(8):
            goal = feasible(arm, kind, rng, links)
            answer = arm.solve(goals=[goal])
            assert answer.solved, (answer.reason, goal)
            assert answer.violations.shape == (1,) and answer.violations[0] <= TOLERANCE
            assert abs(violation(arm, goal, answer.positions) - answer.violations[0]) < 1e-9
            assert (answer.positions >= arm.lower).all() and (answer.positions <= arm.upper).all()
            # An instance, the alias, and lists in place of arrays are equivalent.
            instance = CLASSES[goal["type"]](**{name: value for name, value in goal.items() if name != "type"})
            plain = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in goal.items()}
            copy = pickle.loads(pickle.dumps(instance))
            for same in ({"goals": [instance]}, {"constraints": (goal,)}, {"goals": [plain]}, {"goals": [copy]}):
                np.testing.assert_array_equal(arm.solve(**same).positions, answer.positions)


def test_goals_are_met_together_with_a_pose(arm):
    carry = arm.solve([0.4, 0.1, 0.4], goals=[LEVEL, {"type": "distance", "p": [0, 0, 0.4], "lower": 0.3, "upper": 0.6}])
    assert carry.solved and carry.violations.shape == (2,)
    assert np.linalg.norm(arm.forward_kinematics(carry.positions)[:3, 3] - [0.4, 0.1, 0.4]) <= TOLERANCE
    assert violation(arm, LEVEL, carry.positions) <= TOLERANCE


def test_poses_relative_to_another_tip_and_to_the_base(hands):
    rng = random(70)
    left, right = hands.forward_kinematics(draw(hands, rng, 1)[0])
    apart = np.linalg.inv(right) @ left
    both = hands.solve(goals=[goals.RelativeFrameGoal(link="left_hand", frame="right_hand", pose=apart)])
    assert both.solved and both.violations.shape == (2,)
    left, right = hands.forward_kinematics(both.positions)
    np.testing.assert_allclose(right @ apart, left, atol=2e-5)
    numbers = quaternion(apart)
    dicts = [{"type": "position", "p": numbers[:3]}, {"type": "orientation", "q_xyzw": numbers[3:]}]
    exact = {"link": "left_hand", "frame": "right_hand", "lower": np.zeros(3), "upper": np.zeros(3)}
    same = hands.solve(goals=[goal | exact for goal in dicts])
    assert same.solved and np.abs(same.positions - both.positions).max() < 1e-6
    alone = hands.solve(goals=[goals.FrameGoal(link="left_hand", pose=left)])
    np.testing.assert_allclose(hands.forward_kinematics(alone.positions)[0], left, atol=2e-5)


def test_without_a_link_the_goal_refers_to_the_tool(panda):
    tool = [0, 0, 0.2]
    at = panda.forward_kinematics(panda.nominal)[:3, 3] + [0, 0.05, 0.02]
    exact = {"type": "position", "p": at, "lower": np.zeros(3), "upper": np.zeros(3)}
    by_tool = panda.solve(goals=[exact], tool=tool)
    assert by_tool.solved and np.linalg.norm(panda.with_tool(tool).forward_kinematics(by_tool.positions)[:3, 3] - at) < 2e-5
    by_link = panda.solve(goals=[{**exact, "link": "panda_hand_tcp"}], tool=tool)
    assert by_link.solved and np.linalg.norm(panda.forward_kinematics(by_link.positions)[:3, 3] - at) < 2e-5


def test_links_off_the_arm_are_where_the_world_has_them():
    left = urdfik.Arm(urdf("dual_arm"), tip="left_hand", base="torso")
    near = {"type": "distance", "frame": "right_hand", "lower": 0.3, "upper": 0.4}
    far = {**near, "lower": 5, "upper": 9}
    rest = {"right_shoulder_pitch_joint": -0.8, "right_elbow_joint": -0.6}
    for world, joints in [(None, {}), (urdfik.World(left, rest=rest), rest)]:
        answer = left.solve(goals=[near], avoid=world)
        assert answer.solved and violation(left, near, answer.positions, joints) <= TOLERANCE
        answer = left.solve(goals=[far], avoid=world)
        assert abs(violation(left, far, answer.positions, joints) - answer.violations[0]) < 1e-9


def test_mimic_joints_have_their_share_of_a_relation():
    arm = urdfik.Arm(urdf("mixed_joints"), tip="tool")
    # The mimic joint is at -0.5 times its master plus 0.2.
    answer = arm.solve(goals=[goals.JointsGoal(coefficients={"lower_arm_follower_joint": 1}, lower=0.4, upper=0.4)])
    master = answer.positions[arm.joint_names.index("lower_arm_joint")]
    assert answer.solved and abs(-0.5 * master + 0.2 - 0.4) <= TOLERANCE
    slid = arm.solve(goals=[goals.JointsGoal(coefficients={"carriage_joint": 2}, lower=0.1, upper=None)])
    assert slid.solved and 2 * slid.positions[arm.joint_names.index("carriage_joint")] >= 0.1 - TOLERANCE


def test_the_center_of_mass_is_that_of_all_links():
    masses = {"link": 2.0, "hand": 1.0}
    inertial = "<inertial><origin xyz='0.1 0 0'/><mass value='{}'/></inertial>"
    links = "".join(f"<link name='{name}'>{inertial.format(mass)}</link>" for name, mass in masses.items())
    joint = "<joint name='{}' type='continuous'><parent link='{}'/><child link='{}'/><origin xyz='{} 0 0'/><axis xyz='0 0 1'/></joint>"
    joints = joint.format("a", "base", "link", 0) + joint.format("b", "link", "hand", 0.5)
    text = f"<robot name='r'><link name='base'/>{links}{joints}</robot>"
    arm = urdfik.Arm(text, tip="hand")
    answer = arm.solve(goals=[goals.ComGoal(p=[0.17, 0.17, 0], lower=[0, 0, None], upper=[0, 0, None])])
    a, b = answer.positions
    first, second = (np.array([np.cos(x), np.sin(x)]) for x in (a, a + b))
    center = (2 * 0.1 * first + 0.5 * first + 0.1 * second) / 3
    assert answer.solved and np.linalg.norm(center - 0.17) <= 2 * TOLERANCE
    with pytest.raises(urdfik.Error, match="has no masses"):
        urdfik.Arm(urdf("arm6"), tip="tool0").solve(goals=[goals.ComGoal()])


def test_goals_are_solved_from_the_current_positions(panda):
    q = panda.nominal
    answer = panda.track(None, q, 0.5, goals=[LEVEL | {"direction": panda.forward_kinematics(q)[:3, 2] + [0.2, 0, 0]}])
    assert answer.solved and np.abs(answer.positions - q).max() <= 0.5
    found = panda.solve_all(panda.forward_kinematics(q), goals=[{"type": "joints", "coefficients": {"panda_joint1": 1}, "lower": 0.1}])
    assert all(answer.positions[0] >= 0.1 - TOLERANCE and answer.violations.shape == (1,) for answer in found)


@pytest.mark.parametrize("none", [None, np.inf, "omitted"])
def test_a_bound_may_be_infinite_or_none(panda, none):
    at = panda.forward_kinematics(panda.nominal)[:3, 3]
    for sign, bound, other in [(-1, "upper", "lower"), (1, "lower", "upper")]:
        goal = {"type": "position", "p": at + [0, sign * 0.1, 0], bound: [None if none == "omitted" else none and -sign * none, 0, None]}
        if none != "omitted":
            goal[other] = none and sign * none
        answer = panda.solve(goals=[goal])
        assert answer.solved
        assert sign * (panda.forward_kinematics(answer.positions)[1, 3] - goal["p"][1]) >= -TOLERANCE


def test_an_unmet_goal_is_named_with_its_violation(panda, hands):
    far = {"type": "position", "name": "far away", "p": [5, 0, 0], "lower": [0, 0, 0], "upper": [0, 0, 0]}
    down = {**LEVEL, "name": "upside down", "direction": [0, 0, -1]}
    for arm, wanted in [(panda, [far]), (panda, [LEVEL, down]), (hands, [goal | {"link": "left_hand"} for goal in (LEVEL, down)])]:
        answer = arm.solve(goals=wanted)
        assert not answer.solved and answer.outcome is not urdfik.Outcome.SOLVED
        expected = [violation(arm, goal, answer.positions) for goal in wanted]
        np.testing.assert_allclose(answer.violations, expected, atol=1e-9)
        worst = wanted[int(np.argmax(expected))]["name"]
        assert f"'{worst}' is violated" in answer.reason, answer.reason


def test_batches(panda):
    rng, count = random(71), len(KINDS) + 3
    poses, seeds = panda.forward_kinematics(draw(panda, rng, count))[:, :3, 3], draw(panda, rng, count)
    poses[5] = np.nan
    shared = [LEVEL, {"type": "joints", "coefficients": {"panda_joint1": 1}, "lower": -1.5, "upper": 1.5}]
    each = [[feasible(panda, kind, rng, {})] for kind in KINDS] + [shared, [], [LEVEL]]
    for wanted in (shared, each):
        answers = panda.solve_batch(poses, seeds, goals=wanted, threads=2)
        assert list(answers.refused) == [5] and np.isnan(answers.violations[5]).all() and answers.violations.shape == (count, 2)
        for row in set(range(count)) - {5}:
            single = panda.solve(poses[row], seeds[row], goals=wanted if wanted is shared else wanted[row])
            np.testing.assert_array_equal(answers.positions[row], single.positions)
            np.testing.assert_array_equal(answers.violations[row, :len(single.violations)], single.violations)
            assert np.isnan(answers.violations[row, len(single.violations):]).all()
    alone = panda.solve_batch(None, seeds, constraints=[LEVEL])
    assert len(alone) == count and alone.solved.all() and (alone.violations <= TOLERANCE).all()
    assert len(panda.solve_batch(goals=[[LEVEL], [LEVEL]])) == 2 and len(panda.solve_batch(goals=[LEVEL])) == 1
    assert panda.solve_batch(poses[:2]).violations.shape == (2, 0)
    for call, words in [
        (lambda: panda.solve_batch(), "poses is None, and there are no goals"),
        (lambda: panda.solve_batch(poses, goals=[[LEVEL]]), f"there are 1 lists of goals for {count} poses"),
        (lambda: panda.solve_batch(goals=[[LEVEL], 3]), "goals[1] is 3; it must be a list of goals"),
        (lambda: panda.solve_batch(goals=[[], [LEVEL, {"type": "dance"}]]), "goals[1][1]: dance: there is no goal of type"),
    ]:
        with pytest.raises(urdfik.Error, match=re.escape(words)):
            call()


@pytest.mark.parametrize(
    "change, words",
    [
        ({"type": "dance"}, "dance: there is no goal of type 'dance'; the types are: position, distance, cone"),
        ({"type": None}, "its 'type' is null"),
        ({"link": "nobody"}, "level: there is no link 'nobody'; the links are: panda_link0"),
        ({"frame": "nobody"}, "level: there is no link 'nobody'"),
        ({"link": "panda_link0"}, "level: no joint of the chain moves its 'link' relative to its 'frame'"),
        ({"angel": 1}, "level: the field 'angel' is unknown here"),
        ({"axis": [0, 0]}, "level: its 'axis' is [0,0]; it must be 3 numbers"),
        ({"axis": np.zeros(3)}, "level: its 'axis' is [0.0, 0.0, 0.0]; it must be a finite vector other than 0"),
        ({"direction": [0, np.nan, 1]}, "'direction' of goals[0] has an entry that is not a finite number"),
        ({"angle": np.nan}, "'angle' of goals[0] has an entry that is not a finite number"),
        ({"angle": 4}, "level: its 'angle' is 4; it must be 0 to π rad"),
        ({"angle": "wide"}, "level: its 'angle' is \"wide\"; it must be a number"),
        ({"weight": 0}, "level: its weight is 0; it must be a finite number above 0"),
        ({"name": 3}, "its 'name' is 3; it must be a text"),
    ],
)
def test_an_invalid_goal_is_named_with_its_fault(panda, change, words):
    with pytest.raises(urdfik.Error, match=re.escape(words)) as error:
        panda.solve(goals=[LEVEL | change])
    assert "goals[0]" in str(error.value)


def test_other_invalid_goals(panda, hands):
    mixed = urdfik.Arm(urdf("mixed_joints"), tip="tool")
    box = {"type": "position", "lower": [0, 0, 1], "upper": [1, 1, 0]}
    for arm, wanted, words in [
        (panda, [LEVEL, box], "goals[1]: position: no value lies between 1 and 0"),
        (panda, [{**box, "lower": np.inf}], "'lower' of goals[0] has an entry that is not a finite number"),
        (panda, [{"type": "joints", "coefficients": {"panda_finger_joint1": 1}}], "'panda_finger_joint1' is not part of the chain"),
        (panda, [{"type": "joints", "coefficients": {"nobody": 1}}], "there is no joint 'nobody'"),
        (panda, [{"type": "joints", "coefficients": {}}], "'coefficients' name no joint"),
        (panda, [{"type": "cone"}], "goals[0]: cone: the field 'axis' is missing"),
        (mixed, [{"type": "joints", "coefficients": {"turntable_joint": 1, "carriage_joint": 1}}], "mix joints that rotate and joints"),
        (hands, [LEVEL], "level: the field 'link' is missing; it is needed with several tips: left_hand, right_hand"),
        (panda, LEVEL, "goals is of type dict; it must be a list of goals"),
        (panda, [3], "goals[0] is 3; it must be a dict, or a goal of urdfik.goals"),
        (panda, [[LEVEL]], "goals is a list of lists, which only solve_batch takes"),
        (panda, [goals.FrameGoal(pose=[0, 0, 1])], "goals[0]: pose has no orientation"),
        (panda, [goals.FrameGoal(pose=[0, 0])], "goals[0]: pose has the shape (2,)"),
    ]:
        with pytest.raises(urdfik.Error, match=re.escape(words)):
            arm.solve(goals=wanted)
    for call, words in [
        (lambda: panda.solve(), "pose is None, and there are no goals"),
        (lambda: panda.track(None, panda.nominal, goals=[]), "pose is None, and there are no goals"),
        (lambda: panda.solve(goals=[LEVEL], constraints=[LEVEL]), "constraints is another name of goals"),
    ]:
        with pytest.raises(urdfik.Error, match=re.escape(words)):
            call()


def test_a_class_has_the_fields_of_its_type(panda):
    with pytest.raises(urdfik.Error) as error:
        panda.solve(goals=[{"type": "dance"}])
    assert set(CLASSES) <= set(re.search("the types are: (.*)", str(error.value))[1].split(", "))
    given = {kind: set() for kind in CLASSES}
    for kind in KINDS:
        goal = feasible(panda, kind, random(72), {"link": "panda_hand", "frame": "panda_link1"})
        goal |= {"name": kind, "weight": 2, "standing": True}
        assert panda.solve(goals=[goal]).solved
        given[goal["type"]] |= set(goal)
    # The robot has no masses.
    for kind, each in ((kind, each) for kind, each in CLASSES.items() if kind != "center_of_mass"):
        assert given[kind] - {"type"} == {field.name for field in dataclasses.fields(each)}
