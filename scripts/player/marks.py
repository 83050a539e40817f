"""Marks of the figure: gaps between ends and targets, the path of a tip, the up vector."""
from collections import deque

import numpy as np

from viewer.colors import PURPLE, RED

PATH_POINTS = 800
BETWEEN = (120, 170, 235)  # intermediate points of a path


class Gaps:
    """A line from each end to its target, if it is missed."""

    def __init__(self, scene, reach):
        self._node = scene.add_line_segments('/gaps', np.zeros((1, 2, 3)), RED, thickness=reach / 180, visible=False)

    def show(self, pairs):
        """Pairs of points; empty without lines."""
        self._node.visible = bool(pairs)
        if pairs:
            self._node.points = np.array(pairs, np.float32)

    def remove(self):
        self._node.remove()


class Path:
    """Positions of the tip: requested ones are large, intermediate ones small."""

    def __init__(self, scene, reach):
        self._points = {True: deque(maxlen=PATH_POINTS), False: deque(maxlen=PATH_POINTS)}  # requested or not
        self._nodes = {given: scene.add_point_cloud(
            f'/path/{"given" if given else "between"}', np.zeros((1, 3)), PURPLE if given else BETWEEN, visible=False,
            point_size=reach / (110 if given else 220), point_shape='circle', precision='float32') for given in (True, False)}

    def add(self, places):
        """Pairs of a position and whether it was requested."""
        for place, given in places:
            self._points[given].append(place)
        self._draw()

    def clear(self):
        for points in self._points.values():
            points.clear()
        self._draw()

    def _draw(self):
        for given, node in self._nodes.items():
            node.visible = bool(self._points[given])
            if self._points[given]:
                node.points = np.array(self._points[given], np.float32)

    def remove(self):
        for node in self._nodes.values():
            node.remove()


class UpVector:
    """An arrow from the end of an arm along its up vector."""

    def __init__(self, scene, reach):
        self._node = scene.add_arrows('/up', np.array([[(0, 0, 0), (0, 0, reach)]], np.float32), PURPLE,
                                      shaft_radius=reach / 250, head_radius=reach / 100, head_length=reach / 40)

    def show(self, start, end):
        self._node.points = np.array([[start, end]], np.float32)

    def remove(self):
        self._node.remove()
