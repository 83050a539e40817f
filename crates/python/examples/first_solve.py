#!/usr/bin/env python3
"""From a URDF to joint positions: first_solve.py [URDF] [TIP]"""

import sys
from pathlib import Path

import numpy as np

import urdfik

BUNDLED = Path(__file__).resolve().parents[3] / "urdf/arm7.urdf"


def main(urdf=BUNDLED, tip=None):
    arm = urdfik.Arm(urdf, tip=tip)
    print(arm)

    # A pose that is known to be in reach: where the tip is with each joint a fifth of the way from the middle to its upper limit.
    q = arm.nominal + 0.2 * np.minimum(arm.upper - arm.nominal, np.pi)
    pose = arm.forward_kinematics(q)

    answer = arm.solve(pose)
    print(answer.reason)
    for name, position in zip(arm.joint_names, answer.positions):
        print(f"  {name}: {position:+.4f}")

    # A position alone leaves the orientation free; far away it cannot be met, and the answer is the nearest that was found.
    for at in (pose[:3, 3], pose[:3, 3] + [5, 0, 0]):
        print(np.round(at, 3), arm.solve(at).reason)


if __name__ == "__main__":
    main(*sys.argv[1:])
