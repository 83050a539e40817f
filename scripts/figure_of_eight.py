#!/usr/bin/env python3
"""Moves the target of a urdf_ik node on a figure of eight that its robot can reach.

    figure_of_eight.py --ros-args -p node:=urdf_ik -p period:=8.0 -p rate:=50.0 -p size:=0.0

node: name of the urdf_ik node; period: duration of one round [s]; rate: of the targets [Hz];
size: width of the figure [m], 0 = chosen to suit the robot.

It queries the pose of the tip link from the node, and selects the first of several figures that the robot can follow completely.
It tries figures around the current pose first, then nearer to the base, then with other orientations, and then by position
alone. Figures that extend below the base link, where the floor may be, come last.

It pauses while another source commands the tip link: drags its handle or is about to, steers it, or sends targets or paths.
Afterwards it returns the tip link to the figure. The service ~/figure_of_eight/rest of the node (std_srvs/SetBool) pauses and
resumes it.
"""
import collections
import itertools
import math
import os
import signal
import sys
import time

# Signal handling. During the imports, which take a second, Ctrl-C must end the program without a traceback. Later rclpy
# stops its own spinning; a further exception would interfere.
on_signal = [lambda: os._exit(0)]
SIGNALS = (signal.SIGINT, signal.SIGTERM) if __name__ == '__main__' else ()
for number in SIGNALS:
    signal.signal(number, lambda *_: on_signal[0]())

import numpy as np  # noqa: E402
import rclpy  # noqa: E402
from geometry_msgs.msg import Point, PointStamped, PoseArray, PoseStamped, Quaternion, TwistStamped  # noqa: E402
from rcl_interfaces.msg import ParameterDescriptor  # noqa: E402
from rclpy.executors import ExternalShutdownException  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.qos import QoSProfile, ReliabilityPolicy  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402
from urdf_ik.srv import ForwardKinematics, SolveIK  # noqa: E402
from visualization_msgs.msg import InteractiveMarkerFeedback  # noqa: E402

from interfaces import topic_name  # noqa: E402

HALF = math.sqrt(0.5)
# Of the tip link, as x, y, z, w: its z axis down (two rotations), forward (two rotations), left, right, up.
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
PAUSE = 2.0  # [s] after the last command of another source
RETURN_TIME = 2.0  # [s] from the current pose of the tip link to the figure
REMEMBERED = 100  # own targets


class Figure:
    """An upright eight that faces the base link: `width` wide, half as high, with constant orientation."""

    def __init__(self, centre, orientation, width):
        self.centre, self.orientation, self.width = centre, orientation, width
        radius = math.hypot(centre[0], centre[1])
        self.sideways = np.array([-centre[1], centre[0], 0.0]) / radius if radius > 1e-3 else np.array([0.0, 1.0, 0.0])
        self.upwards = np.array([0.0, 0.0, 1.0])

    def is_above_base(self):
        """Whether the whole figure is above the plane z = 0 of the base link."""
        return self.centre[2] >= 0.25 * self.width

    def point(self, phase):
        """Position at `phase` (0 to 1). The figure begins and ends at the centre."""
        angle = 2 * math.pi * phase
        offset = math.sin(angle) * self.sideways + 0.5 * math.sin(2 * angle) * self.upwards
        return self.centre + 0.5 * self.width * offset

    def target(self, phase):
        return target_message(self.point(phase), self.orientation)


def candidates(tip_position, tip_orientation, size):
    """Candidate figures in the order of preference."""
    distance = float(np.linalg.norm(tip_position))
    widths = [size] if size > 0 else [width * distance for width in WIDTHS]
    centres = [share * tip_position for share in TOWARDS_BASE] + [distance * np.array(place) for place in IN_FRONT]
    orientations = (tip_orientation, *ORIENTATIONS, POSITION_ONLY)
    figures = [Figure(centre, orientation, width)
               for orientation, width, centre in itertools.product(orientations, widths, centres)]
    return sorted(figures, key=lambda figure: not figure.is_above_base())  # stable: keeps the order of the others


