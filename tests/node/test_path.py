"""Cartesian paths: planned by ~/solve_path, followed from ~/target_path."""
import math

import numpy as np
import pytest
from geometry_msgs.msg import PoseArray
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolvePath

from checks import ROUNDING, assert_posture, difference
from client import faulty, posture
from conftest import ARM_FILE
from kinematics import errors, pose_of, rotation, translation
from motion import assert_smooth, still
from path_client import RATE, START, distance_to_lines, messages

DOWN = rotation((0, 1, 0), math.pi)



@pytest.fixture(scope='module')
def shared_node(module_start):
    initial = '{' + ', '.join(f'{name}: {value}' for name, value in START.items()) + '}'
    node = module_start.node(ARM_FILE, motion='smooth', publish_rate=RATE, initial_posture=initial, path__speed=0.3,
                             path__acceleration=1.0)
    node.trajectories = node.subscribe(JointTrajectory, f'{node.name}/joint_trajectory', [])
    node.wait_until_heard(node.publisher(PoseArray, f'{node.name}/target_path'))
    return node


@pytest.fixture
def node(shared_node):
    shared_node.reset()
    return shared_node


@pytest.fixture
def corners(arm_robot):
    """The tool's poses at the ends of two lines from its current pose."""
    here = arm_robot.pose('tool0', START)
    return [here, translation(-0.05, 0.15, -0.1) @ here, translation(-0.15, 0.1, -0.05) @ here @ rotation((0, 0, 1), -0.3)]


def solve_path(node, poses, **fields):
    request = SolvePath.Request(poses=messages(poses))
    answer = node.call(SolvePath, 'solve_path', poses=request.poses, **fields)
    assert answer.message and answer.success == (answer.fraction == 1.0), answer.message
    return answer


def check_trajectory(trajectory, robot, corners, period):
    """Checks the motion from rest to rest along the lines; returns the last configuration."""
    names = trajectory.joint_names
    assert names == robot.movable and (trajectory.header.stamp.sec, trajectory.header.stamp.nanosec) == (0, 0)
    for index, point in enumerate(trajectory.points):
        time = point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec
        assert time == pytest.approx(index * period, abs=1e-8)
        positions = dict(zip(names, point.positions))
        assert_posture(robot, positions)
        distance, angle = distance_to_lines(robot.pose('tool0', positions), corners)
        assert distance <= 1e-4 and angle <= 1e-3, (index, distance, angle)
    assert not any(trajectory.points[0].velocities) and not any(trajectory.points[-1].velocities)
    return positions


def test_a_path_of_two_lines_is_planned_and_nothing_moves(node, arm_robot, corners):
    before = node.snapshot()
    answer = solve_path(node, corners[1:])
    assert answer.success and answer.outcome == SolveStatus.SOLVED, answer.message
    assert (answer.tip_link, answer.solver, answer.header.frame_id) == ('tool0', 'jacobian', 'base_link')
    last = check_trajectory(answer.trajectory, arm_robot, corners, 1 / RATE)
    assert difference(dict(zip(answer.trajectory.joint_names, answer.trajectory.points[0].positions)), START) == 0
    assert errors(arm_robot.pose('tool0', last), corners[-1]) <= (1e-5, 1e-5)
    assert answer.position_deviation <= 1e-4 and answer.orientation_deviation <= 1e-3
    assert answer.length == pytest.approx(sum(np.linalg.norm(b[:3, 3] - a[:3, 3]) for a, b in zip(corners, corners[1:])),
                                          rel=0.3)
    end = answer.end.position
    assert np.allclose((end.x, end.y, end.z), corners[-1][:3, 3])
    node.settle()
    assert posture(node.states[-1]) == posture(node.states[before.states - 1]) and len(node.statuses) == before.statuses


