"""The action ~/follow_path: paths with feedback, cancellation and a result."""
import math
import signal

import numpy as np
import pytest
from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseArray, TwistStamped
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory
from urdf_ik.action import FollowPath
from urdf_ik.msg import SolveStatus

from checks import difference
from client import LATCHED, faulty, posture
from conftest import ARM_FILE
from driver import MEASURED_AT
from kinematics import errors, rotation, translation
from motion import assert_smooth, still
from path_client import RATE, START, PathFollower, distance_to_lines, messages
from servo_client import twist
from test_following_error import drive  # noqa: F401 (a fixture)
from world import World, change, sphere

NEAR = (1e-4, 1e-3)  # path.position_deviation and path.orientation_deviation


@pytest.fixture(scope='module')
def shared_follower(module_start):
    initial = '{' + ', '.join(f'{name}: {value}' for name, value in START.items()) + '}'
    node = module_start.node(ARM_FILE, motion='smooth', publish_rate=RATE, initial_posture=initial, path__speed=0.3,
                             path__acceleration=1.0, transform_timeout=0.05)
    node.trajectories = node.subscribe(JointTrajectory, f'{node.name}/joint_trajectory', [])
    node.wait_until_heard(node.publisher(PoseArray, f'{node.name}/target_path'))
    node.wait_until_heard(node.publisher(TwistStamped, f'{node.name}/target_twist'))
    return PathFollower(node)


@pytest.fixture
def follower(shared_follower):
    shared_follower.node.reset()
    return shared_follower


@pytest.fixture
def corners(arm_robot):
    here = arm_robot.pose('tool0', START)
    return [here, translation(-0.05, 0.15, -0.1) @ here, translation(-0.15, 0.1, -0.05) @ here @ rotation((0, 0, 1), -0.3)]


def assert_near_path(robot, node, corners):
    """The arm is on the lines between the corners."""
    apart = distance_to_lines(robot.pose('tool0', node.next_posture()), corners)
    assert apart[0] <= NEAR[0] and apart[1] <= NEAR[1], apart


def moving(node, before):
    return [state for state in node.states_since(before) if len(state.velocity)]


def check_end(goal):
    """Status, success, outcome and feedback agree; returns the result."""
    result = goal.result()
    succeeded = goal.status == GoalStatus.STATUS_SUCCEEDED
    assert result.success == succeeded == (result.outcome == SolveStatus.SOLVED), result.message
    assert result.message and 0.0 <= result.fraction <= 1.0
    progress = [feedback.progress for feedback in goal.feedback]
    assert progress == sorted(progress) and all(0.0 <= value <= 1.0 for value in progress)
    assert all(f.position_deviation <= NEAR[0] and f.orientation_deviation <= NEAR[1] for f in goal.feedback if f.progress > 0.0)
    return result


def test_a_goal_is_completed(follower, arm_robot, corners):
    node = follower.node
    before, trajectories = node.snapshot(), len(node.trajectories)
    goal = follower.follow(corners[1:])
    result = check_end(goal)
    assert goal.status == GoalStatus.STATUS_SUCCEEDED and result.fraction == 1.0, result.message
    assert (result.tip_link, result.solver, result.header.frame_id) == ('tool0', 'jacobian', 'base_link')
    assert result.position_deviation <= NEAR[0] and result.orientation_deviation <= NEAR[1]
    reached = node.next_posture()
    assert errors(arm_robot.pose('tool0', reached), corners[-1]) <= (1e-5, 1e-5)
    end = result.end.position
    assert np.allclose((end.x, end.y, end.z), corners[-1][:3, 3])
    assert any(0.1 < feedback.progress < 0.9 for feedback in goal.feedback)
    node.wait_for(lambda: len(node.trajectories) > trajectories, 'the joint trajectory')
    assert node.trajectories[-1] == result.trajectory
    assert difference(dict(zip(result.trajectory.joint_names, result.trajectory.points[-1].positions)), reached) == 0
    # The status topic reports it like any path.
    outcomes = [status.outcome for status in node.statuses[before.statuses:]]
    assert outcomes == [SolveStatus.STEP_LIMITED, SolveStatus.SOLVED]


