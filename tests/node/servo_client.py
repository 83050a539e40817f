"""Sends commands to the servo of a node, and stores its statuses."""
import json
import time

import numpy as np
from geometry_msgs.msg import TwistStamped
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from urdf_ik.msg import ServoStatus

from client import fill, nanoseconds, pose_message, posture
from conftest import ARM_FILE
from motion import still

RATE = 100.0
# Configuration of the bundled arm far from limits and singularities.
BENT = {'shoulder_pan_joint': 0.5, 'shoulder_lift_joint': 0.1, 'elbow_joint': 0.4, 'forearm_roll_joint': -1.1,
        'wrist_flex_joint': 0.6}
# [s], servo.timeout. Long enough for a busy machine: most tests do not depend on it.
PATIENT = 20.0
PAUSE = 0.5  # [s] pause of a stream after a stop, before it counts again

CODES = {getattr(ServoStatus, name): name for name in (
    'OK', 'JOINT_LIMIT', 'SINGULARITY', 'COLLISION', 'SPEED', 'TIMEOUT', 'INVALID', 'UNKNOWN_FRAME', 'NO_ROBOT',
    'FOLLOWING_ERROR')}


def twist(linear=(0, 0, 0), angular=(0, 0, 0), frame=''):
    message = TwistStamped()
    message.header.frame_id = frame
    fill(message.twist.linear, 'xyz', linear)
    fill(message.twist.angular, 'xyz', angular)
    return message


def jog(**velocities):
    return JointState(name=list(velocities), velocity=[float(v) for v in velocities.values()])


def start_servo(start, file=ARM_FILE, initial_posture=BENT, **parameters):
    """The servo of a new node with a long servo.timeout."""
    patient = {'publish_rate': RATE, 'servo__timeout': PATIENT, **parameters}
    return Servo(start.node(file, initial_posture=json.dumps(initial_posture), **patient))


def tip(robot, axis):
    """A function of joint positions: the tool position of the bundled arm along an axis."""
    return lambda positions: robot.pose('tool0', positions)[axis, 3]


def moved(node, before):
    """The states since then that have velocities; states of a reset have none."""
    return [state for state in node.states_since(before) if len(state.velocity)]


class Servo:
    """The servo of the node of the client `node`."""

    def __init__(self, node):
        self.node = node
        self.statuses = []
        node.subscribe(ServoStatus, f'{node.name}/servo_status', self.statuses, 1000)
        for topic, kind in (('target_twist', TwistStamped), ('joint_jog', JointState)):
            node.wait_until_heard(node.publisher(kind, f'{node.name}/{topic}'))

    def reset(self):
        """Resets the arm to its initial configuration. The streams of the previous test command zero, so that new ones count."""
        self.node.reset()
        for _ in range(3):
            self.send(twist())
            self.send(JointState(name=self.node.states[-1].name[:1], velocity=[0.0]))
            self.node.next_state()

    def send(self, message, topic=None):
        """Publishes one command."""
        if topic is None:
            topic = {TwistStamped: 'target_twist', JointState: 'joint_jog'}.get(type(message), 'target_pose')
        self.node.publisher(type(message), f'{self.node.name}/{topic}').publish(message)

    def stream(self, message, until, what, topic=None):
        """Publishes a command repeatedly until a condition holds, and returns its value."""
        def sent():
            self.send(message, topic)
            return until()
        return self.node.wait_for(sent, what)

    def stream_for(self, count, make, topic=None):
        """Publishes `make(index)` this many times, one per joint state."""
        for index in range(count):
            self.send(make(index), topic)
            self.node.next_state()

    def shut_out(self, message, service):
        """Streams a command before, during and after its exclusion by the service `stop` or `reset`; returns the response, and the
        configurations at rest and twenty states later.

        A pause of the machine is a pause of the stream, which then counts again: in that case the test starts over.
        """
        node, sent, before = self.node, [], self.node.snapshot()

        def has_paused():
            stamps = [nanoseconds(state.header.stamp) / 1e9 for state in node.states_since(before)]
            return any(np.diff(times).max(initial=0.0) > PAUSE / 2 for times in (sent, stamps))

        def send():
            sent.append(time.monotonic())
            self.send(message)

        def rests():
            send()
            return has_paused() or still(node.states[-1]) or not node.states[-1].velocity

        def without_pause():
            nonlocal before
            before = node.snapshot()
            sent.clear()
            for _ in range(30):
                send()
                node.next_state()
            answer = node.service(Trigger, service).call_async(Trigger.Request())
            node.wait_for(lambda: send() or answer.done(), f'the response of {service}')
            node.wait_for(rests, 'the arm to rest')
            stands = posture(node.states[-1])
            for _ in range(20):
                send()
                node.next_state()
            later = node.next_posture()
            return not has_paused() and (answer.result(), stands, later)
        return node.wait_for(without_pause, f'{service} without a stall of the machine')

    def moved(self, before, by, distance):
        """Whether a function `by` of the joint positions has changed by this much since `before`."""
        start = by(before)
        return lambda: abs(by(posture(self.node.states[-1])) - start) >= distance

    def rest(self):
        """Waits until the arm is at rest without a command."""
        self.node.wait_for(lambda: still(self.node.states[-1]) or not self.node.states[-1].velocity, 'the arm to rest')
        return posture(self.node.states[-1])

    def status(self, code, since=0):
        """The next status with this code, after the first `since` statuses."""
        def found():
            return next((status for status in self.statuses[since:] if status.code == code), None)
        return self.node.wait_for(found, f'the status {CODES[code]}')

    def refused(self, message, topic=None):
        """The status that refuses a command; the arm must not move."""
        since = len(self.statuses)

        def found():
            return next((s for s in self.statuses[since:] if s.code >= ServoStatus.INVALID), None)
        return self.stream(message, found, 'a refusal', topic)

    def clutch(self, closed, topic='clutch'):
        answer = self.node.call(SetBool, topic, data=closed)
        assert answer.success, answer.message
        return answer.message

    def hand(self, pose, frame=''):
        """A hand pose for the clutch."""
        return pose_message(pose, frame, self.node.new_stamp())

    def lead(self, start, end, frame='', steps=50):
        """Streams hand poses along a straight line between two poses, at a plausible speed."""
        def between(index):
            pose = start.copy()
            pose[:3, 3] += (end[:3, 3] - start[:3, 3]) * (index + 1) / steps
            return self.hand(pose, frame)
        self.stream_for(steps, between)
