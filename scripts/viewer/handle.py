"""A handle of a target, dragged in the browser."""
import numpy as np
import viser.transforms

from .colors import GREY
from .instances import wxyz_of


class Handle:
    """Follows its tip until it is dragged. `on_drag` gets the dragged poses."""

    def __init__(self, server, name, reach, on_drag, *, turns=True, moves=True, axes=(True, True, True), by_ball=False):
        """`reach` [m] sets the size; `on_drag` gets a pose in the scene's frame, in viser's thread.

        `turns`: whether it has rings; `moves`: whether it has arrows; `axes`: which ones; `by_ball`: whether the ball at its centre can be
        dragged, too, across the view.
        """
        self._on_drag = on_drag
        self._held_by, self._shown, self._look = None, None, None
        self._gizmo = server.scene.add_transform_controls(
            f'/handle/{name}', scale=0.17 * reach, line_width=3.0, depth_test=False, disable_rotations=not turns,
            disable_axes=not moves, disable_sliders=not moves, active_axes=axes)
        self._ball = server.scene.add_icosphere(f'/handle/{name}/ball', radius=(0.03 if by_ball else 0.022) * reach,
                                                color=GREY, cast_shadow=False)
        self._label = server.scene.add_label(f'/handle_label/{name}', '', anchor='bottom-center', visible=False)
        self._label_height = np.array([0.0, 0.0, 0.2 * reach])
        self._server, self._radius = server, 0.2 * reach  # of the ball around all graspable parts

        @self._gizmo.on_update
        async def _(event):  # a coroutine, to keep the order of these calls
            self._drag(event, event.target.position, event.target.wxyz)

        if by_ball:
            self._drag_by_ball(np.array(axes, float))

    def _drag_by_ball(self, free):
        """`free` has a 0 for each axis along which the handle does not move."""
        grip = np.zeros(3)  # from the pointer to the centre

        @self._ball.on_drag
        async def _(event):
            nonlocal grip
            middle = np.asarray(self._gizmo.position)
            if event.phase == 'start':
                grip = middle - event.end_position
            self._gizmo.position = middle + free * (event.end_position + grip - middle)
            self._drag(event, self._gizmo.position, self._gizmo.wxyz)

    def _drag(self, event, position, wxyz):
        self._held_by = None if event.phase == 'end' else event.client_id
        pose = np.eye(4)
        pose[:3, :3] = viser.transforms.SO3(np.asarray(wxyz)).as_matrix()
        pose[:3, 3] = position
        self._shown = None  # it has been moved since
        self._on_drag(pose)

    @property
    def is_held(self):
        return self._held_by is not None

    def is_under(self, pointer):
        """Whether a grasp is imminent."""
        return pointer.is_over(self._server, self._gizmo.position, self._radius)

    def let_go(self, client_id):
        """A closed page releases its handles."""
        if self._held_by == client_id:
            self._held_by = None

    def follow(self, pose):
        """Moves to this pose in the scene's frame, unless it is held."""
        if self.is_held:
            self._label.position = np.asarray(self._gizmo.position) + self._label_height
        elif self._shown is None or not np.array_equal(pose, self._shown):
            self._shown = pose
            self._gizmo.position, self._gizmo.wxyz = pose[:3, 3], wxyz_of(pose[None])[0]
            self._label.position = pose[:3, 3] + self._label_height

    def look(self, color, text):
        """Displays the outcome of the target: a colour and a word."""
        if (color, text) != self._look:
            self._look = (color, text)
            self._ball.color = color
            self._label.text, self._label.visible = text, bool(text)

    def show(self, on, turns=True):
        """Sets its visibility, and whether it has rings."""
        self._gizmo.visible, self._gizmo.disable_rotations = on, not turns
        self._label.visible = on and bool(self._label.text)

    def remove(self):
        self._label.remove()
        self._ball.remove()
        self._gizmo.remove()
