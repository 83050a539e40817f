"""Handles of the standing goals: one at each ball that the node draws to be moved, and at each cube to be turned."""
from visualization_msgs.msg import Marker

from .handle import Handle
from .markers import HANDLES, pose_in_scene, rgb

# Sizes of what moves and of what turns, relative to the handle of a tip, which the rings surround.
SIZES = 0.4, 1.3


class GoalHandles:
    """`on_drag` gets the name of a goal and a pose in the scene's frame, in viser's thread; `on_release` the name."""

    def __init__(self, server, on_drag, on_release):
        self._server, self._on_drag, self._on_release = server, on_drag, on_release
        self._handles, self._held = {}, set()

    def show(self, markers, base_pose, reach):
        """`markers` by namespace and id."""
        grips = {(marker.ns.removeprefix(HANDLES), marker.type == Marker.CUBE): marker for marker in markers.values()
                 if marker.ns.startswith(HANDLES)}
        for key in self._handles.keys() - grips.keys():
            self._handles.pop(key).remove()
            self._held.discard(key[0])
        for (name, turns), grip in grips.items():
            if (name, turns) not in self._handles:
                self._handles[name, turns] = Handle(
                    self._server, f'goals/{name}', SIZES[turns] * reach, lambda pose, name=name: self._on_drag(name, pose),
                    turns=turns, moves=not turns, by_ball=not turns)
            handle = self._handles[name, turns]
            handle.follow(pose_in_scene(base_pose, grip.pose))
            handle.look(rgb(grip.color), '')
            self._note_release(name, handle.is_held)

    def _note_release(self, name, is_held):
        if is_held:
            self._held.add(name)
        elif name in self._held:
            self._held.remove(name)
            self._on_release(name)

    def let_go(self, client_id):
        for handle in self._handles.values():
            handle.let_go(client_id)

    def remove(self):
        for handle in self._handles.values():
            handle.remove()
        self._handles, self._held = {}, set()
