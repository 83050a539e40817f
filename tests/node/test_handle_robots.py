"""Handles of other robots, robots without handles, and invalid feedback."""
import math

import pytest
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from urdf_ik.msg import SolveStatus
from visualization_msgs.msg import InteractiveMarkerFeedback as Feedback

from checks import assert_solved
from client import LATCHED, faulty
from conftest import ARM_FILE, ROBOTS
from handle_client import HandleClient
from kinematics import Robot, errors
from test_bad_input import BAD_POSES
from test_noodle import TIP, generate

AIM = {'shoulder_pan_joint': 0.4, 'elbow_joint': 0.3}
PLANAR = (ROBOTS / 'planar.urdf').read_text()


@pytest.fixture
def handle(arm):
    client = HandleClient(arm).connect()
    yield client
    # Frees the handle for the next test.
    client.send(Feedback.MOUSE_UP)


@pytest.fixture
def target(arm_robot):
    return arm_robot.pose('tool0', AIM)


@pytest.mark.parametrize('fault', BAD_POSES)
def test_a_bad_pose_is_refused_and_moves_nothing(arm, handle, target, fault):
    before = arm.next_posture()
    here = handle.pose()
    changes, word = BAD_POSES[fault]
    for event in (Feedback.MOUSE_DOWN, Feedback.POSE_UPDATE, Feedback.MOUSE_UP):
        stamp = handle.send(event, pose=faulty(target, **changes))
        if event == Feedback.POSE_UPDATE:
            status = arm.status_of(stamp)
    assert status.outcome == SolveStatus.INVALID and word in status.message, status.message
    assert status.tip_link == 'tool0'
    arm.wait_for(lambda: word in handle.text(), 'the reason')
    assert arm.next_posture() == before
    assert max(errors(handle.pose(), here)) < 1e-9


@pytest.mark.parametrize('changes, outcome, word', [
    ({'marker_name': 'elbow'}, SolveStatus.INVALID, "no handle 'elbow'; the handles are those of the tips: tool0"),
    ({'marker_name': ''}, SolveStatus.INVALID, 'no handle'),
    ({'marker_name': 'x' * 1_000_000}, SolveStatus.INVALID, 'no handle'),
    ({'client_id': 'x' * 1_000_000}, SolveStatus.INVALID, 'client_id'),
    ({'event_type': Feedback.MENU_SELECT, 'menu_entry_id': 77}, SolveStatus.INVALID, 'no entry 77'),
    ({'event_type': Feedback.MENU_SELECT, 'menu_entry_id': 2**32 - 1}, SolveStatus.INVALID, 'no entry'),
    ({'frame_id': 'nowhere'}, SolveStatus.UNKNOWN_FRAME, 'nowhere')])
def test_what_nobody_knows_is_refused(arm, handle, arm_robot, target, changes, outcome, word):
    before = arm.next_posture()
    message = Feedback(client_id=handle.id, marker_name='tool0', event_type=Feedback.POSE_UPDATE)
    message.pose = faulty(target)
    message.header.stamp = arm.new_stamp()
    message.header.frame_id = changes.pop('frame_id', '')
    for field, value in changes.items():
        setattr(message, field, value)
    handle.feedback.publish(message)
    status = arm.status_of(message.header.stamp)
    assert status.outcome == outcome and word in status.message, status.message
    assert len(status.message) < 500
    assert arm.next_posture() == before
    assert_solved(arm, arm_robot, arm.status_of(handle.drag([target])[-1]), 'tool0', target)


@pytest.mark.parametrize('field, fault', [('frame_id', SolveStatus.UNKNOWN_FRAME), ('marker_name', SolveStatus.INVALID)])
def test_a_name_that_is_not_utf8(arm, handle, target, field, fault):
    message = Feedback(client_id=handle.id, marker_name='tool0', event_type=Feedback.POSE_UPDATE)
    message.pose = faulty(target)
    message.header.stamp = arm.new_stamp()
    if field == 'frame_id':
        message.header.frame_id = 'wor?ld'
    else:
        message.marker_name = 'wor?ld'
    raw = serialize_message(message)
    assert raw.count(b'wor?ld') == 1
    handle.feedback.publish(raw.replace(b'wor?ld', b'wor\xffld'))
    status = arm.status_of(message.header.stamp)
    assert status.outcome == fault, status.message


def test_names_of_controls_and_unknown_events_do_not_matter(arm, handle, arm_robot, target):
    handle.send(200, pose=target)
    status = arm.status_of(handle.send(Feedback.POSE_UPDATE, pose=target, control_name='x' * 100_000))
    assert_solved(arm, arm_robot, status, 'tool0', target)


