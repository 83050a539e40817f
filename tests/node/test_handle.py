"""The handle of each tip: the protocol of interactive markers, drags, and its exclusive use."""
import math

import numpy as np
import pytest
from urdf_ik.msg import SolveStatus
from visualization_msgs.msg import InteractiveMarkerControl as Control
from visualization_msgs.msg import InteractiveMarkerFeedback as Feedback
from visualization_msgs.msg import Marker

from checks import assert_reached, assert_solved
from client import pose_from, pose_message, posture
from conftest import ARM_FILE, ROBOTS, UNSOLVABLE
from handle_client import FRAME_TIME, HandleClient
from kinematics import Robot, errors, quaternion_of, translation

AIM = {'shoulder_pan_joint': 0.5, 'shoulder_lift_joint': 0.3, 'elbow_joint': -0.4, 'wrist_flex_joint': 0.3}
FAR = translation(3, 0, 0.3)


def on_the_way(robot, count, tip='tool0', aim=AIM):
    """Poses of the tip while the joints move from their initial positions to `aim`."""
    return [robot.pose(tip, {name: part * value for name, value in aim.items()})
            for part in np.linspace(0, 1, count + 1)[1:]]


def is_at(client, pose, name='tool0'):
    return client.markers is not None and max(errors(client.pose(name), pose)) < 1e-9


def wait_until_at(client, pose, name='tool0'):
    client.client.wait_for(lambda: is_at(client, pose, name), 'the handle to appear')


def wait_until_at_tip(client, robot):
    """Waits until the handle is at the arm's tip: the arm may still move after its first status."""
    node = client.client
    node.wait_for(lambda: is_at(client, robot.pose('tool0', posture(node.states[-1]))), 'the handle to move to the tip')


@pytest.fixture
def handle(arm):
    client = HandleClient(arm).connect()
    yield client
    # Frees the handle for the next test.
    client.vanish()
    client.send(Feedback.MOUSE_UP)


def test_the_handle_stands_at_the_tip(arm, arm_robot, handle):
    assert list(handle.markers) == ['tool0']
    marker = handle.marker()
    assert (marker.header.frame_id, marker.header.stamp.sec, marker.header.stamp.nanosec) == ('base_link', 0, 0)
    assert is_at(handle, arm_robot.pose('tool0', arm.next_posture()))
    names = [control.name for control in marker.controls]
    assert len(set(names)) == len(names)
    modes = [control.interaction_mode for control in marker.controls]
    assert [modes.count(mode) for mode in (Control.MOVE_AXIS, Control.ROTATE_AXIS, Control.MOVE_3D)] == [3, 3, 1]
    # The client draws arrows and rings by itself.
    assert all(not control.markers for control in marker.controls
               if control.interaction_mode in (Control.MOVE_AXIS, Control.ROTATE_AXIS))
    turns = [control.orientation for control in marker.controls]
    assert all(math.isclose(q.x**2 + q.y**2 + q.z**2 + q.w**2, 1.0) for q in turns)
    assert handle.text() == '' and marker.description == ''


