"""A client of the node: the topics, services and parameters used by the page, and their newest values.

All of them are public, so this file is also an example of a client. It runs in the executor's thread.
"""
import math
import re
import time

import numpy as np
from geometry_msgs.msg import Point, PointStamped, Pose, PoseStamped, Quaternion, TwistStamped, Vector3
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from urdf_ik.msg import Obstacles, ServoStatus, SolveStatus
from urdf_ik.srv import ForwardKinematics
from visualization_msgs.msg import InteractiveMarkerFeedback, Marker, MarkerArray

from interfaces import topic_name

LATEST = QoSProfile(depth=1)
MEASURED = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
KEPT = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SERVO_SPEEDS = ('servo.linear_speed', 'servo.angular_speed')
DRAWN_PARAMETERS = ('goals', 'servo.workspace')  # namespaces of the topic markers that the page displays
PARAMETERS = ('base_link', 'tip_links', 'urdf_file', 'frame_prefix', 'solver', 'free_axes', *DRAWN_PARAMETERS, *SERVO_SPEEDS)
POLL_INTERVAL = 1.0  # [s] between two polls of the parameters
GONE_AFTER = 2.5  # [s] without a message until the node counts as lost
MEASURED_FOR = 1.0  # [s] that a measurement is displayed
FAULTS = ('freeze', 'sag', 'mute', 'delay')  # switchable faults of a simulated arm
HOLD_INTERVAL = 0.5  # [s] between two announcements of a grasp
SERVO_NEWS_FOR = 3.0  # [s] that the last servo status is displayed
FIELDS = {ParameterType.PARAMETER_STRING: 'string_value', ParameterType.PARAMETER_STRING_ARRAY: 'string_array_value',
          ParameterType.PARAMETER_DOUBLE: 'double_value'}