def test_choices_of_a_goal(follower, arm_robot, corners):
    slow = check_end(follower.follow([corners[1]], speed=0.1, free_axes=[False] * 5 + [True], tip_link='tool0'))
    assert slow.success and slow.trajectory.points[-1].time_from_start.sec >= 1, slow.message
    elbow = np.linalg.inv(arm_robot.pose('elbow_link', follower.node.next_posture())) @ corners[0]
    goal = FollowPath.Goal()
    goal.header.frame_id = 'elbow_link'
    moving_frame = check_end(follower.follow([elbow], header=goal.header))
    assert moving_frame.success and moving_frame.header.frame_id == 'elbow_link', moving_frame.message
    level = '{type: position, name: ceiling, upper: [null, null, 5.0]}'
    assert list(check_end(follower.follow([corners[1]], goals=[level])).goal_violations) == [0.0]


def test_goals_that_are_completed_cancelled_and_preempted(follower, arm_robot, corners, generator):
    """Of 50 goals 20 are cancelled at random times and 5 preempted: each ends as expected, and the arm rests on its path."""
    node, before = follower.node, follower.node.snapshot()
    wanted = {'cancel': GoalStatus.STATUS_CANCELED, 'preempt': GoalStatus.STATUS_ABORTED, 'complete': GoalStatus.STATUS_SUCCEEDED}
    kinds = list(generator.permutation(['cancel'] * 20 + ['preempt'] * 5 + ['complete'] * 25))
    while kinds:
        kind = kinds.pop()
        here = arm_robot.pose('tool0', node.next_posture())
        there = corners[1] if errors(here, corners[0])[0] < 0.05 else corners[0]
        goal = follower.send([there], speed=0.5)
        if kind != 'complete':
            goal.wait_until(generator.uniform(0.0, 0.9))
        if kind == 'cancel':
            goal.cancel()
        elif kind == 'preempt':
            newer = follower.follow([here], speed=0.5)
            assert check_end(newer).success
        result = check_end(goal)
        if goal.status != wanted[kind]:
            # The request came after the end: once more.
            assert kind != 'complete' and goal.status == GoalStatus.STATUS_SUCCEEDED, (kind, goal.status, result.message)
            kinds.append(kind)
        if goal.status == GoalStatus.STATUS_CANCELED:
            assert 'canceled' in result.message and result.outcome == SolveStatus.STEP_LIMITED
            node.wait_for(lambda: still(node.states[-1]), 'the arm to rest')
            assert_near_path(arm_robot, node, [here, there])
            end = arm_robot.pose('tool0', node.next_posture())[:3, 3]
            assert np.allclose((result.end.position.x, result.end.position.y, result.end.position.z), end, atol=NEAR[0])
        elif goal.status == GoalStatus.STATUS_ABORTED:
            assert 'another path was requested' in result.message, result.message
    assert_smooth(moving(node, before), arm_robot, 1 / RATE, acceleration=20.0, jerk=2000.0)


@pytest.mark.parametrize('speed_scale', [1.0, 0.3])
def test_a_cancelled_goal_keeps_clear_of_obstacles_and_the_next_one_is_as_fast_as_any(start, arm_robot, corners, speed_scale):
    initial = '{' + ', '.join(f'{name}: {value}' for name, value in START.items()) + '}'
    node = start.node(ARM_FILE, publish_rate=RATE, initial_posture=initial, avoid_collisions=True, speed_scale=speed_scale)
    World(node).make(change('add', 'ball', (translation(0, 0, 0.3) @ corners[2])[:3, 3], shapes=[sphere(0.05)]))
    follower = PathFollower(node)
    goal = follower.send(corners[1:], speed=0.3)
    goal.wait_until(0.3)
    goal.cancel()
    result = check_end(goal)
    assert goal.status == GoalStatus.STATUS_CANCELED, result.message
    assert_near_path(arm_robot, node, corners)
    rests = node.next_posture()
    node.set_all(speed_scale=1.0)
    before = node.snapshot()
    assert check_end(follower.follow([corners[0]], speed=0.3)).success
    fastest = max(np.linalg.norm(np.array(state.velocity)) for state in moving(node, before))
    assert fastest > 0.1 and difference(rests, node.next_posture()) > 0.05


def send_target(node, robot, corners):
    node.send_pose(robot.pose('tool0', {**START, 'shoulder_pan_joint': 0.8}))


def send_twist(node, robot, corners):
    node.publisher(TwistStamped, f'{node.name}/target_twist').publish(twist(linear=(0, 0.05, 0)))


def send_path(node, robot, corners):
    node.publisher(PoseArray, f'{node.name}/target_path').publish(PoseArray(poses=messages(corners[:1])))


def call_stop(node, robot, corners):
    assert node.call(Trigger, 'stop').success


def call_reset(node, robot, corners):
    node.reset()


