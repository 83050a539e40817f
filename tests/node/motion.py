"""Checks of joint states published with a fixed period."""
import xml.etree.ElementTree as ET

import numpy as np

from checks import assert_posture, difference
from client import nanoseconds, posture

DEFAULT_VELOCITY = 1.0  # parameter default [rad/s]
ACCELERATION, JERK = 5.0, 50.0  # of the nodes under test [rad/s², rad/s³], to be independent of the derived defaults
ROUNDING = 1e-7  # [rad] of the end of a motion, and of sums over a period
PERIOD = 1 / 50  # default of the parameter publish_rate [s]


def velocity_limits(robot):
    """Velocity limit of each movable joint: from the URDF, or the default."""
    limits = {}
    for joint in ET.fromstring(robot.text).findall('joint'):
        limit = joint.find('limit')
        velocity = float(limit.get('velocity', 0)) if limit is not None else 0.0
        limits[joint.get('name')] = velocity or DEFAULT_VELOCITY
    return limits


def derived_limits(robot, names):
    """Limits derived from the velocity limits: full speed in 0.2 s, full acceleration in 10 ms."""
    velocities = velocity_limits(robot)
    acceleration = np.array([velocities[name] for name in names]) / 0.2
    return {'acceleration': acceleration, 'jerk': acceleration / 0.01}


def periods_between(states, period):
    """Number of periods between consecutive states by their stamps, at least one: a busy machine may lose messages."""
    stamps = np.array([nanoseconds(state.header.stamp) for state in states]) / 1e9
    return np.maximum(np.round(np.diff(stamps) / period), 1).astype(int)


def consecutive(states, period):
    """Pairs of states at most one period apart: between others a busy machine may have lost some."""
    pairs = zip(states, states[1:], periods_between(states, period))
    return [(before, after) for before, after, periods in pairs if periods == 1]


def assert_steps(states, bound, period):
    """No joint moves by more than `bound` in a period."""
    assert len(states) > 2
    for before, after, periods in zip(states, states[1:], periods_between(states, period)):
        assert difference(posture(before), posture(after)) <= periods * bound + 1e-9, (periods, before, after)


def assert_smooth(states, robot, period, velocities=None, acceleration=ACCELERATION, jerk=JERK):
    """No step between two states exceeds the limits of velocity, acceleration and jerk for one period, or for the periods that may lie
    between them. Limits of acceleration and jerk are numbers, or arrays in the order of the states."""
    assert len(states) > 2
    assert_apart(states, period)
    limits = velocities or velocity_limits(robot)
    for state in states:
        assert_posture(robot, posture(state))
        assert len(state.velocity) == len(state.position)
        for name, velocity in zip(state.name, state.velocity):
            assert abs(velocity) <= limits[name] + ROUNDING, (name, velocity)
    for before, after, most in zip(states, states[1:], periods_between(states, period)):
        fits = any(step_is_smooth(before, after, periods * period, acceleration, jerk) for periods in range(1, most + 1))
        assert fits, (most, before, after)


def assert_apart(states, period):
    """Each state of a motion is stamped at least one period after the previous one, however late the machine is."""
    for before, after in zip(states, states[1:]):
        if not still(before):
            apart = nanoseconds(after.header.stamp) - nanoseconds(before.header.stamp)
            assert apart >= round(1e9 * period) - 1, f'{apart} ns'


def step_is_smooth(before, after, time, acceleration, jerk):
    velocities = np.array([before.velocity, after.velocity])
    faster = np.abs(velocities[1] - velocities[0])
    passed = np.subtract(after.position, before.position) - 0.5 * time * velocities.sum(axis=0)
    # Error of the trapezoidal rule under bounded jerk.
    return all(faster <= acceleration * time + ROUNDING) and all(np.abs(passed) <= jerk * time ** 3 / 12 + ROUNDING)


def still(state):
    return len(state.velocity) > 0 and not any(state.velocity)
