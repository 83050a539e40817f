"""A figure in the scene: a bone for each segment, a ball for each joint. Two nodes, whatever the number of segments."""
import numpy as np
import trimesh
import viser.transforms

from viewer.colors import AMBER, BONE
from viewer.instances import instance_color, standing

JOINT = (0.38, 0.42, 0.47)
FIXED = (0.55, 0.58, 0.62)  # segments with fixed joints
LIMITED = tuple(channel / 255 for channel in AMBER)
SWOLLEN = 1.35  # a joint at its limit
KNEE = 0.16  # position of the maximum thickness along a bone


def bone_shape():
    """A double pyramid from 0 to 1 along x, with thickness 1: its edges show the rotation about its axis."""
    ring = [(KNEE, 1.0, 0.0), (KNEE, 0.0, 0.8), (KNEE, -1.0, 0.0), (KNEE, 0.0, -0.8)]
    faces = [(0, 1 + (side + 1) % 4, 1 + side) for side in range(4)] + [(5, 1 + side, 1 + (side + 1) % 4) for side in range(4)]
    return np.array([(0, 0, 0), *ring, (1, 0, 0)], np.float32), np.array(faces, np.uint32)


class Figure:
    """`opacity` below 1 is for a faint figure."""

    def __init__(self, scene, name, model, opacity=None):
        self._model = model
        count = len(model.joints)
        lengths = np.array([joint.length for joint in model.joints])
        self._thickness = np.clip(0.11 * lengths, model.reach / 85, model.reach / 38)
        vertices, faces = bone_shape()
        colors = np.array([instance_color(FIXED if joint.name in model.fixed else BONE) for joint in model.joints], np.uint8)
        self._bones = scene.add_batched_meshes_simple(
            f'{name}/bones', vertices, faces, *standing(count), batched_colors=colors, batched_scales=np.ones((count, 3)),
            flat_shading=True, lod='off', opacity=opacity)
        ball = trimesh.creation.icosphere(subdivisions=2, radius=1.0)
        self._ball_sizes = 0.62 * self._thickness
        self._ball_colors = np.tile(np.array(instance_color(JOINT), np.uint8), (count, 1))
        self._balls = scene.add_batched_meshes_simple(
            f'{name}/joints', ball.vertices, ball.faces, *standing(count), batched_colors=self._ball_colors,
            batched_scales=self._ball_sizes.astype(np.float32), lod='off', opacity=opacity)

    def show(self, points, wxyz, limited=()):
        """`points` and the orientations `wxyz` of all points; `limited`: names of joints."""
        starts, ends = points[self._model.parents], points[1:]
        along = ends - starts
        lengths = np.linalg.norm(along, axis=1)
        self._bones.batched_positions = starts.astype(np.float32)
        self._bones.batched_wxyzs = turned_along(wxyz[1:], along, lengths).astype(np.float32)
        self._bones.batched_scales = np.column_stack([lengths, self._thickness, self._thickness]).astype(np.float32)
        at_limit = np.array([joint.name in limited for joint in self._model.joints])
        self._balls.batched_positions = starts.astype(np.float32)
        self._balls.batched_scales = (self._ball_sizes * np.where(at_limit, SWOLLEN, 1.0)).astype(np.float32)
        self._balls.batched_colors = np.where(at_limit[:, None], np.array(instance_color(LIMITED), np.uint8), self._ball_colors)

    def set_visible(self, on):
        self._bones.visible = self._balls.visible = on

    def remove(self):
        self._bones.remove()
        self._balls.remove()


def turned_along(wxyz, along, lengths):
    """These orientations, rotated by the minimum angle that makes their x axes point along these vectors."""
    turns = viser.transforms.SO3(wxyz)
    x_axes = turns.as_matrix()[:, :, 0]
    wanted = np.divide(along, lengths[:, None], out=x_axes.copy(), where=lengths[:, None] > 1e-12)
    shortest = np.column_stack([1 + (x_axes * wanted).sum(axis=1), np.cross(x_axes, wanted)])
    is_opposite = shortest[:, 0] < 1e-9
    shortest[is_opposite, 0] = 0.0
    shortest[is_opposite, 1:] = turns.as_matrix()[is_opposite, :, 2]
    return (viser.transforms.SO3(shortest / np.linalg.norm(shortest, axis=1, keepdims=True)) @ turns).wxyz
