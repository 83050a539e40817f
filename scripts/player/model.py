"""The model as described by the stream, and the bundled models."""
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import viser.transforms

BUNDLED = {
    'noodle': 'config/skeletons/noodle.yaml',
    'humanoid': 'config/skeletons/humanoid.yaml',
    'hand': 'config/skeletons/hand.yaml',
    'pitch-yaw arm': 'config/skeletons/pitch_yaw.yaml',
    'two-link arm': 'urdf/two_link.urdf',
    'three-link arm': 'urdf/three_link.urdf',
}
SIDES = ('up', 'down', 'left', 'right')  # of a cone
SKELETON, PITCH_YAW, THREE_LINK = 'skeleton', 'pitch_yaw', 'three_link'


class NoModel(Exception):
    """There is no model; the message gives the reason."""


def find_model(wanted, share):
    """The file of a model given by path or by its name in `BUNDLED`; `share` is the package's share folder."""
    if wanted in BUNDLED:
        return Path(share) / BUNDLED[wanted]
    path = Path(wanted)
    if not path.is_file():
        raise NoModel(f'there is no file {wanted}: name the YAML of a skeleton, the URDF of a two- or three-link arm, '
                      f'or one of: {", ".join(BUNDLED)}')
    return path.resolve()


@dataclass
class Joint:
    """The start of a segment. `rest` is its frame at rest in the frame of the previous segment, as a quaternion w, x, y, z."""
    name: str
    parent: int  # index of its point
    length: float  # [m], of its segment
    kind: str  # free, hinge or cone
    limits: dict  # as in the file: angles in degrees
    rest: np.ndarray

    @property
    def is_fixed(self):
        """Whether the joint is fixed."""
        return self.kind == 'cone' and not any(self.limits[side] for side in SIDES) and not any(self.limits['twist'])


class Model:
    """Point 0 is the root, point k + 1 the end of segment k."""

    def __init__(self, description):
        self.name, self.kind, self.is_flat = description['name'], description['kind'], description['dimensions'] == 2
        self.points, self.ends = list(description['points']), list(description['ends'])
        self.index = {name: number for number, name in enumerate(self.points)}
        self.rest = np.array(description['rest']['points'], float).reshape(-1, 3)
        self.rest_wxyz = wxyz(description['rest']['orientations'])
        self.rest_poses = poses_of(self.rest, self.rest_wxyz)
        self.parents = np.array([self.index[segment['parent']] for segment in description['segments']], int)
        self.joints = [self._joint(number, segment) for number, segment in enumerate(description['segments'])]
        self.fixed = {joint.name for joint in self.joints if joint.is_fixed}
        self.has_limits = any(any(joint.limits.values()) for joint in self.joints)
        self.reach = max(self._distances().max(), 1e-6)

    def _joint(self, number, segment):
        before = viser.transforms.SO3(self.rest_wxyz[self.parents[number]])
        rest = before.inverse() @ viser.transforms.SO3(self.rest_wxyz[number + 1])
        return Joint(segment['name'], self.parents[number], segment['length'], segment['joint'], segment.get('limits') or {},
                     rest.wxyz)

    def _distances(self):
        """Distance from the root along the segments to each point [m]."""
        distances = np.zeros(len(self.points))
        for number, joint in enumerate(self.joints):
            distances[number + 1] = distances[joint.parent] + joint.length
        return distances


def poses_of(points, turns):
    """4 x 4 matrices from points and their orientations w, x, y, z."""
    poses = np.tile(np.eye(4), (len(points), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = viser.transforms.SO3(turns).as_matrix(), points
    return poses


def in_plane(pose):
    """The pose without rounding errors off the xy plane."""
    angle = np.arctan2(pose[1, 0], pose[0, 0])
    flat = np.eye(4)
    flat[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    flat[:2, 3] = pose[:2, 3]
    return flat


def quaternion(pose):
    """The orientation of a pose as a list x, y, z, w."""
    return np.roll(viser.transforms.SO3.from_matrix(pose[:3, :3]).wxyz, -1).tolist()


def wxyz(quaternions):
    """Quaternions x, y, z, w as w, x, y, z, shape (n, 4)."""
    return np.roll(np.array(quaternions, float).reshape(-1, 4), 1, axis=1)
