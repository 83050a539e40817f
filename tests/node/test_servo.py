"""The servo: twists and joint velocities move the arm smoothly, whatever moves it before and after."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseArray, PoseStamped, TwistStamped
from urdf_ik.msg import ServoStatus, SolveStatus

from checks import assert_solved, difference
from client import posture
from conftest import ROBOTS, ROOT
from kinematics import Robot, errors, rotation, translation
from motion import assert_smooth, still
from servo_client import BENT, RATE, jog, moved, start_servo, tip, twist


@pytest.fixture(scope='module')
def shared_servo(module_start):
    return start_servo(module_start)


@pytest.fixture
def servo(shared_servo):
    shared_servo.reset()
    return shared_servo


def test_a_twist_moves_the_tip_along_its_line(servo, arm_robot):
    node = servo.node
    start = node.next_posture()
    before, since = node.snapshot(), len(servo.statuses)
    servo.stream(twist(linear=(0, 0.1, 0)), servo.moved(start, tip(arm_robot, 1), 0.08), 'the displacement')
    servo.stream(twist(), lambda: still(node.states[-1]), 'the arm to rest')
    states = moved(node, before)
    assert_smooth(states, arm_robot, 1 / RATE)
    first = arm_robot.pose('tool0', start)
    for state in states:
        pose = arm_robot.pose('tool0', posture(state))
        aside = np.delete(pose[:3, 3] - first[:3, 3], 1)
        # Uncommanded axes have a slack; far from limits a line uses a hundredth of it.
        assert np.linalg.norm(aside) <= 1e-4 and errors(pose, first)[1] <= 1.5e-3
    assert pose[1, 3] > first[1, 3] + 0.08 - 1e-9
    assert ['tool0'] in [status.tip_links for status in servo.statuses[since:] if status.code == ServoStatus.OK]


def test_a_turn_keeps_the_tip_in_its_place(servo, arm_robot):
    node = servo.node
    start = node.next_posture()
    first = arm_robot.pose('tool0', start)

    def has_moved():
        return errors(arm_robot.pose('tool0', posture(node.states[-1])), first)[1] >= 0.2
    servo.stream(twist(angular=(0, 0.3, 0)), has_moved, 'the turn')
    servo.stream(twist(), lambda: still(node.states[-1]), 'the arm to rest')
    last = arm_robot.pose('tool0', posture(node.states[-1]))
    distance, angle = errors(last, first)
    assert distance <= 2e-4, 'a hundredth of the slack'
    turned = first.copy()
    turned[:3, :3] = rotation((0, 1, 0), angle)[:3, :3] @ first[:3, :3]
    assert errors(last, turned)[1] <= 1e-4


def test_a_jog_moves_the_named_joints_alone(servo, arm_robot):
    node = servo.node
    start = node.next_posture()
    before = node.snapshot()

    def has_moved():
        return posture(node.states[-1])['elbow_joint'] >= start['elbow_joint'] + 0.1
    servo.stream(jog(elbow_joint=0.25), has_moved, 'the joint to move')
    fastest = max(state.velocity[state.name.index('elbow_joint')] for state in moved(node, before))
    assert fastest == pytest.approx(0.25, rel=5e-3)
    servo.stream(jog(elbow_joint=0.0), lambda: still(node.states[-1]), 'the arm to rest')
    end = posture(node.states[-1])
    assert all(end[name] == pytest.approx(start[name], abs=1e-9) for name in start if name != 'elbow_joint')
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_silence_brings_the_arm_to_rest_and_a_return_does_not_jump(servo, arm_robot):
    node = servo.node
    before = node.snapshot()
    with node.changed(servo__timeout=0.05):
        for sign in (1, -1, 1):
            start = node.next_posture()
            servo.stream(twist(linear=(0, 0, 0.1 * sign)), servo.moved(start, tip(arm_robot, 2), 0.02), 'the displacement')
            since = len(servo.statuses)
            assert servo.status(ServoStatus.TIMEOUT, since).tip_links == []
            servo.rest()
        assert_smooth(moved(node, before), arm_robot, 1 / RATE)
        # Some time later the servo has ended, and publishes no more statuses.
        node.wait_for(lambda: quiet(servo), 'the end of the statuses')
    rests = node.next_posture()
    assert difference(rests, node.next_posture()) == 0.0


def quiet(servo):
    """Whether a few states arrive without a servo status."""
    count = len(servo.statuses)
    for _ in range(5):
        servo.node.next_state()
    return len(servo.statuses) == count


def test_dropouts_of_any_length_do_not_make_it_jump(servo, arm_robot, generator):
    node = servo.node
    before = node.snapshot()
    with node.changed(servo__timeout=0.05):
        for _ in range(12):
            direction = generator.normal(size=3)
            command = twist(linear=0.15 * direction / np.linalg.norm(direction))
            servo.stream_for(int(generator.integers(3, 15)), lambda _: command)
            node.pace(generator.uniform(0.01, 0.3))
        servo.rest()
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_each_kind_of_command_takes_over_from_the_others(servo, arm_robot):
    node = servo.node
    before = node.snapshot()
    home = arm_robot.pose('tool0', BENT)
    path = PoseArray(poses=[servo.hand(home @ translation(0, 0.05, 0)).pose, servo.hand(home).pose])
    with node.changed(motion='smooth'):
        servo.stream_for(30, lambda _: twist(linear=(0, 0.1, 0)))
        first = node.send_pose(home @ translation(0.05, 0, 0))
        assert first.outcome == SolveStatus.STEP_LIMITED, first.message
        node.next_state()
        servo.stream_for(30, lambda _: jog(shoulder_pan_joint=0.3, wrist_roll_joint=-0.5))
        servo.stream_for(30, lambda _: twist(angular=(0.3, 0, 0)))
        path.header.stamp = node.new_stamp()
        followed = node.send(path, 'target_path')
        assert followed.outcome == SolveStatus.STEP_LIMITED, followed.message
        node.next_state()
        servo.stream_for(30, lambda _: twist(linear=(0, 0, -0.1)))
        # A twist received after the target would replace it.
        node.settle(3)
        aim = home @ translation(0, -0.05, 0)
        last = node.send_pose(aim)
        assert_solved(node, arm_robot, node.status_of(last.header.stamp, SolveStatus.SOLVED), 'tool0', aim)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)
    assert [status.outcome for status in node.statuses_of(first.header.stamp)] == [SolveStatus.STEP_LIMITED]


def test_a_stop_shuts_out_the_stream_until_it_pauses(servo, arm_robot):
    node = servo.node
    before = node.snapshot()
    answer, at_rest, later = servo.shut_out(twist(linear=(0, 0.1, 0)), 'stop')
    assert answer.success and 'comes to rest in' in answer.message, answer.message
    assert later == at_rest
    # Zero commands count as a pause, too.
    servo.stream_for(60, lambda _: twist())
    servo.stream(twist(linear=(0, 0.1, 0)), servo.moved(at_rest, tip(arm_robot, 1), 0.01), 'the arm to move again')
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_a_reset_ends_the_servo(servo):
    answer, reset, later = servo.shut_out(twist(linear=(0, 0.1, 0)), 'reset')
    assert answer.success, answer.message
    assert all(reset[name] == BENT.get(name, 0.0) for name in reset)
    assert later == reset


def test_two_kinds_at_once_are_told_once(start):
    servo = start_servo(start)
    for _ in range(10):
        servo.stream_for(1, lambda _: twist(linear=(0, 0.01, 0)))
        servo.stream_for(1, lambda _: jog(elbow_joint=0.01))
    lines = servo.node.process.lines_with('at the same time')
    # One line for each.
    assert len(lines) == 2 and all('target_twist' in line and 'joint_jog' in line for line in lines)


def test_an_idle_device_holds_nothing_up(servo, arm_robot):
    node = servo.node
    aim = arm_robot.pose('tool0', BENT) @ translation(0, 0.05, 0)
    with node.changed(motion='smooth'):
        first = node.send_pose(aim)

        def arrival():
            return next((s for s in node.statuses_of(first.header.stamp) if s.outcome == SolveStatus.SOLVED), None)
        assert_solved(node, arm_robot, servo.stream(twist(), arrival, 'the arrival'), 'tool0', aim)

    def has_moved():
        servo.send(twist())
        return posture(node.states[-1])['elbow_joint'] >= BENT['elbow_joint'] + 0.05
    servo.stream(jog(elbow_joint=0.25), has_moved, 'the joint to move')


def test_the_tip_turns_about_a_free_axis(start):
    """The tool points down: its axis is kept, and the rotation about it is free once the parameter is set, during the motion."""
    file = ROOT / 'urdf' / 'arm6.urdf'
    robot = Robot.load(file)
    servo = start_servo(start, file, {'shoulder_joint': 0.3, 'elbow_joint': 0.5, 'wrist_flex_joint': 0.6})
    node = servo.node

    def turned(since):
        """Rotation angle of the tool, and of its axis."""
        before, now = (robot.pose('tool0', positions) for positions in (since, posture(node.states[-1])))
        return errors(before, now)[1], np.linalg.norm(before[:3, 2] - now[:3, 2])

    home = node.next_posture()
    servo.stream_for(50, lambda _: twist(linear=(0, 0.1, 0)))
    assert turned(home)[0] < 1e-4
    with node.changed(free_axes=['rz']):
        servo.stream(twist(linear=(0, 0.1, 0)), lambda: turned(home)[0] > 0.1, 'the tool to turn')
        assert turned(home)[1] < 1e-3
        # A commanded rotation is followed.
        before = posture(node.states[-1])
        servo.stream(twist(angular=(0, 0, -0.3), frame='tool0'), lambda: turned(before)[0] > 0.2, 'the tool to turn')


def test_one_tip_has_twists_and_another_poses_at_once(start):
    robot = Robot.load(ROBOTS / 'two_arms.urdf')
    tips = ['left-hand', 'right-hand']
    servo = start_servo(start, ROBOTS / 'two_arms.urdf', dict.fromkeys(robot.movable, 0.4), tip_links=tips)
    node = servo.node
    home = node.next_posture()
    left = robot.pose(tips[0], home)[:3, 3]
    for topic, kind in (('left_hand/target_twist', TwistStamped), ('right_hand/target_pose', PoseStamped)):
        node.wait_until_heard(node.publisher(kind, f'{node.name}/{topic}'))

    def aim(share):
        lifted = {name: value + share * {'right_lift': 0.15, 'right_elbow': -0.2}.get(name, 0.0)
                  for name, value in home.items()}
        return robot.pose(tips[1], lifted)

    def send(share, speed=0.04):
        servo.send(twist(linear=(0, 0, speed)), 'left_hand/target_twist')
        servo.send(servo.hand(aim(share)), 'right_hand/target_pose')
    servo.stream(twist(linear=(0, 0, 0.04)), lambda: servo.statuses, 'the servo', 'left_hand/target_twist')
    for index in range(150):
        send(min(index / 100, 1.0))
        node.next_state()

    def arrived():
        # Slowly, so that the left hand does not arrive meanwhile.
        send(1.0, 0.001)
        return np.linalg.norm(robot.pose(tips[1], posture(node.states[-1]))[:3, 3] - aim(1.0)[:3, 3]) < 1e-4
    node.wait_for(arrived, 'the right hand to arrive')
    way = robot.pose(tips[0], posture(node.states[-1]))[:3, 3] - left
    assert way[2] > 0.04 and np.linalg.norm(way[:2]) < 1e-3, way
    assert any(sorted(status.tip_links) == tips for status in servo.statuses)
    assert not node.process.lines_with('at the same time')
