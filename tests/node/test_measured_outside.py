"""Joints measured outside their limits: every motion brings them inside within the limits of velocity and acceleration."""
import math

import pytest
from geometry_msgs.msg import PoseArray
from std_srvs.srv import Trigger
from urdf_ik.msg import ServoStatus, SolveStatus

from checks import ROUNDING, assert_posture, assert_solved, difference
from client import pose_message, posture
from conftest import ARM_FILE, ROBOTS
from driver import MEASURED_AT, stream
from kinematics import Robot, translation
from motion import ACCELERATION, periods_between, velocity_limits
from servo_client import Servo, jog, twist

RATE = 100.0
JOINT, UPPER = 'elbow_joint', 1.05
# Beyond the limit [rad]: 3° and 20°.
EXCESSES = [math.radians(3), math.radians(20)]
INSIDE = {**MEASURED_AT, JOINT: 0.95}
MODES = [{}, {'max_joint_step': 0.01}, {'motion': 'smooth'}]


def measured_outside(start, excess, **parameters):
    """A node whose arm is measured beyond the limit of a joint, and whose joint states show it."""
    node = start.node(ARM_FILE, measured_timeout=60.0, publish_rate=RATE, following_error__enabled=False, **parameters)
    measured = {**MEASURED_AT, JOINT: UPPER + excess}
    stream(node, measured)
    assert difference(node.next_posture(), measured) < ROUNDING
    assert len(node.process.lines_with('outside its limits')) == 1
    return node, measured


def assert_moves_inside(states, robot, largest_step=math.inf):
    """From the first state the joint moves no farther outside, and no joint exceeds its limits of velocity and acceleration."""
    limits = velocity_limits(robot)
    excess = [max(posture(state)[JOINT] - UPPER, 0.0) for state in states]
    assert excess[0] > 0 and excess[-1] == 0
    assert max(excess) == excess[0]
    for one, other, most in zip(states, states[1:], periods_between(states, 1 / RATE)):
        steps = [abs(after - before) for before, after in zip(one.position, other.position)]
        assert max(steps) <= largest_step * most + 1e-9
        assert all(step <= limits[name] * most / RATE + 1e-9 for name, step in zip(other.name, steps))
        faster = [abs(after - before) for before, after in zip(one.velocity, other.velocity)]
        assert max(faster, default=0.0) <= ACCELERATION * most / RATE + 1e-7
    assert_posture(robot, posture(states[-1]))


@pytest.mark.parametrize('mode, excess', [(mode, excess) for mode in MODES for excess in EXCESSES] + [
    # Farther outside the arm would collide with itself.
    ({'avoid_collisions': True}, EXCESSES[0])])
def test_a_target_brings_the_joint_inside(start, arm_robot, mode, excess):
    node, _ = measured_outside(start, excess, **mode)
    before = node.snapshot()
    target = arm_robot.pose('tool0', INSIDE)
    first = node.send_pose(target)
    assert first.outcome == SolveStatus.STEP_LIMITED, first.message
    arrived = node.status_of(first.header.stamp, SolveStatus.SOLVED)
    assert_solved(node, arm_robot, arrived, 'tool0', target)
    assert_moves_inside(node.states_since(before), arm_robot, mode.get('max_joint_step', math.inf))


def test_a_stream_of_immediate_targets_brings_the_joint_inside(start, arm_robot):
    node, _ = measured_outside(start, EXCESSES[1])
    target = arm_robot.pose('tool0', INSIDE)
    before = node.snapshot()
    node.wait_for(lambda: node.send_pose(target).outcome == SolveStatus.SOLVED, 'the target')
    node.wait_for(lambda: posture(node.states[-1])[JOINT] <= UPPER, 'the joint state')
    states = node.states_since(before)
    inside = next(index for index, state in enumerate(states) if posture(state)[JOINT] <= UPPER)
    assert_moves_inside(states[:inside + 1], arm_robot)


