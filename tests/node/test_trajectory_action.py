"""Paths executed by a driver: goals of FollowJointTrajectory to a real action server, with all possible ends."""
import signal

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseArray
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus

from checks import difference
from conftest import ARM_FILE
from kinematics import errors, translation
from path_client import START, PathFollower, messages
from trajectory_driver import TrajectoryDriver

NEAR = 1e-4  # [m], path.position_deviation
# Driver and node use separate clocks: a busy machine delays one or the other, for more than a second at times.
PARAMETERS = {'path__speed': 0.15, 'following_error__window': 10.0, 'following_error__angle': 0.5, 'measured_timeout': 10.0}


class Driven:
    """A node whose paths are executed by a driver."""

    def __init__(self, launcher, **parameters):
        self.number = len(launcher.clients)
        self.namespace = f'/driven{self.number}_{id(launcher)}'
        self.driver = TrajectoryDriver(self.namespace, f'{self.namespace}/urdf_ik/measured_joint_states', START)
        action = f'{self.namespace}/follow_joint_trajectory'
        self.node = launcher.node(ARM_FILE, namespace=self.namespace, **{'trajectory_action': action, **PARAMETERS, **parameters})
        self.follower = PathFollower(self.node)
        self.wait_for_start()

    def wait_for_start(self):
        """Waits until the arm is measured there."""
        self.node.wait_for(lambda: difference(self.node.next_posture(), START) < 0.03, 'the measurement')

    def restore(self):
        """The arm at its start, with a driver without faults."""
        self.driver.behave()
        self.driver.positions.update(START)
        for service in ('resume', 'reset'):
            answer = self.node.call(Trigger, service)
            assert answer.success, answer.message
        self.wait_for_start()
        self.driver.goals.clear()
        self.driver.ends.clear()

    def tip(self, robot):
        return robot.pose('tool0', self.driver.positions)

    def ended(self, *ends):
        self.node.wait_for(lambda: len(self.driver.ends) >= len(ends), f'the driver to end {len(ends)} goals')
        assert self.driver.ends == list(ends)


@pytest.fixture(scope='module')
def shared(module_start):
    driven = Driven(module_start)
    yield driven
    driven.driver.close()


@pytest.fixture
def driven(shared):
    shared.restore()
    return shared


@pytest.fixture
def start_driven(start):
    started = []

    def make(**parameters):
        started.append(Driven(start, **parameters))
        return started[-1]
    yield make
    for driven in started:
        driven.driver.close()


@pytest.fixture
def corners(arm_robot):
    here = arm_robot.pose('tool0', START)
    return [translation(-0.05, 0.15, -0.1) @ here, translation(-0.15, 0.1, -0.05) @ here]


def end_of(goal, status, outcome=None):
    result = goal.result()
    assert goal.status == status and result.success == (status == GoalStatus.STATUS_SUCCEEDED), result.message
    assert outcome is None or result.outcome == outcome, result.message
    progress = [feedback.progress for feedback in goal.feedback]
    assert progress == sorted(progress) and all(0.0 <= value <= 1.0 for value in progress)
    return result


def succeed(goal):
    return end_of(goal, GoalStatus.STATUS_SUCCEEDED, SolveStatus.SOLVED)


def abort(goal, outcome):
    return end_of(goal, GoalStatus.STATUS_ABORTED, outcome)


def test_a_driver_executes_a_path(driven, arm_robot, corners):
    goal = driven.follower.follow(corners)
    result = succeed(goal)
    assert driven.driver.goals == [result.trajectory]
    driven.ended('succeed')
    assert errors(driven.tip(arm_robot), corners[-1]) <= (1e-5, 1e-5) and result.fraction == 1.0
    # The feedback reports the progress, and the arm is on the path.
    assert any(0.1 < feedback.progress < 0.9 for feedback in goal.feedback)
    assert result.position_deviation <= 10 * NEAR


def test_the_arm_has_arrived_when_its_driver_has(driven, arm_robot, corners):
    """The command reaches the end of the path long before."""
    driven.driver.behave(pace=0.3)
    with driven.node.changed(following_error__enabled=False):
        goal = driven.follower.send(corners)
        goal.wait_until(0.05)
        end = lambda: errors(arm_robot.pose('tool0', driven.node.next_posture()), corners[-1])  # noqa: E731
        driven.node.wait_for(lambda: end() <= (1e-5, 1e-5), 'the command to arrive')
        assert not goal.has_ended() and goal.progress() < 0.9
        succeed(goal)
    driven.ended('succeed')
    assert errors(driven.tip(arm_robot), corners[-1]) <= (1e-5, 1e-5)


