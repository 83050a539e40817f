"""The twist commanded by a deflection of the pads."""
import numpy as np
import viser.transforms

VIEW, BASE, TIP = 'view', 'base link', 'tip'
AXES = (VIEW, BASE, TIP)
# The robot's axes for a deflection to the right, upwards and of the bar, of translation and rotation: up on the pad is
# forwards.
MOVE = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], float)
TURN = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], float)
# The same with the axes of the view: right, up, away. The bar moves away; the side facing the viewer follows a rotating
# drag.
MOVE_IN_VIEW = np.eye(3)
TURN_IN_VIEW = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], float)


def twist_of(by, speeds, view=None):
    """Linear and angular velocity [m/s, rad/s] for a deflection `by`, shape (6,).

    `speeds` are those at full deflection. `view` has the axes right, up and away of a view as columns; the twist then refers to the
    axes in which these are given, otherwise to those of the steered frame.
    """
    matrices = (MOVE, TURN) if view is None else (view @ MOVE_IN_VIEW, view @ TURN_IN_VIEW)
    parts = [matrix @ part for matrix, part in zip(matrices, np.reshape(by, (2, 3)))]
    # The corner of a pad is no faster than its edge.
    return np.concatenate([speed * part / max(1.0, np.linalg.norm(part)) for speed, part in zip(speeds, parts)])


def axes_of_view(wxyz):
    """The axes right, up and away of a camera, as columns, in the scene's frame: its own are right, down and away."""
    return viser.transforms.SO3(np.asarray(wxyz)).as_matrix() * np.array([1, -1, 1])