def test_a_flood_leaves_the_node_well(start, arm_robot, target):
    node = start.node(ARM_FILE)
    handle = HandleClient(node).connect()
    message = Feedback(marker_name='tool0', pose=faulty(target))
    events = [Feedback.POSE_UPDATE, Feedback.MENU_SELECT, Feedback.MOUSE_DOWN, Feedback.POSE_UPDATE]

    def flood(count):
        for number in range(count):
            message.client_id, message.event_type = f'client{number}' + 'x' * 500, events[number % 4]
            message.marker_name = 'tool0' if number % 3 else f'tool{number}'
            message.menu_entry_id = number % 12
            message.pose.position.x = math.nan if number % 5 == 0 else target[0, 3]
            handle.feedback.publish(message)
            if number % 50 == 0:
                node.pace(0.001)

    flood(2000)
    before = node.process.memory()
    flood(10_000)
    assert node.process.memory() < before + 20e6
    # The last client to hold it is silent now.
    node.reset()
    node.set_all(solver='jacobian')
    stamps = []
    node.wait_for(lambda: stamps.append(handle.drag([target])[-1]) or any(
        status.outcome == SolveStatus.SOLVED for stamp in stamps for status in node.statuses_of(stamp)), 'a drag')
    assert len(node.process.output()) < 20_000


def test_a_robot_that_drives_a_controller_has_none_unless_asked(start, arm_robot, target):
    def offers(node):
        return [name for name, _ in node.node.get_topic_names_and_types() + node.node.get_service_names_and_types()
                if name.startswith(f'{node.name}/handle/')]

    joints = ['elbow_joint']
    driving = start.node(ARM_FILE, command_joints=joints)
    off = start.node(ARM_FILE, interactive_target=False)
    asked = start.node(ARM_FILE, command_joints=joints, measured_timeout=0.0, interactive_target=True)
    handle = HandleClient(asked).connect()
    assert_solved(asked, arm_robot, asked.status_of(handle.drag([target])[-1]), 'tool0', target)
    assert len(offers(asked)) == 3
    assert driving.get('interactive_target') == off.get('interactive_target') == [False]
    assert not offers(driving) and not offers(off)


def test_a_robot_is_replaced(start):
    node = start.node()
    handle = HandleClient(node)
    handle.connect()
    assert handle.markers == {}
    stamp = handle.send(Feedback.POSE_UPDATE, 'tip', faulty(Robot(PLANAR).pose('tip', {})))
    assert node.status_of(stamp).outcome == SolveStatus.NO_ROBOT
    publisher = node.publisher(String, f'{node.namespace}/robot_description', LATCHED)
    publisher.publish(String(data=PLANAR))
    node.wait_for(lambda: list(handle.markers) == ['tip'], 'the handle')
    size = handle.marker('tip').scale
    publisher.publish(String(data=PLANAR.replace('"tip"', '"finger"')))
    node.wait_for(lambda: list(handle.markers) == ['finger'], 'the other handle')
    assert [name for update in handle.updates for name in update.erases] == ['tip']
    # With the same name, but another size.
    longer = PLANAR.replace('"tip"', '"finger"').replace('0.5 0 0', '5 0 0')
    publisher.publish(String(data=longer))
    node.wait_for(lambda: handle.marker('finger').scale > 5 * size, 'the larger handle')
    target = Robot(longer).pose('finger', {'shoulder': 0.4, 'elbow': 0.3})
    assert node.status_of(handle.drag([target], 'finger')[-1]).outcome == SolveStatus.SOLVED
    assert handle.resets == 0


@pytest.mark.parametrize('length', [0.025, 0.5, 5.0])
def test_the_size_is_that_of_the_robot(start, length):
    node = start.node(robot_description=PLANAR.replace('0.5 0 0', f'{length} 0 0'))
    (marker,) = HandleClient(node).connect().markers.values()
    assert 0.1 * 2 * length < marker.scale < 0.3 * 2 * length


def test_a_noodle_has_a_handle(start, tmp_path, generator):
    file = generate(tmp_path, 1000, '--limit', '0.5')
    robot = Robot.load(file)
    node = start.node(file)
    handle = HandleClient(node).connect()
    here = robot.pose(TIP, node.next_posture())
    assert max(errors(handle.pose(TIP), here)) < 1e-6
    target = robot.pose(TIP, {name: 1.0 / len(robot.movable) for name in robot.movable})
    status = node.status_of(handle.drag([target], TIP)[-1])
    assert_solved(node, robot, status, TIP, target)
    reached = robot.pose(TIP, node.next_posture())
    node.wait_for(lambda: max(errors(handle.pose(TIP), reached)) < 1e-6, 'the handle at the tip')