def test_a_cancelled_path_ends_where_the_driver_stops(driven, arm_robot, corners):
    before = len(driven.node.statuses)
    goal = driven.follower.send(corners)
    goal.wait_until(0.3)
    goal.cancel()
    result = end_of(goal, GoalStatus.STATUS_CANCELED, SolveStatus.STEP_LIMITED)
    driven.ended('canceled')
    end = result.end.position
    assert 0.3 <= result.fraction < 1.0
    assert np.allclose((end.x, end.y, end.z), driven.tip(arm_robot)[:3, 3], atol=0.01)
    # The next path begins there.
    succeed(driven.follower.follow(corners[:1]))
    driven.ended('canceled', 'succeed')
    assert not any(status.outcome == SolveStatus.FOLLOWING_ERROR for status in driven.node.statuses[before:])


def test_a_newer_path_replaces_an_older_one(driven, arm_robot, corners):
    goal = driven.follower.send(corners)
    goal.wait_until(0.3)
    newer = driven.follower.follow(corners[:1])
    assert 'another path was requested' in abort(goal, SolveStatus.STEP_LIMITED).message
    succeed(newer)
    driven.ended('canceled', 'succeed')
    assert errors(driven.tip(arm_robot), corners[0]) <= (1e-5, 1e-5)


def test_goals_that_are_completed_cancelled_and_preempted(driven, arm_robot, corners, generator):
    node, before = driven.node, len(driven.node.statuses)
    kinds = ['complete', 'cancel', 'preempt'] * 4
    for kind in generator.permutation(kinds):
        here = driven.tip(arm_robot)
        there = corners[1] if errors(here, corners[0])[0] < 0.05 else corners[0]
        goal = driven.follower.send([there])
        if kind != 'complete':
            goal.wait_until(generator.uniform(0.0, 0.8))
        if kind == 'cancel':
            goal.cancel()
        elif kind == 'preempt':
            succeed(driven.follower.follow([here]))
            assert errors(driven.tip(arm_robot), here) <= (1e-5, 1e-5)
        result = goal.result()
        assert result.success == (goal.status == GoalStatus.STATUS_SUCCEEDED), result.message
        if kind == 'complete':
            assert result.success, result.message
            assert errors(driven.tip(arm_robot), there) <= (1e-5, 1e-5)
    # The driver got a goal for each accepted path, and each has ended.
    node.wait_for(lambda: len(driven.driver.ends) == len(driven.driver.goals), 'the driver to end all goals')
    assert driven.driver.ends.count('succeed') >= 8 and 'abort' not in driven.driver.ends
    assert not any(status.outcome == SolveStatus.FOLLOWING_ERROR for status in node.statuses[before:])


def test_without_feedback_the_measurement_shows_the_progress(driven, corners):
    driven.driver.behave(quiet=True)
    goal = driven.follower.follow(corners)
    succeed(goal)
    assert any(0.1 < feedback.progress < 0.9 for feedback in goal.feedback)


def test_an_arm_without_measurements_is_not_driven(driven, corners):
    with driven.node.changed(measured_timeout=0.0):
        assert 'measured_timeout is 0' in abort(driven.follower.follow(corners), SolveStatus.INVALID).message
    assert driven.driver.goals == []


def test_a_stop_ends_the_goal_of_the_driver(driven, corners):
    goal = driven.follower.send(corners)
    goal.wait_until(0.2)
    assert driven.node.call(Trigger, 'stop').success
    assert 'a stop was requested' in abort(goal, SolveStatus.STEP_LIMITED).message
    driven.ended('canceled')


def test_a_driver_that_aborts_is_quoted(driven, corners):
    driven.driver.behave(aborts=True)
    result = abort(driven.follower.follow(corners), SolveStatus.FOLLOWING_ERROR)
    assert 'elbow_joint has left its tolerance (error_code -4)' in result.message and 0.3 < result.fraction < 0.8
    driven.driver.behave()
    succeed(driven.follower.follow(corners))


def test_a_driver_that_rejects_moves_nothing(driven, corners):
    driven.driver.behave(rejects=True)
    before = driven.node.next_posture()
    result = abort(driven.follower.follow(corners), SolveStatus.INVALID)
    assert 'rejected the path' in result.message and driven.node.next_posture() == before
    assert driven.driver.ends == []


