"""Smooth motion: within limits at every published sample, despite interruptions."""
import numpy as np
import pytest
from std_msgs.msg import String
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus

from checks import assert_honest, assert_solved, difference
from client import LATCHED, posture
from conftest import ARM_FILE, ROBOTS
from kinematics import Robot, translation
from motion import assert_smooth, derived_limits, periods_between, still

RATE = 100.0
FAR_OFF = {'shoulder_pan_joint': 1.2, 'shoulder_lift_joint': 0.4, 'elbow_joint': -0.6, 'wrist_flex_joint': 0.3}
LIMITS = 'joint_limits: {shoulder_pan_joint: {has_velocity_limits: true, max_velocity: 0.2}}'


@pytest.fixture(scope='module')
def shared_smooth(module_start):
    return module_start.node(ARM_FILE, motion='smooth', publish_rate=RATE)


@pytest.fixture
def node(shared_smooth):
    shared_smooth.reset()
    return shared_smooth


def moved(node, before):
    """The states since then that have velocities; states of a reset have none."""
    return [state for state in node.states_since(before) if len(state.velocity)]


def wait_for_rest(node):
    node.wait_for(lambda: still(node.states[-1]), 'the arm to rest')


def test_the_way_is_smooth_and_ends_at_the_target(node, arm_robot):
    before = node.snapshot()
    target = arm_robot.pose('tool0', FAR_OFF)
    first = node.send_pose(target)
    assert first.outcome == SolveStatus.STEP_LIMITED and 'arrives in' in first.message, first.message
    assert_honest(first, arm_robot, node.answer_to(first), 'tool0', target)
    arrival = node.status_of(first.header.stamp, SolveStatus.SOLVED)
    reached = assert_solved(node, arm_robot, arrival, 'tool0', target)
    node.settle()
    states = moved(node, before)
    assert_smooth(states, arm_robot, 1 / RATE)
    assert posture(states[-1]) == reached and still(states[-1])
    # The reported duration, to a period or two.
    duration = float(first.message.split('arrives in ')[1].split(' s')[0])
    moving = [state for state in states if not still(state)]
    lost = (periods_between(moving, 1 / RATE) - 1).sum()
    assert duration * RATE - 2 - lost <= len(moving) <= duration * RATE + 2


def test_newer_targets_take_over_at_any_time(node, arm_robot, generator):
    before = node.snapshot()
    for _ in range(25):
        target = arm_robot.pose('tool0', arm_robot.sample(generator))
        status = node.send_pose(target)
        assert status.outcome == SolveStatus.STEP_LIMITED, status.message
        node.pace(generator.uniform(0.0, 0.25))
    arrival = node.status_of(status.header.stamp, SolveStatus.SOLVED)
    assert_solved(node, arm_robot, arrival, 'tool0', target)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_a_stream_is_followed_smoothly(node, arm_robot):
    before = node.snapshot()
    for turn in np.linspace(0.0, 1.0, 100):
        status = node.send_pose(arm_robot.pose('tool0', {name: turn * value for name, value in FAR_OFF.items()}))
        node.pace(0.01)
    target = arm_robot.pose('tool0', FAR_OFF)
    arrival = node.status_of(status.header.stamp, SolveStatus.SOLVED)
    assert_solved(node, arm_robot, arrival, 'tool0', target)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_where_the_arm_is_already_is_solved_at_once(node, arm_robot):
    target = arm_robot.pose('tool0', posture(node.states[-1]))
    assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)


def test_a_stop_brakes_within_the_limits(node, arm_robot):
    before = node.snapshot()
    first = node.send_pose(arm_robot.pose('tool0', FAR_OFF))
    node.wait_for(lambda: max(map(abs, node.states[-1].velocity), default=0) > 0.3, 'the arm to be fast')
    answer = node.call(Trigger, 'stop')
    assert answer.success and 'to rest in' in answer.message
    wait_for_rest(node)
    stopped = node.next_posture()
    node.settle()
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)
    assert node.next_posture() == stopped
    assert [status.outcome for status in node.statuses_of(first.header.stamp)] == [SolveStatus.STEP_LIMITED]
    again = node.call(Trigger, 'stop')
    assert again.success and '0.000 s' in again.message


