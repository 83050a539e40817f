"""The deadman switch: streams of commands move the arm only while it is held."""
import pytest
from geometry_msgs.msg import PoseArray
from std_msgs.msg import Bool
from urdf_ik.msg import ServoStatus, SolveStatus

from checks import assert_solved, difference
from client import pose_message, posture
from conftest import ARM_FILE
from handle_client import HandleClient
from kinematics import translation
from motion import assert_smooth, still
from process import ros_arguments
from servo_client import RATE, Servo, jog, moved, twist
from test_smooth import FAR_OFF

TOPIC = 'deadman'
PATIENT = 20.0  # [s], servo.timeout: long enough for a busy machine to publish the next message
SHORT = 0.5  # [s], for tests in which the switch stops publishing


class Switch:
    """An operator with the deadman switch of a node."""

    def __init__(self, node):
        self.node = node
        self.publisher = node.wait_until_heard(node.publisher(Bool, f'{node.namespace}/{TOPIC}'))
        self.is_held = None

    def publish(self):
        if self.is_held is not None:
            self.publisher.publish(Bool(data=self.is_held))

    def until(self, condition, what):
        """Publishes repeatedly until a condition holds, and returns its value."""
        def published():
            self.publish()
            return condition()
        return self.node.wait_for(published, what)

    def hold(self, is_held=True):
        """Publishes this value from now on, and waits until the node has received it: it handles messages in the order of arrival."""
        self.is_held = is_held
        count = len(self.node.states) + 5
        self.until(lambda: len(self.node.states) > count, 'the node to receive it')


@pytest.fixture
def start_node(start):
    def started(**parameters):
        node = start.node(ARM_FILE, deadman_topic=TOPIC, publish_rate=RATE,
                          **{'motion': 'smooth', 'servo__timeout': PATIENT, **parameters})
        return node, Switch(node)
    return started


def fast(node):
    return max(map(abs, node.states[-1].velocity), default=0.0) > 0.1


def assert_nothing_moves(node, switch, arm_robot, *words):
    """All streams are refused with this message."""
    here = node.next_posture()
    target = arm_robot.pose('tool0', FAR_OFF)
    statuses = [node.send_pose(target), node.send_point(target[:3, 3])]
    handle = HandleClient(node).connect()
    statuses.append(node.status_of(handle.drag([target])[-1]))
    servo = Servo(node)
    for message in (twist(linear=(0, 0, -0.1)), jog(shoulder_pan_joint=0.3)):
        statuses.append(servo.refused(message))
    for status in statuses:
        assert getattr(status, 'outcome', SolveStatus.INVALID) == SolveStatus.INVALID
        assert getattr(status, 'code', ServoStatus.INVALID) == ServoStatus.INVALID
        for word in (TOPIC, *words):
            assert word in status.message, status.message
    handle.choose('To the initial configuration')
    node.settle()
    assert node.next_posture() == here


def test_nothing_moves_before_it_has_a_message(start_node, arm_robot):
    node, switch = start_node()
    assert_nothing_moves(node, switch, arm_robot, 'has had no message')


def test_nothing_moves_when_it_was_held_and_is_silent(start_node, arm_robot):
    node, switch = start_node(servo__timeout=SHORT)
    switch.hold()
    node.wait_for(lambda: 'no message for 0.5 s (servo.timeout)' in node.send_pose(
        arm_robot.pose('tool0', {})).message, 'the message to be too old')
    assert_nothing_moves(node, switch, arm_robot, 'no message for 0.5 s (servo.timeout)')


def test_a_hand_with_a_clutch_is_refused(start_node, arm_robot):
    node, _ = start_node()
    servo, here = Servo(node), node.next_posture()
    servo.clutch(True)
    assert TOPIC in servo.refused(servo.hand(arm_robot.pose('tool0', FAR_OFF))).message
    assert node.next_posture() == here


