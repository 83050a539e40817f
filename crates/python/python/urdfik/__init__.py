"""Inverse kinematics for any robot with a URDF.

    import urdfik

    arm = urdfik.Arm("robot.urdf", tip="tool0")
    answer = arm.solve([0.3, 0.2, 0.7, 0, 0, 0, 1])  # x y z qx qy qz qw, or a 4x4 matrix
    print(answer.solved, answer.positions, answer.reason)

Lengths are in metres, angles in radians, times in seconds. Quaternions have their scalar last. Poses are in the frame of the base link.
"""

from urdfik import goals
from urdfik._answers import Answer, Answers, Outcome, SkeletonAnswer, Trajectory
from urdfik._urdfik import Arm, Error, Robot, Servo, Skeleton, World

__all__ = [
    "Answer",
    "Answers",
    "Arm",
    "Error",
    "Outcome",
    "Robot",
    "Servo",
    "Skeleton",
    "SkeletonAnswer",
    "Trajectory",
    "World",
    "goals",
]