def test_a_path_may_begin_at_its_first_pose(node, arm_robot, corners):
    answer = solve_path(node, corners[1:], start_at_first_pose=True)
    assert answer.success, answer.message
    check_trajectory(answer.trajectory, arm_robot, corners[1:], 1 / RATE)
    first = dict(zip(answer.trajectory.joint_names, answer.trajectory.points[0].positions))
    assert errors(arm_robot.pose('tool0', first), corners[1]) <= (1e-5, 1e-5)


def tilt(robot, positions):
    return math.acos(np.clip(-robot.pose('tool0', positions)[2, 2], -1, 1))


def test_goals_of_the_request_and_standing_goals_are_met_along_a_path(node, arm_robot, corners):
    down = [translation(0.4, y, 0.35) @ DOWN for y in (-0.2, 0.2)]
    level = '{type: cone, axis: [0, 0, 1], direction: [0, 0, -1], angle: 0.05, name: level}'
    fields = {'free_axes': [False] * 3 + [True] * 3, 'start_at_first_pose': True}

    def worst(answer):
        points = [dict(zip(answer.trajectory.joint_names, point.positions)) for point in answer.trajectory.points]
        return max(tilt(arm_robot, positions) for positions in points)

    answer = solve_path(node, down, goals=[level], **fields)
    assert answer.success, answer.message
    assert worst(answer) <= 0.051 and len(answer.goal_violations) == 1 and answer.goal_violations[0] <= 1e-3
    free = solve_path(node, down, **fields)
    assert worst(free) > 0.1 and not free.goal_violations
    fence = '{type: position, p: [0.4, 0, 0.35], upper: [null, 0.1, null], name: fence}'
    stopped = solve_path(node, down, goals=[level, fence], **fields)
    assert not stopped.success and "goal 'fence'" in stopped.message and 0.7 < stopped.fraction < 0.8
    refused = node.call(SolvePath, 'solve_path', poses=messages(down), goals=['{type: cones}'])
    assert refused.outcome == SolveStatus.INVALID and "cones" in refused.message
    away = '{type: cone, axis: [0, 0, 1], direction: [0, 0, 1], angle: 0.05, name: up}'
    refused = node.call(SolvePath, 'solve_path', poses=messages(corners[1:]), goals=[away])
    assert refused.outcome == SolveStatus.INVALID and "at the start goal 'up'" in refused.message
    with node.changed(goals=f'[{level}]'):
        standing = solve_path(node, down, **fields)
        assert standing.success and worst(standing) <= 0.051 and not standing.goal_violations


def test_a_free_start_completes_a_path_that_the_nearest_start_does_not(node, arm_robot):
    down = [translation(0.45, y, 0.25) @ DOWN for y in (-0.35, 0.35)]
    free = solve_path(node, down, free_start=True)
    assert free.success and free.fraction == 1.0, free.message
    check_trajectory(free.trajectory, arm_robot, down, 1 / RATE)
    first = dict(zip(free.trajectory.joint_names, free.trajectory.points[0].positions))
    assert errors(arm_robot.pose('tool0', first), down[0]) <= (1e-5, 1e-5)
    nearest = solve_path(node, down, start_at_first_pose=True)
    assert nearest.fraction <= free.fraction
    away = solve_path(node, [down[0], translation(3.0, 0.0, 0.25) @ DOWN], free_start=True)
    assert not away.success and away.stop_index == 1 and 'out of reach' in away.message, away.message


def test_a_path_may_begin_in_a_posture_that_is_given(node, arm_robot, corners):
    other = {**START, 'shoulder_pan_joint': -0.4}
    begin = arm_robot.pose('tool0', other)
    start = JointState(name=['shoulder_pan_joint'], position=[-0.4])
    answer = solve_path(node, [corners[1]], start=start)
    assert answer.success, answer.message
    check_trajectory(answer.trajectory, arm_robot, [begin, corners[1]], 1 / RATE)


