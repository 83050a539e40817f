"""Single problems."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

import urdfik
from conftest import ROOT, draw, random, urdf


def apart(a, b):
    """Distance [m] and angle [rad] of two poses."""
    turn = a[:3, :3].T @ b[:3, :3]
    sine = np.linalg.norm([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    return np.linalg.norm(a[:3, 3] - b[:3, 3]), np.arctan2(sine, (np.trace(turn) - 1) / 2)


def quaternion(pose):
    """x y z qx qy qz qw of a matrix, by the eigenvector of Bar-Itzhack's matrix."""
    r = pose[:3, :3]
    k = np.array([
        [r[0, 0] - r[1, 1] - r[2, 2], 0, 0, 0],
        [r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], 0, 0],
        [r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1], 0],
        [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)],
    ])
    return np.concatenate([pose[:3, 3], np.linalg.eigh(k)[1][:, -1]])


def test_every_way_to_write_a_pose(panda):
    matrix = panda.forward_kinematics(draw(panda, random(10), 1)[0])
    for pose in (matrix, matrix.tolist(), np.asfortranarray(matrix), quaternion(matrix), {"panda_hand_tcp": matrix}, matrix[None]):
        answer = panda.solve(pose)
        assert answer.solved and answer.outcome is urdfik.Outcome.SOLVED and answer.reason.startswith("solved")
        distance, angle = apart(panda.forward_kinematics(answer.positions), matrix)
        assert distance <= 1e-5 and angle <= 1e-5
        assert abs(distance - answer.position_error) < 1e-9 and answer.orientation_error <= 1e-5
        assert (answer.positions >= panda.lower).all() and (answer.positions <= panda.upper).all()
        assert answer.iterations >= 1 and answer.attempts >= 1
    alone = panda.solve(matrix[:3, 3])
    assert alone.solved and np.linalg.norm(panda.forward_kinematics(alone.positions)[:3, 3] - matrix[:3, 3]) <= 1e-5


def test_the_same_problem_has_the_same_bits(panda):
    pose = panda.forward_kinematics(draw(panda, random(11), 1)[0])
    first = panda.solve(pose)
    np.testing.assert_array_equal(first.positions, panda.solve(pose).positions)
    np.testing.assert_array_equal(first.positions, panda.solve(pose, panda.nominal, solver="jacobian", free_axes=[], pick="first",
                                                               attempts=100, random_seed=0, timeout=None, avoid=None, posture=None,
                                                               closest=True).positions)
    by_name = dict(zip(panda.joint_names, panda.nominal))
    np.testing.assert_array_equal(first.positions, panda.solve(pose, seed=by_name).positions)


def test_ten_thousand_answers_have_the_bits_of_the_command_line(tmp_path):
    """The command line uses the Rust library. It reads numbers of few digits exactly, and writes all digits of an answer."""
    program = os.environ.get("URDF_IK") or shutil.which("urdf_ik")
    if program is None:
        pytest.skip("no command line: set URDF_IK to its path")
    rng, compared = random(12), 0
    for name, base, tip, solver in [
        ("panda", "panda_link0", "panda_hand_tcp", "jacobian"),
        ("fetch", "torso_lift_link", "gripper_link", "jacobian"),
        ("ur5_robot", "base_link", "tool0", "closed_form"),
        ("gen3", "base_link", "EndEffector_Link", "fabrik"),
    ]:
        arm = urdfik.Arm(urdf(name), tip=tip, base=base)
        seeds = np.round(draw(arm, rng, 2500), 9)
        poses = [np.round(quaternion(pose), 9).tolist() for pose in arm.forward_kinematics(draw(arm, rng, 2500))]
        cases = [{"seed": list(seed), "seed_random": list(seed), "target": {"p": pose[:3], "q_xyzw": pose[3:]}}
                 for seed, pose in zip(seeds, poses)]
        file, solutions = tmp_path / f"{name}.json", tmp_path / f"{name}_solutions.json"
        file.write_text(json.dumps({"robot": name, "urdf": str(urdf(name)), "base_link": base, "tip_link": tip,
                                    "joint_names": arm.joint_names, "cases": cases}))
        subprocess.run([program, "evaluate", "--cases", file, "--solver", solver, "--timeout-ms", "60000", "--solutions", solutions],
                       check=True, stdout=subprocess.DEVNULL)
        expected = json.loads(solutions.read_text())
        for pose, seed, theirs in zip(poses, seeds, expected, strict=True):
            ours = arm.solve(pose, seed, solver=solver, attempts=1_000_000)
            assert ours.solved == (theirs is not None)
            if theirs is not None:
                assert ours.positions.tolist() == theirs
                compared += 1
    assert compared >= 9900


