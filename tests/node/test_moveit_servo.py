"""The topics and services of MoveIt Servo, as used by its scripts and gamepads."""
import importlib.util
import math

import numpy as np
import pytest
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory
from urdf_ik.msg import ServoStatus as OwnStatus

if importlib.util.find_spec('moveit_msgs') is None:
    pytest.skip('the names of MoveIt Servo not tested: no Python package moveit_msgs here', allow_module_level=True)

from control_msgs.msg import JointJog  # noqa: E402

try:
    from moveit_msgs.msg import ServoStatus
    from moveit_msgs.srv import ServoCommandType
except ImportError:
    pytest.skip('the names of MoveIt Servo not tested: this moveit_msgs is that of Humble', allow_module_level=True)

from client import nanoseconds, pose_message, posture  # noqa: E402
from conftest import ARM_FILE  # noqa: E402
from kinematics import errors  # noqa: E402
from servo_client import twist  # noqa: E402

PERIOD = 0.02  # [s] between two commands
BENT = '{shoulder_lift_joint: 0.6, elbow_joint: -1.2, wrist_flex_joint: 0.9}'  # the tip can move in all directions


SCALE = {'linear': 0.4, 'rotational': 0.8, 'joint': 0.5}  # the defaults, as in MoveIt Servo


@pytest.fixture(scope='module')
def servo_node(module_start):
    # Generous: late commands of a busy machine would brake the arm below its full speed.
    return module_start.node(ARM_FILE, moveit_servo__enabled=True, initial_posture=BENT, publish_rate=100.0, servo__timeout=1.0)


@pytest.fixture
def node(servo_node, servo_statuses):
    """The node at its initial configuration. A reset excludes active streams."""
    servo_node.wait_for(lambda: not servo_statuses or servo_statuses[-1].code == OwnStatus.TIMEOUT, 'silence')
    servo_node.reset()
    return servo_node


@pytest.fixture(scope='module')
def servo_statuses(servo_node):
    return servo_node.subscribe(OwnStatus, f'{servo_node.name}/servo_status', [], 1000)


def send_until(node, topic, message, condition, what):
    """Sends a message repeatedly until the condition is true."""
    publisher = node.wait_until_heard(node.publisher(type(message), f'/servo_node/{topic}'))

    def sent():
        message.header.stamp = node.new_stamp()
        publisher.publish(message)
        node.pace(PERIOD)
        return condition()
    return node.wait_for(sent, what)


def switch(node, command_type):
    """Selects a command type; returns the success."""
    return node.call(ServoCommandType, '/servo_node/switch_command_type', command_type=command_type).success


def tip(robot, state):
    return robot.pose('tool0', posture(state))


def steer(node, robot, message, distance):
    """Sends a twist until the tip has moved this far [m]; returns its pose relative to the start, and the maximum speed."""
    first = len(node.states)
    begin = tip(robot, node.next_state())
    send_until(node, 'delta_twist_cmds', message, lambda: errors(begin, tip(robot, node.states[-1]))[0] >= distance, 'the tip to move')
    states = node.states[first:]
    speeds = [np.linalg.norm((tip(robot, after) - tip(robot, before))[:3, 3]) / passed(before, after)
              for before, after in zip(states, states[1:]) if passed(before, after) > 0]
    return begin, tip(robot, states[-1]), max(speeds)


def passed(before, after):
    return (nanoseconds(after.header.stamp) - nanoseconds(before.header.stamp)) / 1e9


@pytest.mark.parametrize('frame', ['', 'base_link', 'tool0'])
def test_a_twist_without_units_is_a_share_of_the_scale(node, arm_robot, frame):
    assert switch(node, ServoCommandType.Request.TWIST)
    begin, end, speed = steer(node, arm_robot, twist(linear=(0, 0.25, 0), frame=frame), 0.05)
    axis = begin[:3, 1] if frame == 'tool0' else np.array([0, 1, 0])
    moved = (end - begin)[:3, 3]
    assert np.linalg.norm(moved - axis * (axis @ moved)) < 1e-3 and axis @ moved > 0
    assert np.linalg.norm((end - begin)[:3, :3]) < 2e-3, 'it does not turn'
    assert speed == pytest.approx(0.25 * SCALE['linear'], rel=0.05)


def test_with_units_the_scale_is_the_greatest_speed(node, arm_robot):
    assert switch(node, ServoCommandType.Request.TWIST)
    with node.changed(moveit_servo__command_in_type='speed_units', moveit_servo__scale__linear=0.2):
        _, _, speed = steer(node, arm_robot, twist(linear=(0, 0.1, 0)), 0.03)
        assert speed == pytest.approx(0.1, rel=0.05)
        _, _, speed = steer(node, arm_robot, twist(linear=(0, -10.0, 0)), 0.06)
        assert speed == pytest.approx(0.2, rel=0.05)


def test_a_jog_moves_its_joint_alone(node):
    assert switch(node, ServoCommandType.Request.JOINT_JOG)
    begin = posture(node.next_state())
    jog = JointJog(joint_names=['elbow_joint'], velocities=[0.6])
    first = len(node.states)
    send_until(node, 'delta_joint_cmds', jog, lambda: posture(node.states[-1])['elbow_joint'] > begin['elbow_joint'] + 0.2, 'the joint')
    states = node.states[first:]
    end = posture(states[-1])
    assert {name for name in end if end[name] != begin[name]} == {'elbow_joint'}
    fastest = max(state.velocity[state.name.index('elbow_joint')] for state in states if len(state.velocity))
    assert fastest == pytest.approx(0.6 * SCALE['joint'], rel=0.02)