def test_choices_of_a_request(node, arm_robot, corners):
    slow = solve_path(node, corners[1:], speed=0.05, period=0.05, solver='fabrik')
    assert slow.success and slow.solver == 'fabrik'
    check_trajectory(slow.trajectory, arm_robot, corners, 0.05)
    fast = solve_path(node, corners[1:])
    rounded = solve_path(node, corners[1:], blend_radius=0.03)
    assert rounded.success
    ends = [answer.trajectory.points[-1].time_from_start for answer in (slow, fast, rounded)]
    seconds = [end.sec + 1e-9 * end.nanosec for end in ends]
    assert seconds[0] >= 6 > seconds[1] > seconds[2]
    free = solve_path(node, [corners[1]], free_axes=[False] * 5 + [True])
    assert free.success and free.orientation_deviation <= 1e-3


def test_points_that_are_too_far_apart_are_told(node, arm_robot, corners):
    assert 'period' not in solve_path(node, corners[1:]).message
    answer = solve_path(node, corners[1:], period=0.5)
    assert answer.success and answer.position_deviation > 1e-4, answer.message
    for word in ('0.5 s apart', f'{answer.position_deviation:.2e}'.replace('e-0', 'e-'), 'shorter period'):
        assert word in answer.message, answer.message


def test_a_path_in_a_links_frame(node, arm_robot, corners):
    elbow = np.linalg.inv(arm_robot.pose('elbow_link', START))
    request = SolvePath.Request(poses=messages([elbow @ pose for pose in corners[1:]]))
    request.header.frame_id = 'elbow_link'
    answer = node.call(SolvePath, 'solve_path', poses=request.poses, header=request.header)
    assert answer.success and answer.header.frame_id == 'elbow_link', answer.message
    check_trajectory(answer.trajectory, arm_robot, corners, 1 / RATE)


def test_a_path_that_leads_out_of_reach_goes_as_far_as_it_can(node, arm_robot, corners):
    away = translation(0, 3, 0) @ corners[1]
    answer = solve_path(node, [corners[1], away])
    assert not answer.success and 0 < answer.fraction < 1 and answer.stop_index == 1
    assert answer.outcome != SolveStatus.SOLVED and 'stopped after' in answer.message
    last = check_trajectory(answer.trajectory, arm_robot, [corners[0], corners[1], away], 1 / RATE)
    end = answer.end.position
    assert np.allclose(arm_robot.pose('tool0', last)[:3, 3], (end.x, end.y, end.z), atol=1e-4)
    never = solve_path(node, [away], start_at_first_pose=True)
    assert (never.fraction, never.outcome) == (0.0, SolveStatus.OUT_OF_REACH) and not never.trajectory.points


@pytest.mark.parametrize('poses, fields, word', [
    ([], {}, 'empty'),
    ([np.eye(4), faulty(np.eye(4), position_x=math.nan)], {}, 'poses[1]'),
    ([faulty(np.eye(4), orientation_w=0.0)], {}, 'poses[0]'),
    ([faulty(np.eye(4), position_x=1e300)], {}, '1e9'),
    ([np.eye(4)], {'tip_link': 'tool9'}, 'tool9'),
    ([np.eye(4)], {'solver': 'magic'}, 'magic'),
    ([np.eye(4)], {'speed': -1.0}, 'path.speed'),
    ([np.eye(4)], {'speed': math.nan}, 'path.speed'),
    ([np.eye(4)], {'acceleration': 1e9}, 'path.acceleration'),
    ([np.eye(4)], {'blend_radius': -0.1}, 'path.blend_radius'),
    ([np.eye(4)], {'position_deviation': math.inf}, 'path.position_deviation'),
    ([np.eye(4)], {'period': -0.1}, 'period'),
    ([np.eye(4)], {'period': math.nan}, 'period'),
    ([np.eye(4)], {'start': JointState(name=['knee_joint'], position=[0.0])}, 'knee_joint'),
    ([np.eye(4)], {'start': JointState(name=['elbow_joint'], position=[math.nan])}, 'elbow_joint'),
    ([np.eye(4)], {'start': JointState(name=['elbow_joint'], position=[3.15])}, "'elbow_joint' is at 3.15, outside"),
    ([np.eye(4)], {'start': JointState(name=['elbow_joint'], position=[3.15]), 'start_at_first_pose': True}, 'outside'),
])
def test_what_makes_no_path_is_refused_by_name(node, poses, fields, word):
    answer = solve_path(node, poses, **fields)
    assert not answer.success and answer.outcome == SolveStatus.INVALID and word in answer.message, answer.message
    assert not answer.trajectory.points and math.isnan(answer.position_deviation)


