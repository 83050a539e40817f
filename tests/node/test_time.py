"""Simulated time."""
from rclpy.time import Time
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

from checks import assert_solved
from client import LATCHED, nanoseconds, pose_message, transform_message
from conftest import ARM_FILE
from kinematics import translation

SECOND = 1_000_000_000


STEP = SECOND // 100


class Simulation:
    """A simulator's clock that advances during waits, at a rate that the node can follow."""

    def __init__(self, node):
        self.node = node
        self.now = 0
        self.publisher = node.publisher(Clock, '/clock')
        node.wait_until_heard(self.publisher)

    def run(self, condition, what):
        def step():
            states = self.node.states
            if states and self.now - 5 * STEP <= nanoseconds(states[-1].header.stamp) <= self.now:
                self.now += STEP
            self.publisher.publish(Clock(clock=Time(nanoseconds=self.now).to_msg()))
            return condition()
        return self.node.wait_for(step, what)

    def status(self, answers):
        """The first of the statuses, once there is one and time has advanced: an earlier state may have the same stamp."""
        status = self.run(answers, 'a status')[0]
        self.run(lambda: nanoseconds(self.node.states[-1].header.stamp) > nanoseconds(status.joint_state_stamp), 'the time to go on')
        return status


def test_stamps_follow_the_clock_and_its_jumps(start, arm_robot):
    node = start.node(ARM_FILE, robot=False, use_sim_time=True)
    simulation = Simulation(node)

    for begin in (1000 * SECOND, 5000 * SECOND, 100 * SECOND):
        simulation.now = begin

        def is_in_time():
            return node.states and begin <= nanoseconds(node.states[-1].header.stamp) <= simulation.now
        simulation.run(is_in_time, f'a joint state stamped {begin // SECOND} s')
        target = arm_robot.pose('tool0', {'elbow_joint': 0.3, 'shoulder_pan_joint': begin / SECOND * 1e-4})
        message = pose_message(target, stamp=Time(nanoseconds=simulation.now).to_msg())
        before = node.snapshot()
        node.target_publisher('target_pose').publish(message)
        status = simulation.status(lambda: node.statuses[before.statuses:])
        assert_solved(node, arm_robot, status, 'tool0', target)
        assert begin <= nanoseconds(status.joint_state_stamp) <= simulation.now


def test_frames_of_a_time_that_is_to_come_again_are_forgotten(start, arm_robot):
    node = start.node(ARM_FILE, robot=False, use_sim_time=True, transform_timeout=5.0)
    simulation = Simulation(node)
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    for begin, x in ((5000 * SECOND, 1.0), (100 * SECOND, 2.0)):
        simulation.now = begin
        simulation.run(lambda: node.states and begin <= nanoseconds(node.states[-1].header.stamp) <= simulation.now,
                       'a joint state of this time')
        stamp = Time(nanoseconds=simulation.now).to_msg()
        mount = translation(x, 0, 0)
        node.publish_transforms(transform_message('world', 'base_link', mount, stamp))
        message = pose_message(mount @ target, 'world', stamp)
        node.target_publisher('target_pose').publish(message)
        status = simulation.status(lambda: node.statuses_of(stamp))
        assert_solved(node, arm_robot, status, 'tool0', target)
        before = node.snapshot()
        node.target_publisher('target_pose').publish(pose_message(mount @ target, 'world'))
        status = simulation.status(lambda: node.statuses[before.statuses:])
        assert_solved(node, arm_robot, status, 'tool0', target)


def test_simulated_time_can_be_switched(start):
    node = start.node(ARM_FILE)
    node.set_all(use_sim_time=True)
    simulation = Simulation(node)
    simulation.now = 500 * SECOND
    simulation.run(lambda: 500 * SECOND <= nanoseconds(node.states[-1].header.stamp) <= simulation.now,
                   'simulated time')
    node.set_all(use_sim_time=False)
    node.wait_for(lambda: nanoseconds(node.states[-1].header.stamp) > 10**9 * SECOND, 'the time of the system')


def test_nothing_is_published_before_there_is_a_time(start):
    node = start.node(robot=False, use_sim_time=True)
    in_use = node.subscribe(String, f'{node.name}/robot_description', [], LATCHED)
    node.publisher(String, f'{node.namespace}/robot_description', LATCHED).publish(String(data=ARM_FILE.read_text()))
    node.wait_for(lambda: in_use, 'the robot to be in use')
    node.settle(states=0)
    assert not node.states, 'a stamp of zero, for which robot_state_publisher does nothing'
    simulation = Simulation(node)
    simulation.now = 10 * SECOND
    simulation.run(lambda: node.states, 'a joint state')
    assert nanoseconds(node.states[0].header.stamp) >= 10 * SECOND
