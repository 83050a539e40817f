"""Forward kinematics of a URDF, independent of the package under test, for comparison."""
import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LIMIT_SLACK = 1e-9  # [rad or m] for rounding


def numbers(text, default):
    return np.array([float(token) for token in text.split()] if text else default)


def rotation(axis, angle):
    """4 x 4 matrix of a rotation about the unit vector `axis`."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix = np.eye(4)
    matrix[:3, :3] += math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    return matrix


def translation(x, y, z):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def origin_of(element):
    origin = element.find('origin')
    if origin is None:
        return np.eye(4)
    roll, pitch, yaw = numbers(origin.get('rpy'), [0, 0, 0])
    turn = rotation((0, 0, 1), yaw) @ rotation((0, 1, 0), pitch) @ rotation((1, 0, 0), roll)
    return translation(*numbers(origin.get('xyz'), [0, 0, 0])) @ turn


@dataclass(frozen=True)
class Joint:
    name: str
    kind: str
    parent: str
    child: str
    origin: np.ndarray
    axis: np.ndarray
    lower: float
    upper: float
    mimic: tuple | None  # master, multiplier, offset

    @classmethod
    def of(cls, element):
        kind, limit, axis, mimic = element.get('type'), *map(element.find, ('limit', 'axis', 'mimic'))
        vector = numbers(axis.get('xyz') if axis is not None else None, [1.0, 0, 0])
        vector = vector / (np.linalg.norm(vector) or 1.0)  # some files give fixed joints a zero axis
        lower, upper = -math.inf, math.inf
        if kind in ('revolute', 'prismatic'):
            lower, upper = (float(limit.get(end, 0)) for end in ('lower', 'upper'))
        if mimic is not None:
            mimic = mimic.get('joint'), float(mimic.get('multiplier', 1)), float(mimic.get('offset', 0))
        parent, child = (element.find(end).get('link') for end in ('parent', 'child'))
        return cls(element.get('name'), kind, parent, child, origin_of(element), vector,
                   lower, upper, mimic)

    def transform(self, position):
        if self.kind == 'prismatic':
            return self.origin @ translation(*(self.axis * position))
        if self.kind in ('revolute', 'continuous'):
            return self.origin @ rotation(self.axis, position)
        return self.origin


class Robot:
    """A robot reduced to its tree and its movable joints."""

    def __init__(self, text):
        self.text = text
        elements = ET.fromstring(text).findall('joint')
        self.joints = {joint.name: joint for joint in map(Joint.of, elements)}
        self.joint_above = {joint.child: joint for joint in self.joints.values()}
        self.links = {joint.parent for joint in self.joints.values()} | set(self.joint_above)
        (self.root,) = self.links - set(self.joint_above)
        self.movable = [name for name, joint in self.joints.items()
                        if joint.kind in ('revolute', 'continuous', 'prismatic')]

    @classmethod
    def load(cls, path):
        return cls(Path(path).read_text())

    def follow_mimics(self, positions):
        """Positions of all movable joints: missing ones are 0, mimic joints follow their masters."""
        complete = {name: positions.get(name, 0.0) for name in self.movable}
        mimics = [name for name in self.movable if self.joints[name].mimic]
        for _ in mimics:  # up to the longest possible chain of mimic joints
            for name in mimics:
                master, multiplier, offset = self.joints[name].mimic
                complete[name] = multiplier * complete[master] + offset
        return complete

    def pose(self, link, positions, base=None):
        """The pose of `link` in the frame of `base`, by default the root link."""
        if base is not None:
            return np.linalg.inv(self.pose(base, positions)) @ self.pose(link, positions)
        pose = np.eye(4)
        while link != self.root:
            joint = self.joint_above[link]
            pose = joint.transform(positions.get(joint.name, 0.0)) @ pose
            link = joint.parent
        return pose

    def violations(self, positions):
        """Errors in joint positions as a configuration of the whole robot."""
        wrong = [f'{name} should not be there' for name in positions.keys() - set(self.movable)]
        wrong += [f'{name} is missing' for name in set(self.movable) - positions.keys()]
        if wrong:
            return wrong
        expected = self.follow_mimics(positions)
        for name in self.movable:
            joint, position = self.joints[name], positions[name]
            # The limits of a mimic joint do not count.
            if not joint.mimic and not joint.lower - LIMIT_SLACK <= position <= joint.upper + LIMIT_SLACK:
                wrong.append(f'{name} at {position} is outside {joint.lower} to {joint.upper}')
            if not abs(position - expected[name]) <= LIMIT_SLACK:
                wrong.append(f'{name} at {position} does not mimic: {expected[name]} expected')
        return wrong

    def sample(self, generator):
        """A random configuration inside the limits."""
        for _ in range(1000):
            positions = self.follow_mimics({
                name: generator.uniform(max(self.joints[name].lower, -math.pi), min(self.joints[name].upper, math.pi))
                for name in self.movable})
            if not self.violations(positions):
                return positions
        raise AssertionError('no configuration inside the limits found')


def errors(pose, target):
    """Distance [m] and angle [rad] between two poses."""
    distance = np.linalg.norm(pose[:3, 3] - target[:3, 3])
    # Computed from the difference of the matrices: the arc cosine of the trace loses half the digits near zero.
    half_chord = np.linalg.norm(pose[:3, :3] - target[:3, :3]) / math.sqrt(8)
    return float(distance), 2 * math.asin(min(1.0, half_chord))


def quaternion_of(pose):
    """Unit quaternion (x, y, z, w) of a pose: the eigenvector of the largest eigenvalue."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = pose[:3, :3]
    _, vectors = np.linalg.eigh(np.array([
        [xx - yy - zz, xy + yx, xz + zx, zy - yz],
        [xy + yx, yy - xx - zz, yz + zy, xz - zx],
        [xz + zx, yz + zy, zz - xx - yy, yx - xy],
        [zy - yz, xz - zx, yx - xy, xx + yy + zz]]))
    return vectors[:, -1]


def pose_of(position, quaternion):
    """4 x 4 matrix from a position and a unit quaternion (x, y, z, w)."""
    *vector, scalar = quaternion
    length = np.linalg.norm(vector)
    axis = np.array(vector) / length if length > 0 else np.array([1.0, 0, 0])
    return translation(*position) @ rotation(axis, 2 * math.atan2(length, scalar))
