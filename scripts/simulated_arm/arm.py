"""A simulated arm: its drives follow a node's commands, it publishes measured joint states, and it can have faults."""
import threading
import time
from collections import deque
from contextlib import contextmanager

import numpy as np
import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from .drives import LAG, Drives, Record

RATE = 250.0  # [Hz] of the measurements
MAX_STEP = 0.002  # [s] between two samples of a trajectory and of the record
RECORDED = 200_000  # steps, the newest ones: more than 100 s of commands at 500 Hz
KINDS = {'joint_commands': Float64MultiArray, 'joint_states': JointState, 'servo_trajectory': JointTrajectory,
         'joint_trajectory': JointTrajectory}
COMMANDS = QoSProfile(depth=5000)  # those that arrive while this process waits for a processor
MEASURED = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class SimulatedArm:
    """Runs in its own thread until `close`.

    Time is that of the commands' senders: a command takes effect at its send time, so that the motion is the same on a busy machine.
    `positions` has a position [rad or m] for each joint, in the order of the node's command_joints; `sag` is the deflection of the
    joints at rest below their commands, by name; `noise` [rad or m] is the standard deviation of a measurement; `source` is the topic
    of the node that commands the arm; `drives` has the interface of Drives.
    """

    def __init__(self, node, positions, source='joint_commands', *, measured=None, sag=None, noise=0.0, lag=LAG, drives=None):
        self.joints = list(positions)
        start = np.array(list(positions.values()), float)
        self._drives = drives or Drives(start, lag)
        self._sag, self._muted, self._delay, self._late = self._of_joints(sag or {}), False, 0.0, deque()
        self._now = self._commanded_at = time.time()
        self._points = self._hold()
        self._noise, self._random = noise, np.random.default_rng(1)
        self._steps, self._published_at = deque(maxlen=RECORDED), deque(maxlen=RECORDED)
        self._node = rclpy.create_node(f'simulated_arm_{id(self)}', start_parameter_services=False)
        self._commands = self._node.create_subscription(KINDS[source], f'{node}/{source}', lambda _: None, COMMANDS)
        self._measured = self._node.create_publisher(JointState, measured or f'{node}/measured_joint_states', MEASURED)
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @classmethod
    def with_mass(cls, node, positions, urdf_file):
        """Drives with the masses of a URDF, if MuJoCo is installed, else drives that only lag."""
        try:
            from .physics import PhysicalDrives
        except ModuleNotFoundError:
            return cls(node, positions)
        return cls(node, positions, drives=PhysicalDrives(urdf_file, positions))

    def close(self):
        self._closing.set()
        self._thread.join()
        self._node.destroy_node()

    # Faults

    def freeze(self, *joints):
        """Brakes these joints, by default all, in place: a stuck joint, or an emergency stop."""
        with self._caught_up():
            self._drives.braked[self._indices(joints)] = True

    def release(self, *joints):
        """Releases the drives of these joints, by default all, which then move to the newest command."""
        with self._caught_up():
            self._drives.braked[self._indices(joints)] = False

    def shift(self, **by):
        """Shifts joints by [rad or m], as by hand while the controller restarts: the arm stays there until the next command."""
        with self._caught_up():
            self._drives.place(self._drives.positions + self._of_joints(by))
            self._points = self._hold()

    def set_sag(self, **by):
        with self._caught_up():
            self._sag = self._of_joints(by)

    def mute(self, muted=True):
        """Stops the measurements."""
        with self._caught_up():
            self._muted = muted

    def delay(self, by):
        """Delays the measurements [s]."""
        with self._caught_up():
            self._delay = by

    # State

    def positions(self):
        """True positions by joint."""
        with self._caught_up():
            return dict(zip(self.joints, self._drives.positions.tolist()))

    def commanded(self):
        """The newest command by joint."""
        with self._caught_up():
            return dict(zip(self.joints, self._command().tolist()))

    def now(self):
        """The current time, for `record`."""
        with self._caught_up():
            return self._now

    def record(self, since=0.0):
        """The record since a time."""
        with self._caught_up():
            steps = [step for step in self._steps if step[0] >= since]
        return Record(*(np.array(column) for column in zip(*steps)))

    def longest_silence(self, since):
        """The longest interval between two measurements since a time [s]: on a busy machine it exceeds their period."""
        with self._caught_up():
            return np.diff([since, *(time for time in self._published_at if time > since), self._now]).max()

    # Steps

    def _indices(self, joints):
        return [self.joints.index(joint) for joint in joints] or slice(None)

    def _of_joints(self, values):
        """Array of shape (joints,) from values by joint."""
        unknown = set(values) - set(self.joints)
        if unknown:
            raise KeyError(f'the arm has no joint {unknown}')
        return np.array([values.get(joint, 0.0) for joint in self.joints], float)

    @contextmanager
    def _caught_up(self):
        """Runs alone, after all commands so far."""
        with self._lock:
            self._catch_up()
            yield

    def _run(self):
        due = time.monotonic()
        while not self._closing.wait(max(due - time.monotonic(), 0.0)):
            due = max(due + 1 / RATE, time.monotonic())
            with self._caught_up():
                self._measure()

    def _catch_up(self):
        while taken := self._commands.handle.take_message(self._commands.msg_type, False):
            message, about = taken
            self._advance_to(about['source_timestamp'] / 1e9)
            self._take(message)
        self._advance_to(time.time())

    def _hold(self):
        """Appends a command: positions at times [s] since its arrival, held at the end."""
        return [(0.0, self._drives.positions + self._sag)]

    def _take(self, message):
        """Handles a message of any command type; unnamed joints keep their commands."""
        before = self._command()

        def named(names, positions):
            values = dict(zip(names, positions))
            return np.array([values.get(joint, position) for joint, position in zip(self.joints, before)])
        if isinstance(message, JointTrajectory):
            points = [(point.time_from_start.sec + point.time_from_start.nanosec / 1e9, named(message.joint_names, point.positions))
                      for point in message.points]
            self._points = [(0.0, before), *points]
        else:
            self._points = [(0.0, named(getattr(message, 'name', self.joints),
                                        message.data if hasattr(message, 'data') else message.position))]
        self._commanded_at = self._now
        self._keep()

    def _command(self):
        """Linear interpolation between the points of a trajectory."""
        passed = self._now - self._commanded_at
        last_time, last = self._points[-1]
        if passed >= last_time:
            return last
        times, positions = zip(*self._points)
        return np.array([np.interp(passed, times, column) for column in zip(*positions)])

    def _advance_to(self, end):
        while self._now < end:
            duration = min(MAX_STEP, end - self._now)
            self._now = end if duration < MAX_STEP else self._now + duration
            self._drives.advance(self._command() - self._sag, duration)
            self._keep()

    def _keep(self):
        self._steps.append((self._now, self._command(), self._drives.positions, self._drives.velocities))

    def _measure(self):
        """Publishes due measurements."""
        noisy = self._drives.positions + self._random.normal(0.0, self._noise, len(self.joints))
        self._late.append((self._now, noisy, self._drives.velocities))
        while self._late and self._late[0][0] <= self._now - self._delay:
            measured_at, positions, velocities = self._late.popleft()
            if not self._muted:
                message = JointState(name=self.joints, position=positions.tolist(), velocity=velocities.tolist())
                message.header.stamp = rclpy.time.Time(nanoseconds=int(1e9 * measured_at)).to_msg()
                self._measured.publish(message)
                self._published_at.append(time.time())

