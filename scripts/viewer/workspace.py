"""The workspace of the tips in the scene: the box of the parameter servo.workspace."""
import numpy as np
import yaml

COLOR = (214, 132, 20)
BEYOND_REACH = 1.3  # extent of a side without a bound, relative to the reach of the robot


class Workspace:
    """The outlines of its faces, drawn anew where the text, the base or the reach is another one."""

    def __init__(self, scene):
        self._scene, self._node, self._drawn = scene, None, None

    def show(self, text, base_pose, reach):
        wanted = (text, base_pose.tobytes(), reach)
        if wanted == self._drawn:
            return
        self._drawn = wanted
        if self._node is not None:
            self._node.remove()
            self._node = None
        segments = outlines(*corners(text), reach)
        if len(segments):
            places = segments @ base_pose[:3, :3].T + base_pose[:3, 3]
            self._node = self._scene.add_line_segments('/workspace', places.astype(np.float32), COLOR, thickness=reach / 400)


def corners(text):
    """The lower and the upper corner [m] in the base link's frame, with infinity where there is no bound."""
    box = yaml.safe_load(text) or {}
    return tuple(np.array(box.get(name, [default] * 3), float) for name, default in (('min', -np.inf), ('max', np.inf)))


def outlines(lower, upper, reach):
    """The edges of each face, shape (edges, 2, 3), of a box between two corners."""
    side = BEYOND_REACH * reach
    ends = np.array([np.where(np.isfinite(lower), lower, np.minimum(-side, upper)),
                     np.where(np.isfinite(upper), upper, np.maximum(side, lower))])
    segments = []
    for end, axis in zip(*np.nonzero(np.isfinite([lower, upper]))):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        face = np.zeros((4, 3))
        face[:, axis] = ends[end, axis]
        face[:, one], face[:, other] = ends[[0, 1, 1, 0], one], ends[[0, 0, 1, 1], other]
        segments += [(face[corner], face[corner - 1]) for corner in range(4)]
    return np.array(segments).reshape(-1, 2, 3)