class Others:
    """Detects commands of other sources for a tip link: drags of its handle, steering, targets, paths."""

    def __init__(self, node, names):
        self.until = -math.inf
        self.own = collections.deque(maxlen=REMEMBERED)
        # A best-effort subscription matches every publisher.
        latest = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
        topics = ((PoseStamped, 'target_pose'), (PointStamped, 'target_point'), (PoseArray, 'target_path'),
                  (TwistStamped, 'target_twist'))
        for name, (kind, topic) in itertools.product(names, topics):
            node.create_subscription(kind, f'{name}/{topic}', self.hear_target, latest)
        node.create_subscription(JointState, f'{names[0]}/joint_jog', lambda _: self.hear(), latest)
        node.create_subscription(InteractiveMarkerFeedback, f'{names[0]}/handle/feedback', lambda _: self.hear(), latest)
        node.create_subscription(JointTrajectory, f'{names[0]}/joint_trajectory', self.hear_path, latest)

    def hear(self, duration=0.0):
        self.until = max(self.until, time.monotonic() + duration + PAUSE)

    def hear_target(self, target):
        if (target.header.stamp.sec, target.header.stamp.nanosec) not in self.own:
            self.hear()

    def hear_path(self, trajectory):
        """A path continues after its message."""
        if trajectory.points:
            end = trajectory.points[-1].time_from_start
            self.hear(end.sec + 1e-9 * end.nanosec)

    def sent(self, stamp):
        """Records an own target."""
        self.own.append((stamp.sec, stamp.nanosec))

    def are_quiet(self):
        return time.monotonic() >= self.until


def between(start, end, share):
    """A pose between two poses (a position and a quaternion each), by straight line and even rotation."""
    (from_place, from_turn), (to_place, to_turn) = start, end
    if to_turn is POSITION_ONLY:
        return from_place + share * (to_place - from_place), to_turn
    one, other = np.array(from_turn), np.array(to_turn)
    if one @ other < 0:
        other = -other  # the same rotation, the shorter way
    angle = math.acos(min(1.0, float(one @ other)))
    turn = one + share * (other - one) if angle < 1e-6 else (
        (math.sin((1 - share) * angle) * one + math.sin(share * angle) * other) / math.sin(angle))
    return from_place + share * (to_place - from_place), tuple((turn / np.linalg.norm(turn)).tolist())


def target_message(position, orientation):
    target = PoseStamped()
    target.pose.position = Point(**dict(zip('xyz', position.tolist())))
    if orientation is not POSITION_ONLY:
        target.pose.orientation = Quaternion(**dict(zip('xyzw', orientation)))
    return target


class Course:
    """The target over time: on the figure, or on the way back to it after a pause."""

    def __init__(self, figure, period):
        self.figure, self.period = figure, period
        self.phase = 0.0
        self.last = None  # time of the last target
        self.returning = None  # start pose and start time of the way back

    def interrupt(self):
        self.last = None

    def is_interrupted(self):
        return self.last is None

    def resume(self, pose=None):
        """Resumes from this pose, or from the last one."""
        self.last = time.monotonic()
        self.returning = None if pose is None else (pose, self.last)

    def next(self):
        """The current position and orientation."""
        now = time.monotonic()
        step, self.last = now - self.last, now
        goal = self.figure.point(self.phase), self.figure.orientation
        if self.returning is not None:
            pose, began = self.returning
            share = (now - began) / RETURN_TIME
            if share < 1:
                return between(pose, goal, share * share * (3 - 2 * share))  # begins and ends at rest
            self.returning = None
        self.phase += step / self.period
        return self.figure.point(self.phase), self.figure.orientation


