"""Targets in frames other than the base link's."""
import numpy as np
import pytest
from rclpy.serialization import serialize_message
from rclpy.time import Time
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus

from checks import assert_solved, difference
from client import nanoseconds, pose_message, transform_message
from conftest import ARM_FILE, ROBOTS
from kinematics import Robot, errors, pose_of, rotation, translation

SAMPLE = {'shoulder_pan_joint': 0.4, 'elbow_joint': 0.3}
MOUNT = translation(1, -2, 0.5) @ rotation((0, 0, 1), 0.7)
CAMERA = pose_of((0.1, 0.02, -0.05), (0.5, -0.5, 0.5, 0.5))


@pytest.fixture(scope='module')
def shared_arm(module_start):
    """A node with a long wait: a transform and its target arrive on two topics."""
    return module_start.node(ARM_FILE, transform_timeout=5.0)


@pytest.fixture
def impatient(arm):
    """The node while it waits for missing transforms."""
    with arm.changed(transform_timeout=0.1):
        yield


@pytest.fixture
def target(arm_robot):
    """Target pose of the tip, in the root link's frame."""
    return arm_robot.pose('tool0', SAMPLE)


def inverse(pose):
    return np.linalg.inv(pose)


def seconds_ago(node, age):
    return Time(nanoseconds=node.node.get_clock().now().nanoseconds - int(age * 1e9)).to_msg()


def send_in(node, frame, pose):
    return node.send_pose(pose, frame)


def send_at_any_time(node, frame, pose):
    """Sends a target without a stamp, which uses the latest transforms."""
    before = node.snapshot()
    node.target_publisher('target_pose').publish(pose_message(pose, frame))
    (status,) = node.wait_for(lambda: node.statuses[before.statuses:], 'a status')
    assert nanoseconds(status.header.stamp) == 0
    return status


def wait_until_met(node, robot, send, target):
    """Calls `send`, which sends a target and returns its status, until it is met: a replacing transform may arrive later."""
    def is_met():
        status = send()
        return status.outcome == SolveStatus.SOLVED and max(errors(robot.pose('tool0', node.answer_to(status)), target)) < 1e-4
    node.wait_for(is_met, 'the new transform')


def test_a_link_is_taken_where_it_was_last_published(arm, arm_robot, target):
    for _ in range(2):  # from two configurations
        elbow = arm_robot.pose('elbow_link', arm.next_posture())
        status = send_in(arm, 'elbow_link', inverse(elbow) @ target)
        assert status.header.frame_id == 'elbow_link'
        assert_solved(arm, arm_robot, status, 'tool0', target)
        target = target @ translation(0, 0.05, -0.05)


def test_a_target_in_the_tips_own_frame_is_relative(arm, arm_robot):
    present = arm_robot.pose('tool0', arm.next_posture())
    step = translation(0.02, 0, -0.05)
    for count in (1, 2):
        status = send_in(arm, 'tool0', step)
        aim = present @ np.linalg.matrix_power(step, count)
        positions = arm.answer_to(status)
        assert np.abs(arm_robot.pose('tool0', positions) - aim).max() < 1e-4


def test_a_static_transform_of_the_mount(arm, arm_robot, target):
    arm.publish_transforms(transform_message('hall', 'base_link', MOUNT, seconds_ago(arm, 100)), static=True)
    status = send_in(arm, 'hall', MOUNT @ target)
    assert status.header.frame_id == 'hall'
    assert_solved(arm, arm_robot, status, 'tool0', target)


def test_a_node_that_starts_later_knows_static_transforms(arm, start, arm_robot, target):
    arm.publish_transforms(transform_message('plant', 'base_link', MOUNT, seconds_ago(arm, 100)), static=True)
    node = start.node(ARM_FILE, transform_timeout=5.0)
    assert_solved(node, arm_robot, send_in(node, 'plant', MOUNT @ target), 'tool0', target)


def test_a_camera_on_a_link_moves_with_the_robot(arm, arm_robot, target):
    arm.publish_transforms(transform_message('wrist_flex_link', 'camera', CAMERA, seconds_ago(arm, 100)), static=True)
    for goal in (target, target @ translation(0, 0.05, -0.05)):
        camera = arm_robot.pose('wrist_flex_link', arm.next_posture()) @ CAMERA
        status = send_in(arm, 'camera', inverse(camera) @ goal)
        assert status.header.frame_id == 'camera'
        assert_solved(arm, arm_robot, status, 'tool0', goal)


