"""The scene around the robot: targets and traces of the tips."""
from collections import deque

import numpy as np

from .colors import MEASURED
from .drawing import Drawing
from .instances import wxyz_of
from .markers import Markers
from .obstacles import Obstacles
from .stage import Stage

TRACE_POINTS = 500
TRACE_COLOR = (204, 121, 167)


class Trace:
    """The newest positions of a tip."""

    def __init__(self, scene, name, spacing, thickness):
        self._scene, self._name, self._spacing, self._thickness = scene, name, spacing, thickness
        self._points, self._node = deque(maxlen=TRACE_POINTS), None

    def add(self, point):
        if self._points and np.linalg.norm(point - self._points[-1]) < self._spacing:
            return
        self._points.append(point)
        if len(self._points) > 1:
            points = np.array(self._points, np.float32)
            segments = np.stack([points[:-1], points[1:]], axis=1)
            if self._node is None:
                self._node = self._scene.add_line_segments(self._name, segments, TRACE_COLOR, thickness=self._thickness)
            else:
                self._node.points = segments

    def clear(self):
        self._points.clear()
        if self._node is not None:
            self._node.remove()
            self._node = None


class Axes:
    """Coordinate axes, visible while their pose is known."""

    def __init__(self, scene, name, length):
        self._node = scene.add_frame(name, axes_length=length, axes_radius=length / 28, origin_radius=length / 14, visible=False)
        self._shown = None

    def show(self, pose):
        """At a pose in the root link's frame, a 4 x 4 matrix; None hides them."""
        if self._shown is not None and pose is not None and np.array_equal(pose, self._shown):
            return
        self._shown = pose
        self._node.visible = pose is not None
        if pose is not None:
            self._node.position, self._node.wxyz = pose[:3, 3], wxyz_of(pose[None])[0]

    def remove(self):
        self._node.remove()


class Scene(Stage):
    """The scene without the handles. All nodes are in the frame of the robot's root link."""

    def __init__(self, server):
        super().__init__(server)
        self._drawing, self._measured, self._shapes, self._obstacles = None, None, None, Obstacles(self._scene)
        self._markers = Markers(self._scene)
        self._traces, self._targets = [], []

    def set_robot(self, robot, tips):
        """A new robot without shapes yet; `tips` is the number of its tip links."""
        self.robot = robot
        self.set_reach(robot.reach())
        self.clear_traces()
        self._obstacles.remove()
        for axes in self._targets:
            axes.remove()
        self._traces = [Trace(self._scene, f'/trace/{tip}', self.reach / 200, self.reach / 250) for tip in range(tips)]
        self._targets = [Axes(self._scene, f'/target/{tip}', self.reach / 8) for tip in range(tips)]
        self.set_shapes(None)

    def set_shapes(self, shapes):
        for drawing in filter(None, (self._drawing, self._measured)):
            drawing.remove()
        self._shapes = shapes
        self._drawing, self._measured = Drawing(self._scene, self.robot, shapes, self.reach), None

    def show_robot(self, link_poses):
        self._drawing.show(link_poses)

    def show_measured(self, link_poses, commanded):
        """The measured arm, where it differs from the commanded one."""
        if self._measured is None and not np.array_equal(link_poses, commanded):
            self._measured = Drawing(self._scene, self.robot, self._shapes, self.reach, '/measured', MEASURED)
        if self._measured is not None:
            self._measured.show_beside(link_poses, commanded)

    def show_obstacles(self, message, link_poses):
        self._obstacles.show(message, self.robot, link_poses)

    def show_markers(self, markers, base_pose):
        """The workspace and the goals of the node's markers, by namespace and id."""
        self._markers.show(markers, base_pose, self.dark)

    def trace(self, tip, point):
        self._traces[tip].add(point)

    def clear_traces(self):
        for trace in self._traces:
            trace.clear()

    def show_target(self, tip, pose):
        self._targets[tip].show(pose)

    def place_camera(self, link_poses):
        """Points the cameras at the whole robot."""
        self.aim_camera(self._drawing.corners(link_poses))