def test_a_trajectory_of_too_many_points_is_refused(node, corners):
    answer = solve_path(node, corners[1:], period=1e-9)
    assert not answer.success and 'points' in answer.message


def test_unknown_frames_and_no_robot(start, node, corners):
    request = SolvePath.Request(poses=messages(corners))
    request.header.frame_id = 'nowhere'
    answer = node.call(SolvePath, 'solve_path', poses=request.poses, header=request.header)
    assert answer.outcome == SolveStatus.UNKNOWN_FRAME and 'nowhere' in answer.message
    assert solve_path(start.node(robot=False), corners).outcome == SolveStatus.NO_ROBOT


# Execution

def send_path(node, poses, frame='', topic='target_path'):
    message = PoseArray(poses=messages(poses))
    message.header.frame_id, message.header.stamp = frame, node.new_stamp()
    node.publisher(PoseArray, f'{node.name}/{topic}').publish(message)
    return node.status_of(message.header.stamp)


def moved(node, before):
    return [state for state in node.states_since(before) if len(state.velocity)]


def test_a_path_is_followed_on_its_lines(node, arm_robot, corners):
    before, trajectories = node.snapshot(), len(node.trajectories)
    first = send_path(node, corners[1:])
    assert first.outcome == SolveStatus.STEP_LIMITED and 'path' in first.message, first.message
    arrival = node.status_of(first.header.stamp, SolveStatus.SOLVED)
    reached = node.answer_to(arrival)
    distance, angle = errors(arm_robot.pose('tool0', reached), corners[-1])
    assert (arrival.position_error, arrival.orientation_error) == pytest.approx((distance, angle), abs=ROUNDING)
    assert (distance, angle) <= (1e-5, 1e-5)
    states = moved(node, before)
    for state in states:
        apart = distance_to_lines(arm_robot.pose('tool0', posture(state)), corners)
        assert apart[0] <= 1e-4 and apart[1] <= 1e-3, apart
    # On its line a path bounds joint accelerations only roughly.
    assert_smooth(states, arm_robot, 1 / RATE, acceleration=20.0, jerk=2000.0)
    node.wait_for(lambda: len(node.trajectories) > trajectories, 'the joint trajectory')
    assert len(node.trajectories) == trajectories + 1
    last = check_trajectory(node.trajectories[-1], arm_robot, corners, 1 / RATE)
    assert difference(last, reached) == 0


def test_a_path_that_cannot_be_followed_moves_nothing_unless_asked(node, arm_robot, corners):
    away = translation(0, 3, 0) @ corners[1]
    before, trajectories = node.next_posture(), len(node.trajectories)
    refused = send_path(node, [corners[1], away])
    assert refused.outcome not in (SolveStatus.SOLVED, SolveStatus.STEP_LIMITED)
    assert 'does not move' in refused.message and 'stopped after' in refused.message, refused.message
    node.settle()
    assert node.next_posture() == before and len(node.trajectories) == trajectories
    with node.changed(path__partial=True):
        first = send_path(node, [corners[1], away])
        assert first.outcome == SolveStatus.STEP_LIMITED, first.message
        arrival = node.status_of(first.header.stamp, refused.outcome)
        assert 'stopped after' in arrival.message and arrival.position_error > 0.1
        assert distance_to_lines(arm_robot.pose('tool0', node.answer_to(arrival)), [corners[1], away])[0] < 1e-4


