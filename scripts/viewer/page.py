"""The page: forwards messages of the node to the scene, the handles and the panel, and user input to the node.

Everything runs in the executor's thread. Viser calls from its own threads; its events are queued as tasks.
"""
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import viser.transforms

from .colors import GREY
from .goal_handles import GoalHandles
from .handle import Handle
from .markers import goals_of
from .outcomes import word_and_color
from .pace import Pace
from .panel import Panel
from .picture import take_picture
from .robot import BadDescription, Robot
from .scene import Scene
from .shapes import MeshFinder, load_shapes
from .steering.steering import Steering

ROUNDING = 1e-9  # [m or rad] tolerated difference between two computations of a pose
NAMED_MESHES = 3  # on the panel, which has room for more than messages


class Page:
    def __init__(self, server, arm, executor, page_scripts):
        self._server, self._arm, self._executor, self._pointer = server, arm, executor, page_scripts.pointer
        self._scene, self._pace = Scene(server), Pace(server)
        self._panel = Panel(server, self._actions())
        self._steering = Steering(arm, page_scripts.pads, self._panel.steering, self._cameras)
        self._robot, self._drawn_from, self._problem = None, None, None
        self._handles, self._tips, self._tools, self._positions = [], [], {}, np.zeros(0)
        self._goal_handles = GoalHandles(
            server, lambda name, pose: self._soon(self._drag_goal, name, pose), arm.release_goal)
        self._shapes, self._missing = None, []
        self._loader = ThreadPoolExecutor(1)
        self._with_trace = self._with_target = True
        self._counted = (time.monotonic(), 0, 0.0)  # start time and status count of the interval, and the last rate
        server.on_client_disconnect(lambda client: [held.let_go(client.client_id)
                                                 for held in (page_scripts.pads, self._goal_handles, *self._handles)])

    def close(self):
        self._loader.shutdown(wait=False, cancel_futures=True)

    def _cameras(self):
        return {client.client_id: client.camera for client in self._server.get_clients().values()}

    # User actions

    def _soon(self, function, *arguments):
        self._executor.create_task(function, *arguments)

    def _actions(self):
        arm, soon = self._arm, self._soon
        return {
            'move': lambda name: soon(arm.trigger, name.lower()),
            'fault': lambda name, on: soon(arm.set_fault, name, on),
            'figure': lambda: soon(arm.rest_figure),
            'solver': lambda name: soon(arm.set_parameter, 'solver', name),
            'free_axes': lambda axes: soon(arm.set_parameter, 'free_axes', axes),
            'trace': lambda on: soon(self._show_trace, on),
            'target': lambda on: setattr(self, '_with_target', on),
            'shadow': lambda on: soon(self._scene.set_shadow, on),
            'dark': lambda on: soon(self._scene.set_dark, on),
            'show': self._show,
        }

    def _show_trace(self, on):
        self._with_trace = on
        self._scene.clear_traces()

    def _show(self, what, client):
        if what == 'Picture':
            take_picture(client, self._scene.dark, 'urdf_ik.png')
        else:
            self._soon(self._scene.clear_traces if what == 'Clear trace' else self._scene.camera_home)

    def _drag_goal(self, name, pose):
        """Moves a standing goal: `pose` is in the root link's frame."""
        if self._robot is not None:
            self._arm.drag_goal(name, with_quaternion(self._in_base(pose)))

    def _in_base(self, pose):
        return np.linalg.inv(self._link_poses()[self._base]) @ pose

    def _drag(self, number, pose):
        """Publishes the target: `pose` is in the root link's frame."""
        if self._robot is not None and number < len(self._tips):
            self._arm.publish_target(self._tips[number], with_quaternion(self._in_base(pose)))

    # Messages of the node

    def time_to_next_picture(self):
        return self._pace.time_to_next_picture()

    def draw_if_due(self):
        if self._pace.is_due():
            self._take_robot()
            self._pace.draw(self._draw_robot, self._draw_panel)

    def _take_robot(self):
        """Loads the node's robot if it differs from the drawn one, and shapes that were read meanwhile."""
        arm = self._arm
        if arm.description is not None and arm.parameters is not None:
            source = (arm.description, *(str(arm.parameters.get(name)) for name in ('base_link', 'tip_links', 'urdf_file')))
            if source != self._drawn_from:
                self._drawn_from = source
                self._set_robot(arm.description, arm.parameters)
        if self._shapes is not None and self._shapes.done():
            shapes, self._shapes = self._shapes.result(), None
            self._missing = shapes.missing
            self._scene.set_shapes(shapes)
            self._scene.place_camera(self._link_poses())
        if self._robot is not None and self._arm.tips is not None:
            for tip, tool in tools_of(self._robot, self._base, *self._arm.tips).items():
                # Rounding must not make the handle tremble.
                if np.abs(tool - self._tools.get(tip, np.eye(4))).max() > ROUNDING:
                    self._tools[tip] = tool
            self._arm.tips = None

    def _set_robot(self, description, parameters):
        try:
            robot = Robot(description)
            base, tips = chain_ends(robot, parameters)
        except BadDescription as problem:
            self._problem = str(problem)
            return
        self._robot, self._base, self._tips, self._problem, self._missing = robot, base, tips, None, []
        self._tools = {}
        self._arm.use_tips(tips)
        self._panel.steering.use_tips(tips)
        self._positions = np.zeros(len(robot.joint_index))
        for handle in (self._goal_handles, *self._handles):
            handle.remove()
        self._scene.set_robot(robot, len(tips))
        self._handles = [
            Handle(self._server, str(number), self._scene.reach, lambda pose, number=number: self._soon(self._drag, number, pose))
            for number in range(len(tips))]
        if self._shapes is not None:
            self._shapes.cancel()
        self._shapes = self._loader.submit(load_shapes, robot, MeshFinder(parameters.get('urdf_file')))

    def _link_poses(self):
        """At the newest joint positions, in the root link's frame."""
        self._positions = self._at(self._arm.positions)
        return self._robot.link_poses(self._positions)

    def _at(self, positions):
        """Joint positions in the order of the robot; unnamed joints keep their drawn positions."""
        return np.array([positions.get(name, self._positions[index]) for name, index in self._robot.joint_index.items()])

    def _draw_robot(self):
        # Without joint states the robot would be drawn, and its traces begin, at positions of 0.
        if self._robot is None or self._arm.positions.keys().isdisjoint(self._robot.joint_index):
            return
        poses = self._link_poses()
        self._scene.show_robot(poses)
        self._steering.set_base(poses[self._base][:3, :3])
        measured = self._arm.measured
        self._scene.show_measured(self._robot.link_poses(self._at(measured)) if measured else poses, poses)
        self._scene.show_obstacles(self._arm.obstacles, poses)
        self._scene.show_markers(self._arm.markers, poses[self._base])
        self._goal_handles.show(self._arm.markers if self._arm.takes_drags else {}, poses[self._base], self._scene.reach)
        for number, (tip, handle) in enumerate(zip(self._tips, self._handles)):
            tip_pose = poses[self._robot.link_index[tip]] @ self._tools.get(tip, np.eye(4))
            handle.follow(tip_pose)
            if handle.is_under(self._pointer):
                self._arm.hold_still(tip)
            status = self._arm.statuses.get(tip)
            word, color = ('', GREY) if status is None else word_and_color(status)
            handle.look(color, f'{tip}: {word}' if word and len(self._tips) > 1 else word)
            if self._with_trace:
                self._scene.trace(number, tip_pose[:3, 3])
            self._scene.show_target(number, self._target_pose(tip, poses) if self._with_target else None)

    def _target_pose(self, tip, poses):
        """The newest target in the root link's frame; None if its frame is not a link."""
        target = self._arm.targets.get(tip)
        frame = target and target.header.frame_id
        link = self._base if frame == '' else self._robot.link_index.get(frame)
        if link is None:
            return None
        pose = np.eye(4)
        place = target.point if hasattr(target, 'point') else target.pose.position
        pose[:3, 3] = (place.x, place.y, place.z)
        if hasattr(target, 'pose'):
            turn = target.pose.orientation
            quaternion = np.array([turn.w, turn.x, turn.y, turn.z])
            length = np.linalg.norm(quaternion)
            if not 1e-6 < length < 1e6:
                return None
            pose[:3, :3] = viser.transforms.SO3(quaternion / length).as_matrix()
        pose = poses[link] @ pose
        return pose if np.isfinite(pose).all() else None

    def _draw_panel(self):
        arm = self._arm
        since, count, rate = self._counted
        now = time.monotonic()
        if now - since >= 1.0:
            rate = (arm.status_count - count) / (now - since)
            self._counted = (now, arm.status_count, rate)
        notes = [note for note in (self._problem, arm.notice) if note] + notes_about(self._missing)
        self._panel.show_status(self._headline(), {tip: arm.statuses[tip] for tip in self._tips if tip in arm.statuses},
                                arm.answered, rate, notes)
        self._panel.show_goals(goals_of(arm.markers))
        self._panel.show_simulation(arm.is_simulated)
        self._panel.show_figure(arm.figure_is_there, arm.figure_rests)
        self._panel.steering.show_status(arm.servo_status)
        if arm.parameters is not None:
            self._panel.show_parameters(arm.parameters, arm.solvers)
        if self._robot is not None:
            self._panel.show_joints(arm.positions, self._robot.ranges)

    def _headline(self):
        arm = self._arm
        if not arm.is_there:
            return f'the node {arm.node_name} is gone: waiting for it' if self._robot else f'waiting for the node {arm.node_name}'
        if self._robot is None:
            return f'{arm.node_name}: waiting for a robot'
        return f'{self._robot.name} ({arm.node_name})'


