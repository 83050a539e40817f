"""A ROS 2 client of one urdf_ik node: publishes targets, calls services, stores the node's messages."""
import time
import uuid
from contextlib import contextmanager
from types import SimpleNamespace

import rclpy
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped, TransformStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, GetParameterTypes, ListParameters, SetParameters, SetParametersAtomically
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import ForwardKinematics, SolveIK

from kinematics import pose_of, quaternion_of

TIMEOUT = 120.0  # [s] generous timeout for a busy machine; an idle one responds at once
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
MEASURED = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
OUTCOMES = {getattr(SolveStatus, name): name for name in (
    'SOLVED', 'OUT_OF_REACH', 'JOINT_LIMITS', 'STEP_LIMITED', 'NOT_CONVERGED', 'INVALID', 'UNKNOWN_FRAME', 'NO_ROBOT',
    'SKIPPED', 'COLLISION', 'POSITION_ONLY', 'FOLLOWING_ERROR',
    'GOAL_CONFLICT')}
PARAMETER_SERVICES = {
    'list_parameters': ListParameters, 'describe_parameters': DescribeParameters, 'get_parameters': GetParameters,
    'get_parameter_types': GetParameterTypes, 'set_parameters': SetParameters,
    'set_parameters_atomically': SetParametersAtomically}


def nanoseconds(stamp):
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def pose_message(pose, frame='', stamp=None):
    """PoseStamped from a 4 x 4 matrix."""
    message = PoseStamped()
    fill(message.pose.position, 'xyz', pose[:3, 3])
    fill(message.pose.orientation, 'xyzw', quaternion_of(pose))
    message.header.frame_id = frame
    if stamp is not None:
        message.header.stamp = stamp
    return message


def faulty(pose, **changes):
    """Pose from a 4 x 4 matrix; `changes` replace fields such as position_x."""
    message = pose_message(pose).pose
    for field, value in changes.items():
        part, name = field.split('_')
        setattr(getattr(message, part), name, value)
    return message


def fill(message, fields, values):
    for field, value in zip(fields, values):
        setattr(message, field, float(value))


def pose_from(message):
    """4 x 4 matrix from a Pose."""
    position, turn = message.position, message.orientation
    return pose_of((position.x, position.y, position.z), (turn.x, turn.y, turn.z, turn.w))


def transform_message(parent, child, pose, stamp):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, stamp
    fill(message.transform.translation, 'xyz', pose[:3, 3])
    fill(message.transform.rotation, 'xyzw', quaternion_of(pose))
    return message


PARAMETER_KINDS = {bool: ('BOOL', 'bool_value'), int: ('INTEGER', 'integer_value'), float: ('DOUBLE', 'double_value'),
                   str: ('STRING', 'string_value')}


def empty_list(kind):
    """ParameterValue of an empty list with elements of a Python type."""
    return ParameterValue(type=getattr(ParameterType, f'PARAMETER_{PARAMETER_KINDS[kind][0]}_ARRAY'))


def parameter_value(value):
    """ParameterValue from a Python value, according to its type."""
    if value is None:
        return ParameterValue()
    if value == []:
        return empty_list(str)
    if isinstance(value, list):
        kind, field = PARAMETER_KINDS[type(value[0])]
        return ParameterValue(type=getattr(ParameterType, f'PARAMETER_{kind}_ARRAY'),
                              **{field.replace('value', 'array_value'): value})
    kind, field = PARAMETER_KINDS[type(value)]
    return ParameterValue(type=getattr(ParameterType, f'PARAMETER_{kind}'), **{field: value})


def python_value(value):
    fields = [None, 'bool_value', 'integer_value', 'double_value', 'string_value', 'byte_array_value',
              'bool_array_value', 'integer_array_value', 'double_array_value', 'string_array_value']
    field = fields[value.type]
    if field is None:
        return None
    content = getattr(value, field)
    return list(content) if field.endswith('array_value') else content


