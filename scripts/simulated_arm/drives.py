"""Position drives of an arm, and a record of their motion."""
from dataclasses import dataclass

import numpy as np

LAG = 0.05  # [s] lag behind a goal at constant velocity; measured on position drives: 0.04 to 0.06


class Drives:
    """Each joint follows its goal as a critically damped second-order system.

    Each step is the exact solution for a constant goal: stable for any duration.
    """

    def __init__(self, positions, lag=LAG):
        self.positions = np.array(positions, float)  # [rad or m]
        self.velocities = np.zeros_like(self.positions)
        self.braked = np.zeros(len(self.positions), bool)
        self._pole = 2.0 / lag  # [1/s], twice

    def advance(self, goals, duration):
        """Follows goals of shape (joints,) for a duration [s]. Braked joints do not move."""
        error = self.positions - goals
        slope = self.velocities + self._pole * error
        decay = np.exp(-self._pole * duration)
        self.positions = np.where(self.braked, self.positions, goals + (error + slope * duration) * decay)
        self.velocities = np.where(self.braked, 0.0, (self.velocities - self._pole * slope * duration) * decay)

    def place(self, positions):
        """Sets the positions, at rest."""
        self.positions, self.velocities = np.array(positions, float), np.zeros_like(self.velocities)


@dataclass
class Record:
    """`times` [s] of shape (steps,); commands, positions and velocities of shape (steps, joints)."""

    times: np.ndarray
    commands: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray

    def greatest_speed(self):
        """Maximum speed of each joint [rad/s or m/s]."""
        return np.abs(self.velocities).max(axis=0)

    def greatest_command_step(self):
        """Maximum difference of consecutive commands, of each joint [rad or m]."""
        return np.abs(np.diff(self.commands, axis=0)).max(axis=0, initial=0.0)

    def greatest_difference(self):
        """Maximum difference between command and position, of each joint [rad or m]."""
        return np.abs(self.commands - self.positions).max(axis=0)