class Arm(Node):
    """The newest of each: `description`, `obstacles`, `parameters`, `positions` by joint, `statuses` and `targets` by tip link.

    `markers` has the node's markers by namespace and id, while there are goals or a workspace to draw.

    `measured` has measured positions by joint; it is empty without recent measurements.

    `tips` has joint positions and, by tip link, the pose of the tip in the base link's frame; a tool shifts it relative to the link.
    """

    def __init__(self, default_node='urdf_ik'):
        super().__init__('view', start_parameter_services=False)
        node = self.declare_parameter('node', default_node).value
        self.node_name = self.resolve_service_name(node)
        self.description, self.obstacles, self.parameters, self.solvers = None, Obstacles(), None, ()
        self.positions, self.statuses, self.targets = {}, {}, {}
        self._measured, self._measured_at = {}, -np.inf
        self._servo_status, self._servo_status_at = None, -np.inf
        self.answered = self.notice = self.tips = None
        self.status_count = 0
        self._last_sign, self._pending, self._tips = -np.inf, None, {}
        self.create_subscription(String, f'{node}/robot_description', self._see_description, KEPT)
        self.create_subscription(Obstacles, f'{node}/obstacles', self._see_obstacles, KEPT)
        self.create_subscription(JointState, f'{node}/joint_states', self._see_joints, LATEST)
        self.create_subscription(JointState, f'{node}/measured_joint_states', self._see_measured, MEASURED)
        self.create_subscription(SolveStatus, f'{node}/status', self._see_status, QoSProfile(depth=10))
        self.create_subscription(ServoStatus, f'{node}/servo_status', self._see_servo, LATEST)
        self._get = self.create_client(GetParameters, f'{node}/get_parameters')
        self._set = self.create_client(SetParameters, f'{node}/set_parameters')
        self._describe = self.create_client(DescribeParameters, f'{node}/describe_parameters')
        self._kinematics = self.create_client(ForwardKinematics, f'{node}/forward_kinematics')
        self._rest = self.create_client(SetBool, f'{node}/figure_of_eight/rest')
        self._feedback = self.create_publisher(InteractiveMarkerFeedback, f'{node}/handle/feedback', QoSProfile(depth=10))
        self._markers_of_node, self.markers = None, {}
        self._held_at, self._rests = -np.inf, False
        self._triggers = {name: self.create_client(Trigger, f'{node}/{name}')
                          for name in ('stop', 'reset', 'resume', 'simulated_arm/shift')}
        self._faults = {name: self.create_client(SetBool, f'{node}/simulated_arm/{name}') for name in FAULTS}
        self.create_timer(POLL_INTERVAL, self._poll)

    @property
    def is_there(self):
        return time.monotonic() < self._last_sign + GONE_AFTER

    # Messages of the node

    def _see_description(self, message):
        self.description = message.data

    def _see_obstacles(self, message):
        self.obstacles = message

    def _see_joints(self, message):
        self._last_sign = time.monotonic()
        if len(message.name) == len(message.position):
            last = self.positions
            self.positions = {name: value if math.isfinite(value) else last.get(name, 0.0)
                              for name, value in zip(message.name, message.position)}

    def _see_measured(self, message):
        self._measured_at = time.monotonic()
        self._measured.update((name, value) for name, value in zip(message.name, message.position)
                              if name in self.positions and math.isfinite(value))

    @property
    def measured(self):
        return self._measured if time.monotonic() < self._measured_at + MEASURED_FOR else {}

    def _see_status(self, message):
        self.answered = message
        self.status_count += 1
        if message.tip_link in self._tips:
            self.statuses[message.tip_link] = message

    def _see_servo(self, message):
        self._servo_status, self._servo_status_at = message, time.monotonic()

    @property
    def servo_status(self):
        """The newest status of the servo; None without a recent one."""
        return self._servo_status if time.monotonic() < self._servo_status_at + SERVO_NEWS_FOR else None

    # Parameters

    def _poll(self):
        """Requests the parameters. A request still without a response is dropped."""
        if self._pending is not None:
            self._get.remove_pending_request(self._pending)
        self._pending = self._get.call_async(GetParameters.Request(names=PARAMETERS)) if self._get.service_is_ready() else None
        if self._pending is not None:
            self._pending.add_done_callback(self._see_parameters)
            if self.positions:
                self._ask_for_tips(dict(self.positions))

    def _ask_for_tips(self, positions):
        def see(future):
            answer = future.result()
            if answer.success:
                self.tips = positions, {link: pose.pose for link, pose in zip(answer.link_names, answer.poses)}

        if self._kinematics.service_is_ready():
            there = JointState(name=list(positions), position=list(positions.values()))
            self._kinematics.call_async(ForwardKinematics.Request(joint_state=there)).add_done_callback(see)

    def _see_parameters(self, future):
        self._pending, self._last_sign = None, time.monotonic()
        values = {name: getattr(value, FIELDS[value.type]) for name, value in zip(PARAMETERS, future.result().values)
                  if value.type in FIELDS}
        self.parameters = {name: value if isinstance(value, (str, float)) else list(value) for name, value in values.items()}
        self._watch_markers(any(self.parameters.get(name, '').strip() for name in DRAWN_PARAMETERS))
        if not self.solvers and self._describe.service_is_ready():
            self._describe.call_async(DescribeParameters.Request(names=['solver'])).add_done_callback(self._see_solvers)

    def _watch_markers(self, wanted):
        """Only while there is something to draw: without a subscriber the node does not compute them."""
        if wanted and self._markers_of_node is None:
            self._markers_of_node = self.create_subscription(
                MarkerArray, f'{self.node_name}/markers', self._see_markers, QoSProfile(depth=10))
        elif not wanted and self._markers_of_node is not None:
            self.destroy_subscription(self._markers_of_node)
            self._markers_of_node, self.markers = None, {}

    def _see_markers(self, message):
        for marker in message.markers:
            if marker.action == Marker.DELETEALL:
                self.markers = {}
            elif marker.action == Marker.DELETE:
                self.markers.pop((marker.ns, marker.id), None)
            else:
                self.markers[marker.ns, marker.id] = marker

    def _see_solvers(self, future):
        """The node lists the values of the parameter: words, the last ones separated by commas."""
        for descriptor in future.result().descriptors:
            self.solvers = tuple(re.findall(r'\w+(?=,|$)', descriptor.additional_constraints))

    def set_parameter(self, name, value):
        """Sets a text or a list of texts. A refusal by the node becomes the notice."""
        kind = ParameterType.PARAMETER_STRING if isinstance(value, str) else ParameterType.PARAMETER_STRING_ARRAY
        request = SetParameters.Request(
            parameters=[Parameter(name=name, value=ParameterValue(type=kind, **{FIELDS[kind]: value}))])

        def answered(future):
            (result,) = future.result().results
            self.notice = None if result.successful else result.reason
            self._poll()

        self._call(self._set, request, answered)

    # Targets

    def use_tips(self, tips):
        """Subscribes to and publishes the targets of these tip links, the tips of the node."""
        for entities in self._tips.values():
            for destroy, entity in entities:
                destroy(entity)
        self._tips, self.targets, self.statuses = {}, {}, {}
        for index, tip in enumerate(tips):
            places = ([''] if index == 0 else []) + ([f'{topic_name(tip)}/'] if len(tips) > 1 else [])
            self._tips[tip] = [
                (self.destroy_subscription, self.create_subscription(kind, f'{self.node_name}/{place}{topic}', see, LATEST))
                for place in places
                for kind, topic, see in ((PoseStamped, 'target_pose', self._target_seer(tip)),
                                         (PointStamped, 'target_point', self._target_seer(tip)))]
            self._tips[tip] += [
                (self.destroy_publisher, self.create_publisher(kind, f'{self.node_name}/{places[-1]}{topic}', LATEST))
                for kind, topic in ((TwistStamped, 'target_twist'), (PoseStamped, 'target_pose'))]

    def _target_seer(self, tip):
        def see(message):
            self.targets[tip] = message
        return see

    def publish_target(self, tip, pose):
        """`pose` is in the base link's frame, a 4 x 4 matrix with its quaternion x, y, z, w."""
        if tip in self._tips and np.isfinite(pose[0]).all():
            target = PoseStamped(pose=pose_message(*pose))
            target.header.stamp = self.get_clock().now().to_msg()
            _, publisher = self._tips[tip][-1]
            publisher.publish(target)

    # The servo

    @property
    def servo_speeds(self):
        """The maximum speeds of a steered tip [m/s, rad/s]; 0 until they are known."""
        return [(self.parameters or {}).get(name, 0.0) for name in SERVO_SPEEDS]

    def publish_twist(self, tip, twist, along_tip=False):
        """`twist` has the linear and the angular velocity [m/s, rad/s], along the axes of the base link or of the tip."""
        if tip in self._tips:
            linear, angular = (Vector3(**dict(zip('xyz', part.tolist()))) for part in np.reshape(twist, (2, 3)))
            command = TwistStamped()
            command.header.stamp = self.get_clock().now().to_msg()
            if along_tip:
                command.header.frame_id = f'{self.parameters["frame_prefix"]}{tip}'
            command.twist.linear, command.twist.angular = linear, angular
            _, publisher = self._tips[tip][-2]
            publisher.publish(command)

    def hold_still(self, tip):
        """Announces an imminent command for a tip, so that other sources such as figure_of_eight.py pause."""
        now = time.monotonic()
        if now > self._held_at + HOLD_INTERVAL:
            self._held_at = now
            self._feedback.publish(InteractiveMarkerFeedback(client_id=self.get_name(), marker_name=tip))  # keep-alive

    # Standing goals

    @property
    def takes_drags(self):
        """Whether the node has handles."""
        return self._feedback.get_subscription_count() > 0

    def drag_goal(self, name, pose):
        """Moves the handle of a standing goal to a pose as for `publish_target`."""
        self._feedback.publish(InteractiveMarkerFeedback(
            client_id=self.get_name(), marker_name=f'goals/{name}', event_type=InteractiveMarkerFeedback.POSE_UPDATE,
            pose=pose_message(*pose)))

    def release_goal(self, name):
        self._feedback.publish(InteractiveMarkerFeedback(
            client_id=self.get_name(), marker_name=f'goals/{name}', event_type=InteractiveMarkerFeedback.MOUSE_UP))

    # The figure of eight

    @property
    def figure_is_there(self):
        return self._rest.service_is_ready()

    @property
    def figure_rests(self):
        return self._rests and self.figure_is_there

    def rest_figure(self):
        """Pauses or resumes the figure of eight."""
        wanted = not self.figure_rests

        def answered(_):
            self._rests = wanted

        self._call(self._rest, SetBool.Request(data=wanted), answered)

    # Buttons

    def trigger(self, name):
        """Calls ~/stop, ~/reset, ~/resume, or the shift of a simulated arm."""
        def answered(future):
            answer = future.result()
            self.notice = None if answer.success else f'{name}: {answer.message}'
            if answer.success and name in ('reset', 'resume'):
                self.answered = None
                self.statuses.clear()

        self._call(self._triggers[name], Trigger.Request(), answered)

    @property
    def is_simulated(self):
        """Whether the node commands a simulated arm (`simulated_arm/`)."""
        return self._faults['freeze'].service_is_ready()

    def set_fault(self, name, on):
        self._call(self._faults[name], SetBool.Request(data=on), lambda future: None)

    def _call(self, client, request, answered):
        if client.service_is_ready():
            client.call_async(request).add_done_callback(answered)
        else:
            self.notice = f'the node {self.node_name} does not answer'


def pose_message(matrix, quaternion):
    """The Pose of a 4 x 4 matrix with its quaternion x, y, z, w."""
    return Pose(position=Point(**dict(zip('xyz', matrix[:3, 3].tolist()))),
                orientation=Quaternion(**dict(zip('xyzw', map(float, quaternion)))))