def test_a_driver_that_accepts_too_late_is_cancelled(driven, corners):
    driven.driver.behave(thinks=5.0)
    result = abort(driven.follower.follow(corners), SolveStatus.INVALID)
    assert 'no driver has answered' in result.message
    driven.ended('canceled')


def test_a_goal_cancelled_before_its_driver_accepts_it_moves_nothing(driven, corners):
    driven.driver.behave(thinks=1.0)
    goal = driven.follower.send(corners)
    driven.node.wait_for(lambda: goal.feedback, 'the plan')
    goal.cancel()
    end_of(goal, GoalStatus.STATUS_CANCELED)
    driven.node.wait_for(lambda: driven.driver.ends in ([], ['canceled']), 'the driver')


def test_an_arm_that_does_not_follow_halts_its_driver(driven, corners):
    with driven.node.changed(following_error__angle=0.05, following_error__window=0.3):
        goal = driven.follower.send(corners)
        goal.wait_until(0.1)
        driven.driver.behave(pace=0.0)
        result = abort(goal, SolveStatus.FOLLOWING_ERROR)
    assert '~/resume' in result.message
    driven.ended('canceled')


def test_the_speed_scale_is_that_of_the_start(driven, corners):
    fast = succeed(driven.follower.follow(corners[:1])).trajectory.points
    driven.restore()
    with driven.node.changed(speed_scale=0.5):
        succeed(driven.follower.follow(corners[:1]))
    [slow] = [goal.points for goal in driven.driver.goals]
    assert len(slow) == len(fast) and slow[9].time_from_start.nanosec == 2 * fast[9].time_from_start.nanosec
    assert np.allclose(np.array(slow[9].velocities), 0.5 * np.array(fast[9].velocities))
    assert np.allclose(np.array(slow[9].accelerations), 0.25 * np.array(fast[9].accelerations))
    assert slow[9].positions == fast[9].positions


def test_a_changed_speed_scale_stops_the_driver(driven, corners):
    goal = driven.follower.send(corners)
    goal.wait_until(0.2)
    with driven.node.changed(speed_scale=0.5):
        assert 'speed_scale was changed' in abort(goal, SolveStatus.FOLLOWING_ERROR).message
    driven.ended('canceled')
    with driven.node.changed(speed_scale=0.0):
        assert 'speed_scale is 0' in abort(driven.follower.follow(corners), SolveStatus.INVALID).message


def test_paths_of_the_topic_are_executed_too(driven, arm_robot, corners):
    def send():
        message = PoseArray(poses=messages(corners))
        message.header.stamp = driven.node.new_stamp()
        driven.node.wait_until_heard(driven.node.publisher(PoseArray, f'{driven.node.name}/target_path')).publish(message)
        return message.header.stamp
    driven.node.status_of(send(), SolveStatus.SOLVED)
    driven.ended('succeed')
    assert errors(driven.tip(arm_robot), corners[-1]) <= (1e-3, 1e-3)
    driven.restore()
    driven.driver.behave(aborts=True)
    assert 'elbow_joint' in driven.node.status_of(send(), SolveStatus.FOLLOWING_ERROR).message


def test_a_driver_that_vanishes_ends_the_path(start_driven, corners):
    # So slow that the command still moves when the driver counts as lost.
    driven = start_driven(following_error__enabled=False, path__speed=0.05)
    goal = driven.follower.send(corners)
    goal.wait_until(0.2)
    driven.driver.vanish()
    result = abort(goal, SolveStatus.FOLLOWING_ERROR)
    assert 'silent' in result.message and result.fraction < 1.0
    assert 'no driver has answered' in abort(driven.follower.follow(corners), SolveStatus.INVALID).message


def test_a_signal_to_the_node_stops_the_driver(start_driven, corners):
    driven = start_driven()
    goal = driven.follower.send(corners)
    goal.wait_until(0.2)
    driven.node.process.send_signal(signal.SIGINT)
    assert driven.node.process.wait() == 0
    driven.ended('canceled')


def test_a_name_that_is_none_ends_the_node(start):
    process = start.run('--ros-args', '-p', 'trajectory_action:=no action', '-p', f'urdf_file:={ARM_FILE}')
    assert process.wait() != 0 and "trajectory_action: 'no action' is not the name of an action" in process.output()
