#!/usr/bin/env python3
"""Reaches with one hand while the other one keeps the balance: reach_in_balance.py

The bundled robot has no masses, so each of its links gets one here.
"""

import tempfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import urdfik
from urdfik.goals import ComGoal, PositionGoal

URDF = Path(__file__).resolve().parents[3] / "urdf/dual_arm.urdf"
MASSES = {"base_link": 15.0, "torso_link": 10.0}  # [kg]
FOOT = 0.09  # [m] half the length and the width of the foot
PLACES = 200


def with_masses(path, folder):
    """A copy of a URDF with masses: 2 kg for all other links."""
    tree = ElementTree.parse(path)
    for link in tree.iter("link"):
        mass = MASSES.get(link.get("name"), 2.0)
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "mass", value=str(mass))
        ElementTree.SubElement(inertial, "inertia", ixx="0.01", ixy="0", ixz="0", iyy="0.01", iyz="0", izz="0.01")
    heavy = Path(folder) / "heavy.urdf"
    tree.write(heavy)
    return heavy


def main():
    with tempfile.TemporaryDirectory() as folder:
        robot = urdfik.Arm(with_masses(URDF, folder), tip=["left_hand", "right_hand"])
    stand = ComGoal(name="stand", lower=[-FOOT, -FOOT, None], upper=[FOOT, FOOT, None])
    rng = np.random.default_rng(0)
    fallen, standing = 0, 0
    for place in rng.uniform([0.4, 0.0, 0.4], [0.6, 0.5, 1.0], (PLACES, 3)):
        reach = PositionGoal(name="reach", link="left_hand", p=place, lower=[0, 0, 0], upper=[0, 0, 0])
        alone = robot.solve(goals=[reach])
        # Without room for a step, tracking measures the goal.
        fallen += alone.solved and not robot.track(None, alone.positions, 1e-9, goals=[stand]).solved
        standing += robot.solve(goals=[reach, stand]).solved
    print(f"{standing} of {PLACES} places are reached in balance; without that goal the robot falls at {fallen}")


if __name__ == "__main__":
    main()