class Client:
    """Client for all topics, services and parameters of the node NAME (a full name); `measured` is its topic of measured joint states."""

    def __init__(self, name, measured=None):
        self.name = name
        self.namespace = name.rsplit('/', 1)[0]
        self.node = rclpy.create_node(f'client_{uuid.uuid4().hex}', start_parameter_services=False)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.statuses, self.states = [], []
        self.services = {}
        self.publishers = {}
        self.last_stamp = 0
        self.is_met = False
        self.subscribe(SolveStatus, f'{name}/status', self.statuses, 1000)
        self.subscribe(JointState, f'{name}/joint_states', self.states, 1000)
        # Created early, since messages of a best-effort publisher are lost until both sides have discovered each other.
        self.measured = self.publisher(JointState, measured or f'{name}/measured_joint_states', MEASURED)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()

    # Waiting

    def wait_for(self, condition, what, timeout=TIMEOUT):
        """Waits until the condition is true and returns its value; processes incoming messages and responses meanwhile."""
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            assert time.monotonic() < deadline, f'timed out after {timeout} s, waiting for {what}'
            self.executor.spin_once(timeout_sec=0.02)
        return value

    def pace(self, duration):
        """Processes incoming messages briefly, between two messages of a stream. `settle` checks that no message arrives."""
        deadline = time.monotonic() + duration
        while time.monotonic() < deadline:
            self.executor.spin_once(timeout_sec=0.02)

    def wait_until_ready(self, process, robot=True):
        """Waits until the node answers and, if it has a robot, publishes."""
        namespace, name = self.name.rsplit('/', 1)

        def ready():
            assert process.is_alive(), f'exited unexpectedly; it printed:\n{process.output()}'
            # Endpoints may be discovered before the name of their node.
            return ((name, namespace or '/') in self.node.get_node_names_and_namespaces()
                    and self.service(SolveIK, 'solve_ik').service_is_ready()
                    and self.service(ForwardKinematics, 'forward_kinematics').service_is_ready()
                    and self.target_publisher('target_pose').get_subscription_count() > 0
                    and self.target_publisher('target_point', PointStamped).get_subscription_count() > 0
                    and self.measured.get_subscription_count() > 0
                    and self.node.count_publishers(f'{self.name}/status') > 0
                    and (self.states or not robot))
        self.wait_for(ready, f'{self.name} to be ready; it printed:\n{process.output()}')
        self.meet()
        self.is_met = True

    def meet(self):
        """Waits until the node has discovered all endpoints created here so far, so that no message that it publishes once is missed.

        Endpoints are discovered in the order of their creation, and a new client gets a response only once its response reader is known.
        """
        service = self.node.create_client(GetParameters, f'{self.name}/get_parameters')
        self.wait_for(service.service_is_ready, 'the services of parameters')
        future = service.call_async(GetParameters.Request())
        self.wait_for(future.done, f'{self.name} to discover this client')
        self.node.destroy_client(service)

    def live(self, states=10):
        """Waits for this many periods of the node, however long they take."""
        count = len(self.states) + states
        self.wait_for(lambda: len(self.states) >= count, f'{states} joint states')

    def settle(self, states=10):
        """Waits for some periods, then sends a path that is refused: all statuses due by then arrive before the status of the path.

        The status of the path is discarded. A refused path replaces no target and moves nothing, but handles show it.
        """
        self.live(states)
        sentinel = PoseArray()
        sentinel.header.stamp = self.new_stamp()
        self.wait_until_heard(self.publisher(PoseArray, f'{self.name}/target_path')).publish(sentinel)
        self.statuses.remove(self.status_of(sentinel.header.stamp))

    # Topics

    def subscribe(self, kind, topic, received, qos=10):
        """Collects the messages of a topic in the list `received`; if the node is ready, it is complete from the return of this call."""
        def receive(message):
            received.append(message)
            # The executor takes one message per spin, too slow for a queue that has filled up between spins.
            while taken := subscription.handle.take_message(kind, False):
                received.append(taken[0])
        subscription = self.node.create_subscription(kind, topic, receive, qos)
        if self.is_met:
            self.meet()
        return received

    def publisher(self, kind, topic, qos=10):
        """The publisher of a topic, the same object each time; a ready node has discovered it.

        A message to a subscription that has not discovered its publisher is lost or, on reliable topics, resent seconds later.
        """
        if topic not in self.publishers:
            self.publishers[topic] = self.node.create_publisher(kind, topic, qos)
            if self.is_met:
                self.meet()
        return self.publishers[topic]

    def target_publisher(self, topic, kind=PoseStamped):
        # Deep enough for a burst: the node should drop messages, not this queue.
        return self.publisher(kind, f'{self.name}/{topic}', 5000)

    def wait_until_heard(self, publisher):
        """Waits until the node has discovered a publisher; other nodes may subscribe to the same topic."""
        def is_heard():
            listeners = self.node.get_subscriptions_info_by_topic(publisher.topic_name)
            names = [f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in listeners]
            return self.name in names and publisher.get_subscription_count() > 0
        self.wait_for(is_heard, f'{self.name} to discover the publisher of {publisher.topic_name}')
        return publisher

    def publish_transforms(self, *transforms, static=False):
        durability = DurabilityPolicy.TRANSIENT_LOCAL if static else DurabilityPolicy.VOLATILE
        qos = QoSProfile(depth=100, durability=durability)
        publisher = self.publisher(TFMessage, '/tf_static' if static else '/tf', qos)
        self.wait_until_heard(publisher).publish(TFMessage(transforms=list(transforms)))

    # Targets

    def new_stamp(self):
        """The current time, never the same value twice."""
        self.last_stamp = max(self.last_stamp + 1, self.node.get_clock().now().nanoseconds)
        return rclpy.time.Time(nanoseconds=self.last_stamp).to_msg()

    def send(self, message, topic='target_pose'):
        """Publishes a target and returns its first status."""
        self.target_publisher(topic, type(message)).publish(message)
        return self.status_of(message.header.stamp)

    def send_pose(self, pose, frame='', topic='target_pose', **changes):
        """Publishes a 4 x 4 matrix as target; `changes` replace fields of its quaternion or position."""
        message = pose_message(pose, frame, self.new_stamp())
        for field, value in changes.items():
            part, name = field.split('_')
            setattr(getattr(message.pose, part), name, value)
        return self.send(message, topic)

    def send_point(self, position, frame='', topic='target_point'):
        message = PointStamped()
        message.header.frame_id, message.header.stamp = frame, self.new_stamp()
        fill(message.point, 'xyz', position)
        return self.send(message, topic)

    def statuses_of(self, stamp):
        return [status for status in self.statuses if status.header.stamp == stamp]

    def status_of(self, stamp, outcome=None):
        """The first status for the target with this stamp, or the first of them with this outcome."""
        def found():
            return next((status for status in self.statuses_of(stamp) if outcome in (None, status.outcome)), None)
        wanted = 'a status' if outcome is None else f'the status {OUTCOMES[outcome]}'
        return self.wait_for(found, f'{wanted} for the target; statuses: {[s.message for s in self.statuses_of(stamp)]}')

    # Joint states

    def answer_to(self, status):
        """The joint positions {name: position} of a status. If several have its stamp, as in simulated time, the last one counts."""
        stamp = status.joint_state_stamp
        assert nanoseconds(stamp) > 0, f'no joint state for the status: {status.message}'
        return posture(self.wait_for(
            lambda: next((state for state in reversed(self.states) if state.header.stamp == stamp), None),
            f'the joint state of the status "{status.message}"'))

    def next_posture(self):
        """The next published joint positions, excluding messages already in transit."""
        now = self.node.get_clock().now().nanoseconds
        self.wait_for(lambda: self.states and nanoseconds(self.states[-1].header.stamp) > now, 'a joint state')
        return posture(self.states[-1])

    def next_state(self):
        """The next joint state received, whatever its stamp."""
        count = len(self.states)
        self.wait_for(lambda: len(self.states) > count, 'a joint state')
        return self.states[-1]

    # Services

    def service(self, kind, name):
        """The client of the service ~/NAME, or of NAME itself if it begins with a slash; the same object each time."""
        if name not in self.services:
            full_name = name if name.startswith('/') else f'{self.name}/{name}'
            self.services[name] = self.node.create_client(kind, full_name)
        return self.services[name]

    def call(self, kind, name, **fields):
        """The response of the service ~/NAME to a request with these fields."""
        service = self.service(kind, name)
        self.wait_for(service.service_is_ready, f'the service {service.srv_name}')
        future = service.call_async(kind.Request(**fields))
        self.wait_for(future.done, f'a response of {service.srv_name}')
        return future.result()

    def solve_ik(self, pose=None, frame='', **fields):
        """Calls ~/solve_ik; `pose` is a 4 x 4 matrix or a PoseStamped."""
        if pose is not None:
            fields['pose'] = pose if isinstance(pose, PoseStamped) else pose_message(pose, frame)
        return self.call(SolveIK, 'solve_ik', **fields)

    def forward_kinematics(self, **fields):
        return self.call(ForwardKinematics, 'forward_kinematics', **fields)

    def reset(self):
        """Resets the arm to its initial configuration, which is returned."""
        answer = self.call(Trigger, 'reset')
        assert answer.success, answer.message
        return self.next_posture()

    # Parameters

    def parameters(self, service, **fields):
        return self.call(PARAMETER_SERVICES[service], service, **fields)

    def get(self, *names):
        return [python_value(value) for value in self.parameters('get_parameters', names=list(names)).values]

    def set(self, service='set_parameters', **values):
        """Sets parameters (a double underscore in a name stands for a dot); returns their results."""
        parameters = [Parameter(name=name.replace('__', '.'), value=parameter_value(value))
                      for name, value in values.items()]
        answer = self.parameters(service, parameters=parameters)
        return answer.result if service.endswith('atomically') else answer.results

    def set_all(self, **values):
        """Sets parameters, which must be accepted."""
        for result in self.set(**values):
            assert result.successful, result.reason

    @contextmanager
    def changed(self, **values):
        """Sets parameters for the duration of a `with` block."""
        before = dict(zip(values, self.get(*(name.replace('__', '.') for name in values))))
        self.set_all(**values)
        try:
            yield
        finally:
            self.set_all(**before)

    def refusal(self, **value):
        """The reason given for refusing one parameter."""
        (result,) = self.set(**value)
        assert not result.successful, f'{value} was accepted'
        return result.reason

    def snapshot(self):
        """The numbers of statuses and joint states received so far."""
        return SimpleNamespace(statuses=len(self.statuses), states=len(self.states))

    def states_since(self, snapshot):
        return self.states[snapshot.states:]


def posture(state):
    assert len(state.name) == len(set(state.name)) == len(state.position), state
    return dict(zip(state.name, state.position))
