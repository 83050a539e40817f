"""A stream of targets goes on while the robot is replaced: each answer is that of the robot whose joints it names."""
import itertools
import math

from rcl_interfaces.msg import Parameter
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus

from checks import assert_honest, assert_posture, assert_reached
from client import nanoseconds, parameter_value, pose_message, posture
from conftest import ROBOTS
from kinematics import Robot

PERIOD = 0.01  # [s]
CHANGES = 6


def planar(number):
    """The text of the planar arm of this number: its joints are named by it, and its links have a length of their own."""
    text = (ROBOTS / 'planar.urdf').read_text().replace('0.5 0 0', f'{0.5 + 0.05 * number} 0 0')
    return text.replace('"shoulder"', f'"shoulder{number}"').replace('"elbow"', f'"elbow{number}"')


class Stream:
    """Targets for the newest robot, also while the node still has the one before, and what became of them."""

    def __init__(self, node, robots):
        self.node, self.robots = node, robots
        self.publisher = node.target_publisher('target_pose')
        self.targets = {}  # by their stamps
        self.count = itertools.count()

    def send(self, number):
        angle, stamp = 0.02 * next(self.count), self.node.new_stamp()
        joints = {f'shoulder{number}': 0.5 * math.sin(angle), f'elbow{number}': 0.8 + 0.4 * math.cos(angle)}
        self.targets[nanoseconds(stamp)] = self.robots[number].pose('tip', joints)
        self.publisher.publish(pose_message(self.targets[nanoseconds(stamp)], stamp=stamp))
        return stamp

    def send_until(self, number, condition, what):
        def is_done():
            self.send(number)
            self.node.pace(PERIOD)
            return condition()
        self.node.wait_for(is_done, what)

    def number_of(self, state):
        """The number of the robot that a joint state is of."""
        (number,) = [number for number, robot in enumerate(self.robots) if set(state.name) == set(robot.movable)]
        return number

    def answers(self, since=0):
        """The statuses with a joint state that came in, and the number of its robot."""
        states = {nanoseconds(state.header.stamp): state for state in self.node.states[since:]}
        answers = [(status, states.get(nanoseconds(status.joint_state_stamp))) for status in self.node.statuses]
        return [(status, state, self.number_of(state)) for status, state in answers if state]

    def replace_robot(self, number, text):
        """Another robot comes, and targets for it are met, while the stream goes on."""
        request = SetParameters.Request(parameters=[Parameter(name='robot_description', value=parameter_value(text))])
        change = self.node.service(SetParameters, 'set_parameters').call_async(request)
        self.send_until(number, change.done, 'the change of the robot')
        assert change.result().results[0].successful, change.result().results[0].reason
        before = len(self.node.states)
        resumed = self.node.service(Trigger, 'resume').call_async(Trigger.Request())
        self.send_until(number, resumed.done, 'the stream to be accepted again')
        assert resumed.result().success, resumed.result().message
        self.send_until(number, lambda: any(status.outcome == SolveStatus.SOLVED for status, _, its in self.answers(before)
                                            if its == number), f'a target of robot {number} to be met')


def test_each_answer_of_a_stream_is_right_for_the_robot_that_it_names(start):
    texts = [planar(number) for number in range(CHANGES + 1)]
    node = start.node(robot_description=texts[0])
    node.wait_for(node.service(Trigger, 'resume').service_is_ready, 'the service resume')
    node.wait_for(node.service(SetParameters, 'set_parameters').service_is_ready, 'the parameters')
    stream = Stream(node, [Robot(text) for text in texts])
    for number in range(1, CHANGES + 1):
        stream.replace_robot(number, texts[number])
    node.status_of(stream.send(CHANGES))

    numbers = [stream.number_of(state) for state in node.states]
    assert numbers == sorted(numbers), 'joint states of an earlier robot'
    for status, state, number in stream.answers():
        robot, positions, target = stream.robots[number], posture(state), stream.targets[nanoseconds(status.header.stamp)]
        assert_posture(robot, positions)
        assert_honest(status, robot, positions, 'tip', target)
        if status.outcome == SolveStatus.SOLVED:
            assert_reached(robot, positions, 'tip', target)
    without = [status for status in node.statuses if not nanoseconds(status.joint_state_stamp)]
    assert all(status.outcome == SolveStatus.INVALID and 'replaced' in status.message for status in without), without