def test_our_own_kinematics_go_before_tf_inside_the_robot(arm, arm_robot, target):
    """As robot_state_publisher would publish for the joint states of another source."""
    wrong = transform_message('base_link', 'elbow_link', translation(9, 9, 9), seconds_ago(arm, 0))
    arm.publish_transforms(wrong)
    elbow = arm_robot.pose('elbow_link', arm.next_posture())
    assert_solved(arm, arm_robot, send_in(arm, 'elbow_link', inverse(elbow) @ target), 'tool0', target)


def test_a_moving_frame_is_taken_at_the_time_of_the_target(arm, arm_robot, target):
    begin = arm.node.get_clock().now().nanoseconds - 2_000_000_000
    for age, x in ((0.0, 1.0), (1.0, 2.0)):
        stamp = Time(nanoseconds=begin + int(age * 1e9)).to_msg()
        arm.publish_transforms(transform_message('conveyor', 'base_link', translation(x, 0, 0), stamp))
    message = pose_message(translation(1.5, 0, 0) @ target, 'conveyor', Time(nanoseconds=begin + 500_000_000).to_msg())
    assert_solved(arm, arm_robot, arm.send(message), 'tool0', target)


def test_a_moving_frame_without_time_is_taken_as_it_was_last(arm, arm_robot, target):
    # In one message: a target may overtake the second of two messages on another topic.
    arm.publish_transforms(*(transform_message('cart', 'base_link', translation(x, 0, 0), seconds_ago(arm, age))
                             for age, x in ((2.0, 1.0), (1.0, 2.0))))
    status = send_at_any_time(arm, 'cart', translation(2, 0, 0) @ target)
    assert_solved(arm, arm_robot, status, 'tool0', target)


def test_a_chain_of_static_and_moving_frames(arm, arm_robot, target):
    arm.publish_transforms(transform_message('map', 'odom', MOUNT, seconds_ago(arm, 100)), static=True)
    message = pose_message(MOUNT @ translation(0, 3, 0) @ target, 'map', arm.new_stamp())
    arm.publish_transforms(transform_message('odom', 'base_link', translation(0, 3, 0), seconds_ago(arm, 0.5)))
    arm.target_publisher('target_pose').publish(message)
    arm.publish_transforms(transform_message('odom', 'base_link', translation(0, 3, 0), arm.new_stamp()))
    status = arm.status_of(message.header.stamp)
    assert_solved(arm, arm_robot, status, 'tool0', target)


def test_a_frame_that_arrives_in_time_is_waited_for(arm, arm_robot, target):
    message = pose_message(MOUNT @ target, 'latecomer', arm.new_stamp())
    arm.target_publisher('target_pose').publish(message)
    arm.settle()
    assert not arm.statuses_of(message.header.stamp), 'it did not wait'
    arm.publish_transforms(transform_message('latecomer', 'base_link', MOUNT, seconds_ago(arm, 0)), static=True)
    status = arm.status_of(message.header.stamp)
    assert_solved(arm, arm_robot, status, 'tool0', target)


def test_a_newer_target_does_not_wait_behind_one_whose_frame_is_missing(arm, arm_robot, target):
    with arm.changed(transform_timeout=30.0):
        arm.target_publisher('target_pose').publish(pose_message(target, 'never', arm.new_stamp()))
        status = arm.send_pose(target)
    assert_solved(arm, arm_robot, status, 'tool0', target)


def test_a_target_that_waits_is_not_replaced_by_one_that_has_to_wait_too(arm, arm_robot, target):
    """Otherwise a stream with late transforms would never be answered. Of the newer waiting targets the newest is next."""
    frames = ('first_to_come', 'second_to_come', 'third_to_come')
    messages = [pose_message(MOUNT @ target, frame, arm.new_stamp()) for frame in frames]
    with arm.changed(transform_timeout=30.0):
        for message in messages:
            arm.target_publisher('target_pose').publish(message)
            arm.settle()
        for message in (messages[0], messages[2]):
            assert not arm.statuses_of(message.header.stamp), 'it did not wait'
            frame = message.header.frame_id
            arm.publish_transforms(transform_message(frame, 'base_link', MOUNT, seconds_ago(arm, 0)), static=True)
            assert_solved(arm, arm_robot, arm.status_of(message.header.stamp), 'tool0', target)
    arm.settle()
    assert not arm.statuses_of(messages[1].header.stamp), 'it was not replaced'


