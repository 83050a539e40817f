#!/usr/bin/env python3
"""Carries a box between two hands along a curve: two_hands.py"""

from pathlib import Path

import numpy as np

import urdfik
from urdfik.goals import ConeGoal, PositionGoal, RelativeFrameGoal

URDF = Path(__file__).resolve().parents[3] / "urdf/dual_arm.urdf"
WIDTH = 0.3  # [m] between the hands
STEPS = 200


def main():
    arm = urdfik.Arm(URDF, tip=["left_hand", "right_hand"])
    # The right hand as the left hand sees it: beside it, with the same orientation.
    beside = np.eye(4)
    beside[1, 3] = -WIDTH
    grip = RelativeFrameGoal(name="grip", link="right_hand", frame="left_hand", pose=beside)
    level = ConeGoal(name="level", link="left_hand", axis=[0, 0, 1], direction=[0, 0, 1], angle=np.radians(3))

    q, worst = None, 0.0
    for phase in np.linspace(0, 2 * np.pi, STEPS):
        place = [0.4, 0.15 + 0.1 * np.cos(phase), 0.7 + 0.1 * np.sin(phase)]
        carry = PositionGoal(name="carry", link="left_hand", p=place, lower=[-0.01] * 3, upper=[0.01] * 3)
        goals = [grip, level, carry]
        # The first configuration is searched for, the others follow it.
        answer = arm.solve(goals=goals) if q is None else arm.track(None, q, goals=goals)
        if not answer.solved:
            raise SystemExit(answer.reason)
        q = answer.positions
        left, right = arm.forward_kinematics(q)
        worst = max(worst, np.abs(np.linalg.inv(left) @ right - beside).max())
    print(f"{STEPS} configurations hold the box; the hands deviate from each other by {worst:.1e} m at most")


if __name__ == "__main__":
    main()