@pytest.mark.parametrize('request_motion, reason', [
    (send_target, 'a target'), (send_twist, 'a velocity command'), (send_path, 'another path'), (call_stop, 'a stop'),
    (call_reset, 'a reset')])
def test_other_motions_abort_a_goal_with_the_reason(follower, arm_robot, corners, request_motion, reason):
    goal = follower.send(corners[1:])
    goal.wait_until(0.2)
    request_motion(follower.node, arm_robot, corners)
    result = check_end(goal)
    assert goal.status == GoalStatus.STATUS_ABORTED and result.outcome == SolveStatus.STEP_LIMITED
    assert f'{reason} was requested before the end of the path' in result.message
    assert 0.2 <= result.fraction < 1.0


@pytest.mark.parametrize('poses, fields, word', [
    ([], {}, 'poses is empty'),
    ([np.eye(4), faulty(np.eye(4), position_x=math.nan)], {}, 'poses[1]'),
    ([np.eye(4)], {'tip_link': 'tool9'}, 'tool9'),
    ([np.eye(4)], {'solver': 'magic'}, 'magic'),
    ([np.eye(4)], {'speed': -1.0}, 'path.speed'),
    ([np.eye(4)], {'acceleration': math.nan}, 'path.acceleration'),
    ([np.eye(4)], {'avoid_collisions': 'perhaps'}, 'avoid_collisions'),
    ([np.eye(4)], {'goals': ['{type: cones}']}, 'cones'),
    ([np.eye(4)], {'header': 'nowhere'}, 'nowhere'),
])
def test_an_invalid_goal_is_refused_by_name_and_the_arm_goes_on(follower, arm_robot, corners, poses, fields, word):
    if 'header' in fields:
        goal = FollowPath.Goal()
        goal.header.frame_id = fields['header']
        fields = {'header': goal.header}
    going = follower.send(corners[1:])
    going.wait_until(0.1)
    refused = follower.follow(poses, **fields)
    result = check_end(refused)
    assert refused.status == GoalStatus.STATUS_ABORTED and word in result.message, result.message
    assert result.outcome == (SolveStatus.UNKNOWN_FRAME if word == 'nowhere' else SolveStatus.INVALID)
    assert not result.trajectory.points
    assert check_end(going).success


def test_a_path_that_cannot_be_followed_moves_nothing_unless_asked(follower, arm_robot, corners):
    node, away = follower.node, translation(0, 3, 0) @ corners[1]
    before = node.next_posture()
    goal = follower.follow([corners[1], away])
    result = check_end(goal)
    assert goal.status == GoalStatus.STATUS_ABORTED and 'does not move' in result.message and result.stop_index == 1
    assert result.fraction == 0.0 and node.next_posture() == before
    with node.changed(path__partial=True):
        goal = follower.follow([corners[1], away])
        result = check_end(goal)
    assert goal.status == GoalStatus.STATUS_ABORTED and 'stopped after' in result.message and 0.0 < result.fraction < 1.0
    end = arm_robot.pose('tool0', node.next_posture())[:3, 3]
    assert np.allclose((result.end.position.x, result.end.position.y, result.end.position.z), end, atol=NEAR[0])


def test_without_a_robot_a_goal_is_refused(start):
    result = check_end(PathFollower(start.node(robot=False)).follow([np.eye(4)]))
    assert result.outcome == SolveStatus.NO_ROBOT


def test_unknown_and_ended_goals_are_not_cancelled(follower, corners):
    goal = follower.follow([corners[1]])
    assert goal.cancel().return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED
    goal.handle.goal_id.uuid[0] ^= 1
    assert goal.cancel().return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID


def test_a_goal_is_accepted_once_and_forgotten_after_a_while(follower, corners):
    node, statuses = follower.node, []
    node.subscribe(GoalStatusArray, f'{node.name}/follow_path/_action/status', statuses, LATCHED)
    request = FollowPath.Impl.SendGoalService.Request(goal=FollowPath.Goal(poses=messages([corners[1]])))
    request.goal_id.uuid[3] = 7
    sent = {'goal_id': request.goal_id, 'goal': request.goal}
    assert node.call(FollowPath.Impl.SendGoalService, 'follow_path/_action/send_goal', **sent).accepted
    assert not node.call(FollowPath.Impl.SendGoalService, 'follow_path/_action/send_goal', **sent).accepted
    ended = node.call(FollowPath.Impl.GetResultService, 'follow_path/_action/get_result', goal_id=request.goal_id)
    assert ended.status == GoalStatus.STATUS_SUCCEEDED and ended.result.success
    node.wait_for(lambda: statuses and not statuses[-1].status_list, 'the goal to be forgotten')
    unknown = node.call(FollowPath.Impl.GetResultService, 'follow_path/_action/get_result', goal_id=request.goal_id)
    assert unknown.status == GoalStatus.STATUS_UNKNOWN and not unknown.result.success