def notes_about(missing):
    """The first of the meshes that are not drawn, and the number of others."""
    others = [f'{len(missing) - NAMED_MESHES} more'] if len(missing) > NAMED_MESHES else []
    return [f'not drawn: {what}' for what in missing[:NAMED_MESHES] + others]


def tools_of(robot, base, positions, tips):
    """The pose of each tip in the frame of its link, from the poses in the base link's frame at these joint positions."""
    there = np.array([positions.get(name, 0.0) for name in robot.joint_index])
    poses = robot.link_poses(there)
    return {tip: np.linalg.inv(poses[robot.link_index[tip]]) @ poses[base] @ matrix_of(pose)
            for tip, pose in tips.items() if tip in robot.link_index}


def with_quaternion(pose):
    """A 4 x 4 matrix with its quaternion x, y, z, w."""
    return pose, np.roll(viser.transforms.SO3.from_matrix(pose[:3, :3]).wxyz, -1)


def matrix_of(pose):
    """4 x 4 matrix of a Pose of the node."""
    matrix, turn = np.eye(4), pose.orientation
    matrix[:3, 3] = pose.position.x, pose.position.y, pose.position.z
    matrix[:3, :3] = viser.transforms.SO3(np.array([turn.w, turn.x, turn.y, turn.z])).as_matrix()
    return matrix


def chain_ends(robot, parameters):
    """The index of the base link, and the names of the tip links."""
    base = robot.link_index.get(parameters.get('base_link') or robot.links[0])
    tips = parameters.get('tip_links') or robot.default_tips(base or 0)
    unknown = [tip for tip in tips if tip not in robot.link_index]
    if base is None or unknown:
        raise BadDescription(f'the robot has no link {unknown[0] if unknown else parameters["base_link"]}')
    return base, tips
