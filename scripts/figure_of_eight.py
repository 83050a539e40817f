#!/usr/bin/env python3
"""Moves the target of a urdf_ik node on a figure of eight that its robot can reach.

    figure_of_eight.py --ros-args -p node:=urdf_ik -p period:=8.0 -p rate:=50.0 -p size:=0.0

node: name of the urdf_ik node; period: duration of one round [s]; rate: of the targets [Hz];
size: width of the figure [m], 0 = chosen to suit the robot.

It asks the node's own services where the tip link is, and which of several figures the robot can follow all the way round.
It tries figures around the present pose first, then nearer to the base, then with other orientations, and then by position
alone. Figures that dip below the base link come last, since there is the floor.
"""
import itertools
import math
import os
import signal
import sys
import time

# The imports take a second, in which Ctrl-C must end this without a traceback. An exception would get lost in some of them.
SIGNALS = (signal.SIGINT, signal.SIGTERM) if __name__ == '__main__' else ()
HANDLERS = {number: signal.signal(number, lambda *_: os._exit(0)) for number in SIGNALS}

import numpy as np  # noqa: E402
import rclpy  # noqa: E402
from geometry_msgs.msg import Point, PointStamped, PoseStamped, Quaternion  # noqa: E402
from rcl_interfaces.msg import ParameterDescriptor  # noqa: E402
from rclpy.executors import ExternalShutdownException  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.qos import QoSProfile  # noqa: E402
from urdf_ik.srv import ForwardKinematics, SolveIK  # noqa: E402

HALF = math.sqrt(0.5)
# Of the tip link, as x, y, z, w: its z axis down (two turns), forward (two turns), left, right, up.
ORIENTATIONS = [
    (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, HALF, 0.0, HALF), (0.5, 0.5, 0.5, 0.5),
    (-HALF, 0.0, 0.0, HALF), (HALF, 0.0, 0.0, HALF), (0.0, 0.0, 0.0, 1.0),
]
POSITION_ONLY = None  # in place of an orientation
# Centres and widths in units of the tip link's distance from the base link.
TOWARDS_BASE = (1.0, 0.9, 0.8, 0.7, 0.6)
IN_FRONT = ((0.5, 0.0, 0.5), (0.6, 0.0, 0.3), (0.4, 0.0, 0.7), (0.7, 0.0, 0.1), (0.0, 0.6, 0.4), (0.0, -0.6, 0.4))
WIDTHS = (0.5, 0.3, 0.15)
CHECKED_POINTS = 24
ANSWER_TIMEOUT = 5.0  # [s]
RETRY_INTERVAL = 0.5  # [s]


class Figure:
    """An upright eight that faces the base link: `width` wide, half as high, with one orientation all the way round."""

    def __init__(self, centre, orientation, width):
        self.centre, self.orientation, self.width = centre, orientation, width
        radius = math.hypot(centre[0], centre[1])
        self.sideways = np.array([-centre[1], centre[0], 0.0]) / radius if radius > 1e-3 else np.array([0.0, 1.0, 0.0])
        self.upwards = np.array([0.0, 0.0, 1.0])

    def is_above_base(self):
        """Whether all of it is above the plane z = 0 of the base link."""
        return self.centre[2] >= 0.25 * self.width

    def point(self, phase):
        """Position at `phase` (0 to 1). The figure begins and ends in the centre."""
        angle = 2 * math.pi * phase
        offset = math.sin(angle) * self.sideways + 0.5 * math.sin(2 * angle) * self.upwards
        return self.centre + 0.5 * self.width * offset

    def target(self, phase):
        target = PoseStamped()
        target.pose.position = Point(**dict(zip('xyz', self.point(phase).tolist())))
        if self.orientation is not POSITION_ONLY:
            target.pose.orientation = Quaternion(**dict(zip('xyzw', self.orientation)))
        return target


def candidates(tip_position, tip_orientation, size):
    """Figures to try, in this order."""
    distance = float(np.linalg.norm(tip_position))
    widths = [size] if size > 0 else [width * distance for width in WIDTHS]
    centres = [share * tip_position for share in TOWARDS_BASE] + [distance * np.array(place) for place in IN_FRONT]
    orientations = (tip_orientation, *ORIENTATIONS, POSITION_ONLY)
    figures = [Figure(centre, orientation, width)
               for orientation, width, centre in itertools.product(orientations, widths, centres)]
    return sorted(figures, key=lambda figure: not figure.is_above_base())  # keeps the order of the others


