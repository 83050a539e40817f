"""Batches of problems."""

import multiprocessing
import os
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import urdfik
from conftest import draw, random, urdf


def problems(arm, seed, count):
    rng = random(seed)
    poses, seeds = arm.forward_kinematics(draw(arm, rng, count)), draw(arm, rng, count)
    poses[::7, ..., 0, 3] += 5  # some are out of reach
    return poses, seeds


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_each_row_is_that_of_a_single_solve(panda, hands, threads):
    for arm in (panda, hands):
        poses, seeds = problems(arm, 20, 60)
        answers = arm.solve_batch(poses, seeds, threads=threads)
        assert len(answers) == 60 and answers.refused == {}
        for row, (pose, seed) in enumerate(zip(poses, seeds)):
            single = arm.solve(pose, seed)
            np.testing.assert_array_equal(answers.positions[row], single.positions)
            assert answers.solved[row] == single.solved and answers.outcomes[row] == single.outcome
            assert answers.position_errors[row] == single.position_error
            assert answers.orientation_errors[row] == single.orientation_error
            assert (answers.iterations[row], answers.attempts[row]) == (single.iterations, single.attempts)
        assert answers.solved.sum() == 51


def test_arrays_have_their_types(panda):
    answers = panda.solve_batch(*problems(panda, 21, 10))
    types = {name: getattr(answers, name).dtype.name for name in ("solved", "positions", "outcomes", "position_errors", "iterations")}
    assert types == {"solved": "bool", "positions": "float64", "outcomes": "uint8", "position_errors": "float64", "iterations": "int64"}
    assert answers.positions.shape == (10, 7)
    assert answers.reasons[0] == "out of reach" and "solved" in answers.reasons
    copy = pickle.loads(pickle.dumps(answers))
    np.testing.assert_array_equal(copy.positions, answers.positions)


def test_every_way_to_write_poses(panda, hands):
    poses, _ = problems(panda, 22, 5)
    expected = panda.solve_batch(poses).positions
    for given in ({"panda_hand_tcp": poses}, poses[:, None], np.asfortranarray(poses), poses.tolist()):
        np.testing.assert_array_equal(panda.solve_batch(given).positions, expected)
    assert panda.solve_batch(poses[:, :3, 3]).solved[1:].all()
    assert panda.solve_batch(np.zeros((0, 7))).positions.shape == (0, 7)
    both, _ = problems(hands, 22, 5)
    by_tip = {"left_hand": both[:, 0], "right_hand": both[:, 1]}
    np.testing.assert_array_equal(hands.solve_batch(by_tip).positions, hands.solve_batch(both).positions)
    one_seed = panda.nominal + 0.1
    repeated = panda.solve_batch(poses, np.tile(one_seed, (5, 1)))
    np.testing.assert_array_equal(panda.solve_batch(poses, one_seed).positions, repeated.positions)


def test_only_rows_that_make_no_sense_are_refused(panda):
    poses, seeds = problems(panda, 23, 20)
    poses[3, 0, 0] += 0.1
    poses[5, 0, 3] = np.nan
    seeds[8, 2] = np.inf
    answers = panda.solve_batch(poses, seeds)
    assert sorted(answers.refused) == [3, 5, 8]
    assert "not a rotation" in answers.refused[3] and "finite" in answers.refused[5] and "panda_joint3" in answers.refused[8]
    assert (answers.outcomes[[3, 5, 8]] == urdfik.Outcome.INVALID).all() and np.isnan(answers.positions[[3, 5, 8]]).all()
    assert answers.reasons[3] == answers.refused[3]
    rest = np.delete(np.arange(20), [3, 5, 8])
    assert np.isfinite(answers.positions[rest]).all()


def test_blocks_join_without_a_seam():
    """Two blocks of 16 384 problems and a remainder."""
    arm = urdfik.Arm(urdf("two_link"))
    q = draw(arm, random(24), 33_000)
    done = []
    answers = arm.solve_batch(arm.forward_kinematics(q)[:, :3, 3], threads=0, progress=lambda count, of: done.append((count, of)))
    assert done == [(16_384, 33_000), (32_768, 33_000), (33_000, 33_000)]
    reached = arm.forward_kinematics(answers.positions)[:, :3, 3]
    assert answers.solved.mean() > 0.99
    assert (np.linalg.norm(reached - arm.forward_kinematics(q)[:, :3, 3], axis=1)[answers.solved] <= 1e-5).all()


