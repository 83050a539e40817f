"""The scene around the robot: grid, camera, and what is drawn of targets and tips."""
from collections import deque

import numpy as np

from .drawing import Drawing, wxyz_of

TRACE_POINTS = 500
TRACE_COLOR = (204, 121, 167)
FIELD_OF_VIEW = 0.75  # [rad]
FROM = np.array([0.80, -0.52, 0.32])  # the camera's direction from the robot
DISTANCE = 1.75  # of the camera, in sizes of what is drawn
GRID = {False: ((214, 217, 221), (176, 181, 187)), True: ((56, 60, 66), (84, 90, 98))}  # cells and sections, by dark


class Trace:
    """The places where a tip has been, the newest few."""

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
    """Coordinate axes that are shown where something is known to be."""

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


class Scene:
    """All of it but the handles. Everything is in the frame of the robot's root link."""

    def __init__(self, server):
        self._server, self._scene = server, server.scene
        self._scene.world_axes.visible = False
        # No environment map: where the processor draws, it takes seconds a picture.
        self._scene.configure_environment_map(None)
        self._scene.configure_default_lights(False)
        self._scene.add_light_hemisphere('/light/sky', sky_color=(255, 255, 255), ground_color=(150, 155, 165), intensity=1.6)
        self._scene.add_light_directional('/light/fill', intensity=0.7, position=(-2.0, 1.0, 1.0))
        self.set_shadow(False)
        self._drawing = self._grid = None
        self._traces, self._targets = [], []
        self._camera = None
        self.set_dark(False)

    def set_robot(self, robot, tips):
        """A new robot with no shapes yet; `tips` is the number of its tip links."""
        self.robot, self.reach = robot, robot.reach()
        self.clear_traces()
        for axes in self._targets:
            axes.remove()
        self._traces = [Trace(self._scene, f'/trace/{tip}', self.reach / 200, self.reach / 250) for tip in range(tips)]
        self._targets = [Axes(self._scene, f'/target/{tip}', self.reach / 8) for tip in range(tips)]
        self.set_shapes(None)
        self._draw_grid()

    def set_shapes(self, shapes):
        if self._drawing is not None:
            self._drawing.remove()
        self._drawing = Drawing(self._scene, self.robot, shapes, self.reach)

    def show_robot(self, link_poses):
        self._drawing.show(link_poses)

    def trace(self, tip, point):
        self._traces[tip].add(point)

    def clear_traces(self):
        for trace in self._traces:
            trace.clear()

    def show_target(self, tip, pose):
        self._targets[tip].show(pose)

    def set_dark(self, dark):
        self.dark = dark
        self._server.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False, control_width='medium')
        if self._grid is not None:
            self._draw_grid()

    def set_shadow(self, on):
        """Shadows double the time of a picture where the processor draws."""
        self._scene.add_light_directional('/light/sun', intensity=1.9, cast_shadow=on, position=(2.0, -1.4, 3.5))

    def _draw_grid(self):
        """In steps of 1, 2 or 5 times a power of ten, so that a robot stands on a few of them."""
        wanted = self.reach / 6
        power = 10.0 ** np.floor(np.log10(wanted))
        cell = power * max(step for step in (1, 2, 5) if step * power <= wanted * 1.0001)
        cells, sections = GRID[self.dark]
        width = 10 * cell * np.ceil(2.2 * self.reach / (10 * cell))
        self._grid = self._scene.add_grid(
            '/grid', width, width, cell_size=cell, section_size=5 * cell, cell_color=cells, section_color=sections,
            fade_strength=0.0, shadow_opacity=0.15)

    def place_camera(self, link_poses):
        """Turns the cameras of all pages, and of those to come, to the whole robot."""
        points = self._drawing.corners(link_poses)
        low, high = points.min(axis=0), points.max(axis=0)
        size = np.clip(np.linalg.norm(high - low), 0.75 * self.reach, 3 * self.reach)
        look_at = (low + high) / 2
        self._camera = (look_at + FROM / np.linalg.norm(FROM) * DISTANCE * size, look_at)
        initial = self._server.initial_camera
        initial.position, initial.look_at = self._camera
        initial.up, initial.fov = (0.0, 0.0, 1.0), FIELD_OF_VIEW
        initial.near, initial.far = self.reach / 200, 50 * self.reach
        self.camera_home()

    def camera_home(self):
        if self._camera is not None:
            for client in self._server.get_clients().values():
                with client.atomic():
                    client.camera.up_direction = (0.0, 0.0, 1.0)
                    client.camera.position, client.camera.look_at = self._camera
