"""The joint limits as translucent surfaces: cones for ball joints, fans for hinges."""
import numpy as np
import viser.transforms

from viewer.colors import AMBER

BLUE = (96, 165, 250)
STEPS = 48  # around a cone, or across a fan
SIZE = 0.45  # of a surface, in lengths of its segment
OPACITY = 0.34
FULL_TURN = 360.0  # [degrees]


class LimitSurfaces:
    """A node for each limited joint, in the limit colour while the joint is at its limit."""

    def __init__(self, scene, model):
        self._joints = [(number, joint) for number, joint in enumerate(model.joints) if surface(joint) is not None]
        self._nodes, self._limited = [], [False] * len(self._joints)
        for number, joint in self._joints:
            vertices, faces = surface(joint)
            self._nodes.append(scene.add_mesh_simple(
                f'/limits/{number}', SIZE * joint.length * vertices, faces, color=BLUE, opacity=OPACITY, side='double',
                cast_shadow=False, receive_shadow=False))

    def show(self, points, wxyz, limited):
        for place, ((_, joint), node) in enumerate(zip(self._joints, self._nodes)):
            node.position = points[joint.parent]
            node.wxyz = (viser.transforms.SO3(wxyz[joint.parent]) @ viser.transforms.SO3(joint.rest)).wxyz
            if (joint.name in limited) != self._limited[place]:
                self._limited[place] = joint.name in limited
                node.color = AMBER if self._limited[place] else BLUE

    def remove(self):
        for node in self._nodes:
            node.remove()


def surface(joint):
    """Vertices and faces in the joint's frame, of unit size; None for a free or fixed joint."""
    if joint.kind == 'cone' and not joint.is_fixed:
        return fan(cone_rim(joint.limits))
    if joint.kind == 'hinge' and joint.limits.get('range'):
        return fan(hinge_rim(joint.limits))
    return None


def cone_rim(limits):
    """Directions at the limit: in each quadrant the polar angle from x follows a quarter of an ellipse between two of the four angles."""
    azimuth = np.linspace(0.0, 2 * np.pi, STEPS + 1)
    cosine, sine = np.cos(azimuth), np.sin(azimuth)
    side = np.radians(np.where(cosine >= 0, limits['left'], limits['right']))
    height = np.radians(np.where(sine >= 0, limits['up'], limits['down']))
    across = np.hypot(height * cosine, side * sine)
    polar = np.divide(side * height, across, out=np.zeros_like(across), where=across > 1e-12)
    return np.column_stack([np.cos(polar), np.sin(polar) * cosine, np.sin(polar) * sine])


def hinge_rim(limits):
    """Directions of the x axis from one end of the range to the other."""
    lower, upper = np.radians(limits['range'])
    axis = np.array(limits['axis'], float)
    turns = viser.transforms.SO3.exp(np.outer(np.linspace(lower, upper, STEPS + 1), axis / np.linalg.norm(axis)))
    return turns.as_matrix()[:, :, 0]


def fan(rim):
    """Triangles from the origin to a row of points."""
    count = len(rim)
    faces = np.column_stack([np.zeros(count - 1, int), np.arange(1, count), np.arange(2, count + 1)])
    return np.vstack([np.zeros((1, 3)), rim]).astype(np.float32), faces.astype(np.uint32)
