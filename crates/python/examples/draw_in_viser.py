#!/usr/bin/env python3
"""Draws the arm in a browser with viser; a handle at its tip can be dragged: draw_in_viser.py [URDF] [TIP]"""

import sys
import time
from pathlib import Path

import numpy as np
import viser
from viser.extras import ViserUrdf

import urdfik

BUNDLED = Path(__file__).resolve().parents[3] / "urdf/arm7.urdf"


def main(urdf=BUNDLED, tip=None):
    arm = urdfik.Arm(urdf, tip=tip)
    server = viser.ViserServer()
    server.scene.add_grid("/grid", width=2, height=2)
    drawn = ViserUrdf(server, Path(urdf), root_node_name="/robot")
    # The other program has joints in its own order, and perhaps more of them.
    theirs = [name for name in drawn.get_actuated_joint_names() if name in arm.joint_names]
    order, places = arm.order(theirs), [drawn.get_actuated_joint_names().index(name) for name in theirs]
    configuration = np.zeros(len(drawn.get_actuated_joint_names()))

    q = arm.nominal + 0.1 * np.minimum(arm.upper - arm.nominal, np.pi)
    start = arm.forward_kinematics(q)
    handle = server.scene.add_transform_controls("/handle", scale=0.25, position=start[:3, 3], wxyz=scalar_first(start))
    status = server.gui.add_text("status", "", disabled=True)
    server.initial_camera.position, server.initial_camera.look_at = (1.1, 0.8, 0.8), (0.0, 0.0, 0.35)

    while True:
        # viser's quaternions have their scalar first, those of urdfik last.
        w, x, y, z = handle.wxyz
        # The arm follows without a jump, no joint faster than 5 rad/s; where it cannot, it goes as near as it can.
        answer = arm.track([*handle.position, x, y, z, w], q, max_step=0.1)
        q = answer.positions
        configuration[places] = q[order]
        drawn.update_cfg(configuration)
        status.value = answer.reason
        time.sleep(0.02)


def scalar_first(pose):
    """The quaternion w x y z of a rotation by less than half a turn."""
    w = np.sqrt(max(1.0 + np.trace(pose[:3, :3]), 1e-12)) / 2
    r = pose[:3, :3]
    return np.array([w, (r[2, 1] - r[1, 2]) / (4 * w), (r[0, 2] - r[2, 0]) / (4 * w), (r[1, 0] - r[0, 1]) / (4 * w)])


if __name__ == "__main__":
    main(*sys.argv[1:])
