"""A handle that is dragged in the browser: the target of one tip."""
import numpy as np
import viser.transforms

from .drawing import wxyz_of

FREE = (140, 147, 156)  # where no target is known


class Handle:
    """Follows its tip until somebody takes hold of it. `on_drag` gets the poses that it is dragged to."""

    def __init__(self, server, number, reach, on_drag):
        """`reach` [m] sets the size; `on_drag` gets a pose in the root link's frame, in viser's thread."""
        self._on_drag = on_drag
        self._held_by, self._shown, self._look = None, None, None
        name = f'/handle/{number}'
        self._gizmo = server.scene.add_transform_controls(name, scale=0.17 * reach, line_width=3.0, depth_test=False)
        self._ball = server.scene.add_icosphere(f'{name}/ball', radius=0.022 * reach, color=FREE,
                                                cast_shadow=False)
        self._label = server.scene.add_label(f'/handle_label/{number}', '', anchor='bottom-center', visible=False)
        self._label_height = np.array([0.0, 0.0, 0.2 * reach])

        @self._gizmo.on_update
        async def _(event):  # a coroutine, because calls of these keep their order
            self._held_by = None if event.phase == 'end' else event.client_id
            pose = np.eye(4)
            pose[:3, :3] = viser.transforms.SO3(np.asarray(event.target.wxyz)).as_matrix()
            pose[:3, 3] = event.target.position
            self._shown = None  # it is no longer where it was put
            self._on_drag(pose)

    @property
    def is_held(self):
        return self._held_by is not None

    def let_go(self, client_id):
        """A page that closes has let go of what it held."""
        if self._held_by == client_id:
            self._held_by = None

    def follow(self, pose):
        """Goes to the tip, a pose in the root link's frame, unless somebody holds it."""
        if self.is_held:
            self._label.position = np.asarray(self._gizmo.position) + self._label_height
        elif self._shown is None or not np.array_equal(pose, self._shown):
            self._shown = pose
            self._gizmo.position, self._gizmo.wxyz = pose[:3, 3], wxyz_of(pose[None])[0]
            self._label.position = pose[:3, 3] + self._label_height

    def look(self, color, text):
        """Shows what became of the target: a colour and a word."""
        if (color, text) != self._look:
            self._look = (color, text)
            self._ball.color = color
            self._label.text, self._label.visible = text, bool(text)

    def remove(self):
        self._label.remove()
        self._ball.remove()
        self._gizmo.remove()
