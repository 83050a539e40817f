"""The robot of a URDF as the page draws it: joints, visuals, and the poses of all links at once.

Frames are 4 x 4 matrices. Lengths are in metres, angles in radians.
"""
import io
from dataclasses import dataclass

import numpy as np
import yourdfpy

TURNING, SLIDING = ('revolute', 'continuous'), ('prismatic',)
MAX_CHARACTERS = 16 * 1024 * 1024
REACH_RANGE = (0.05, 1000.0)  # [m]
# Limits may be very wide: a joint works within a multiple of the robot's size (crates/robot/src/working_range.rs).
WORKING_SIZES = 10.0


class BadDescription(Exception):
    """A robot description that cannot be drawn; the message gives the reason."""


@dataclass(frozen=True)
class Visual:
    """A shape that is fixed to a link."""
    link: int  # index of the link
    origin: np.ndarray  # in the link's frame
    geometry: yourdfpy.urdf.Geometry
    rgba: tuple | None  # 0 to 1; None: the colour of the mesh


@dataclass(frozen=True)
class JointRange:
    """The limits of a movable joint, infinite if it has none."""
    lower: float
    upper: float
    turns: bool


class Robot:
    """Joints are ordered with parents before children; `positions` are in this order."""

    def __init__(self, description):
        """Raises BadDescription unless the text is the URDF of one robot."""
        if len(description) > MAX_CHARACTERS:
            raise BadDescription(f'the robot description has more than {MAX_CHARACTERS} characters')
        try:
            # The scene graph and the meshes of yourdfpy are not used: this file and shapes.py draw 1000 joints
            # smoothly.
            urdf = yourdfpy.URDF.load(io.BytesIO(description.encode()), build_scene_graph=False, load_meshes=False)
            self.name = urdf.robot.name or 'robot'
            self._sort_joints(urdf)
            self._read_joints()
            self.visuals = self._read_visuals(urdf)
        except Exception as error:  # external descriptions can contain anything
            raise BadDescription(f'the robot description cannot be drawn: {error}') from error

    def _sort_joints(self, urdf):
        """Walks the tree from the root link. Links without a connection to it are omitted."""
        children = {}
        for joint in urdf.robot.joints:
            children.setdefault(joint.parent, []).append(joint)
        below = {joint.child for joint in urdf.robot.joints}
        roots = [link.name for link in urdf.robot.links if link.name not in below]
        if not roots:
            raise BadDescription('it has no root link')
        self.links, self._joints, self._parents = [roots[0]], [], []
        self.link_index = {roots[0]: 0}
        for parent, name in enumerate(self.links):  # grows during the loop
            for joint in children.get(name, []):
                if joint.child not in self.link_index:
                    self.link_index[joint.child] = len(self.links)
                    self.links.append(joint.child)
                    self._joints.append(joint)
                    self._parents.append(parent)

    def _read_joints(self):
        count = len(self._joints)
        self.joint_index = {joint.name: index for index, joint in enumerate(self._joints)}
        self._origins = np.array([matrix(joint.origin) for joint in self._joints]).reshape(count, 4, 4)
        axes = np.array([[1, 0, 0] if joint.axis is None else joint.axis for joint in self._joints], float).reshape(count, 3)
        lengths = np.linalg.norm(axes, axis=1, keepdims=True)
        axes = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 0)
        kinds = [joint.type for joint in self._joints]
        self._turning = axes * np.array([[kind in TURNING] for kind in kinds], float).reshape(count, 1)
        self._sliding = axes * np.array([[kind in SLIDING] for kind in kinds], float).reshape(count, 1)
        if not (np.isfinite(self._origins).all() and np.isfinite(axes).all()):
            raise BadDescription('an origin or an axis is not a finite number')
        self.ranges = {joint.name: joint_range(joint) for joint in self._joints if joint.type in TURNING + SLIDING}

    def _read_visuals(self, urdf):
        named = {material.name: material for material in urdf.robot.materials}
        visuals = []
        for link in urdf.robot.links:
            for visual in link.visuals if link.name in self.link_index else []:
                material = visual.material
                if material is not None and material.color is None:
                    material = named.get(material.name)
                color = None if material is None or material.color is None else tuple(np.clip(material.color.rgba, 0, 1))
                visuals.append(Visual(self.link_index[link.name], matrix(visual.origin), visual.geometry, color))
        return visuals

    def default_tips(self, base):
        """The leaf links that move relative to both the root link and the link of index `base`; all of them if none does.

        They are the tips if none is named (`Chain::default_tips` in crates/robot/src/chain.rs).
        """
        bodies = [0]  # of each link, the uppermost link rigidly connected to it
        for child, parent in enumerate(self._parents):
            bodies.append(bodies[parent] if self._joints[child].type == 'fixed' else child + 1)
        leaves = [index for index in range(len(self.links)) if index not in set(self._parents)]
        moving = [index for index in leaves if bodies[index] not in (0, bodies[base])]
        return [self.links[index] for index in moving or leaves]

    def segments(self):
        """Pairs of link indices connected by a joint, shape (joints, 2)."""
        return np.array([[parent, child + 1] for child, parent in enumerate(self._parents)], int).reshape(-1, 2)

    def link_poses(self, positions):
        """Poses of all links in the root link's frame, shape (links, 4, 4), for positions of shape (joints,)."""
        motion = np.tile(np.eye(4), (len(positions), 1, 1))
        motion[:, :3, :3] = rotations(self._turning, positions)
        motion[:, :3, 3] = self._sliding * positions[:, None]
        steps = self._origins @ motion
        poses = np.empty((len(self.links), 4, 4))
        poses[0] = np.eye(4)
        for child, parent in enumerate(self._parents):
            np.dot(poses[parent], steps[child], out=poses[child + 1])
        return poses

    def reach(self):
        """The length of the longest branch, stretched [m]. A prismatic joint counts up to the end of its working range."""
        lengths = np.zeros(len(self.links))
        longest = WORKING_SIZES * (np.linalg.norm(self._origins[:, :3, 3], axis=1).sum() or 1.0)
        for child, parent in enumerate(self._parents):
            joint = self._joints[child]
            slide = self.ranges[joint.name].upper if joint.type in SLIDING else 0.0
            step = np.linalg.norm(self._origins[child, :3, 3])
            stroke = min(max(slide, 0.0), longest) if np.isfinite(slide) else 0.0
            lengths[child + 1] = lengths[parent] + step + stroke
        return float(np.clip(lengths.max(), *REACH_RANGE))


def matrix(origin):
    return np.eye(4) if origin is None else np.asarray(origin, float)


def joint_range(joint):
    limit = joint.limit
    turns = joint.type in TURNING
    if joint.type == 'continuous' or limit is None or limit.lower is None or limit.upper is None:
        return JointRange(-np.inf, np.inf, turns)
    return JointRange(float(limit.lower), float(limit.upper), turns)


def rotations(axes, angles):
    """Rotation matrices by Rodrigues' formula, shape (n, 3, 3); the identity for an axis of length 0."""
    x, y, z = axes.T
    zero = np.zeros_like(x)
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    sine, versine = np.sin(angles)[:, None, None], (1 - np.cos(angles))[:, None, None]
    return np.eye(3) + sine * cross + versine * (cross @ cross)
