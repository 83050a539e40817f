#!/usr/bin/env python3
"""Makes a data set of poses with joint positions for them: data_set.py [COUNT] [FILE.npz]"""

import sys
import time
from pathlib import Path

import numpy as np

import urdfik

BUNDLED = Path(__file__).resolve().parents[3] / "urdf/arm7.urdf"


def main(count=1_000_000, file="data_set.npz"):
    arm, rng = urdfik.Arm(BUNDLED), np.random.default_rng(0)
    # Poses in reach, from random joint positions. Continuous joints have no limits, and a turn is all of their positions.
    lower, upper = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    poses = arm.forward_kinematics(rng.uniform(lower, upper, (count, len(lower))))
    seeds = rng.uniform(lower, upper, (count, len(lower)))

    start = time.perf_counter()
    answers = arm.solve_batch(poses, seeds, threads=0, progress=lambda done, of: print(f"\r{done / of:.0%}", end="", flush=True))
    seconds = time.perf_counter() - start
    print(f"\r{answers.solved.mean():.4%} of {count} poses solved, {count / seconds:,.0f} a second")

    solved = answers.solved
    np.savez(file, poses=poses[solved], seeds=seeds[solved], positions=answers.positions[solved], joint_names=arm.joint_names)
    print(f"{file}: {Path(file).stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(*(int(argument) if argument.isdigit() else argument for argument in sys.argv[1:]))