def test_a_stop_discards_a_target_that_waits_for_its_frame(arm, target):
    initial, message = arm.next_posture(), pose_message(MOUNT @ target, 'stopped_before', arm.new_stamp())
    with arm.changed(transform_timeout=30.0):
        arm.target_publisher('target_pose').publish(message)
        arm.settle()
        assert arm.call(Trigger, 'stop').success
        arm.publish_transforms(transform_message('stopped_before', 'base_link', MOUNT, seconds_ago(arm, 0)), static=True)
        status = arm.status_of(message.header.stamp)
    assert status.outcome == SolveStatus.INVALID and 'a stop was requested' in status.message, status.message
    assert arm.next_posture() == initial
    assert arm.call(Trigger, 'resume').success


@pytest.mark.usefixtures('impatient')
def test_an_unknown_frame_is_named_and_nothing_moves(arm, target):
    initial = arm.next_posture()
    status = send_in(arm, 'nowhere', target)
    assert status.outcome == SolveStatus.UNKNOWN_FRAME
    assert 'nowhere' in status.message
    assert nanoseconds(status.joint_state_stamp) == 0
    assert arm.next_posture() == initial


def test_without_any_transform_the_frame_that_is_missing_is_named(start, target):
    node = start.node(ARM_FILE, frame_prefix='lonely/')
    message = send_in(node, 'nowhere', target).message
    assert "no transform of 'nowhere'" in message and 'lonely' not in message, message
    node.publish_transforms(transform_message('island', 'nowhere', MOUNT, seconds_ago(node, 0)), static=True)
    node.wait_for(lambda: "no transform of 'lonely/base_link'" in send_in(node, 'nowhere', target).message, 'the other')


@pytest.mark.usefixtures('impatient')
def test_a_frame_that_is_known_but_not_connected(arm, target):
    arm.publish_transforms(transform_message('island', 'palm', MOUNT, seconds_ago(arm, 0)), static=True)
    status = send_in(arm, 'palm', target)
    assert status.outcome == SolveStatus.UNKNOWN_FRAME
    assert 'palm' in status.message


def test_a_frame_whose_transform_is_broken_is_not_said_to_be_missing(arm, arm_robot, target):
    """The target counts once a valid transform arrives."""
    good = transform_message('base_link', 'bent', MOUNT, seconds_ago(arm, 0))
    broken = transform_message('base_link', 'bent', MOUNT, seconds_ago(arm, 0))
    broken.transform.rotation.w += 0.5
    arm.publish_transforms(broken, static=True)
    arm.wait_for(lambda: 'quaternion' in send_in(arm, 'bent', target).message, 'the refusal of the transform')
    status = send_in(arm, 'bent', target)
    assert status.outcome == SolveStatus.UNKNOWN_FRAME and "from 'base_link' to 'bent' is refused" in status.message
    arm.publish_transforms(good, static=True)
    arm.wait_for(lambda: send_in(arm, 'bent', inverse(MOUNT) @ target).outcome == SolveStatus.SOLVED, 'the good transform')


@pytest.mark.usefixtures('impatient')
def test_frames_in_a_circle_do_not_hang(arm, arm_robot, target):
    arm.publish_transforms(transform_message('hen', 'egg', MOUNT, seconds_ago(arm, 0)),
                           transform_message('egg', 'hen', MOUNT, seconds_ago(arm, 0)))
    status = send_in(arm, 'egg', target)
    assert status.outcome == SolveStatus.UNKNOWN_FRAME
    assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)


@pytest.mark.usefixtures('impatient')
def test_damaged_transforms_do_no_harm(arm, arm_robot, target):
    nan = transform_message('base_link', 'broken', MOUNT, seconds_ago(arm, 0))
    self_parent = transform_message('broken', 'broken', MOUNT, seconds_ago(arm, 0))
    nan.transform.translation.x = float('nan')
    zero = transform_message('base_link', 'flat', MOUNT, seconds_ago(arm, 0))
    zero.transform.rotation.w = zero.transform.rotation.x = zero.transform.rotation.y = zero.transform.rotation.z = 0.0
    arm.publish_transforms(nan, self_parent, zero)
    for frame in ('broken', 'flat'):
        assert send_in(arm, frame, target).outcome in (SolveStatus.UNKNOWN_FRAME, SolveStatus.INVALID)
    assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)


def test_a_frame_can_get_another_parent(arm, arm_robot, target):
    arm.publish_transforms(transform_message('base_link', 'tray', MOUNT, seconds_ago(arm, 1)))
    assert_solved(arm, arm_robot, send_at_any_time(arm, 'tray', inverse(MOUNT) @ target), 'tool0', target)
    arm.publish_transforms(transform_message('tool0', 'tray', CAMERA, seconds_ago(arm, 0)))

    def send():
        tray = arm_robot.pose('tool0', arm.reset()) @ CAMERA
        return send_at_any_time(arm, 'tray', inverse(tray) @ target)
    wait_until_met(arm, arm_robot, send, target)