class FigureOfEight(Node):
    def __init__(self):
        super().__init__('figure_of_eight')
        node = self.declare_parameter('node', 'urdf_ik').value
        self.period = self.declare_number('period', 8.0)
        self.rate = self.declare_number('rate', 50.0)
        self.size = self.declare_number('size', 0.0)
        if self.period <= 0 or self.rate <= 0 or self.size < 0:
            sys.exit('figure_of_eight: period and rate must be above 0, size must not be below 0')
        self.forward_kinematics = self.create_client(ForwardKinematics, f'{node}/forward_kinematics')
        self.solve_ik = self.create_client(SolveIK, f'{node}/solve_ik')
        latest = QoSProfile(depth=1)
        self.poses = self.create_publisher(PoseStamped, f'{node}/target_pose', latest)
        self.points = self.create_publisher(PointStamped, f'{node}/target_point', latest)

    def declare_number(self, name, default):
        """A parameter that may also be given as an integer."""
        return float(self.declare_parameter(name, default, ParameterDescriptor(dynamic_typing=True)).value)

    def call(self, client, request):
        """The answer, or None if none came in time."""
        future = client.call_async(request)
        rclpy.spin_until_future_complete(self, future, timeout_sec=ANSWER_TIMEOUT)
        if not rclpy.ok():
            raise ExternalShutdownException  # which rclpy.spin would have raised
        return future.result() if future.done() else None

    def present_pose(self):
        """Pose of the tip link. Waits until the node is there and has a robot."""
        service = self.resolve_service_name(self.forward_kinematics.srv_name)
        said = None
        while rclpy.ok():
            if not self.forward_kinematics.wait_for_service(RETRY_INTERVAL):
                waiting_for = f'waiting for the service {service}'
            elif (answer := self.call(self.forward_kinematics, ForwardKinematics.Request())) is None:
                waiting_for = f'{service} did not answer within {ANSWER_TIMEOUT:.0f} s; asking again'
            elif answer.success:
                return answer.poses[0]
            else:
                waiting_for = f'waiting for a robot: {answer.message}'
                time.sleep(RETRY_INTERVAL)
            if waiting_for != said:
                self.get_logger().info(waiting_for)
                said = waiting_for
        raise ExternalShutdownException

    def can_follow(self, figure, frame):
        """Whether every checked point is reached, each from the configuration of the one before."""
        seed = None
        for i in range(CHECKED_POINTS):
            request = SolveIK.Request(pose=figure.target(i / CHECKED_POINTS))
            request.pose.header.frame_id = frame
            if figure.orientation is POSITION_ONLY:
                request.free_axes = [False] * 3 + [True] * 3
            if seed is not None:
                request.seed = seed
            answer = self.call(self.solve_ik, request)
            if answer is None or not answer.success:
                return False
            seed = answer.joint_state
        return True

    def find(self):
        """A figure that the robot can follow and the frame it is in."""
        present = self.present_pose()
        frame = present.header.frame_id
        position, turn = present.pose.position, present.pose.orientation
        tried = 0
        tip_position, tip_orientation = np.array([position.x, position.y, position.z]), (turn.x, turn.y, turn.z, turn.w)
        for figure in candidates(tip_position, tip_orientation, self.size):
            tried += 1
            if self.can_follow(figure, frame):
                return figure, frame
        self.get_logger().error(f'none of {tried} figures of eight is within reach of the tip link all the way round: '
                                'choose another tip link, or a smaller parameter size')
        return None, frame

    def follow(self, figure, frame):
        x, y, z = figure.centre
        held = 'by position alone' if figure.orientation is POSITION_ONLY else 'with one orientation'
        self.get_logger().info(f'figure of eight, {figure.width:.2f} m wide around ({x:.3f}, {y:.3f}, {z:.3f}) m in '
                               f'{frame}, {held}, one round in {self.period:g} s')
        start = time.monotonic()

        def publish():
            target = figure.target((time.monotonic() - start) / self.period)
            target.header.frame_id = frame
            target.header.stamp = self.get_clock().now().to_msg()
            if figure.orientation is POSITION_ONLY:
                self.points.publish(PointStamped(header=target.header, point=target.pose.position))
            else:
                self.poses.publish(target)

        self.create_timer(1 / self.rate, publish)
        rclpy.spin(self)


def main():
    try:
        for number, handler in HANDLERS.items():
            signal.signal(number, handler)
        rclpy.init()
    except KeyboardInterrupt:
        return 0
    try:
        node = FigureOfEight()
        figure, frame = node.find()
        if figure is None:
            return 1
        node.follow(figure, frame)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():
            raise
        # Otherwise a signal shut ROS down during a call, which is no error.
    return 0


if __name__ == '__main__':
    sys.exit(main())
