"""Goals of requests, and their violations, computed independently of the package under test."""
import json
import math
import xml.etree.ElementTree as ET

import numpy as np

from kinematics import pose_of, quaternion_of

TOLERANCE = 1e-5  # [m or rad] largest violation of a satisfied goal
ROUNDING = 1e-8  # tolerated difference between two implementations


def text(goal):
    return json.dumps(goal)


def excess(values, lower, upper):
    """By how much values exceed their bounds; None means unbounded."""
    ends = [np.array([none if end is None else end for end in np.atleast_1d(bound)], float)
            for bound, none in ((lower, -math.inf), (upper, math.inf))]
    return float(np.linalg.norm(np.maximum(0, np.maximum(ends[0] - values, values - ends[1]))))


def angle_between(one, other):
    return math.atan2(np.linalg.norm(np.cross(one, other)), np.dot(one, other))


def unit(vector):
    return np.array(vector, float) / np.linalg.norm(vector)


def rotation_vector(matrix):
    """Rotation vector of the quaternion."""
    *vector, scalar = quaternion_of(np.block([[matrix, np.zeros((3, 1))], [0, 0, 0, 1]]))
    vector = np.array(vector) * (1 if scalar >= 0 else -1)
    length = np.linalg.norm(vector)
    return vector * (2 * math.atan2(length, abs(scalar)) / length if length > 1e-12 else 2)


def euler_angles(matrix):
    """Angles a, b and c of Rx(a) Ry(b) Rz(c)."""
    return np.array([math.atan2(-matrix[1, 2], matrix[2, 2]), math.asin(max(-1.0, min(1.0, matrix[0, 2]))),
                     math.atan2(-matrix[0, 1], matrix[0, 0])])


def centre_of_mass(robot, positions):
    """In the root link's frame."""
    moment, whole = np.zeros(3), 0.0
    for link in ET.fromstring(robot.text).findall('link'):
        inertial = link.find('inertial')
        if inertial is not None:
            mass = float(inertial.find('mass').get('value'))
            centre = [float(entry) for entry in inertial.find('origin').get('xyz').split()]
            moment += mass * (robot.pose(link.get('name'), positions) @ [*centre, 1.0])[:3]
            whole += mass
    return moment / whole


class Judge:
    """Violations of goals of a robot; `frames` has the poses of frames other than its links, in the root link's frame."""

    def __init__(self, robot, tip='tool0', frames=()):
        self.robot, self.tip, self.frames = robot, tip, dict(frames)

    def violation(self, goal, positions):
        """Violation of a goal [m or rad]."""
        return getattr(self, goal['type'])(goal, positions)

    def frame(self, goal, positions):
        name = goal.get('frame')
        if name in self.frames:
            return self.frames[name]
        return np.eye(4) if name is None else self.robot.pose(name, positions)

    def relative(self, goal, positions):
        """Pose of the link in the frame."""
        return np.linalg.inv(self.frame(goal, positions)) @ self.robot.pose(goal.get('link', self.tip), positions)

    def offset(self, goal, positions):
        """Vector from p to the point."""
        return (self.relative(goal, positions) @ [*goal.get('point', (0, 0, 0)), 1])[:3] - goal.get('p', (0, 0, 0))

    def axes(self, goal):
        return pose_of((0, 0, 0), goal.get('q_xyzw', (0, 0, 0, 1)))[:3, :3]

    def position(self, goal, positions):
        values = self.axes(goal).T @ self.offset(goal, positions)
        return excess(values, goal.get('lower', [None] * 3), goal.get('upper', [None] * 3))

    def distance(self, goal, positions):
        offset = self.offset(goal, positions)
        if 'direction' in goal:
            line = unit(goal['direction'])
            offset = offset - line * (line @ offset)
        return excess(np.linalg.norm(offset), goal.get('lower'), goal.get('upper'))

    def cone(self, goal, positions):
        axis = self.relative(goal, positions)[:3, :3] @ unit(goal['axis'])
        return max(0.0, angle_between(axis, unit(goal['direction'])) - goal['angle'])

    def orientation(self, goal, positions):
        matrix = self.axes(goal).T @ self.relative(goal, positions)[:3, :3]
        if goal.get('parameterization') == 'xyz_euler':
            values = euler_angles(matrix)
        else:
            values = rotation_vector(matrix)
            if goal.get('axes') == 'frame':
                values = self.axes(goal) @ values
        return excess(values, goal['lower'], goal['upper'])

    def gaze(self, goal, positions):
        axis = self.relative(goal, positions)[:3, :3] @ unit(goal['axis'])
        return max(0.0, angle_between(axis, -self.offset(goal, positions)) - goal['angle'])

    def joints(self, goal, positions):
        value = sum(factor * positions[name] for name, factor in goal['coefficients'].items())
        return excess(value, goal.get('lower'), goal.get('upper'))

    def center_of_mass(self, goal, positions):
        centre = np.linalg.inv(self.frame(goal, positions)) @ [*centre_of_mass(self.robot, positions), 1]
        values = self.axes(goal).T @ (centre[:3] - goal.get('p', (0, 0, 0)))
        return excess(values, goal['lower'], goal['upper'])


def box_at(offset, size):
    """Bounds of a box of this size around an offset."""
    return {'lower': [float(entry - size) for entry in offset], 'upper': [float(entry + size) for entry in offset]}