def test_more_goals_than_are_kept_are_rejected(start):
    """Goals that wait for a frame do not end."""
    node = start.node(ARM_FILE, transform_timeout=60.0)
    request = FollowPath.Impl.SendGoalService.Request(goal=FollowPath.Goal(poses=messages([np.eye(4)])))
    request.goal.header.frame_id = 'nowhere'
    accepted = []
    for number in range(1001):
        request.goal_id.uuid[:2] = divmod(number, 256)
        answer = node.call(FollowPath.Impl.SendGoalService, 'follow_path/_action/send_goal', goal_id=request.goal_id, goal=request.goal)
        accepted.append(answer.accepted)
    assert accepted == [True] * 1000 + [False]


def test_all_goals_are_cancelled_together(follower, corners):
    goal = follower.send(corners[1:])
    goal.wait_until(0.1)
    answer = follower.node.call(CancelGoal, 'follow_path/_action/cancel_goal', goal_info=GoalInfo())
    assert [bytes(info.goal_id.uuid) for info in answer.goals_canceling] == [bytes(goal.handle.goal_id.uuid)]
    check_end(goal)
    assert goal.status == GoalStatus.STATUS_CANCELED


@pytest.fixture
def searching(start, arm_robot):
    """A goal whose search takes minutes, with its node and the tool's pose."""
    node = start.node(ARM_FILE, path__search=1000)
    here = arm_robot.pose('tool0', posture(node.states[-1]))
    zigzag = [translation(0, 0.4 * (-1) ** index, 0.02 * index) @ here for index in range(20)]
    goal = PathFollower(node).send(zigzag, free_axes=[False] * 3 + [True] * 3)
    node.wait_for(lambda: len(goal.feedback) > 2, 'feedback of the search')
    assert not any(feedback.is_planned or feedback.progress for feedback in goal.feedback)
    return goal, node, here


def test_a_long_search_is_cancelled_at_once(searching):
    goal, node, _ = searching
    assert node.forward_kinematics().success
    goal.cancel()
    result = check_end(goal)
    assert goal.status == GoalStatus.STATUS_CANCELED and 'before the arm moved' in result.message


def test_a_long_search_is_aborted_by_a_newer_goal_and_delays_it_not(searching):
    goal, _, here = searching
    newer = goal.follower.follow([translation(0, 0.05, 0) @ here])
    assert check_end(newer).success
    assert 'another path was requested' in check_end(goal).message and goal.status == GoalStatus.STATUS_ABORTED


def test_a_long_search_is_aborted_by_a_stop(searching):
    goal, node, _ = searching
    assert node.call(Trigger, 'stop').success
    assert 'a stop was requested' in check_end(goal).message and goal.status == GoalStatus.STATUS_ABORTED


def test_a_signal_stops_the_node_during_a_goal(start, arm_robot):
    node = start.node(ARM_FILE, path__speed=0.01)
    here = arm_robot.pose('tool0', posture(node.states[-1]))
    goal = PathFollower(node).send([here @ rotation((0, 0, 1), 0.4)])
    node.wait_for(lambda: goal.progress() > 0.0, 'the arm to move')
    node.process.send_signal(signal.SIGINT)
    assert node.process.wait() == 0 and 'panicked' not in node.process.output()


def test_drives_that_do_not_follow_abort_a_goal(drive):  # noqa: F811
    it = drive()
    follower = PathFollower(it.node)
    goal = follower.send([translation(0, -0.3, 0) @ it.home])
    it.node.wait_for(it.moved_by(0.05), 'the arm to move')
    # The arm sags, and the feedback reports the measured arm.
    assert max(feedback.position_deviation for feedback in goal.feedback) > NEAR[0]
    it.arm.freeze()
    result = goal.result()
    assert goal.status == GoalStatus.STATUS_ABORTED and not result.success and result.fraction < 1.0
    assert result.outcome == SolveStatus.FOLLOWING_ERROR and '~/resume' in result.message
    it.arm.release()
    it.node.wait_for(it.rests, 'the arm to rest')
    it.call('resume')
    goal = follower.follow([it.home])
    assert goal.result().success and it.gap() < 0.03
    assert difference(it.arm.positions(), MEASURED_AT) < 0.05
