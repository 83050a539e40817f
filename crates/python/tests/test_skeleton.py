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
    # From the answer before, and from points alone, nothing has to move.
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


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda person: urdfik.Skeleton("nothing.yaml"), "there is no such file"),
        (lambda person: urdfik.Skeleton("segments:\n  - {length: 1}\n"), "line|name"),
        (lambda person: urdfik.Skeleton(ROOT / "config/skeletons/pitch_yaw.yaml"), "pitch and yaw"),
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
