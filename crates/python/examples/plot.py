#!/usr/bin/env python3
"""Draws with matplotlib which places of a table the tool reaches, and a path with its joint velocities: plot.py [PICTURE.png]"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import urdfik

BUNDLED = Path(__file__).resolve().parents[3] / "urdf/arm7.urdf"
CELLS = 60


def reached_places(arm):
    """Places of a table 0.2 m above the base, (CELLS, CELLS, 3) [m], and whether the tool reaches each pointing down."""
    along = np.linspace(-1, 1, CELLS)
    places = np.stack(np.broadcast_arrays(along[:, None], along[None, :], 0.2), axis=-1)
    poses = np.concatenate([places, np.broadcast_to([1.0, 0.0, 0.0, 0.0], (CELLS, CELLS, 4))], axis=-1)
    answers = arm.solve_batch(poses.reshape(-1, 7), threads=0)
    return places, answers.solved.reshape(CELLS, CELLS)


def rectangle(arm):
    """The trajectory along a rectangle with rounded corners."""
    corners = [[0.35, -0.15], [0.35, 0.15], [0.55, 0.15], [0.55, -0.15], [0.35, -0.15]]
    waypoints = [[x, y, 0.2, 1, 0, 0, 0] for x, y in corners]
    start = arm.solve(waypoints[0]).positions
    return arm.path(waypoints, start, blend_radius=0.03, speed=0.3)


def main(picture=None):
    arm = urdfik.Arm(BUNDLED)
    places, reached = reached_places(arm)
    trajectory = rectangle(arm)
    tips = arm.forward_kinematics(trajectory.positions)[:, :3, 3]

    figure, (table, joints) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    table.pcolormesh(places[..., 1], places[..., 0], reached, cmap="Blues", vmax=2)
    table.plot(tips[:, 1], tips[:, 0], "C1", label="path of the tip")
    table.invert_xaxis()
    table.set(title=f"{reached.mean():.0%} of the table is reached, pointing down", xlabel="y [m]", ylabel="x [m]", aspect="equal")
    table.legend()
    joints.plot(trajectory.times, trajectory.velocities, label=arm.joint_names)
    joints.set(title="joint velocities along the path", xlabel="time [s]", ylabel="velocity [rad/s]")
    joints.legend(fontsize="small")
    if picture:
        figure.savefig(picture, dpi=110)
    else:
        plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
