"""A program for type checkers: each class, and the methods with several types of arguments."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import urdfik
from urdfik.goals import ConeGoal, DistanceGoal


def positions(arm: urdfik.Arm, pose: NDArray[np.float64]) -> NDArray[np.float64]:
    answer: urdfik.Answer = arm.solve(pose, seed=arm.nominal, goals=[ConeGoal(axis=[0, 0, 1], direction=[0, 0, 1], angle=0.1)])
    if not answer.solved:
        raise ValueError(answer.reason)
    return answer.positions


def run(model: Any) -> None:
    arms = [urdfik.Arm(Path("robot.urdf"), tip="tool0"), urdfik.Arm.from_mujoco(model, site="grip")]
    for arm in arms:
        pose = arm.forward_kinematics(arm.nominal)
        q = positions(arm, pose)
        world = urdfik.World(arm, [{"id": "table", "type": "box", "size": [1, 1, 0.05], "p": [0.6, 0, 0.1]}], margin=0.01)
        near: tuple[str, str, float] | None = world.nearest(q)
        batch = arm.solve_batch(np.stack([pose, pose]), avoid=world, goals=[DistanceGoal(p=[0, 0, 0], upper=1.0)])
        trajectory = arm.path([pose[:3, 3]], q, free_axes=["rz"], joint_limits={"elbow": {"velocity": 1.0}})
        servo = arm.servo(250, q, avoid=world)
        report = servo.report["speed_ratio"]
        print(near, batch.solved.mean(), trajectory.times[-1], servo.step([0, 0, 0.1, 0, 0, 0]), report)
        print(arm.manipulability(q), [found.positions for found in arm.solve_all(pose)])
    person = urdfik.Skeleton("humanoid.yaml")
    print(person.solve({"left_hand": [0.3, 0.3, 1.0]}).points)