def test_rounded_rotations_are_made_exact(panda):
    """Matrices in half precision, products of many in single precision, and quaternions that are off by 1 %."""
    rng, count = random(50), 40
    poses = panda.forward_kinematics(draw(panda, rng, count))
    for pose in poses:
        exact = panda.solve(pose)
        assert exact.solved
        half = pose.astype(np.float16)
        answer = panda.solve(half)
        assert np.abs(half[:3, :3].astype(float).T @ half[:3, :3] - np.eye(3)).max() > 1e-6
        assert answer.outcome is not urdfik.Outcome.INVALID
        assert not answer.solved or max(apart(panda.forward_kinematics(answer.positions), pose)) < 2e-3
        scaled = quaternion(pose) * np.repeat([1, 1.01], [3, 4])
        assert panda.solve(scaled).solved
        assert max(apart(panda.forward_kinematics(panda.solve(scaled).positions), pose)) < 2e-5
    turns = poses.astype(np.float32)
    for first in range(0, count, 20):
        product = np.linalg.multi_dot(list(turns[first : first + 20, :3, :3]))
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = product, poses[first, :3, 3]
        assert np.isfinite(panda.solve(pose).positions).all()
    for wrong, words in [
        (np.diag([1.03, 1, 1, 1]), "0.02 is allowed"),
        (np.diag([1, -1, 1, 1]), "reflection"),
        (np.diag([np.nan, 1, 1, 1]), "not a rotation"),
        (np.diag([0, 0, 0, 1]), "not a rotation"),
        ([0.4, 0, 0.4, 0, 0, 0, 1.03], "must be 1 within 0.02"),
        ([0.4, 0, 0.4, 0, 0, 0, 0], "length 0"),
        ([0.4, 0, 0.4, 0, 0, 0, np.nan], "quaternion"),
    ]:
        with pytest.raises(urdfik.Error, match=words):
            panda.solve(wrong)


def test_out_of_reach_is_said(panda):
    answer = panda.solve([5, 0, 0])
    assert not answer.solved and answer.outcome is urdfik.Outcome.OUT_OF_REACH
    assert answer.reason.startswith("out of reach: it needs") and answer.position_error > 1
    assert not panda.solve([5, 0, 0], closest=False).solved


def test_the_position_comes_first_where_asked():
    arm = urdfik.Arm(urdf("so101"), tip="gripper_frame_link")
    poses = arm.forward_kinematics(draw(arm, random(16), 20))
    poses[:, :3, :3] = poses[::-1, :3, :3].copy()
    batch = arm.solve_batch(poses, closest="position")
    for pose, positions in zip(poses, batch.positions, strict=True):
        answer = arm.solve(pose, closest="position")
        assert not answer.solved and answer.outcome is urdfik.Outcome.POSITION_ONLY and answer.positions.tolist() == positions.tolist()
        found = arm.forward_kinematics(answer.positions)
        assert np.linalg.norm(found[:3, 3] - pose[:3, 3]) <= 1e-5 and "position only" in answer.reason
        cosine = (np.trace(found[:3, :3].T @ pose[:3, :3]) - 1) / 2
        assert abs(np.arccos(np.clip(cosine, -1, 1)) - answer.orientation_error) < 1e-6
        tracked = arm.track(pose, answer.positions, closest="position")
        assert tracked.position_error <= 1e-5 and tracked.orientation_error <= answer.orientation_error + 1e-4
        assert arm.solve(pose).position_error > 1e-5
    with pytest.raises(urdfik.Error, match="closest is 'orientation'; it must be True, False or 'position'"):
        arm.solve(poses[0], closest="orientation")


def test_axes_are_left_free(panda):
    pose = panda.forward_kinematics(draw(panda, random(13), 1)[0])
    for free in ("rz", ["rz"], {"panda_hand_tcp": ["rz"]}):
        found = panda.forward_kinematics(panda.solve(pose, free_axes=free, seed=draw(panda, random(14), 1)[0]).positions)
        assert np.linalg.norm(found[:3, 3] - pose[:3, 3]) <= 1e-5
        assert np.arccos(np.clip(found[:3, 2] @ pose[:3, 2], -1, 1)) <= 1e-5


