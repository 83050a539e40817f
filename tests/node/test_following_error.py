"""A node with a simulated arm whose drives lag and sag: the command stays near the arm, and drive faults stop it."""
import itertools
import math
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseArray
from std_srvs.srv import Trigger
from urdf_ik.msg import ServoStatus, SolveStatus

from checks import difference
from client import pose_message, posture
from conftest import ARM_FILE
from driver import MEASURED_AT
from kinematics import translation
from motion import velocity_limits
from servo_client import PAUSE, RATE, Servo, jog, tip, twist

JOINTS = list(MEASURED_AT)
SAG = {'shoulder_lift_joint': 0.007}
BOUND = 0.05  # [rad], following_error.angle
STOPPED = 1e-3  # [rad] from rest
# For tests without a following error: a busy machine delays the arm's measurements by more than the default window.
PATIENT = {'following_error__window': 3.0}


class Driven:
    """A node that commands a simulated arm; `servo` is its servo."""

    def __init__(self, node, arm, robot):
        self.node, self.arm, self.robot = node, arm, robot
        self.servo = Servo(node)
        self.home = robot.pose('tool0', MEASURED_AT)
        self.sent = 0

    def stream(self, kind, until, what):
        """Streams commands of a kind that move the tip at 0.1 m/s, or a joint at 0.25 rad/s, until a condition holds."""
        def send():
            self.sent += 1
            if kind == 'pose':
                aim = translation(0, -0.001 * self.sent, 0) @ self.home
                self.servo.send(pose_message(aim, stamp=self.node.new_stamp()))
            else:
                self.servo.send(jog(shoulder_pan_joint=0.25) if kind == 'jog' else twist(linear=(0, -0.1, 0)))
            self.node.next_state()
            return until()
        return self.node.wait_for(send, what)

    def follow_path(self):
        """Sends a path of some seconds, and returns its stamp."""
        message = PoseArray(poses=[pose_message(translation(0, -0.3, 0) @ self.home).pose])
        message.header.stamp = self.node.new_stamp()
        self.node.wait_until_heard(self.node.publisher(PoseArray, f'{self.node.name}/target_path')).publish(message)
        return message.header.stamp

    def moved_by(self, angle):
        """Whether the arm has moved this far."""
        return lambda: difference(self.arm.positions(), MEASURED_AT) > angle

    def gap(self):
        """Largest difference between command and arm."""
        return difference(self.arm.commanded(), self.arm.positions())

    def following_error(self):
        """The first such status on the topic of targets: of a stop, or of a target that the arm has not reached."""
        return next((s for s in self.node.statuses if s.outcome == SolveStatus.FOLLOWING_ERROR), None)

    def stop_by_drives(self):
        """The first status of a stop by a following error."""
        stops = (s for s in self.node.statuses if s.outcome == SolveStatus.FOLLOWING_ERROR and '~/resume' in s.message)
        return next(stops, None)

    def rests(self):
        before = self.arm.positions()
        self.node.next_state()
        return difference(before, self.arm.positions()) < 1e-6

    def call(self, service):
        answer = self.node.call(Trigger, service)
        assert answer.success, answer.message
        return answer.message

    def assert_slow(self, since, share=1.0):
        """Since then no joint of the arm was faster than its limit, and no command step larger than one period allows."""
        record, limits = self.arm.record(since), velocity_limits(self.robot)
        for joint, speed, step in zip(self.arm.joints, record.greatest_speed(), record.greatest_command_step()):
            assert speed <= share * limits[joint], (joint, speed)
            assert step <= limits[joint] * 0.2, (joint, step)


def refused_in_a_row(node, send, block, count):
    """The statuses of this many poses of a stream that `block` stops; `send` sends one and returns its status.

    A pause of the machine is a pause of the stream, which may then count again: it is stopped once more, and the test starts over.
    """
    refused, sent = [], -math.inf
    while len(refused) < count:
        before, sent = sent, time.monotonic()
        status = send()
        # The node saw no longer pause, since each pose arrives before its status.
        if time.monotonic() - before > PAUSE:
            refused.clear()
            block()
            continue
        assert status.outcome == SolveStatus.INVALID, status.message
        refused.append(status)
        node.next_state()
    return refused