def test_a_stop_before_a_robot_is_there_says_so(start):
    answer = start.node(robot=False).call(Trigger, 'stop')
    assert not answer.success and 'robot' in answer.message


def test_a_target_out_of_reach_is_approached(node, arm_robot):
    before = node.snapshot()
    target = translation(2, 2, 0.3)
    first = node.send_pose(target)
    assert first.outcome == SolveStatus.STEP_LIMITED and 'out of reach' in first.message, first.message
    end = node.status_of(first.header.stamp, SolveStatus.OUT_OF_REACH)
    assert_honest(end, arm_robot, node.answer_to(end), 'tool0', target)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)


def test_hold_brakes_where_a_target_cannot_be_met(node, arm_robot):
    before = node.snapshot()
    with node.changed(on_unreachable='hold'):
        first = node.send_pose(arm_robot.pose('tool0', FAR_OFF))
        node.wait_for(lambda: max(map(abs, node.states[-1].velocity), default=0) > 0.3, 'the arm to be fast')
        refused = node.send_pose(translation(2, 2, 0.3))
        assert refused.outcome == SolveStatus.OUT_OF_REACH and 'holds its position' in refused.message
        wait_for_rest(node)
        assert difference(node.next_posture(), node.answer_to(refused)) < 0.5
    assert_smooth(moved(node, before), arm_robot, 1 / RATE)
    assert all(status.outcome != SolveStatus.SOLVED for status in node.statuses_of(first.header.stamp))


def test_a_reset_goes_at_once_and_ends_the_motion(node, arm_robot):
    initial = posture(node.states[-1])
    node.send_pose(arm_robot.pose('tool0', FAR_OFF))
    assert node.reset() == initial
    node.settle()
    assert node.next_posture() == initial


def test_joint_limits_slow_it_down(node, arm_robot):
    with node.changed(joint_limits=LIMITS, default_acceleration=2.0, default_jerk=20.0):
        before = node.snapshot()
        first = node.send_pose(arm_robot.pose('tool0', FAR_OFF))
        node.status_of(first.header.stamp, SolveStatus.SOLVED)
        states = moved(node, before)
        assert_smooth(states, arm_robot, 1 / RATE, acceleration=2.0, jerk=20.0)
        pan = states[0].name.index('shoulder_pan_joint')
        assert 0.19 < max(abs(state.velocity[pan]) for state in states) <= 0.2 + 1e-7


def test_the_defaults_follow_from_the_velocity_limits(node, arm_robot):
    with node.changed(default_acceleration=0.0, default_jerk=0.0):
        before = node.snapshot()
        first = node.send_pose(arm_robot.pose('tool0', FAR_OFF))
        node.status_of(first.header.stamp, SolveStatus.SOLVED)
        states = moved(node, before)
    assert_smooth(states, arm_robot, 1 / RATE, **derived_limits(arm_robot, states[0].name))
    with pytest.raises(AssertionError):
        assert_smooth(states, arm_robot, 1 / RATE)


def test_joint_limits_may_be_a_file(node, tmp_path):
    file = tmp_path / 'joint_limits.yaml'
    file.write_text(LIMITS)
    with node.changed(joint_limits=str(file)):
        pass


@pytest.mark.parametrize('text, words', [
    ('joint_limits:\n  knee_joint: {has_velocity_limits: true, max_velocity: 1.0}', ['knee_joint', 'line 2']),
    ('joint_limits:\n  elbow_joint:\n    max_velocity: fast', ['fast', 'line 3']),
    ('joint_limits:\n  elbow_joint:\n    has_velocity_limits: true\n    max_velocity: -1.0', ['max_velocity is -1', 'line']),
    ('joint_limits:\n  elbow_joint:\n    maximal_velocity: 1.0', ['maximal_velocity', 'line 3']),
    ('[1, 2]', ['joint_limits']),
    ('no/such/file.yaml', ['no/such/file.yaml', 'no such file']),
])
def test_bad_joint_limits_are_refused_by_line(node, tmp_path, text, words):
    for given in [text] if 'file' in text else [text, str(write(tmp_path, text))]:
        reason = node.refusal(joint_limits=given)
        for word in [*words, 'joint_limits']:
            assert word in reason, reason
    assert node.get('joint_limits') == ['']