class FigureOfEight(Node):
    def __init__(self):
        super().__init__('figure_of_eight')
        self.node = self.declare_parameter('node', 'urdf_ik').value
        self.period = self.declare_number('period', 8.0)
        self.rate = self.declare_number('rate', 50.0)
        self.size = self.declare_number('size', 0.0)
        if self.period <= 0 or self.rate <= 0 or self.size < 0:
            sys.exit('figure_of_eight: period and rate must be above 0, size must not be below 0')
        self.forward_kinematics = self.create_client(ForwardKinematics, f'{self.node}/forward_kinematics')
        self.solve_ik = self.create_client(SolveIK, f'{self.node}/solve_ik')
        latest = QoSProfile(depth=1)
        self.poses = self.create_publisher(PoseStamped, f'{self.node}/target_pose', latest)
        self.points = self.create_publisher(PointStamped, f'{self.node}/target_point', latest)

    def declare_number(self, name, default):
        """A parameter that may also be given as an integer."""
        return float(self.declare_parameter(name, default, ParameterDescriptor(dynamic_typing=True)).value)

    def call(self, client, request):
        """The response, or None after a timeout."""
        future = client.call_async(request)
        rclpy.spin_until_future_complete(self, future, timeout_sec=ANSWER_TIMEOUT)
        if not rclpy.ok():
            raise ExternalShutdownException  # as rclpy.spin would
        return future.result() if future.done() else None

    def present_pose(self):
        """Name and pose of the tip link. Waits until the node is available and has a robot."""
        service = self.resolve_service_name(self.forward_kinematics.srv_name)
        logged = None
        while rclpy.ok():
            if not self.forward_kinematics.wait_for_service(RETRY_INTERVAL):
                waiting_for = f'waiting for the service {service}'
            elif (answer := self.call(self.forward_kinematics, ForwardKinematics.Request())) is None:
                waiting_for = f'{service} did not answer within {ANSWER_TIMEOUT:.0f} s; asking again'
            elif answer.success:
                return answer.link_names[0], answer.poses[0]
            else:
                waiting_for = f'waiting for a robot: {answer.message}'
                time.sleep(RETRY_INTERVAL)
            if waiting_for != logged:
                self.get_logger().info(waiting_for)
                logged = waiting_for
        raise ExternalShutdownException

    def can_follow(self, figure, frame):
        """Whether all checked points are reachable, each from the configuration of the previous one."""
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
        """The tip link, a figure that it can follow, and the frame of the figure."""
        tip_link, present = self.present_pose()
        frame = present.header.frame_id
        tip_position, tip_orientation = position_and_turn(present.pose)
        tried = 0
        for figure in candidates(tip_position, tip_orientation, self.size):
            tried += 1
            if self.can_follow(figure, frame):
                return tip_link, figure, frame
        self.get_logger().error(f'none of {tried} figures of eight is within reach of the tip link all the way round: '
                                'choose another tip link, or a smaller parameter size')
        return tip_link, None, frame

    def follow(self, tip_link, figure, frame):
        x, y, z = figure.centre
        held = 'by position alone' if figure.orientation is POSITION_ONLY else 'with one orientation'
        self.get_logger().info(f'figure of eight, {figure.width:.2f} m wide around ({x:.3f}, {y:.3f}, {z:.3f}) m in '
                               f'{frame}, {held}, one round in {self.period:g} s')
        # With several tip links, the first one also has its own topics.
        self.others = Others(self, (self.node, f'{self.node}/{topic_name(tip_link)}'))
        self.course, self.asked = Course(figure, self.period), None
        self.course.resume()
        self.is_resting = False
        self.create_service(SetBool, f'{self.node}/figure_of_eight/rest', self.rest)
        self.create_timer(1 / self.rate, lambda: self.step(frame))
        rclpy.spin(self)

    def rest(self, request, response):
        self.is_resting = request.data
        response.success, response.message = True, 'the figure rests' if request.data else 'the figure goes on'
        return response

    def step(self, frame):
        """Publishes the current target, unless the figure rests or another source commands the tip link."""
        if self.is_resting or not self.others.are_quiet():
            self.course.interrupt()
            self.asked = None
        elif self.course.is_interrupted():
            self.ask_for_return()
        else:
            position, orientation = self.course.next()
            self.publish(target_message(position, orientation), frame, orientation is POSITION_ONLY)

    def ask_for_return(self):
        """Requests the pose of the tip link, and resumes from there."""
        now = time.monotonic()
        if self.asked is not None and now < self.asked + ANSWER_TIMEOUT:
            return
        self.asked = now

        def resume(answer):
            if self.asked == now and answer.result().success:
                self.course.resume(position_and_turn(answer.result().poses[0].pose))

        self.forward_kinematics.call_async(ForwardKinematics.Request()).add_done_callback(resume)

    def publish(self, target, frame, position_only):
        target.header.frame_id = frame
        target.header.stamp = self.get_clock().now().to_msg()
        self.others.sent(target.header.stamp)
        if position_only:
            self.points.publish(PointStamped(header=target.header, point=target.pose.position))
        else:
            self.poses.publish(target)


def position_and_turn(pose):
    """Position and quaternion (x, y, z, w) of a Pose."""
    position, turn = pose.position, pose.orientation
    return np.array([position.x, position.y, position.z]), (turn.x, turn.y, turn.z, turn.w)


def main():
    rclpy.init()
    on_signal[0] = lambda: None
    try:
        node = FigureOfEight()
        tip_link, figure, frame = node.find()
        if figure is None:
            return 1
        node.follow(tip_link, figure, frame)
    except ExternalShutdownException:
        pass
    except Exception:
        if rclpy.ok():
            raise
        # Otherwise a signal shut down ROS during a call, which is no error.
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # Ctrl-C may come from the terminal and from ros2 launch
    return 0


if __name__ == '__main__':
    sys.exit(main())
