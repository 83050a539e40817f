"""The workspace and the standing goals in the scene, as drawn by the node on ~/markers."""
import numpy as np
from visualization_msgs.msg import Marker

from .instances import instance_color
from .obstacles import matrix
from .stage import GRID

WORKSPACE, GOALS = 'workspace', 'goals/'  # namespaces of the node, before the name of a goal
HANDLES = 'goal_handles/'  # of draggable balls and cubes at goals, before the name of the goal


def is_shown(marker):
    return marker.ns == WORKSPACE or marker.ns.startswith(GOALS)


def pose_in_scene(base_pose, pose):
    """A pose in the base link's frame as one in the scene's frame."""
    return base_pose @ matrix(pose)


class Lines:
    """A list of lines. The scene does not support transparent ones: their colours are blended with that of the grid."""

    def __init__(self, scene, name, marker, base_pose, dark):
        points, colors = self._look(marker, base_pose, dark)
        self._node = scene.add_line_segments(name, points, colors, thickness=marker.scale.x)

    def show(self, marker, base_pose, dark):
        points, colors = self._look(marker, base_pose, dark)
        if points.shape != self._node.points.shape or not np.array_equal(points, self._node.points):
            self._node.points = points
        if colors.shape != self._node.colors.shape or not np.array_equal(colors, self._node.colors):
            self._node.colors = colors
        if self._node.thickness != marker.scale.x:
            self._node.thickness = marker.scale.x

    @staticmethod
    def _look(marker, base_pose, dark):
        points = np.array([(point.x, point.y, point.z) for point in marker.points]) @ base_pose[:3, :3].T + base_pose[:3, 3]
        shape = (-1, 2, 3)
        if marker.colors:
            # Viser takes per-point colours as linear, but a single colour as sRGB.
            colors = np.array([instance_color(rgb_on_grid(color, dark) / 255) for color in marker.colors], np.uint8).reshape(shape)
        else:
            colors = rgb_on_grid(marker.color, dark).astype(np.uint8)
        return points.astype(np.float32).reshape(shape), colors

    def remove(self):
        self._node.remove()


class Ball:
    def __init__(self, scene, name, marker, base_pose, dark):
        self._node = scene.add_icosphere(name, marker.scale.x / 2, rgb(marker.color), cast_shadow=False)
        self.show(marker, base_pose, dark)

    def show(self, marker, base_pose, _dark):
        self._node.position = pose_in_scene(base_pose, marker.pose)[:3, 3]
        if tuple(self._node.color) != rgb(marker.color):
            self._node.color = rgb(marker.color)

    def remove(self):
        self._node.remove()


class Label:
    """The label of a violated goal: a label covers more of the scene than in RViz, and the panel has the others."""

    def __init__(self, scene, name, marker, base_pose, dark):
        self._node = scene.add_label(name, '', anchor='bottom-center')
        self.show(marker, base_pose, dark)

    def show(self, marker, base_pose, _dark):
        name, violation = goal_of(marker)
        text = f'{name}: {violation}'
        if self._node.text != text:
            self._node.text = text
        self._node.visible = bool(violation)
        self._node.position = pose_in_scene(base_pose, marker.pose)[:3, 3]

    def remove(self):
        self._node.remove()


NODES = {Marker.LINE_LIST: Lines, Marker.SPHERE: Ball, Marker.TEXT_VIEW_FACING: Label}


class Markers:
    """A node of the scene for each marker."""

    def __init__(self, scene):
        self._scene, self._nodes, self._drawn = scene, {}, {}

    def show(self, markers, base_pose, dark):
        """`markers` by namespace and id."""
        wanted = {key: marker for key, marker in markers.items() if is_shown(marker) and marker.type in NODES}
        for key in self._nodes.keys() - wanted.keys():
            self._remove(key)
        for key, marker in wanted.items():
            source = (marker, base_pose.tobytes(), dark)
            if self._drawn.get(key) == source:
                continue
            if key in self._nodes and not isinstance(self._nodes[key], NODES[marker.type]):
                self._remove(key)
            if key in self._nodes:
                self._nodes[key].show(marker, base_pose, dark)
            else:
                self._nodes[key] = NODES[marker.type](self._scene, f'/markers/{key[1]}/{key[0]}', marker, base_pose, dark)
            self._drawn[key] = source

    def _remove(self, key):
        self._nodes.pop(key).remove()
        self._drawn.pop(key)


def rgb(color):
    return tuple(round(255 * channel) for channel in (color.r, color.g, color.b))


def rgb_on_grid(color, dark):
    """A colour blended by its opacity with the grid lines."""
    _, grid = GRID[dark]
    return np.round(color.a * np.array(rgb(color)) + (1 - color.a) * np.array(grid))


def goal_of(label):
    """The name of a goal and its violation with unit, empty if it is met, as in the node's label."""
    name, _, violation = label.text.partition('\n')
    return name, violation


def goals_of(markers):
    """A pair of `goal_of` for each goal, in the order of the node."""
    labels = [marker for marker in markers.values() if marker.ns.startswith(GOALS) and marker.type == Marker.TEXT_VIEW_FACING]
    return [goal_of(label) for label in sorted(labels, key=lambda label: label.id)]