@pytest.fixture
def drive(start, simulate, arm_robot):
    """Starts a node with a simulated arm: drive(sag=…, PARAMETER=…)."""
    def connect(sag=SAG, **parameters):
        options = {'publish_rate': RATE, 'motion': 'smooth', 'servo__timeout': 0.3, 'command_joints': JOINTS,
                   # Generous: the arm runs in the process of the tests, which a busy machine may suspend.
                   'measured_timeout': 10.0, **parameters}
        node = start.node(ARM_FILE, **options)
        arm = simulate(node, MEASURED_AT, sag=sag)
        node.wait_for(lambda: difference(posture(node.states[-1]), MEASURED_AT) < 0.02, 'the arm to be measured')
        return Driven(node, arm, arm_robot)
    return connect


def test_bursts_with_pauses_do_not_let_the_arm_sink(drive, arm_robot):
    it = drive(**PATIENT)
    height = tip(arm_robot, 2)
    it.stream('twist', it.moved_by(0.01), 'the arm to move')
    it.node.live(60)
    before = height(posture(it.node.states[-1]))
    for index in range(10):
        sideways = twist(linear=(0, 0.05 * (-1) ** index, 0))
        it.servo.stream_for(25, lambda _: sideways)
        it.servo.rest()
        # Longer than the delays of all rules for an arm at rest.
        it.node.live(60)
    assert abs(height(posture(it.node.states[-1])) - before) < 1e-3
    assert not it.following_error()


@pytest.mark.parametrize('motion, kind', [
    ('smooth', 'pose'), ('immediate', 'pose'), ('smooth', 'twist'), ('smooth', 'jog'), ('smooth', 'path')])
def test_drives_that_do_not_follow_stop_the_arm(drive, motion, kind):
    it = drive(motion=motion)
    if kind == 'path':
        path = it.follow_path()
        it.node.wait_for(it.moved_by(0.05), 'the arm to move')
    else:
        it.stream(kind, it.moved_by(0.05), 'the arm to move')
    frozen, sent = it.arm.now(), it.sent
    it.arm.freeze()
    if kind == 'path':
        status = it.node.status_of(path, SolveStatus.FOLLOWING_ERROR)
        assert not [s for s in it.node.statuses_of(path) if s.outcome == SolveStatus.SOLVED]
    else:
        status = it.stream(kind, it.stop_by_drives, 'the following error')
        it.stream(kind, lambda: it.gap() < STOPPED, 'the command to be at the arm')
    assert any(name in status.message for name in JOINTS) and '~/resume' in status.message
    if kind in ('twist', 'jog'):
        assert it.servo.status(ServoStatus.FOLLOWING_ERROR).message == status.message
    it.node.wait_for(lambda: it.gap() < STOPPED, 'the command to be at the arm')
    record = it.arm.record(frozen)
    # At the maximum speed of these commands: the window, the stop, and measurements as late as a command counts.
    assert record.greatest_difference().max() < BOUND + 0.25 * 1.2
    released = it.arm.now()
    it.arm.release()
    if kind != 'path':
        for _ in range(50):
            it.stream(kind, lambda: True, 'a command')
    it.node.wait_for(it.rests, 'the arm to rest')
    it.assert_slow(released, 0.2)
    # No command moves it before a resume, and all do afterwards.
    assert difference(posture(it.node.states[-1]), it.arm.commanded()) < 1e-9
    it.call('resume')
    if kind == 'path':
        again = it.follow_path()
        assert it.node.status_of(again, SolveStatus.SOLVED)
    else:
        # Immediate targets have no speed limit: the stream begins at the arm's configuration.
        start, it.sent = it.arm.positions(), sent
        it.stream(kind, lambda: difference(it.arm.positions(), start) > 0.05, 'the arm to move again')
    it.assert_slow(released)


@pytest.mark.parametrize('service', ['reset', 'resume'])
def test_the_command_comes_back_to_the_arm(drive, service):
    it = drive()
    it.stream('pose', it.moved_by(0.05), 'the arm to move')
    it.arm.freeze()
    it.stream('pose', it.stop_by_drives, 'the following error')
    it.node.wait_for(it.rests, 'the arm to rest')
    # It is moved by hand.
    it.arm.shift(elbow_joint=0.2)
    it.call(service)
    assert it.gap() < STOPPED
    released = it.arm.now()
    it.arm.release()
    it.node.live(30)
    it.node.wait_for(it.rests, 'the arm to rest')
    it.assert_slow(released, 0.2)


