"""The surroundings of the figure on every page: lights, grid, camera, light or dark."""
import numpy as np

FIELD_OF_VIEW = 0.75  # [rad]
FROM = (0.80, -0.52, 0.32)  # the camera's direction from the figure
DISTANCE = 1.75  # of the camera, in sizes of the drawn robot
GRID = {False: ((214, 217, 221), (176, 181, 187)), True: ((56, 60, 66), (84, 90, 98))}  # cells and sections, by dark


class Stage:
    """`reach` [m] is the size of the figure, None while there is none."""

    def __init__(self, server):
        self._server, self._scene = server, server.scene
        self._scene.world_axes.visible = False
        # No environment map: with software rendering it takes seconds per picture.
        self._scene.configure_environment_map(None)
        self._scene.configure_default_lights(False)
        self._scene.add_light_hemisphere('/light/sky', sky_color=(255, 255, 255), ground_color=(150, 155, 165), intensity=1.6)
        self._scene.add_light_directional('/light/fill', intensity=0.7, position=(-2.0, 1.0, 1.0))
        self.set_shadow(False)
        self.reach = self._camera = None
        self._floor = 0.0
        self.set_dark(False)

    def set_reach(self, reach, floor=0.0):
        """`floor` [m] is the height of the grid."""
        self.reach, self._floor = reach, floor
        self._draw_grid()

    def set_dark(self, dark):
        self.dark = dark
        self._server.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False, control_width='medium')
        if self.reach is not None:
            self._draw_grid()

    def set_shadow(self, on):
        """With software rendering shadows double the time of a picture."""
        self._scene.add_light_directional('/light/sun', intensity=1.9, cast_shadow=on, position=(2.0, -1.4, 3.5))

    def _draw_grid(self):
        """Grid cells of 1, 2 or 5 times a power of ten, so that a figure covers a few of them."""
        wanted = self.reach / 6
        power = 10.0 ** np.floor(np.log10(wanted))
        cell = power * max(step for step in (1, 2, 5) if step * power <= wanted * 1.0001)
        cells, sections = GRID[self.dark]
        width = 10 * cell * np.ceil(2.2 * self.reach / (10 * cell))
        self._scene.add_grid(
            '/grid', width, width, cell_size=cell, section_size=5 * cell, cell_color=cells, section_color=sections,
            fade_strength=0.0, shadow_opacity=0.15, position=(0.0, 0.0, self._floor))

    def aim_camera(self, points, direction=FROM):
        """Points the cameras of all present and future pages at all of these points, shape (points, 3)."""
        low, high = points.min(axis=0), points.max(axis=0)
        size = np.clip(np.linalg.norm(high - low), 0.75 * self.reach, 3 * self.reach)
        look_at = (low + high) / 2
        self._camera = (look_at + direction / np.linalg.norm(direction) * DISTANCE * size, look_at)
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
