"""The page: forwards user input to the solver, and answers to the scene and the panel.

Everything runs in one thread. Viser and the stream call from their own threads; their events are queued as tasks.
At most one request is pending: drags meanwhile become part of the next one.
"""
import queue
import sys
import time
from collections import deque
from pathlib import Path

import numpy as np

from viewer.pace import Pace
from viewer.picture import take_picture
from viewer.stage import FROM, Stage
from viewer.style import STYLE

from .configurations import distinct, first_choice
from .drawing import ROOT, UP, Drawing
from .model import BUNDLED, Model, NoModel, find_model, in_plane, poses_of, wxyz
from .panel import VIEWS, Panel, plain
from .question import POSE, Question
from .stream import NoStream, Stream

FROM_ABOVE, FROM_HIGH = (0.0, -0.45, 1.0), (0.6, -0.45, 0.7)  # the camera's direction for planar and for low figures
IDLE, NEAR = 0.1, 0.03  # [s] between polls while idle, and for a response
PATIENCE = 3.0  # [s] until the page reports a missing response of the solver


class Page:
    def __init__(self, server, wanted, share):
        """Loads the model `wanted`; `share` is the package's share folder."""
        self._server, self._share = server, share
        # Not a SimpleQueue: in Python 3.11 it can block forever if a signal arrives at the end of a wait.
        self._tasks = queue.Queue()
        self._stage, self._pace = Stage(server), Pace(server)
        self._views = dict.fromkeys(VIEWS, False)
        self._models = {name: name for name in BUNDLED} | ({} if wanted in BUNDLED else {Path(wanted).name: wanted})
        # Created once: a page reports errors for updates of removed elements.
        server.gui.add_html(STYLE)
        self._status = server.gui.add_html('')
        self._stream = self._panel = self._drawing = None
        self._load(next(name for name, model in self._models.items() if model == wanted))
        server.on_client_disconnect(lambda client: self._soon(self._let_go, client.client_id))

    def run(self, stopping):
        while not stopping.is_set():
            self._work(max(self._pace.time_to_next_picture(), 1e-3) if self._is_stale else IDLE)
            self._ask()
            # A picture just before the response would delay the picture of the response.
            if self._pace.is_due() and not self._has_waited(0.0, NEAR):
                self._pace.draw(self._draw, self._draw_panel)

    def _work(self, timeout):
        """Runs all tasks; waits for the first one."""
        try:
            self._tasks.get(timeout=timeout)()
            while True:
                self._tasks.get_nowait()()
        except queue.Empty:
            pass

    def _has_waited(self, least, most=np.inf):
        """Whether a request has been pending for this long [s]."""
        return self._asked_at is not None and least <= time.monotonic() - self._asked_at < most

    def close(self):
        if self._stream is not None:
            self._stream.close()

    def _soon(self, function, *arguments):
        self._tasks.put(lambda: function(*arguments))

    # The model

    def _load(self, name):
        """Starts the solver on this model. Its output arrives as tasks."""
        self.close()
        self._name, self._stream, self._problem, self._notice = name, None, None, None
        self._show_model(None)
        try:
            file = find_model(self._models[name], self._share)
            self._stream = Stream(file, lambda *answer: self._soon(self._see, *answer), lambda *end: self._soon(self._end, *end))
        except (NoModel, NoStream) as failure:
            self._fail(str(failure))

    def _fail(self, sentence):
        self._problem = sentence
        print(f'play: {sentence}', file=sys.stderr, flush=True)

    def _show_model(self, description):
        """Replaces the previous model; `description` is that of the new one, or None."""
        self._model = self._question = self._answer = None
        self._asked_at = self._line = None
        self._passes = deque()
        self._is_changed = self._is_stale = self._from_rest = self._follows = True
        self._found, self._chosen = [], None
        if self._drawing is not None:
            self._drawing.remove()
        if self._panel is not None:
            self._panel.remove()
        self._drawing = None
        if description is not None:
            self._model = Model(description)
            self._question = Question(self._model)
            self._stage.set_reach(self._model.reach, min(self._model.rest[:, 2].min(), 0.0))
            self._drawing = Drawing(self._server, self._model, lambda what, pose: self._soon(self._drag, what, pose))
            self._drawing.show_limits(self._views['limits'])
            self._stage.aim_camera(self._drawing.corners(), direction(self._model))
        self._panel = Panel(self._server, self._status, list(self._models), self._name, self._model, self._question,
                            self._views, self._actions())

    # Answers of the solver

    def _see(self, stream, answer):
        if stream is not self._stream:
            return
        self._asked_at = None
        self._notice = answer.get('error')
        if 'model' in answer:
            self._show_model(answer['model'])
        elif 'points' in answer:
            answer['limited'] = [name for name in answer['limited'] if name not in self._model.fixed]
            self._answer, self._is_stale = answer, True
            self._found = distinct(answer, self._model.reach)
            (points, turns, _), _ = self._postures()
            self._question.stand_at(poses_of(points, turns))
            if self._drawing.path is not None:
                self._drawing.path.add([(place['points'][-1], place['given']) for place in answer.get('path', ())])

    def _end(self, stream, sentence):
        if stream is self._stream:
            self._stream = None
            self._fail(sentence)

    def _postures(self):
        """Points, orientations and limited joints of the figure, and of each other configuration of an arm."""
        answer = self._answer
        turns = wxyz(answer['orientations']) if answer['orientations'] else self._model.rest_wxyz
        postures = [(one.points, turns, answer['limited']) for one in self._found]
        return postures.pop(self._number), postures

    @property
    def _number(self):
        """Of the configuration drawn solid."""
        return first_choice(self._found) if self._chosen is None else min(self._chosen, len(self._found) - 1)

    # Requests to the solver

    def _ask(self):
        """Sends the newest request, once the previous one is answered."""
        if self._stream is None or self._model is None or self._asked_at is not None:
            return
        is_wished = self._from_rest or (self._is_changed and self._follows)
        if self._question.is_empty or not (is_wished or self._passes):
            return
        if is_wished:
            line, dragged = (self._question.line(from_rest=self._from_rest, is_held=is_held)
                             for is_held in (self._drawing.is_held, True))
            self._is_changed = self._from_rest = False
            if line == self._line or (dragged == self._line and self._answer and self._answer['is_solved']):
                return  # a handle released at its old pose
        else:
            line = self._question.line(single_pass=self._passes.popleft())
        self._asked_at, self._line = time.monotonic(), line
        self._stream.ask(line)

    # User actions

    def _actions(self):
        """The functions of `Panel`: each runs in this page's thread and requests a new solution."""
        def later(act):
            def do(*arguments):
                if self._question is not None:
                    act(*arguments)
                    self._is_changed = self._is_stale = True
            return lambda *arguments: self._soon(do, *arguments)

        return {
            'model': lambda name: self._soon(self._load, name),
            'rest': later(self._back_to_rest),
            'ask': later(self._set_ask),
            'root': later(lambda root: setattr(self._question, 'root', root)),
            'switch': later(lambda key, on: self._question.switches.update({key: on})),
            'method': later(lambda method: setattr(self._question, 'method', method)),
            'configuration': later(lambda number: setattr(self, '_chosen', number)),
            'follow': later(lambda on: setattr(self, '_follows', on)),
            'step': later(self._step),
            'view': lambda key, on: self._soon(self._set_view, key, on),
            'show': self._show,
        }

    def _drag(self, what, pose):
        if self._question is None:
            return
        if self._model.is_flat:
            pose = in_plane(pose)
        if what == ROOT:
            self._question.root_pose = pose
        elif what == UP:
            up = pose[:3, 3] - self._question.targets[self._model.ends[0]][:3, 3]
            if np.linalg.norm(up) > 0:
                self._question.up = up / np.linalg.norm(up)
        elif what in self._question.targets:
            self._question.targets[what] = pose
        self._is_changed = self._is_stale = True

    def _let_go(self, client_id):
        if self._drawing is not None:
            self._drawing.let_go(client_id)

    def _back_to_rest(self):
        self._question.back_to_rest()
        self._from_rest, self._passes = True, deque()

    def _set_ask(self, end, asked):
        if asked == POSE and self._answer is not None:
            (points, turns, _), _ = self._postures()
            pose = poses_of(points, turns)[self._model.index[end]]
            pose[:3, 3] = self._question.targets[end][:3, 3]
            self._question.targets[end] = pose
        self._question.asks[end] = asked

    def _step(self, passes):
        """As in `STEPS`. The figure stops following, otherwise the passes would not be visible."""
        self._follows = False
        self._panel.show_following(False)
        if not self._passes:
            self._passes.extend(passes)

    def _set_view(self, key, on):
        self._views[key], self._is_stale = on, True
        if key == 'dark':
            self._stage.set_dark(on)
        elif key == 'shadow':
            self._stage.set_shadow(on)
        elif self._drawing is not None:
            self._drawing.show_limits(on)

    def _show(self, what, client):
        if what == 'Picture':
            take_picture(client, self._stage.dark, f'{plain(self._name)}.png')
        elif what == 'Camera home':
            self._soon(self._stage.camera_home)
        elif self._drawing is not None:
            self._soon(self._drawing.path.clear)

    # Drawing

    def _draw(self):
        if self._answer is None or not self._is_stale:
            return
        self._is_stale = False
        self._drawing.show(*self._postures(), self._question, self._answer['residuals'])

    def _draw_panel(self):
        notes = [self._problem, self._problem and 'once that is mended, press Load again', self._notice,
                 self._has_waited(PATIENCE) and 'the solver has not answered for some seconds']
        title = plain(self._name) if self._model is None else plain(self._model.name)
        self._panel.show_status(title, self._answer, filter(None, notes))
        if self._answer is not None and self._model is not None:
            self._panel.show_configurations(self._found, self._number)


def direction(model):
    """Direction with the best view of the whole model."""
    length, width, height = np.ptp(model.rest, axis=0)
    return FROM_ABOVE if model.is_flat else FROM_HIGH if height < max(length, width) / 3 else FROM