def test_tolerances_are_met(panda):
    pose = panda.forward_kinematics(draw(panda, random(15), 1)[0])
    answer = panda.solve(pose, position_tolerance=1e-9, orientation_tolerance=1e-9)
    assert answer.solved and max(answer.position_error, answer.orientation_error) <= 1e-9


def test_several_tips(hands):
    poses = hands.forward_kinematics(draw(hands, random(16), 1)[0])
    for given in (poses, {"left_hand": poses[0], "right_hand": poses[1]}, np.array([quaternion(pose) for pose in poses])):
        answer = hands.solve(given)
        assert answer.solved
        for found, pose in zip(hands.forward_kinematics(answer.positions), poses):
            assert max(apart(found, pose)) <= 1e-5
    # An unnamed tip is free, and each may have its own format.
    one = hands.solve({"right_hand": poses[1]})
    assert max(apart(hands.forward_kinematics(one.positions)[1], poses[1])) <= 1e-5
    mixed = hands.solve({"left_hand": poses[0][:3, 3], "right_hand": quaternion(poses[1])})
    assert mixed.solved


def test_all_solutions_of_a_six_axis_arm():
    ur5 = urdfik.Arm(urdf("ur5_robot"), tip="tool0", base="base_link")
    pose = ur5.forward_kinematics([0.3, -1.0, 1.2, -0.5, 0.8, 0.2])
    found = ur5.solve_all(pose, solver="closed_form")
    assert len(found) >= 8 and all(answer.solved for answer in found)
    for answer in found:
        assert max(apart(ur5.forward_kinematics(answer.positions), pose)) <= 1e-5
    turns = {tuple(np.round(np.mod(answer.positions, 2 * np.pi), 4)) for answer in found}
    assert len(turns) >= 8
    nearest = ur5.solve(pose, seed=found[3].positions, pick="nearest", solver="closed_form")
    assert np.abs(nearest.positions - found[3].positions).max() < 1e-4


def test_every_revolution_within_the_limits():
    ur5 = urdfik.Arm(urdf("ur5_robot"), tip="tool0", base="base_link")
    pose = ur5.forward_kinematics([0.3, -1.0, 1.2, -0.5, 0.8, 0.2])
    seed = ur5.nominal + 0.1
    once = ur5.solve_all(pose, seed, solver="closed_form")
    every = ur5.solve_all(pose, seed, solver="closed_form", max_turns=10_000)
    # Five joints have two revolutions each. The elbow has one.
    assert len(every) == len(once) * 2**5
    distances = [np.linalg.norm(answer.positions - seed) for answer in every]
    assert distances == sorted(distances)
    for answer in every[::7]:
        assert max(apart(ur5.forward_kinematics(answer.positions), pose)) <= 1e-5
        assert (answer.positions >= ur5.lower).all() and (answer.positions <= ur5.upper).all()
    few = ur5.solve_all(pose, seed, solver="closed_form", max_turns=3)
    assert [list(answer.positions) for answer in few] == [list(answer.positions) for answer in every[:3]]


def test_the_most_manipulable_is_picked(panda):
    pose = panda.forward_kinematics(draw(panda, random(17), 1)[0])
    first, best = panda.solve(pose), panda.solve(pose, pick="most_manipulable")
    assert best.solved and panda.manipulability(best.positions) >= panda.manipulability(first.positions) * 0.999


def test_a_posture_is_preferred(panda):
    pose, posture = panda.forward_kinematics(draw(panda, random(18), 1)[0]), panda.nominal + 0.3
    plain, preferred = panda.solve(pose), panda.solve(pose, posture=posture)
    assert preferred.solved
    # The result of a frame task with a posture task, also if another branch is nearer to the middle.
    rng = random(51)
    near = far = 0.0
    for q, pose in zip(draw(panda, rng, 30), panda.forward_kinematics(draw(panda, rng, 30))):
        near += np.linalg.norm(panda.solve(pose, seed=q, pick="nearest", posture=q).positions - q)
        far += np.linalg.norm(panda.solve(pose, posture=q).positions - q)
    assert near < 0.9 * far
    assert np.linalg.norm(preferred.positions - posture) < np.linalg.norm(plain.positions - posture) + 1e-9


def test_other_random_numbers_give_other_starting_points(panda):
    rng = random(19)
    poses = panda.forward_kinematics(draw(panda, rng, 50))
    seed = draw(panda, rng, 1)[0]
    several = [{panda.solve(pose, seed, random_seed=number).attempts for number in range(3)} for pose in poses]
    assert all(several)


