"""The simulated arm of the tests and the example: its drives, and its faults in the measured joint states."""
import time

import numpy as np
import pytest
import rclpy
from builtin_interfaces.msg import Duration
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from client import MEASURED, TIMEOUT, nanoseconds
from simulated_arm.arm import SimulatedArm
from simulated_arm.drives import Drives, Record

START = {'lift': 0.2, 'turn': -0.4}
SETTLED = 1e-4  # [rad]


def test_a_goal_at_constant_velocity_is_followed_by_the_lag():
    drives, goals = Drives([0.0, 1.0], lag=0.04), np.array([0.0, 1.0])
    for _ in range(4000):
        goals = goals + [1e-4, -2e-4]
        drives.advance(goals, 1e-4)
    assert np.allclose(goals - drives.positions, [0.04, -0.08], atol=2e-4)
    assert np.allclose(drives.velocities, [1.0, -2.0], atol=1e-6)


@pytest.mark.parametrize('steps', [1, 7, 1000])
def test_a_step_of_any_duration_is_exact(steps):
    drives, judge = Drives([0.3], lag=0.05), Drives([0.3], lag=0.05)
    for each, count in ((drives, steps), (judge, 100)):
        each.velocities = np.array([2.0])
        for _ in range(count):
            each.advance(np.array([1.0]), 0.1 / count)
    assert np.allclose(drives.positions, judge.positions, atol=1e-12)
    assert np.allclose(drives.velocities, judge.velocities, atol=1e-10)


def test_a_step_of_the_goal_is_reached_without_overshoot():
    drives, seen, speeds = Drives([0.0], lag=0.05), [], []
    for _ in range(500):
        drives.advance(np.array([1.0]), 0.001)
        seen.append(drives.positions[0])
        speeds.append(drives.velocities[0])
    assert np.all(np.diff(seen) >= 0) and 1 - SETTLED < seen[-1] <= 1
    assert np.isclose(max(speeds), 40 / np.e, rtol=1e-3), 'the pole over e'
    drives.advance(np.array([-5.0]), 1e9)
    assert drives.positions[0] == -5.0 and drives.velocities[0] == 0.0


def test_a_braked_joint_stays_and_then_follows():
    drives = Drives([0.0, 0.0])
    drives.advance(np.ones(2), 0.03)
    there = drives.positions.copy()
    drives.braked[0] = True
    drives.advance(np.ones(2), 10.0)
    assert drives.positions[0] == there[0] and drives.velocities[0] == 0.0 and drives.positions[1] == 1.0
    drives.braked[0] = False
    drives.advance(np.ones(2), 10.0)
    assert drives.positions[0] == 1.0


def test_a_record_has_the_greatest_of_each_joint():
    record = Record(times=np.arange(3.0), commands=np.array([[0, 0], [1, 0], [1, 3.0]]), positions=np.array([[0, 0], [0, 0], [0.5, 0]]),
                    velocities=np.array([[0, 0], [0, -2.0], [1, 0]]))
    assert record.greatest_speed().tolist() == [1, 2]
    assert record.greatest_command_step().tolist() == [1, 3]
    assert record.greatest_difference().tolist() == [1, 3]


class Commander:
    """Sends commands in place of a node, and stores the measurements."""

    def __init__(self, source, kind, **options):
        self.node = rclpy.create_node(f'commander_{id(self)}')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.seen = []
        self.node.create_subscription(JointState, '/commanded/measured_joint_states', self.seen.append, MEASURED)
        self.commands = self.node.create_publisher(kind, f'/commanded/{source}', 10)
        self.arm = SimulatedArm('/commanded', START, source, **options)
        self.wait_for(lambda: self.commands.get_subscription_count() and self.seen, 'the arm')

    def close(self):
        self.arm.close()
        self.executor.shutdown()
        self.node.destroy_node()

    def wait_for(self, condition, what, until=TIMEOUT):
        deadline = time.monotonic() + until
        while not (value := condition()):
            assert time.monotonic() < deadline, f'timed out waiting for {what}'
            self.executor.spin_once(timeout_sec=0.02)
        return value

    def wait_until_at(self, *positions):
        self.wait_for(lambda: np.allclose(self.seen[-1].position, positions, atol=SETTLED), f'{positions}; at {self.seen[-1].position}')

    def command(self, *positions):
        self.commands.publish(Float64MultiArray(data=positions))
        self.wait_for(lambda: list(self.arm.commanded().values()) == list(positions), 'the command to arrive')


