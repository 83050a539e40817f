#!/usr/bin/env python3
"""Carries a cup to places at random without spilling: level_cup.py [URDF] [TIP]"""

import sys
from pathlib import Path

import numpy as np

import urdfik
from urdfik.goals import ConeGoal, DistanceGoal

BUNDLED = Path(__file__).resolve().parents[3] / "urdf/arm7.urdf"
PLACES = 1000


def main(urdf=BUNDLED, tip=None):
    arm = urdfik.Arm(urdf, tip=tip)
    rng = np.random.default_rng(0)
    lower, upper = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    places = arm.forward_kinematics(rng.uniform(lower, upper, (PLACES, len(arm.joint_names))))[:, :3, 3]

    # The z axis of the tip is the axis of the cup. It may lean by 5° at most, and turn about itself.
    level = ConeGoal(name="level cup", axis=[0, 0, 1], direction=[0, 0, 1], angle=np.radians(5))
    answers = arm.solve_batch(places, goals=[level], threads=0)
    tilts = np.degrees(np.arccos(np.clip(arm.forward_kinematics(answers.positions[answers.solved])[:, 2, 2], -1, 1)))
    print(f"{answers.solved.mean():.0%} of {PLACES} places are reached with a level cup, which leans by {tilts.max():.2f}° at most")

    # The answer to goals that contradict each other has the violation of each.
    high = DistanceGoal(name="far away", lower=5)
    answer = arm.solve(goals=[level, high])
    print(answer.reason)
    print(np.round(answer.violations, 3))


if __name__ == "__main__":
    main(*sys.argv[1:])