def test_a_static_transform_can_be_corrected(arm, arm_robot, target):
    for mount in (MOUNT, MOUNT @ translation(0.1, 0, 0)):
        arm.publish_transforms(transform_message('table', 'base_link', mount, seconds_ago(arm, 0)), static=True)
        wait_until_met(arm, arm_robot, lambda: send_in(arm, 'table', mount @ target), target)


def test_a_service_takes_frames_of_tf_too(arm, target):
    arm.publish_transforms(transform_message('bench', 'base_link', MOUNT, seconds_ago(arm, 100)), static=True)
    answer = arm.solve_ik(MOUNT @ target, 'bench')
    assert answer.success, answer.message
    assert answer.status.header.frame_id == 'bench'


def test_the_frame_of_a_base_link_inside_the_robot(start):
    robot = Robot.load(ROBOTS / 'telescope.urdf')
    node = start.node(ROBOTS / 'telescope.urdf', base_link='stage2', tip_links=['tool'],
                      transform_timeout=5.0)
    sample = robot.follow_mimics({**node.next_posture(), 'shoulder': 0.5, 'elbow': 1.0, 'roll': 2.0})
    node.publish_transforms(transform_message('workshop', 'floor', MOUNT, seconds_ago(node, 100)), static=True)
    goal = robot.pose('tool', sample)
    status = node.send_pose(MOUNT @ goal, 'workshop')
    assert_solved(node, robot, status, 'tool', goal)


def test_frame_prefix(start, arm_robot, target):
    node = start.node(ARM_FILE, frame_prefix='left/', transform_timeout=5.0)
    for frame in ('', 'left/base_link'):
        status = send_in(node, frame, target)
        assert_solved(node, arm_robot, status, 'tool0', target)
        assert status.header.frame_id == 'left/base_link'
    elbow = arm_robot.pose('elbow_link', node.next_posture())
    goal = target @ translation(0, 0.05, -0.05)
    assert_solved(node, arm_robot, send_in(node, 'left/elbow_link', inverse(elbow) @ goal), 'tool0', goal)
    node.publish_transforms(transform_message('yard', 'left/base_link', MOUNT, seconds_ago(node, 100)), static=True)
    assert_solved(node, arm_robot, send_in(node, 'yard', MOUNT @ target), 'tool0', target)
    answer = node.forward_kinematics()
    assert answer.poses[0].header.frame_id == 'left/base_link'


def test_a_damaged_frame_name_does_not_mean_the_base_link(arm, target):
    initial = arm.next_posture()
    message = pose_message(target, 'base_link', arm.new_stamp())
    damaged = serialize_message(message).replace(b'base_link\0', b'base_\xff\xfe\xfd\xfc\0')
    arm.target_publisher('target_pose').publish(damaged)
    status = arm.status_of(message.header.stamp)
    assert status.outcome in (SolveStatus.UNKNOWN_FRAME, SolveStatus.INVALID), status.message
    assert difference(arm.next_posture(), initial) == 0


def test_a_stream_in_an_unknown_frame_is_answered_while_it_lasts(start, target):
    node = start.node(ARM_FILE)
    publisher = node.target_publisher('target_pose')
    before = node.snapshot()

    def answered():
        publisher.publish(pose_message(target, 'nowhere', node.new_stamp()))
        node.pace(0.02)  # period of the stream, shorter than transform_timeout
        return len(node.statuses) > before.statuses + 3
    node.wait_for(answered, 'statuses during the stream')
    assert all(status.outcome == SolveStatus.UNKNOWN_FRAME for status in node.statuses[before.statuses:])


def test_a_bad_transform_does_not_harm_a_good_one(arm, arm_robot, target):
    arm.publish_transforms(transform_message('gate', 'base_link', MOUNT, seconds_ago(arm, 100)), static=True)
    assert_solved(arm, arm_robot, send_in(arm, 'gate', MOUNT @ target), 'tool0', target)
    reported = len(arm.process.lines_with('cycle')) + len(arm.process.lines_with('self'))
    arm.publish_transforms(transform_message('gate', 'gate', CAMERA, seconds_ago(arm, 0)))
    arm.wait_for(lambda: len(arm.process.lines_with('cycle')) + len(arm.process.lines_with('self')) > reported,
                 'the node to refuse the transform')
    assert_solved(arm, arm_robot, send_in(arm, 'gate', MOUNT @ target), 'tool0', target)