@pytest.mark.parametrize('service', ['reset', 'resume', 'stop'])
def test_repeated_recoveries_do_not_let_the_arm_sink(drive, service):
    it = drive(**PATIENT)
    it.stream('pose', it.moved_by(0.02), 'the arm to move')
    it.call(service)
    it.node.wait_for(it.rests, 'the arm to rest')
    commanded = it.arm.commanded()
    for _ in range(4):
        it.call(service)
        it.node.live(20)
    assert difference(it.arm.commanded(), commanded) < 1e-9


@pytest.mark.parametrize('delay', [0.0, 0.2])
def test_a_reset_in_a_stream_makes_no_step(drive, delay):
    it = drive(**PATIENT)
    it.arm.delay(delay)
    it.stream('pose', it.moved_by(0.05), 'the arm to move')
    since = it.arm.now()
    answer = it.node.service(Trigger, 'reset').call_async(Trigger.Request())
    it.stream('pose', answer.done, 'the reset')
    assert answer.result().success, answer.result().message
    start = it.arm.positions()
    it.stream('pose', lambda: difference(it.arm.positions(), start) > 0.05, 'the stream to count again')
    it.assert_slow(since)
    assert not it.following_error()


@pytest.mark.parametrize('gap', [0, 25])
def test_an_arm_that_is_moved_elsewhere_does_not_leap(drive, gap):
    it = drive()
    it.stream('twist', it.moved_by(0.05), 'the arm to move')
    it.node.live(gap + 1)
    since = it.arm.now()
    it.arm.freeze()
    it.arm.shift(shoulder_pan_joint=0.3)
    it.stream('twist', lambda: it.stop_by_drives() or it.gap() < STOPPED, 'the reaction of the node')
    it.node.wait_for(lambda: it.gap() < 0.02, 'the command to be at the arm')
    released = it.arm.now()
    it.arm.release()
    it.node.wait_for(it.rests, 'the arm to rest')
    it.assert_slow(released)
    assert since < released


def test_before_the_first_measurement_nothing_moves(start):
    node = start.node(ARM_FILE, command_joints=JOINTS, motion='smooth')
    before = node.next_posture()
    status = node.send_pose(translation(0.4, 0, 0.4))
    assert status.outcome == SolveStatus.INVALID
    for word in ('measured_joint_states', 'remap', '/joint_states', 'measured_timeout'):
        assert word in status.message, status.message
    assert 'measured_joint_states' in Servo(node).refused(twist(linear=(0, 0.02, 0))).message
    assert node.next_posture() == before
    assert not node.call(Trigger, 'resume').success


def test_without_measurements_the_log_says_what_is_assumed(start, arm_robot):
    node = start.node(ARM_FILE, command_joints=JOINTS, measured_timeout=0.0)
    assert len(node.process.lines_with('assumed to be at initial_posture')) == 1
    assert node.send_pose(arm_robot.pose('tool0', MEASURED_AT)).outcome == SolveStatus.SOLVED
    assert node.call(Trigger, 'resume').success


@pytest.mark.parametrize('kind', ['pose', 'twist'])
def test_measurements_that_stop_in_a_stream_stop_the_arm(drive, kind):
    it = drive(measured_timeout=0.6)
    it.stream(kind, it.moved_by(0.02), 'the arm to move')
    it.arm.mute()
    status = it.stream(kind, it.stop_by_drives, 'the following error')
    assert 'measured' in status.message and 'measured_timeout' in status.message
    # The node has also logged a warning.
    assert it.node.process.lines_with('WARN') and it.node.process.lines_with('has not been measured')
    it.node.wait_for(it.rests, 'the arm to rest')
    answer = it.node.call(Trigger, 'resume')
    assert not answer.success and 'measured_joint_states' in answer.message
    it.arm.mute(False)
    it.node.wait_for(lambda: it.node.call(Trigger, 'resume').success, 'the measurements to count')


def test_a_stop_ends_a_stream_of_poses_until_a_resume(drive):
    it = drive(**PATIENT)
    since = it.arm.now()
    it.stream('pose', it.moved_by(0.05), 'the arm to move')
    answer = it.node.service(Trigger, 'stop').call_async(Trigger.Request())
    it.stream('pose', answer.done, 'the stop')
    it.stream('pose', it.rests, 'the arm to rest')
    aim = translation(0, -0.001 * it.sent, 0) @ it.home
    stops = []

    def stop():
        it.call('stop')
        it.node.wait_for(it.rests, 'the arm to rest')
        stops.append(it.arm.commanded())
    refused = refused_in_a_row(it.node, lambda: it.node.send_pose(aim), stop, 80)
    at_rest = it.arm.commanded()
    assert difference(at_rest, stops[-1]) < 1e-9
    assert all('~/resume' in status.message for status in refused)
    answer = it.node.service(Trigger, 'resume').call_async(Trigger.Request())
    it.stream('pose', answer.done, 'the resume')
    it.stream('pose', lambda: difference(it.arm.positions(), at_rest) > 0.05, 'the arm to move again')
    it.assert_slow(since)


