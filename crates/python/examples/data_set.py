#!/usr/bin/env python3
"""Makes a data set of poses with joint positions for them: data_set.py [COUNT] [FILE.npz]

Each solution comes from one attempt from a random seed, so that the seed alone decides which of the solutions it is. They cover the
self-motion of the arm: 200 seeds lead to about 130 distinct solutions of a pose, and to about 10 by complete searches."""

import sys
import time
from pathlib import Path

import numpy as np

import urdfik

ROUNDS = 30
"""Random seeds for each pose, until one leads to a solution."""
BUNDLED = Path(__file__).resolve().parents[3] / "urdf/arm7.urdf"


def main(count=1_000_000, file="data_set.npz"):
    arm, rng = urdfik.Arm(BUNDLED), np.random.default_rng(0)
    # Poses in reach, from random joint positions. Continuous joints have no limits, and a turn is all of their positions.
    lower, upper = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    poses = arm.forward_kinematics(rng.uniform(lower, upper, (count, len(lower))))
    seeds, positions = np.empty((count, len(lower))), np.empty((count, len(lower)))
    unsolved = np.arange(count)

    start = time.perf_counter()
    for _ in range(ROUNDS):
        seeds[unsolved] = rng.uniform(lower, upper, (len(unsolved), len(lower)))
        answers = arm.solve_batch(poses[unsolved], seeds[unsolved], threads=0, attempts=1, closest=False)
        positions[unsolved] = answers.positions
        unsolved = unsolved[~answers.solved]
        print(f"\r{1 - len(unsolved) / count:.4%}", end="", flush=True)
    seconds = time.perf_counter() - start
    print(f" of {count} poses solved, {count / seconds:,.0f} a second")

    solved = np.setdiff1d(np.arange(count), unsolved)
    np.savez(file, poses=poses[solved], seeds=seeds[solved], positions=positions[solved], joint_names=arm.joint_names)
    print(f"{file}: {Path(file).stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(*(int(argument) if argument.isdigit() else argument for argument in sys.argv[1:]))