@pytest.mark.parametrize('excess', EXCESSES)
def test_a_path_begins_inside(start, arm_robot, excess):
    node, measured = measured_outside(start, excess)
    here = arm_robot.pose('tool0', {**measured, JOINT: UPPER})
    message = PoseArray(poses=[pose_message(translation(0, 0.02, 0.02) @ here).pose])
    message.header.stamp = node.new_stamp()
    before = node.snapshot()
    node.wait_until_heard(node.publisher(PoseArray, f'{node.name}/target_path')).publish(message)
    node.status_of(message.header.stamp, SolveStatus.SOLVED)
    node.live(2)
    assert_moves_inside(node.states_since(before), arm_robot)


@pytest.mark.parametrize('excess', EXCESSES)
@pytest.mark.parametrize('command', [twist(linear=(0, 0.02, 0.02)), jog(wrist_roll_joint=0.2), None],
                         ids=['twist', 'jog', 'clutch'])
def test_commands_of_velocities_bring_the_joint_inside(start, arm_robot, command, excess):
    node, measured = measured_outside(start, excess)
    servo = Servo(node)
    if command is None:
        servo.clutch(True)
    before = node.snapshot()
    message = command or servo.hand(translation(3, 2, 1))
    servo.stream(message, lambda: posture(node.states[-1])[JOINT] <= UPPER, 'the joint to be inside')
    status = servo.status(ServoStatus.JOINT_LIMIT)
    assert status.joints == [JOINT] and 'outside its limits' in status.message
    servo.rest()
    assert_moves_inside(node.states_since(before), arm_robot)
    if command is None:
        # The clutch has engaged anew: a hand at rest moves nothing.
        stands = node.next_posture()
        servo.stream_for(20, lambda _: servo.hand(translation(3, 2, 1)))
        assert difference(node.next_posture(), stands) < 1e-3


def test_mimic_joints_follow_on_the_way_inside(start):
    robot = Robot.load(ROBOTS / 'telescope.urdf')
    node = start.node(ROBOTS / 'telescope.urdf', tip_links=['tool'], measured_timeout=60.0, publish_rate=RATE,
                      max_joint_step=0.01, following_error__enabled=False)
    measured = {**node.next_posture(), 'shoulder': 1.7, 'elbow': 0.9}
    measured['wrist'] = 0.1 - 0.8 * measured['shoulder']
    stream(node, measured)
    assert difference(node.next_posture(), measured) < ROUNDING
    before = node.snapshot()
    inside = {**measured, 'shoulder': 1.3, 'wrist': 0.1 - 0.8 * 1.3}
    stamp = node.send_point(robot.pose('tool', inside)[:3, 3]).header.stamp
    node.wait_for(lambda: len(node.statuses_of(stamp)) == 2, 'the arrival')
    for state in node.states_since(before):
        positions = posture(state)
        assert abs(positions['wrist'] - 0.1 + 0.8 * positions['shoulder']) < ROUNDING
        assert positions['shoulder'] <= 1.7
    assert_posture(robot, posture(node.states[-1]))


def test_the_arm_can_be_stopped_on_its_way_inside(start, arm_robot):
    node, measured = measured_outside(start, EXCESSES[1], motion='smooth', speed_scale=0.1)
    before = node.snapshot()
    target = arm_robot.pose('tool0', INSIDE)
    node.send_pose(target)
    node.wait_for(lambda: posture(node.states[-1])[JOINT] < measured[JOINT] - 0.05, 'the joint to move')
    assert node.call(Trigger, 'stop').success
    node.wait_for(lambda: not any(node.states[-1].velocity), 'the rest')
    stands = node.next_posture()
    assert UPPER < stands[JOINT] < measured[JOINT] - 0.05
    node.live(5)
    assert node.next_posture() == stands
    node.set_all(speed_scale=1.0)
    stamp = node.send_pose(target).header.stamp
    node.status_of(stamp, SolveStatus.SOLVED)
    assert_moves_inside(node.states_since(before), arm_robot)


def test_answers_stay_inside(start, arm_robot):
    node, measured = measured_outside(start, EXCESSES[1])
    answer = node.solve_ik(arm_robot.pose('tool0', measured))
    assert not answer.success
    assert_posture(arm_robot, posture(answer.joint_state))
    assert node.forward_kinematics().success
