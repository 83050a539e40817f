"""The request to the solver: the newest user input, as a line for the stream."""
import numpy as np

from .model import PITCH_YAW, SKELETON, THREE_LINK, quaternion

POSITION, POSE, NOTHING = 'position', 'position and orientation', 'nothing'
ASKS = (POSITION, POSE, NOTHING)
FIXED, MOVED, FREE = 'fixed', 'moved', 'free'
ROOTS = (FIXED, MOVED, FREE)
METHODS = ('damped', 'pseudoinverse')
HELD_RESTARTS = 2  # enough to bend a straight knee
LONGEST_STEP = 1 / 40  # of the path of a pitch-yaw arm, in reaches


class Question:
    """Poses are 4 x 4 matrices in the frame of all points. Inputs without meaning for a model or a target are not sent."""

    def __init__(self, model):
        self._model = model
        self.asks = dict.fromkeys(model.ends, POSITION)
        self.root, self.method = FIXED, METHODS[0]
        self.switches = {'limits': True, 'acceleration': True, 'circles': False, 'polish': True, 'restarts': True}
        self.back_to_rest()

    def back_to_rest(self):
        """Targets and root are at the poses of the model at rest."""
        rest = self._model.rest_poses
        self.targets = {end: rest[self._model.index[end]] for end in self._model.ends}
        self.root_pose, self.up = rest[0], np.array([0.0, 0.0, 1.0])

    def stand_at(self, poses):
        """Resets undragged handles to the pose in the picture; `poses` has shape (points, 4, 4)."""
        for end, asked in self.asks.items():
            if asked == NOTHING:
                self.targets[end] = poses[self._model.index[end]]
        if self.root != MOVED:
            self.root_pose = poses[0]

    @property
    def is_empty(self):
        return all(asked == NOTHING for asked in self.asks.values())

    def line(self, from_rest=False, single_pass=None, is_held=False):
        """For the stream; `single_pass`: forward or backward, instead of a solve; `is_held`: whether a handle is being dragged."""
        line = {'targets': [self._target(end, asked) for end, asked in self.asks.items() if asked != NOTHING],
                'seed': 'rest' if from_rest else 'previous'}
        if self._model.kind == SKELETON:
            line |= {'limits': self.switches['limits'], 'root': self._root(),
                     'options': self._circles() if single_pass else self._options(is_held)}
        elif self._model.kind == PITCH_YAW:
            line |= {'limits': self.switches['limits'], 'method': self.method,
                     'path': {'longest_step': LONGEST_STEP * self._model.reach}}
        elif self._model.kind == THREE_LINK:
            line['up'] = self.up.tolist()
        return line | ({'pass': single_pass} if single_pass else {})

    def _target(self, end, asked):
        pose = self.targets[end]
        target = {'point': end, 'position': pose[:3, 3].tolist()}
        return target | ({'orientation': quaternion(pose)} if asked == POSE else {})

    def _root(self):
        if self.root != MOVED:
            return self.root
        return {'position': self.root_pose[:3, 3].tolist(), 'orientation': quaternion(self.root_pose)}

    @property
    def _is_on_points(self):
        """Whether neither limits nor targets constrain orientations."""
        return not (self.switches['limits'] and self._model.has_limits) and POSE not in self.asks.values()

    def _circles(self):
        """A circle closes only a chain with a fixed root and a position target for its end."""
        is_chain = len(self._model.ends) == 1 and not self.is_empty and self.root != FREE
        return {'circles': True} if self.switches['circles'] and is_chain and self._is_on_points else {}

    def _options(self, is_held):
        """Enabled options have the solver's defaults. While dragged, a figure seldom jumps."""
        options = self._circles()
        if not self.switches['polish'] and not self._is_on_points:
            options['polish'] = False
        if not self.switches['acceleration']:
            options['acceleration'] = 0
        if not self.switches['restarts']:
            options['restarts'] = 0
        elif is_held:
            options['restarts'] = HELD_RESTARTS
        return options
