"""Handles of the standing goals: one at each draggable ball drawn by the node."""
from visualization_msgs.msg import Marker

from .handle import Handle
from .markers import HANDLES, pose_in_scene, rgb

SIZE = 0.4  # size relative to the handle of a tip


class GoalHandles:
    """`on_drag` gets the name of a goal and a pose in the scene's frame, in viser's thread; `on_release` the name."""

    def __init__(self, server, on_drag, on_release):
        self._server, self._on_drag, self._on_release = server, on_drag, on_release
        self._handles, self._held = {}, set()

    def show(self, markers, base_pose, reach):
        """`markers` by namespace and id."""
        balls = {marker.ns.removeprefix(HANDLES): marker for marker in markers.values()
                 if marker.ns.startswith(HANDLES) and marker.type == Marker.SPHERE}
        for name in self._handles.keys() - balls.keys():
            self._handles.pop(name).remove()
            self._held.discard(name)
        for name, ball in balls.items():
            if name not in self._handles:
                self._handles[name] = Handle(
                    self._server, f'goals/{name}', SIZE * reach, lambda pose, name=name: self._on_drag(name, pose),
                    turns=False, by_ball=True)
            handle = self._handles[name]
            handle.follow(pose_in_scene(base_pose, ball.pose.position))
            handle.look(rgb(ball.color), '')
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