@pytest.mark.parametrize('poses, word', [([], 'empty'), ([faulty(np.eye(4), orientation_w=0.0)], 'poses[0]')])
def test_a_bad_path_is_refused_and_the_arm_goes_on(node, arm_robot, corners, poses, word):
    target = arm_robot.pose('tool0', {**START, 'shoulder_pan_joint': 1.0})
    going = node.send_pose(target)
    refused = send_path(node, poses)
    assert refused.outcome == SolveStatus.INVALID and word in refused.message
    assert send_path(node, corners[1:], frame='nowhere').outcome == SolveStatus.UNKNOWN_FRAME
    node.status_of(going.header.stamp, SolveStatus.SOLVED)


def wait_until_fast(node):
    node.wait_for(lambda: max(map(abs, node.states[-1].velocity), default=0) > 0.15, 'the arm to be fast')


def test_a_target_takes_over_from_a_path(node, arm_robot, corners):
    before = node.snapshot()
    path = send_path(node, corners[1:])
    wait_until_fast(node)
    target = arm_robot.pose('tool0', {**START, 'shoulder_pan_joint': 0.8})
    status = node.send_pose(target)
    node.status_of(status.header.stamp, SolveStatus.SOLVED)
    node.settle()
    assert_smooth(moved(node, before), arm_robot, 1 / RATE, acceleration=20.0, jerk=2000.0)
    assert len(node.statuses_of(path.header.stamp)) == 1


def test_a_path_takes_over_from_a_target(node, arm_robot, corners):
    before = node.snapshot()
    node.send_pose(arm_robot.pose('tool0', {**START, 'shoulder_pan_joint': 1.0}))
    wait_until_fast(node)
    path = send_path(node, corners[1:])
    arrival = node.status_of(path.header.stamp, SolveStatus.SOLVED)
    assert errors(arm_robot.pose('tool0', node.answer_to(arrival)), corners[-1]) <= (1e-5, 1e-5)
    assert_smooth(moved(node, before), arm_robot, 1 / RATE, acceleration=20.0, jerk=2000.0)


def test_a_path_is_stopped(node, arm_robot, corners):
    before = node.snapshot()
    path = send_path(node, corners[1:])
    wait_until_fast(node)
    assert node.call(Trigger, 'stop').success
    node.wait_for(lambda: still(node.states[-1]), 'the arm to rest')
    node.settle()
    assert still(node.states[-1]) and len(node.statuses_of(path.header.stamp)) == 1
    assert_smooth(moved(node, before), arm_robot, 1 / RATE, acceleration=20.0, jerk=2000.0)


def test_a_newer_path_replaces_the_one_under_way(node, arm_robot, corners):
    before = node.snapshot()
    first = send_path(node, corners[1:])
    wait_until_fast(node)
    second = send_path(node, [corners[0]])
    node.status_of(second.header.stamp, SolveStatus.SOLVED)
    assert errors(arm_robot.pose('tool0', node.next_posture()), corners[0]) <= (1e-5, 1e-5)
    node.settle()
    assert_smooth(moved(node, before), arm_robot, 1 / RATE, acceleration=20.0, jerk=2000.0)
    assert len(node.statuses_of(first.header.stamp)) == 1


def test_a_path_with_immediate_motion(start, arm_robot):
    node = start.node(ARM_FILE, path__speed=0.3)
    node.wait_until_heard(node.publisher(PoseArray, f'{node.name}/target_path'))
    here = arm_robot.pose('tool0', posture(node.states[-1]))
    goal = here @ pose_of((0, 0, 0), (0, 0, math.sin(0.2), math.cos(0.2)))
    status = send_path(node, [goal])
    arrival = node.status_of(status.header.stamp, SolveStatus.SOLVED)
    assert errors(arm_robot.pose('tool0', node.answer_to(arrival)), goal) <= (1e-5, 1e-5)