def write(folder, text):
    file = folder / 'limits.yaml'
    file.write_text(text)
    return file


def test_a_robot_that_the_joint_limits_do_not_fit_is_refused(start):
    limits = 'joint_limits: {elbow_joint: {has_velocity_limits: true, max_velocity: 1.0}}'
    node = start.node(robot=False, joint_limits=limits)
    description = String(data=(ROBOTS / 'planar.urdf').read_text())
    node.publisher(String, f'{node.namespace}/robot_description', LATCHED).publish(description)
    node.wait_for(lambda: node.process.lines_with('elbow_joint'), 'the node to say why')
    node.set_all(robot_description=ARM_FILE.read_text())


@pytest.mark.parametrize('name, least, greatest', [
    ('publish_rate', 0.0, 1e9), ('default_velocity', 0.0, 1e9), ('default_acceleration', -1.0, 1e9),
    ('default_jerk', -1.0, 1e9), ('path.speed', 0.0, 1e9), ('join_targets', -1.0, 1e9),
])
def test_rates_have_bounds(node, name, least, greatest):
    before = node.get(name)
    for value in (least, greatest, float('nan')):
        assert name in node.refusal(**{name.replace('.', '__'): value})
    assert node.get(name) == before


def test_mimic_and_prismatic_joints_move_with_their_masters(start, generator):
    robot = Robot.load(ROBOTS / 'telescope.urdf')
    node = start.node(ROBOTS / 'telescope.urdf', tip_links=['tool'], motion='smooth', publish_rate=RATE)
    before = node.snapshot()
    for _ in range(5):
        target = robot.pose('tool', robot.sample(generator))
        status = node.send_pose(target)
        node.pace(0.2)
    node.wait_for(lambda: len(node.statuses_of(status.header.stamp)) == 2, 'the arrival')
    # The acceleration of mimic joints may be any multiple of their masters'.
    assert_smooth(moved(node, before), robot, 1 / RATE, acceleration=25.0, jerk=250.0,
                  velocities=dict.fromkeys(robot.movable, 25.0))


def test_simulated_time_sets_the_pace(start, arm_robot):
    from rosgraph_msgs.msg import Clock
    node = start.node(ARM_FILE, robot=False, motion='smooth', publish_rate=RATE, use_sim_time=True)
    clock = node.wait_until_heard(node.publisher(Clock, '/clock'))
    now = [100.0]

    def pass_time(by):
        now[0] += by
        message = Clock()
        message.clock.sec, message.clock.nanosec = int(now[0]), int(now[0] % 1 * 1e9)
        clock.publish(message)

    def running():
        pass_time(0.005)
        node.pace(0.01)
    node.wait_for(lambda: running() or node.states, 'joint states')
    target = arm_robot.pose('tool0', FAR_OFF)
    first = node.send_pose(target)
    node.wait_for(lambda: running() or any(state.velocity for state in node.states), 'motion')
    # Time is paused, and so is the arm.
    node.settle()
    before = node.next_state()
    node.settle()
    assert node.next_state().position == before.position
    arrival = node.wait_for(
        lambda: running() or [s for s in node.statuses_of(first.header.stamp) if s.outcome == SolveStatus.SOLVED],
        'the arrival')
    assert_solved(node, arm_robot, arrival[0], 'tool0', target)


def test_a_slow_redundant_joint_does_not_hold_up_the_others(node, arm_robot):
    slow = 'joint_limits: {upper_arm_roll_joint: {has_velocity_limits: true, max_velocity: 0.01}}'
    with node.changed(joint_limits=slow):
        # A little to the side: the other six joints reach it without the slow one.
        target = arm_robot.pose('tool0', {}) @ translation(0.0, 0.05, -0.05)
        first = node.send_pose(target)
        assert 'arrives in' in first.message, first.message
        assert float(first.message.split('arrives in ')[1].split(' s')[0]) < 2.0, first.message
        arrival = node.status_of(first.header.stamp, SolveStatus.SOLVED)
        assert_solved(node, arm_robot, arrival, 'tool0', target)