@pytest.fixture
def commander():
    commanders = []

    def start(source='joint_commands', kind=Float64MultiArray, **options):
        commanders.append(Commander(source, kind, **options))
        return commanders[-1]
    yield start
    for each in commanders:
        each.close()


def test_a_frozen_drive_stays_and_released_goes_for_the_newest_command(commander):
    it = commander()
    it.arm.freeze()
    it.command(0.5, 0.5)
    it.command(0.6, 0.0)
    it.wait_until_at(0.2, -0.4)
    it.arm.release('turn')
    it.wait_until_at(0.2, 0.0)
    assert np.isclose(it.arm.record().greatest_difference()[0], 0.4)
    released = it.arm.now()
    it.arm.release()
    it.wait_until_at(0.6, 0.0)
    speed = it.arm.record(released).greatest_speed()
    assert 5.0 < speed[0] <= 0.4 * 40 / np.e + 1e-9 and speed[1] < 0.02


def test_a_shifted_arm_stays_until_the_next_command(commander):
    it = commander(sag={'lift': 0.007})
    it.wait_until_at(0.2, -0.4)
    it.arm.shift(turn=0.3)
    it.wait_until_at(0.2, -0.1)
    it.command(0.2, -0.4)
    it.wait_until_at(0.193, -0.4)
    assert np.allclose(it.arm.record().greatest_command_step(), [0.007, 0.3])


def test_an_arm_sags_below_its_command(commander):
    it = commander()
    it.command(0.3, 0.3)
    it.wait_until_at(0.3, 0.3)
    it.arm.set_sag(lift=0.01)
    it.wait_until_at(0.29, 0.3)
    with pytest.raises(KeyError, match='elbow'):
        it.arm.set_sag(elbow=0.01)


def test_measurements_stop_and_come_late(commander):
    it = commander()
    it.arm.delay(0.2)
    it.command(0.3, 0.3)
    commanded = it.arm.now()
    it.wait_until_at(0.3, 0.3)
    assert it.arm.now() >= commanded + 0.2
    it.arm.delay(0.0)
    it.arm.mute()
    muted = it.arm.now()
    it.command(0.4, 0.4)
    it.wait_for(lambda: np.allclose(list(it.arm.positions().values()), 0.4, atol=SETTLED), 'the arm to be there')
    it.arm.mute(False)

    def measured_since():
        # Earlier ones may still be in transit.
        return [state for state in it.seen if nanoseconds(state.header.stamp) / 1e9 > muted]
    it.wait_for(measured_since, 'a measurement')
    assert np.allclose(measured_since()[0].position, 0.4, atol=SETTLED), 'no measurement on the way'


def test_joint_states_may_name_some_joints_in_any_order(commander):
    it = commander('joint_states', JointState, noise=1e-5)
    it.commands.publish(JointState(name=['gripper', 'turn'], position=[1.0, 0.1]))
    it.wait_until_at(0.2, 0.1)
    assert len({tuple(state.position) for state in it.seen[-10:]}) > 1, 'noise'


def test_a_trajectory_is_followed_at_its_times(commander):
    it = commander('joint_trajectory', JointTrajectory)
    points = [JointTrajectoryPoint(positions=[position], time_from_start=Duration(nanosec=int(1e9 * at)))
              for at, position in ((0.2, 0.0), (0.4, 0.4))]
    it.commands.publish(JointTrajectory(joint_names=['turn'], points=points))
    it.wait_until_at(0.2, 0.4)
    record = it.arm.record()
    assert record.greatest_command_step()[1] <= 2.0 * 0.002 + 1e-5, 'the clock has steps of 1e-7 s'
    assert np.isclose(record.greatest_speed()[1], 2.0, rtol=1e-2) and record.greatest_speed()[0] == 0