def test_a_stopped_stream_counts_again_after_a_pause(drive):
    it = drive(**PATIENT)
    it.stream('pose', it.moved_by(0.02), 'the arm to move')
    it.call('stop')
    it.node.wait_for(it.rests, 'the arm to rest')
    at_rest = it.arm.commanded()
    it.node.pace(PAUSE)
    it.stream('pose', lambda: difference(it.arm.commanded(), at_rest) > 0.02, 'the arm to move again')


def diagnostics(node):
    received = node.subscribe(DiagnosticArray, '/diagnostics', [])

    def node_statuses():
        return [s for array in received for s in array.status if s.name.startswith(f'{node.name}:')]
    return node_statuses


def test_diagnostics_are_fine_while_a_smooth_stream_follows_and_not_after_a_fault(drive):
    it = drive(**PATIENT)
    node_statuses = diagnostics(it.node)
    it.stream('pose', it.moved_by(0.02), 'the arm to move')
    seen = len(node_statuses())
    status = it.stream('pose', lambda: node_statuses()[seen + 1:], 'a report')[-1]
    assert status.level == DiagnosticStatus.OK, status.message
    values = {value.key: value.value for value in status.values}
    assert int(values['targets under way']) > 0 and int(values['targets not met']) == 0
    assert 0 <= float(values['age of the measurements [s]']) < 1
    assert 'joint' in values['greatest difference of the measurements from the commands']
    it.arm.freeze()
    it.stream('pose', it.stop_by_drives, 'the following error')
    status = it.node.wait_for(lambda: [s for s in node_statuses() if s.level == DiagnosticStatus.ERROR], 'an error')[0]
    assert '~/resume' in status.message


def test_success_waits_for_the_measured_arm(drive, arm_robot):
    it = drive(motion='immediate', following_error__angle=10.0)
    target = arm_robot.pose('tool0', {**MEASURED_AT, 'shoulder_pan_joint': 1.2})
    stamp = it.node.send_pose(target).header.stamp
    it.node.status_of(stamp, SolveStatus.SOLVED)
    assert [s.outcome for s in it.node.statuses_of(stamp)] == [SolveStatus.STEP_LIMITED, SolveStatus.SOLVED]
    assert it.gap() < 0.03
    it.arm.freeze('elbow_joint')
    stamp = it.node.send_pose(arm_robot.pose('tool0', {**MEASURED_AT, 'elbow_joint': 0.5})).header.stamp
    status = it.node.status_of(stamp, SolveStatus.FOLLOWING_ERROR)
    assert 'elbow_joint' in status.message
    assert not [s for s in it.node.statuses_of(stamp) if s.outcome == SolveStatus.SOLVED]


def test_without_the_check_drives_need_not_follow(drive):
    it = drive(following_error__enabled=False)
    it.arm.freeze()
    path = it.follow_path()
    assert it.node.status_of(path, SolveStatus.SOLVED)
    assert not it.following_error()


def test_a_stream_for_a_replaced_robot_moves_nothing_until_it_pauses(start, arm_robot):
    description, names = ARM_FILE.read_text(), (f'<robot name="other{number}_' for number in itertools.count())
    node = start.node(robot_description=description)
    target, initial = arm_robot.pose('tool0', MEASURED_AT), dict.fromkeys(JOINTS, 0.0)

    assert node.send_pose(target).outcome == SolveStatus.SOLVED
    stopped_at = node.snapshot()

    def replace():
        nonlocal stopped_at
        node.set_all(robot_description=description.replace('<robot name="', next(names)))
        node.next_posture()
        stopped_at = node.snapshot()
    for status in refused_in_a_row(node, lambda: node.send_pose(target), replace, 60):
        assert 'replaced' in status.message
    node.next_posture()
    assert all(difference(posture(state), initial) < 1e-9 for state in node.states_since(stopped_at))
    node.pace(PAUSE)
    assert node.send_pose(target).outcome == SolveStatus.SOLVED
    assert math.isfinite(np.sum(list(node.next_posture().values())))