@pytest.mark.parametrize('message', [twist(linear=(0, 0.1, 0)), jog(shoulder_pan_joint=0.5)])
@pytest.mark.parametrize('is_silent', [False, True])
def test_a_stream_stops_where_it_is_released_and_goes_on_where_it_is_held_again(start_node, arm_robot, message, is_silent):
    node, switch = start_node(initial_posture='{shoulder_lift_joint: 0.4, elbow_joint: 0.4, wrist_flex_joint: 0.6}',
                              servo__timeout=SHORT if is_silent else PATIENT)
    servo = Servo(node)
    before = node.snapshot()

    def stream(until, what):
        def sent():
            servo.send(message)
            return until()
        return switch.until(sent, what)
    for _ in range(2):
        switch.hold()
        stream(lambda: fast(node), 'motion')
        switch.is_held = None if is_silent else False
        stream(lambda: still(node.states[-1]), 'the arm to be at rest')
        held = posture(node.states[-1])
        count = len(node.states) + 20
        stream(lambda: len(node.states) > count, 'the node to live')
        assert posture(node.states[-1]) == held
    refusals = [status for status in servo.statuses if status.code == ServoStatus.INVALID]
    assert refusals and all(TOPIC in status.message for status in refusals)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_a_smooth_target_is_given_up(start_node, arm_robot):
    node, switch = start_node()
    before, target = node.snapshot(), arm_robot.pose('tool0', FAR_OFF)
    switch.hold()
    first = node.send_pose(target)
    assert first.outcome == SolveStatus.STEP_LIMITED, first.message
    switch.until(lambda: fast(node), 'motion')
    switch.is_held = False
    switch.until(lambda: still(node.states[-1]), 'the arm to be at rest')
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)
    switch.hold()
    held = node.next_posture()
    assert difference(held, FAR_OFF | dict.fromkeys(held.keys() - FAR_OFF.keys(), 0.0)) > 0.1
    assert len(node.statuses_of(first.header.stamp)) == 1
    # Waits until a target counts again.
    again = pose_message(target, stamp=node.new_stamp())
    node.target_publisher('target_pose').publish(again)
    switch.until(lambda: len(node.statuses_of(again.header.stamp)) == 2, 'the arrival')
    assert_solved(node, arm_robot, node.statuses_of(again.header.stamp)[1], 'tool0', target)


def test_an_immediate_stream_has_no_further_state(start_node, arm_robot):
    node, switch = start_node(motion='immediate')
    targets = [arm_robot.pose('tool0', {'elbow_joint': 0.01 * index}) for index in range(40)]
    for index, target in enumerate(targets):
        switch.is_held = index < 20
        switch.publish()
        switch.until(lambda count=len(node.states): len(node.states) > count + 3, 'the node to receive it')
        status = node.send_pose(target)
        assert status.outcome == (SolveStatus.SOLVED if switch.is_held else SolveStatus.INVALID), status.message
        if switch.is_held:
            reached = assert_solved(node, arm_robot, status, 'tool0', target)
    assert node.next_posture() == reached


def test_a_path_is_no_stream(start_node, arm_robot):
    node, switch = start_node()
    switch.hold(False)
    start = arm_robot.pose('tool0', node.next_posture())
    end = translation(0, 0.03, -0.03) @ start
    path = PoseArray(poses=[pose_message(end).pose])
    path.header.stamp = node.new_stamp()
    first = node.send(path, 'target_path')
    assert first.outcome == SolveStatus.STEP_LIMITED, first.message
    switch.until(lambda: len(node.statuses_of(path.header.stamp)) == 2, 'the end of the path')
    assert_solved(node, arm_robot, node.statuses_of(path.header.stamp)[1], 'tool0', end)


@pytest.mark.parametrize('name', ['not a name', '1st', '/a//b'])
def test_a_bad_name_ends_the_node_with_a_sentence(start, name):
    process = start.run(*ros_arguments('/test', {'urdf_file': str(ARM_FILE), 'deadman_topic': name}, {}))
    assert process.wait() == 1, process.output()
    assert f"deadman_topic: '{name}'" in process.output() and 'panicked' not in process.output()


def test_it_cannot_be_changed_while_the_node_runs(start_node):
    node, _ = start_node()
    assert 'deadman_topic' in node.refusal(deadman_topic='')