def test_tracking_moves_no_joint_farther_than_allowed(panda):
    q = panda.nominal
    pose = panda.forward_kinematics(q)
    pose[2, 3] += 0.1
    steps = 0
    while steps < 100:
        answer = panda.track(pose, q, max_step=0.02)
        assert np.abs(answer.positions - q).max() <= 0.02 + 1e-12
        q, steps = answer.positions, steps + 1
        if answer.solved:
            break
        assert answer.outcome is urdfik.Outcome.STEP_LIMITED
    assert answer.solved and steps > 3
    per_joint = np.full(7, 0.02)
    per_joint[0] = 0.0
    assert panda.track(pose, panda.nominal, per_joint).positions[0] == panda.nominal[0]
    assert panda.track(pose, panda.nominal).solved


def test_a_timeout_ends_a_search(panda):
    answer = panda.solve([0, 0, 0.01], attempts=1_000_000, timeout=0.01, free_axes=["x"], orientation_tolerance=1e-7)
    assert answer.attempts < 1_000_000


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda arm: arm.solve(np.eye(3)), r"pose has the shape \(3, 3\); it must be \(4, 4\) for homogeneous matrices, \(7,\)"),
        (lambda arm: arm.solve(np.diag([1, 1, 1.03, 1])), "not a rotation"),
        (lambda arm: arm.solve(np.diag([1, 1, -1, 1])), "reflection"),
        (lambda arm: arm.solve([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.1, 0, 0, 1]]), "last row"),
        (lambda arm: arm.solve([0, 0, 0, 0, 0, 0, 2]), "quaternion"),
        (lambda arm: arm.solve([np.nan, 0, 0]), "not a finite number"),
        (lambda arm: arm.solve("home"), "array of numbers"),
        (lambda arm: arm.solve({"hand": np.eye(4)}), "no tip link 'hand'; the tip links are: panda_hand_tcp"),
        (lambda arm: arm.solve({}), "no target"),
        (lambda arm: arm.solve(np.eye(4), seed=[0] * 6), r"seed has the shape \(6,\); it must be \(7,\)"),
        (lambda arm: arm.solve(np.eye(4), seed=[np.nan] * 7), "seed of joint 'panda_joint1'"),
        (lambda arm: arm.solve(np.eye(4), solver="magic"), "the solvers are: jacobian"),
        (lambda arm: arm.solve(np.eye(4), solver="closed_form", position_tolerance=0), "position tolerance is 0"),
        (lambda arm: arm.solve(np.eye(4), pick="best"), "the picks are: first"),
        (lambda arm: arm.solve(np.eye(4), free_axes=["yaw"]), "there is no axis 'yaw'"),
        (lambda arm: arm.solve(np.eye(4), attempts=0), "attempts is 0"),
        (lambda arm: arm.solve(np.eye(4), timeout=-1), "timeout is -1"),
        (lambda arm: arm.track(np.eye(4), arm.nominal, max_step=-1), "largest step"),
    ],
)
def test_what_is_wrong_is_named(panda, call, words):
    with pytest.raises(urdfik.Error, match=words):
        call(panda)


def test_wrong_arguments_are_refused_as_python_does(panda):
    with pytest.raises(TypeError, match=r"solve\(\) got an unexpected keyword argument 'tolerance'"):
        panda.solve(np.eye(4), tolerance=1)
    with pytest.raises(TypeError, match=r"track\(\) got an unexpected keyword argument 'pick'"):
        panda.track(np.eye(4), panda.nominal, pick="first")


def test_answers_are_pickled(panda):
    import pickle

    answer = panda.solve(panda.forward_kinematics(panda.nominal))
    copy = pickle.loads(pickle.dumps(answer))
    assert copy.outcome is urdfik.Outcome.SOLVED and copy.reason == answer.reason
    np.testing.assert_array_equal(copy.positions, answer.positions)


def test_the_examples_of_the_documentation_run():
    """Runs the ```python blocks of docs/python.md in order, from the root of the repository."""
    blocks = (ROOT / "docs/python.md").read_text().split("```python\n")[1:]
    script = "\n".join(block.split("```")[0] for block in blocks)
    assert len(blocks) >= 5
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        exec(compile(script, "docs/python.md", "exec"), {})
    finally:
        os.chdir(before)
