#!/usr/bin/env python3
"""Keeps a camera on a part that a conveyor moves: watch_part.py [URDF] [TIP]"""

import sys
from pathlib import Path

import numpy as np

import urdfik
from urdfik.goals import DistanceGoal, GazeGoal

BUNDLED = Path(__file__).resolve().parents[3] / "urdf/arm7.urdf"
STEPS = 300
MAX_STEP = 0.05  # [rad] of a joint per picture


def main(urdf=BUNDLED, tip=None):
    arm = urdfik.Arm(urdf, tip=tip)
    q, angles, moves = None, [], []
    for y in np.linspace(-0.4, 0.4, STEPS):
        part = np.array([0.6, y, 0.1])
        # The camera looks along the z axis of the tip. The part may leave the middle of the picture by 2°.
        watch = GazeGoal(name="watch", axis=[0, 0, 1], p=part, angle=np.radians(2))
        near = DistanceGoal(name="near", p=part, lower=0.25, upper=0.35)
        if q is None:
            answer = arm.solve(goals=[watch, near])
        else:
            answer = arm.track(None, q, MAX_STEP, goals=[watch, near])
            moves.append(np.abs(answer.positions - q).max())
        if not answer.solved:
            raise SystemExit(answer.reason)
        q = answer.positions
        camera = arm.forward_kinematics(q)
        sight = part - camera[:3, 3]
        angles.append(np.degrees(np.arccos(min(1.0, camera[:3, 2] @ sight / np.linalg.norm(sight)))))
    print(f"in {STEPS} pictures the part is within {max(angles):.2f}° of the middle; joints move by {max(moves):.4f} rad at most")


if __name__ == "__main__":
    main(*sys.argv[1:])
