"""The robot in the scene: few nodes, whatever the number of links, and at most two messages for each of them and picture."""
import itertools

import numpy as np
import trimesh

from .colors import BONE
from .instances import instance_color, opacity, standing, turns_from_z, wxyz_of
from .shapes import Part, split_sharp_edges

VISIBLE = 0.004  # [m or rad] between two poses of a link
MANY = 64  # number of placed shapes above which equal shapes share a node


class Placed:
    """A node of the scene with one shape at one or more poses, each fixed to a link."""

    def __init__(self, node, links, origins, vertices):
        self.node, self.links, self.origins = node, np.array(links, int), np.array(origins).reshape(-1, 4, 4)
        sides = (bounds(vertices, axis) for axis in range(3))
        self.box = np.array([[x, y, z, 1.0] for x, y, z in itertools.product(*sides)])
        self.shown = None

    def show(self, link_poses):
        poses = link_poses[self.links] @ self.origins
        if self.shown is not None and np.array_equal(poses, self.shown):
            return
        self.shown = poses
        if hasattr(self.node, 'batched_positions'):
            self.node.batched_positions = poses[:, :3, 3].astype(np.float32)
            self.node.batched_wxyzs = wxyz_of(poses).astype(np.float32)
        else:
            self.node.position, self.node.wxyz = poses[0, :3, 3], wxyz_of(poses)[0]

    def set_visible(self, is_visible):
        if self.node.visible != is_visible:
            self.node.visible = bool(is_visible)

    def corners(self, link_poses):
        """Corners of the boxes around the shape at each of its poses, shape (corners, 3)."""
        return (link_poses[self.links] @ self.origins @ self.box.T)[:, :3].transpose(0, 2, 1).reshape(-1, 3)


class Drawing:
    """A robot: its shapes, and lines along the joints with axes for links without shapes.

    `shapes` is None until they are read; all have the colour `tint` if it is given.
    """

    def __init__(self, scene, robot, shapes, reach, name='/robot', tint=None):
        self._scene, self._robot, self._reach, self._name, self._tint = scene, robot, reach, name, tint
        self._placed, self._bones = [], None
        parts = shapes.parts if shapes else []
        many = sum(len(part.links) for part in parts) > MANY
        for number, part in enumerate(parts):
            if many:
                self._add_instances(f'{name}/part{number}', part)
            else:
                self._add_each(f'{name}/part{number}', part)
        bare = set(range(len(robot.links))) if not parts else shapes.bare_links
        if bare:
            self._add_bones(sorted(bare))

    def _add_each(self, name, part):
        """A node for each pose. A browser moves it faster than an instance."""
        rgba = self._tint or part.rgba
        for number, place in enumerate(zip(part.links, part.origins)):
            node = self._scene.add_mesh_simple(
                f'{name}/{number}', part.vertices, part.faces, color=rgba[:3], opacity=opacity(rgba), side=part.side,
                cast_shadow=self._tint is None)
            self._placed.append(Placed(node, *([value] for value in place), part.vertices))

    def _add_instances(self, name, part):
        """One node for all poses."""
        rgba = self._tint or part.rgba
        node = self._scene.add_batched_meshes_simple(
            name, part.vertices, part.faces, *standing(len(part.links)), batched_colors=instance_color(rgba),
            opacity=opacity(rgba), side=part.side, lod='off')
        self._placed.append(Placed(node, part.links, part.origins, part.vertices))

    def _add_bones(self, bare):
        """A line along the joints of these links, a ball at each joint, and their axes."""
        segments = self._robot.segments()
        self._bone_ends = segments[np.isin(segments, bare).any(axis=1)]
        width = self._reach / 80
        ball = trimesh.creation.icosphere(subdivisions=2, radius=width)
        self._add_instances(f'{self._name}/joints', Part(ball.vertices, ball.faces, BONE, links=bare, origins=[np.eye(4)] * len(bare)))
        if len(self._bone_ends):
            rod = trimesh.creation.cylinder(1.0, 1.0, sections=16)
            vertices, faces = split_sharp_edges(rod.vertices, rod.faces)
            self._bones = self._scene.add_batched_meshes_simple(
                f'{self._name}/bones', vertices, faces, *standing(len(self._bone_ends)), lod='off',
                batched_colors=instance_color(self._tint or BONE), opacity=opacity(self._tint or BONE),
                batched_scales=np.full((len(self._bone_ends), 3), 0.6 * width))
        spacing = self._reach / max(len(bare), 1)
        axes = self._scene.add_batched_axes(
            f'{self._name}/axes', *standing(len(bare)), axes_length=float(np.clip(3 * spacing, self._reach / 50, self._reach / 10)),
            axes_radius=float(np.clip(spacing / 5, self._reach / 800, self._reach / 200)))
        self._placed.append(Placed(axes, bare, [np.eye(4)] * len(bare), np.zeros((1, 3))))

    def show(self, link_poses):
        """Moves everything to these poses of the links, shape (links, 4, 4)."""
        for placed in self._placed:
            placed.show(link_poses)
        if self._bones is not None:
            self._show_bones(link_poses[self._bone_ends][:, :, :3, 3])

    def show_beside(self, link_poses, others):
        """As `show`, but only links that are visibly apart from `others`: coinciding surfaces would flicker."""
        is_visible = np.abs(link_poses - others).max(axis=(1, 2)) > VISIBLE
        for placed in self._placed:
            placed.set_visible(is_visible[placed.links].any())
        if self._bones is not None:
            self._bones.visible = bool(is_visible.any())
        self.show(link_poses)

    def corners(self, link_poses):
        """Points around the whole drawing, shape (points, 3)."""
        return np.concatenate([link_poses[:, :3, 3], *(placed.corners(link_poses) for placed in self._placed)])

    def _show_bones(self, ends):
        """`ends` has shape (bones, 2, 3)."""
        along = ends[:, 1] - ends[:, 0]
        lengths = np.linalg.norm(along, axis=1)
        width = self._bones.batched_scales[0, 0]
        self._bones.batched_positions = ends.mean(axis=1).astype(np.float32)
        self._bones.batched_wxyzs = turns_from_z(along, lengths).astype(np.float32)
        self._bones.batched_scales = np.column_stack([np.full((len(ends), 2), width), lengths]).astype(np.float32)

    def remove(self):
        for placed in self._placed:
            placed.node.remove()
        if self._bones is not None:
            self._bones.remove()


def bounds(vertices, axis):
    return vertices[:, axis].min(), vertices[:, axis].max()
