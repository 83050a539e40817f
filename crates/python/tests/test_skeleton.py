"""Figures of segments."""

import numpy as np
import pytest

import urdfik
from conftest import ROOT


@pytest.fixture(scope="module")
def person():
    return urdfik.Skeleton(ROOT / "config/skeletons/humanoid.yaml")


def test_a_figure_reaches_its_targets(person):
    assert len(person.points) == len(person.rest) and set(person.ends) <= set(person.points)
    index = {name: number for number, name in enumerate(person.points)}
    targets = {name: person.rest[index[name]] + [0.05, 0, 0.05] for name in ("left_hand", "right_hand")}
    answer = person.solve(targets)
    assert answer.solved and set(answer.reasons.values()) == {"solved"}
    for name, place in targets.items():
        assert np.linalg.norm(answer.points[index[name]] - place) <= 1e-6 and answer.errors[name][0] <= 1e-6
    assert answer.orientations.shape == (len(person.points), 4)
    np.testing.assert_allclose(np.linalg.norm(answer.orientations, axis=1), 1)
    # From the previous answer, and from points alone, no motion is needed.
    for seed in (answer, answer.points):
        again = person.solve(targets, seed)
        assert again.solved
        np.testing.assert_allclose(again.points, answer.points, atol=2e-6)


def test_roots_move_and_weights_count(person):
    end = person.ends[0]
    far = {end: [50.0, 0, 1]}
    fixed = person.solve(far)
    assert not fixed.solved and "out of reach" in fixed.reasons[end]
    np.testing.assert_array_equal(fixed.points[0], person.rest[0])
    assert person.solve(far, root="free").solved
    at = person.rest[0] + [1, 0, 0]
    np.testing.assert_allclose(person.solve({end: person.rest[person.points.index(end)] + [1, 0, 0]}, root=at).points[0], at)
    both = {person.ends[0]: [5.0, 0, 1], person.ends[1]: [-5.0, 0, 1]}
    first, second = [person.solve(both, weights={name: 100.0}, root="free") for name in person.ends[:2]]
    assert first.errors[person.ends[0]][0] < second.errors[person.ends[0]][0]


PITCH_YAW = urdfik.Skeleton(ROOT / "config/skeletons/pitch_yaw.yaml")


def test_an_arm_of_pitch_and_yaw_reaches_its_target():
    arm = PITCH_YAW
    tip, count = arm.ends[0], len(arm.points) - 1
    assert arm.ends == [arm.points[-1]] and (arm.rest[:, 1:] == arm.rest[0, 1:]).all()
    target = arm.rest[0] + 0.6 * (arm.rest[-1, 0] - arm.rest[0, 0]) * np.array([0.6, 0.64, 0.48])
    answer = arm.solve({tip: target})
    assert answer.solved and answer.reasons == {tip: "solved"} and answer.errors[tip][0] <= 1e-6
    assert list(answer.positions) == [f"{name}_{kind}" for kind in ("pitch", "yaw") for name in arm.points[1:]]
    # The direction of a segment is the sum of all pitches and of all yaws up to it.
    angles = np.array(list(answer.positions.values())).reshape(2, count).cumsum(axis=1)
    lengths = np.linalg.norm(np.diff(arm.rest, axis=0), axis=1)
    along = np.array([np.cos(angles[0]) * np.cos(angles[1]), np.cos(angles[0]) * np.sin(angles[1]), np.sin(angles[0])]).T
    np.testing.assert_allclose(answer.points, arm.rest[0] + np.r_[np.zeros((1, 3)), (lengths[:, None] * along).cumsum(axis=0)], atol=1e-12)
    np.testing.assert_allclose(answer.points[-1], target, atol=1e-6)
    assert answer.orientations.shape == (count + 1, 4)
    for seed in (answer, answer.positions, list(answer.positions.values())):
        again = arm.solve({tip: target}, seed)
        assert again.solved and again.iterations <= answer.iterations
        np.testing.assert_allclose(again.points, answer.points, atol=2e-6)
    far = arm.solve({tip: [50, 0, 0]})
    assert not far.solved and "out of reach" in far.reasons[tip]


CRANE = """
name: crane
root: {name: foot, position: [0.5, 0, 0]}
segments:
  - {name: mast, length: 0.5, rest: [0, -90, 0], hinge: {axis: [1, 0, 0]}}
  - {name: boom, length: 0.4, rest: [0, 90, 0], hinge: {axis: [0, 1, 0], range: [-60, 60]}}
  - {name: hook, length: 0.3, hinge: {axis: [0, 1, 0], range: [0, 120]}}
"""


def test_answers_have_joint_positions(person):
    def hook_at(mast, boom, hook):
        """The arm in the plane rotated by the mast: pitches about y tilt the boom and the hook down."""
        reach, height = 0.4 * np.cos(boom) + 0.3 * np.cos(boom + hook), 0.5 - 0.4 * np.sin(boom) - 0.3 * np.sin(boom + hook)
        return [0.5 + reach * np.cos(mast), reach * np.sin(mast), height]

    crane = urdfik.Skeleton(CRANE)
    answer = crane.solve({"hook": hook_at(0.5, 0.3, 0.8)})
    assert answer.solved and list(answer.positions) == ["mast", "boom", "hook"]
    mast, boom, hook = answer.positions.values()
    assert abs(boom) <= np.pi / 3 and 0 <= hook <= 2 * np.pi / 3
    np.testing.assert_allclose(hook_at(mast, boom, hook), answer.points[-1], atol=1e-9)
    # The cones of a person have more than one angle.
    assert person.solve({"left_hand": person.rest[person.points.index("left_hand")]}).positions is None


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda person: urdfik.Skeleton("nothing.yaml"), "there is no such file"),
        (lambda person: urdfik.Skeleton("segments:\n  - {length: 1}\n"), "line|name"),
        (lambda person: PITCH_YAW.solve({"elbow": [0, 0, 1]}), "one position, that of its tip"),
        (lambda person: PITCH_YAW.solve({PITCH_YAW.ends[0]: [0, 0, 1, 0, 0, 0, 1]}), "one position, that of its tip"),
        (lambda person: PITCH_YAW.solve({PITCH_YAW.ends[0]: [0, 0, 1]}, root="free"), 'root must be "fixed"'),
        (lambda person: PITCH_YAW.solve({PITCH_YAW.ends[0]: [0, 0, 1]}, seed=[0, 1]), r"seed has the shape \(2,\); it must be"),
        (lambda person: PITCH_YAW.solve({PITCH_YAW.ends[0]: [0, 0, 1]}, seed={}), "seed does not name"),
        (lambda person: PITCH_YAW.solve({PITCH_YAW.ends[0]: [0, 0, 1]}, tolerance=0), "tolerance"),
        (lambda person: person.solve({"tail": [0, 0, 0]}), "there is no point 'tail'"),
        (lambda person: person.solve({}), "target"),
        (lambda person: person.solve({person.ends[0]: [0, 0]}), "must be .3,. for a position"),
        (lambda person: person.solve({person.ends[0]: [0, 0, 1]}, seed=[[0, 0, 0]]), "one row for each of the points"),
        (lambda person: person.solve({person.ends[0]: [0, 0, 1]}, root="moving"), "root is 'moving'"),
        (lambda person: person.solve({person.ends[0]: [0, 0, 1]}, weights={person.ends[1]: 2}), "which has no target"),
    ],
)
def test_what_is_wrong_is_named(person, call, words):
    with pytest.raises(urdfik.Error, match=words):
        call(person)