def test_what_is_wrong_is_named(panda):
    poses, seeds = problems(panda, 25, 4)
    for call, words in [
        (lambda: panda.solve_batch(poses[0]), r"poses has the shape \(4, 4\); it must be \(N, 4, 4\)"),
        (lambda: panda.solve_batch(poses, seeds[:3]), "there are 3 seeds for 4 poses"),
        (lambda: panda.solve_batch(poses, threads=100_000), "threads is 100000"),
    ]:
        with pytest.raises(urdfik.Error, match=words):
            call()

    def stop(done, of):
        raise StopIteration(f"{done} of {of}")

    with pytest.raises(StopIteration, match="4 of 4"):
        panda.solve_batch(poses, progress=stop)


def test_eight_threads_share_an_arm(panda):
    poses, seeds = problems(panda, 26, 64)
    expected = [panda.solve(pose, seed).positions for pose, seed in zip(poses, seeds)]

    def work(offset):
        for row in np.roll(np.arange(64), offset):
            np.testing.assert_array_equal(panda.solve(poses[row], seeds[row]).positions, expected[row])
            np.testing.assert_array_equal(panda.solve_batch(poses[:3], seeds[:3], threads=1 + row % 2).positions, expected[:3])
            panda.forward_kinematics(seeds)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def _solve_in_child(arm, pose, queue):
    queue.put(arm.solve_batch(pose[None], threads=2).positions)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_other_processes_solve(panda, method):
    """Workers of a data loader: with fork they share the arm, but not the threads of a batch; otherwise the arm is pickled."""
    pose = panda.forward_kinematics(panda.nominal + 0.1)
    expected = panda.solve_batch(pose[None], threads=2).positions
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_solve_in_child, args=(panda, pose, queue))
    child.start()
    np.testing.assert_array_equal(queue.get(timeout=120), expected)
    child.join()
    assert child.exitcode == 0


@pytest.fixture
def listens_to_ctrl_c():
    """Background processes of a shell ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("method", ["solve", "solve_all", "solve_batch", "solve_nearest", "path"])
def test_ctrl_c_ends_a_long_solve(panda, listens_to_ctrl_c, method):
    """A search of years, or a path of hundreds of metres, interrupted from another thread."""
    here = panda.forward_kinematics(panda.nominal)
    there = here.copy()
    there[1, 3] += 0.1
    pose = np.array([0, 0, 0.05, 1, 0, 0, 0])  # within reach by length, but unsolvable: all attempts are made
    call = {
        "solve": lambda: panda.solve(pose, attempts=10**12),
        "solve_nearest": lambda: panda.solve(panda.forward_kinematics(panda.nominal), pick="nearest", attempts=10**12),
        "solve_all": lambda: panda.solve_all(pose, attempts=10**12),
        "solve_batch": lambda: panda.solve_batch(pose[None], attempts=10**12),
        "path": lambda: panda.path([here, there] * 2000, panda.nominal),
    }[method]
    interrupting = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        interrupting.start()
        call()
    interrupting.join()
    assert panda.solve(panda.forward_kinematics(panda.nominal)).solved


def test_other_threads_run_and_ctrl_c_ends_a_batch(panda, listens_to_ctrl_c):
    """A batch of minutes, interrupted from a parallel thread."""
    poses = np.tile(panda.forward_kinematics(panda.nominal), (1_000_000, 1, 1))
    poses[:, 0, 3] += 0.3  # within reach by length, but unsolvable: all attempts are made
    poses[:, :3, :3] = np.diag([1, -1, -1])
    interrupting = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        interrupting.start()
        panda.solve_batch(poses, attempts=1000, position_tolerance=1e-12, orientation_tolerance=1e-12, pick="nearest")
    interrupting.join()
    # The next one is complete again.
    assert panda.solve_batch(panda.forward_kinematics(panda.nominal)[None]).solved.all()
