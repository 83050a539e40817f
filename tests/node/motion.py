"""What has to be true of joint states that are published one period after the other."""
import xml.etree.ElementTree as ET

import numpy as np

from checks import assert_posture
from client import posture

# Defaults of the parameters [rad/s, rad/s², rad/s³].
DEFAULT_VELOCITY, ACCELERATION, JERK = 1.0, 5.0, 50.0
ROUNDING = 1e-7  # [rad] of a motion's end, and of sums over a period


def velocity_limits(robot):
    """The URDF's, or the default, of each movable joint."""
    limits = {}
    for joint in ET.fromstring(robot.text).findall('joint'):
        limit = joint.find('limit')
        velocity = float(limit.get('velocity', 0)) if limit is not None else 0.0
        limits[joint.get('name')] = velocity or DEFAULT_VELOCITY
    return limits


def assert_smooth(states, robot, period, velocities=None, acceleration=ACCELERATION, jerk=JERK):
    """No step between two of the states is more than limits of velocity, acceleration and jerk allow in one period."""
    assert len(states) > 2
    limits = velocities or velocity_limits(robot)
    for state in states:
        assert_posture(robot, posture(state))
        assert len(state.velocity) == len(state.position)
        for name, velocity in zip(state.name, state.velocity):
            assert abs(velocity) <= limits[name] + ROUNDING, (name, velocity)
    positions = np.array([state.position for state in states])
    velocities = np.array([state.velocity for state in states])
    faster = np.abs(np.diff(velocities, axis=0)).max()
    assert faster <= acceleration * period + ROUNDING, faster
    passed = np.diff(positions, axis=0) - 0.5 * period * (velocities[1:] + velocities[:-1])
    # The trapezoid's error under a bounded jerk.
    assert np.abs(passed).max() <= jerk * period ** 3 / 12 + ROUNDING, np.abs(passed).max()


def still(state):
    return len(state.velocity) > 0 and not any(state.velocity)