def test_the_arm_follows_a_drag(arm, arm_robot, handle):
    poses = on_the_way(arm_robot, 60)
    stamps = handle.drag(poses)
    for stamp, pose in zip(stamps, poses + poses[-1:]):
        # A busy machine may deliver several at once: then the newest counts.
        for status in arm.statuses_of(stamp):
            assert_solved(arm, arm_robot, status, 'tool0', pose)
    status = arm.status_of(stamps[-1])
    reached = assert_solved(arm, arm_robot, status, 'tool0', poses[-1])
    assert (status.tip_link, status.header.frame_id) == ('tool0', 'base_link')
    assert any(arm.statuses_of(stamp) for stamp in stamps[:len(stamps) // 2]), 'the handle turns before the end of the drag'
    # Then the handle is at the tip, not at the point of release.
    wait_until_at(handle, arm_robot.pose('tool0', reached))


def test_the_handle_follows_other_targets(arm, arm_robot, handle):
    for pose in on_the_way(arm_robot, 30):
        status = arm.send_pose(pose)
    wait_until_at(handle, arm_robot.pose('tool0', arm.answer_to(status)))
    assert handle.resets == 0


def test_it_goes_back_to_the_tip_that_cannot_follow(arm, arm_robot, handle):
    stamps = handle.drag([FAR] * 5)
    status = arm.status_of(stamps[-1])
    assert status.outcome == SolveStatus.OUT_OF_REACH
    wait_until_at(handle, arm_robot.pose('tool0', arm.answer_to(status)))
    arm.wait_for(lambda: handle.text() == 'out of reach', 'the reason')
    # Also without any motion of the arm.
    before = len(handle.updates)
    arm.status_of(handle.drag([FAR @ translation(0, 0, 1)])[-1])
    arm.wait_for(lambda: len(handle.updates) > before, 'the handle to return')
    wait_until_at_tip(handle, arm_robot)


def test_colours_and_texts_tell_what_became_of_the_target(arm, arm_robot, handle):
    # The handle may still have the appearance of the previous test: the neutral colour is grey.
    arm.wait_for(lambda: len(set(handle.colour())) == 1, 'the neutral appearance')
    colours, neutral = {}, handle.colour()
    for outcome, pose, text in [
            (SolveStatus.SOLVED, arm_robot.pose('tool0', AIM), ''),
            (SolveStatus.OUT_OF_REACH, FAR, 'out of reach'),
            (SolveStatus.JOINT_LIMITS, UNSOLVABLE, 'these joints are at their limits'),
            (SolveStatus.INVALID, translation(math.nan, 0, 0), 'position x is NaN')]:
        status = arm.send_pose(pose)
        if outcome == SolveStatus.JOINT_LIMITS and status.outcome == SolveStatus.NOT_CONVERGED:
            outcome, text = SolveStatus.NOT_CONVERGED, 'no solution was found'
        assert status.outcome == outcome, status.message
        arm.wait_for(lambda: text in handle.text() and bool(text) == bool(handle.text())
                     and handle.colour() != colours.get('last', neutral), f'the appearance for {status.message}')
        colours['last'] = colours[outcome] = handle.colour()
        if text:
            text_colour = handle.drawn(Marker.TEXT_VIEW_FACING).color
            assert (text_colour.r, text_colour.g, text_colour.b) == handle.colour()
    assert len({neutral, *colours.values()}) == 5
    arm.reset()
    arm.wait_for(lambda: handle.colour() == neutral and not handle.text(), 'the neutral appearance')


def test_numbers_are_consecutive_and_nothing_is_sent_without_a_change(arm, arm_robot, handle):
    # A new subscriber gets all markers again, in case it has missed one.
    arm.wait_for(lambda: handle.updates, 'the first update')
    arm.live()
    before = len(handle.updates)
    arm.live()
    began = arm.node.get_clock().now()
    poses = on_the_way(arm_robot, 100)
    for pose in poses:
        arm.send_pose(pose)
        arm.pace(0.005)
    wait_until_at_tip(handle, arm_robot)
    seconds = (arm.node.get_clock().now() - began).nanoseconds * 1e-9
    # The next update is of the motion; none came while the arm was at rest.
    assert not any(max(errors(pose_from(moved.pose), arm_robot.pose('tool0', {}))) < 1e-9
                   for update in handle.updates[before:] for moved in update.poses)
    numbers = [update.seq_num for update in handle.updates]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert before < len(numbers) <= before + 30 * (seconds + 0.1) + 1
    # Only the colour needed a whole marker, once.
    assert sum(len(update.markers) for update in handle.updates[before:]) == 1


def test_nothing_is_sent_without_a_listener(start, arm_robot):
    node = start.node(ARM_FILE)
    for pose in on_the_way(arm_robot, 10):
        status = node.send_pose(pose)
        node.pace(0.04)
    asking = HandleClient(node, listens=False).connect()
    assert asking.number == 0
    # A client that asks gets the current handle.
    assert is_at(asking, arm_robot.pose('tool0', node.answer_to(status)))


def test_a_client_that_misses_an_update_asks_again(arm, arm_robot, handle):
    arm.wait_for(lambda: handle.last is not None, 'the first update')
    handle.to_lose = 1
    for pose in on_the_way(arm_robot, 100):
        status = arm.send_pose(pose)
        if handle.resets:
            break
        arm.pace(0.02)
    assert handle.resets == 1
    wait_until_at(handle, arm_robot.pose('tool0', arm.answer_to(status)))


def test_a_late_client_misses_nothing(arm, arm_robot, handle):
    handle.press()
    stamp = handle.move(FAR)
    arm.status_of(stamp)
    late = HandleClient(arm).connect()
    arm.wait_for(lambda: late.text() == handle.text() == 'out of reach', 'the same text')
    # It sees the handle at the other client's drag pose.
    wait_until_at(late, FAR)
    wait_until_at(handle, FAR)
    assert late.colour() == handle.colour() and late.menu() == handle.menu()
    handle.release(FAR)
    for client in (late, handle):
        wait_until_at_tip(client, arm_robot)


def test_two_clients_fight_over_the_handle(arm, arm_robot, handle):
    rival = HandleClient(arm).connect()
    ours = on_the_way(arm_robot, 30)
    theirs = on_the_way(arm_robot, 30, aim={name: -value for name, value in AIM.items()})
    handle.press()
    arm.status_of(handle.move(ours[0]))
    rival.press()
    refused = []
    for own, other in zip(ours, theirs):
        stamp = handle.move(own)
        refused.append(rival.move(other))
        arm.pace(FRAME_TIME)
    refused.append(rival.release(theirs[-1]))
    status = arm.status_of(stamp)
    reached = assert_solved(arm, arm_robot, status, 'tool0', ours[-1])
    assert arm.next_posture() == reached
    assert not any(arm.statuses_of(stamp) for stamp in refused)
    assert arm.process.lines_with('another client holds the handle')
    # Both display the dragged pose.
    for client in (handle, rival):
        wait_until_at(client, ours[-1])
    handle.release(ours[-1])
    stamps = rival.drag(theirs)
    assert_solved(arm, arm_robot, arm.status_of(stamps[-1]), 'tool0', theirs[-1])


def test_a_client_that_vanishes_lets_go(arm, arm_robot, handle):
    rival = HandleClient(arm).connect()
    handle.press()
    handle.vanish()
    stamp = handle.move(arm_robot.pose('tool0', AIM))
    here = arm_robot.pose('tool0', arm.answer_to(arm.status_of(stamp)))
    target = on_the_way(arm_robot, 2)[0]
    # The other client retries until it is accepted.
    tries = []

    def is_answered():
        tries.append(rival.move(target))
        arm.pace(0.1)
        return next((stamp for stamp in tries if arm.statuses_of(stamp)), None)

    first = arm.wait_for(is_answered, 'the handle to be free')
    assert first != tries[0]
    assert_solved(arm, arm_robot, arm.status_of(tries[-1]), 'tool0', target)
    # It disconnects too: then the handle is at the tip again.
    wait_until_at_tip(handle, arm_robot)
    assert max(errors(here, target)) > 0.01


def test_a_resting_hand_keeps_hold(arm, arm_robot, handle):
    rival = HandleClient(arm).connect()
    handle.press()
    handle.move(arm_robot.pose('tool0', AIM))
    for _ in range(15):  # longer than a silent client may hold it
        rival.send(Feedback.KEEP_ALIVE)  # from a client that does not hold it
        arm.pace(0.1)
    refused = rival.move(FAR)
    arm.status_of(handle.move(arm_robot.pose('tool0', AIM)))
    arm.settle()
    assert not arm.statuses_of(refused)


def test_events_out_of_order(arm, arm_robot, handle):
    aim = arm_robot.pose('tool0', AIM)
    handle.send(Feedback.MOUSE_UP)
    handle.send(Feedback.KEEP_ALIVE)
    handle.send(Feedback.BUTTON_CLICK)
    handle.send(Feedback.MOUSE_UP, pose=aim)
    handle.move(aim)
    handle.send(Feedback.MOUSE_DOWN, pose=aim)
    stamp = handle.move(aim)
    handle.send(Feedback.MOUSE_UP)
    assert_solved(arm, arm_robot, arm.status_of(stamp), 'tool0', aim)
    assert_solved(arm, arm_robot, arm.status_of(handle.drag([aim])[-1]), 'tool0', aim)


def test_the_newest_source_of_targets_wins(arm, arm_robot, handle):
    one, other = on_the_way(arm_robot, 2)
    handle.press()
    assert_solved(arm, arm_robot, arm.status_of(handle.move(one)), 'tool0', one)
    assert_solved(arm, arm_robot, arm.send_pose(other), 'tool0', other)
    assert_reached(arm_robot, arm.next_posture(), 'tool0', other)
    assert_solved(arm, arm_robot, arm.status_of(handle.move(one)), 'tool0', one)
    assert_reached(arm_robot, arm.next_posture(), 'tool0', one)
    # Meanwhile the handle stays in the hand; then it follows the next target.
    before = len(handle.updates)
    arm.send_pose(other)
    arm.live()
    arm.status_of(handle.release(one))
    last = arm_robot.pose('tool0', arm.answer_to(arm.send_pose(on_the_way(arm_robot, 3)[0])))
    wait_until_at(handle, last)
    shown = [pose_from(moved.pose) for update in handle.updates[before:] for moved in [*update.poses, *update.markers]]
    assert all(max(errors(pose, other)) > 1e-3 for pose in shown)


def test_a_node_that_comes_back(start, arm_robot):
    node = start.node(ARM_FILE)
    client = HandleClient(node).connect()
    command = node.process.command
    pose = arm_robot.pose('tool0', AIM)
    node.status_of(client.drag([pose])[-1])
    node.process.stop()
    node.wait_for(lambda: not client.service.service_is_ready(), 'the service to disappear')
    client.reset()
    node.process = start.run(*command[1:])
    node.wait_until_ready(node.process)
    client.connect()
    # The client subscribed before the node had a robot, so the handle may arrive with the first update.
    node.wait_for(lambda: list(client.markers) == ['tool0'], 'the handle')
    assert not is_at(client, pose)
    # The first message of the drag already counts.
    assert_solved(node, arm_robot, node.status_of(client.drag([pose])[-1]), 'tool0', pose)
    wait_until_at_tip(client, arm_robot)


def test_each_tip_has_a_handle(start):
    tips, robot = ['left-hand', 'right-hand'], Robot.load(ROBOTS / 'two_arms.urdf')
    node = start.node(ROBOTS / 'two_arms.urdf', tip_links=tips, join_targets=3600.0)
    client = HandleClient(node).connect()
    assert list(client.markers) == tips
    assert [client.marker(tip).description for tip in tips] == tips
    aim = {'torso': 0.2, 'left_shoulder': 0.3, 'right_shoulder': -0.4, 'left_elbow': 0.5, 'right_elbow': 0.6}
    poses = {tip: robot.pose(tip, aim) for tip in tips}
    for tip in tips:
        status = node.status_of(client.drag([poses[tip]], tip)[-1])
        assert (status.tip_link, status.outcome) == (tip, SolveStatus.SOLVED), status.message
    positions = node.next_posture()
    for tip in tips:
        # Drags free those axes of the orientation that a four-joint arm cannot follow.
        assert_reached(robot, positions, tip, poses[tip], orientation_tolerance=np.pi)
        wait_until_at(client, robot.pose(tip, positions), tip)
    # Each tip has its own appearance.
    node.status_of(client.drag([FAR], tips[1])[-1])
    node.wait_for(lambda: client.text(tips[1]) == 'out of reach', 'the reason')
    assert client.text(tips[0]) == ''


def test_a_tip_is_asked_for_what_it_can_follow(start):
    # A planar arm cannot leave its plane, wherever a hand drags.
    node, robot = start.node(ROBOTS / 'planar.urdf'), Robot.load(ROBOTS / 'planar.urdf')
    client = HandleClient(node).connect()
    target = robot.pose('tip', {'shoulder': 0.4, 'elbow': 0.3})
    lifted = translation(0, 0, 0.1) @ target
    status = node.status_of(client.drag([lifted], 'tip')[-1])
    assert status.outcome == SolveStatus.SOLVED, status.message
    assert np.allclose(robot.pose('tip', node.answer_to(status))[:3, 3], target[:3, 3], atol=2e-5)
    # Targets of programs are used unchanged, and so are drags if the parameter frees axes.
    assert node.send_pose(lifted).outcome != SolveStatus.SOLVED
    node.set_all(free_axes=['rx', 'ry'])
    assert node.status_of(client.drag([lifted], 'tip')[-1]).outcome != SolveStatus.SOLVED


def test_namespace_and_frame_prefix(start, arm_robot):
    node = start.node(ARM_FILE, namespace='/left', frame_prefix='left/')
    client = HandleClient(node, frame='left/base_link').connect()
    assert client.marker().header.frame_id == 'left/base_link'
    pose = arm_robot.pose('tool0', AIM)
    status = node.status_of(client.drag([pose])[-1])
    assert_solved(node, arm_robot, status, 'tool0', pose)
    assert status.header.frame_id == 'left/base_link'
    # A client with another fixed frame sends its poses in that frame.
    client.frame = 'left/tool0'
    here = arm_robot.pose('tool0', node.next_posture())
    status = node.status_of(client.move(translation(0, 0, -0.01)))
    assert_solved(node, arm_robot, status, 'tool0', here @ translation(0, 0, -0.01))


def test_a_pose_of_single_precision_is_taken(handle):
    """RViz uses single precision."""
    pose = pose_message(handle.pose()).pose
    turn = quaternion_of(handle.pose())
    for axis, value in zip('xyzw', np.float32(turn)):
        setattr(pose.orientation, axis, float(value))
    status = handle.client.status_of(handle.send(Feedback.POSE_UPDATE, pose=pose))
    assert status.outcome == SolveStatus.SOLVED, status.message

