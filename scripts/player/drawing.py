"""The scene of one model: the figure, other configurations of an arm, handles, and marks."""
import numpy as np

from viewer.colors import GREY
from viewer.handle import Handle

from .cones import LimitSurfaces
from .figure import Figure
from .marks import Gaps, Path, UpVector
from .model import PITCH_YAW, THREE_LINK
from .panel import plain, word_and_color
from .question import MOVED, NOTHING, POSE

ROOT, UP = object(), object()  # handles other than the ends
MAX_CONFIGURATIONS = 8
FAINT = 0.22  # opacity of the other configurations
UP_LENGTH = 0.22  # of the up vector, in reaches
SMALL = 0.7  # size of the handles, and of the one for the up vector
ROOM = 0.06  # margin around the figure in the picture, in reaches
UNSEEN = 1 / 500  # gap between an end and its target, in reaches, below which no line is drawn


class Drawing:
    """`on_drag(what, pose)` is called in viser's threads: `what` is the name of an end, `ROOT`, or `UP`."""

    def __init__(self, server, model, on_drag):
        self._scene, self._model = server.scene, model
        self._figure = Figure(server.scene, '/figure', model)
        self._ghosts, self._surfaces = [], None
        self._gaps = Gaps(server.scene, model.reach)
        self.path = Path(server.scene, model.reach) if model.kind == PITCH_YAW else None
        self._up = UpVector(server.scene, model.reach) if model.kind == THREE_LINK else None
        self._handles = {}
        axes = (True, True, not model.is_flat)
        for number, what in enumerate([*model.ends, ROOT] + ([UP] if self._up else [])):
            self._handles[what] = Handle(server, str(number), model.reach * (SMALL ** 2 if what == UP else SMALL),
                                         lambda pose, what=what: on_drag(what, pose), axes=axes, by_ball=True)

    @property
    def is_held(self):
        return any(handle.is_held for handle in self._handles.values())

    def let_go(self, client_id):
        for handle in self._handles.values():
            handle.let_go(client_id)

    def corners(self):
        """Points around the model at rest and its handles, shape (points, 3)."""
        room = self._model.reach * (UP_LENGTH if self._up else ROOM)
        return np.vstack([self._model.rest - room, self._model.rest + room])

    def show_limits(self, on):
        if self._surfaces is not None:
            self._surfaces.remove()
        self._surfaces = LimitSurfaces(self._scene, self._model) if on else None

    def show(self, posture, others, question, residuals):
        """`posture` and the list `others`: points, orientations and names of limited joints of the figure and of faint ones; `residuals`
        as in the stream."""
        points, turns, limited = posture
        self._figure.show(points, turns, limited)
        if self._surfaces is not None:
            self._surfaces.show(points, turns, limited)
        self._show_ghosts(others)
        self._show_handles(question, {residual['point']: residual for residual in residuals})
        self._gaps.show([(points[self._model.index[residual['point']]], question.targets[residual['point']][:3, 3])
                         for residual in residuals if not residual['solved']
                         and residual['point'] in question.targets and residual['distance'] > UNSEEN * self._model.reach])

    def _show_ghosts(self, others):
        while len(self._ghosts) < min(len(others), MAX_CONFIGURATIONS):
            self._ghosts.append(Figure(self._scene, f'/ghost/{len(self._ghosts)}', self._model, FAINT))
        for number, ghost in enumerate(self._ghosts):
            ghost.set_visible(number < len(others))
            if number < len(others):
                ghost.show(*others[number])

    def _show_handles(self, question, residuals):
        for end in self._model.ends:
            handle, asked = self._handles[end], question.asks[end]
            handle.show(asked != NOTHING, asked == POSE)
            handle.follow(question.targets[end] if asked == POSE else place(question.targets[end][:3, 3]))
            residual = residuals.get(end)
            word, color = ('', GREY) if residual is None else word_and_color(residual)
            is_met = residual is None or residual['solved']
            handle.look(color, '' if is_met else f'{plain(end)}: {word}' if len(self._model.ends) > 1 else word)
        self._handles[ROOT].show(question.root == MOVED)
        self._handles[ROOT].follow(question.root_pose)
        if self._up is not None:
            start = question.targets[self._model.ends[0]][:3, 3]
            end = start + UP_LENGTH * self._model.reach * question.up
            self._handles[UP].show(True, turns=False)
            self._handles[UP].follow(place(end))
            self._up.show(start, end)

    def remove(self):
        self.show_limits(False)
        for each in [self._figure, self._gaps, self.path, self._up, *self._ghosts, *self._handles.values()]:
            if each is not None:
                each.remove()


def place(position):
    """A pose there with the orientation of the scene."""
    pose = np.eye(4)
    pose[:3, 3] = position
    return pose