def test_poses_are_followed(node, arm_robot):
    assert switch(node, ServoCommandType.Request.POSE)
    begin = posture(node.next_state())
    target = arm_robot.pose('tool0', {**begin, 'elbow_joint': begin['elbow_joint'] + 0.2, 'shoulder_pan_joint': 0.1})

    def reached():
        distance, angle = errors(tip(arm_robot, node.states[-1]), target)
        return distance < 1e-3 and angle < 1e-3
    send_until(node, 'pose_target_cmds', pose_message(target), reached, 'the tip at the pose')


def test_only_the_chosen_type_counts(node, arm_robot):
    assert switch(node, ServoCommandType.Request.TWIST)
    assert not switch(node, 7), 'there is no such type'
    begin = posture(node.next_state())
    jog = JointJog(joint_names=['elbow_joint'], velocities=[0.5])
    send_until(node, 'delta_joint_cmds', jog, lambda: node.process.lines_with('the command type is TWIST'), 'a warning')
    assert posture(node.next_state()) == begin
    steer(node, arm_robot, twist(linear=(0, 0.2, 0)), 0.01)


def test_a_pause_ends_the_motion_until_it_is_over(node, arm_robot):
    assert switch(node, ServoCommandType.Request.TWIST)
    steer(node, arm_robot, twist(linear=(0, 0.2, 0)), 0.01)
    answer = node.call(SetBool, '/servo_node/pause_servo', data=True)
    assert answer.success and 'comes to rest' in answer.message
    still = []

    def is_at_rest():
        still.append(posture(node.next_state()))
        return len(still) > 1 and still[-1] == still[-2]
    send_until(node, 'delta_twist_cmds', twist(linear=(0, 0.2, 0)), is_at_rest, 'the arm to rest')
    assert node.call(SetBool, '/servo_node/pause_servo', data=False).success
    steer(node, arm_robot, twist(linear=(0, 0.2, 0)), 0.01)


def test_the_status_has_a_code_of_servo(node, arm_robot):
    statuses = node.subscribe(ServoStatus, '/servo_node/status', [], 100)
    assert switch(node, ServoCommandType.Request.TWIST)
    send_until(node, 'delta_twist_cmds', twist(linear=(0, 0.2, 0)), lambda: statuses, 'a status')
    assert statuses[-1].code == ServoStatus.NO_WARNING and statuses[-1].message
    bad = twist(linear=(0, 0, math.nan))
    refused = send_until(node, 'delta_twist_cmds', bad, lambda: of(statuses, ServoStatus.INVALID), 'a refusal')
    assert 'linear z' in refused.message
    assert switch(node, ServoCommandType.Request.JOINT_JOG)
    jog = JointJog(joint_names=['elbow_joint'], velocities=[2.0])
    bound = send_until(node, 'delta_joint_cmds', jog, lambda: of(statuses, ServoStatus.JOINT_BOUND), 'the limit of the joint')
    assert 'elbow_joint' in bound.message


def of(statuses, code):
    """The first status with this code."""
    return next((status for status in statuses if status.code == code), None)


def test_displacements_are_not_used_and_that_is_said(node):
    assert switch(node, ServoCommandType.Request.JOINT_JOG)
    jog = JointJog(joint_names=['elbow_joint'], velocities=[0.1], displacements=[0.1])
    send_until(node, 'delta_joint_cmds', jog, lambda: node.process.lines_with('displacements are not used'), 'a warning')


def test_states_come_as_trajectories_too(node, arm_robot):
    trajectories = node.subscribe(JointTrajectory, f'{node.name}/servo_trajectory', [], 1000)
    assert switch(node, ServoCommandType.Request.TWIST)
    node.wait_for(lambda: node.node.count_publishers(f'{node.name}/servo_trajectory'), 'the topic')
    send_until(node, 'delta_twist_cmds', twist(linear=(0, 0.2, 0)), lambda: len(trajectories) > 10, 'trajectories')
    moving = {tuple(state.position) for state in node.states}
    for trajectory in trajectories[:-2]:
        assert nanoseconds(trajectory.header.stamp) == 0, 'it begins at once'
        [point] = trajectory.points
        assert nanoseconds(point.time_from_start) == 10_000_000, 'one period'
        assert len(point.velocities) == len(trajectory.joint_names)
        assert tuple(point.positions) in moving


def test_the_names_are_not_there_unless_asked_for(arm):
    topics = dict(arm.node.get_topic_names_and_types())
    mine = arm.node.get_subscriber_names_and_types_by_node('urdf_ik', arm.namespace)
    assert f'{arm.name}/target_pose' in topics
    assert not [name for name, _ in mine if name.startswith('/servo_node/')]


@pytest.mark.parametrize('topic, message', [
    ('delta_twist_cmds', twist(linear=(0, 0.5, 0))),
    ('delta_joint_cmds', JointJog(joint_names=['shoulder_pan_joint'], velocities=[0.5])),
    ('pose_target_cmds', pose_message(np.eye(4))),
])
def test_a_deadman_switch_that_nobody_holds_shuts_them_out(start, topic, message):
    node = start.node(ARM_FILE, moveit_servo__enabled=True, initial_posture=BENT, deadman_topic='held')
    here, statuses = node.next_posture(), node.subscribe(OwnStatus, f'{node.name}/servo_status', [])
    send_until(node, topic, message, lambda: statuses, 'a refusal')
    assert statuses[0].code == OwnStatus.INVALID and 'deadman topic held' in statuses[0].message
    assert node.next_posture() == here
