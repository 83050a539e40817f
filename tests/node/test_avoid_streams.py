"""Streams of targets near an obstacle: the arm slows down, slides and stops, and can always move away."""
import math
import time

import numpy as np
import pytest
from urdf_ik.msg import SolveStatus

from checks import assert_solved
from client import pose_message
from motion import assert_steps
from solids import ALLOWED_BETWEEN, BESIDE, MARGIN, MOVING, ROBOT, ROUNDING, Ball, aside, home, start_arm

RATE = 1000.0
# 10 s of targets: the tool swings to both sides, through the ball and back.
SWINGS = [aside(0.3 * math.sin(angle)) for angle in np.linspace(0, 8 * math.pi, 10_000)]


@pytest.fixture(scope='module')
def shared_arm_beside_a_ball(module_start):
    return start_arm(module_start, BESIDE).client


@pytest.fixture
def node(shared_arm_beside_a_ball):
    shared_arm_beside_a_ball.reset()
    return shared_arm_beside_a_ball


def stream(node, poses):
    """Publishes targets at a constant rate, and waits for the status of the last one."""
    publisher, began = node.target_publisher('target_pose'), time.monotonic()
    for index, pose in enumerate(poses):
        stamp = node.new_stamp()
        publisher.publish(pose_message(pose, '', stamp))
        # At least once, so that no state is lost on a busy machine.
        node.executor.spin_once(timeout_sec=0.0)
        while (left := began + (index + 1) / RATE - time.monotonic()) > 0:
            node.executor.spin_once(timeout_sec=left)
    node.status_of(stamp)


def end_of(node, first):
    """The status at the end of the motion to a target."""
    return node.wait_for(lambda: next((status for status in node.statuses_of(first.header.stamp)
                                       if status.outcome != SolveStatus.STEP_LIMITED), None), 'the end of the motion')


def test_a_stream_past_a_ball_keeps_the_margin(node):
    before = node.snapshot()
    stream(node, SWINGS)
    least = BESIDE.assert_passed(node.states_since(before))
    assert least < 2 * MARGIN, 'the arm was never near the ball'
    statuses = node.statuses[before.statuses:]
    stopped = [status for status in statuses if status.outcome == SolveStatus.COLLISION]
    assert stopped, {status.message for status in statuses}
    for status in stopped:
        assert len(status.nearest) == 2 and 'ball' in status.nearest, status
        assert MARGIN - ALLOWED_BETWEEN <= status.nearest_distance <= MARGIN + 0.05
        assert "obstacle 'ball'" in status.message
    # A busy machine loses many targets, unevenly.
    assert any(status.outcome == SolveStatus.SOLVED for status in statuses[:-1]) and statuses[-1].outcome == SolveStatus.SOLVED


def test_the_arm_can_always_move_away(node):
    stream(node, [aside(y) for y in np.linspace(0, 0.13, 200)])
    assert BESIDE.nearest(node.next_posture()) < 2 * MARGIN
    stream(node, [aside(y) for y in np.linspace(0.13, 0, 200)])
    assert_solved(node, ROBOT, node.send_pose(home()), 'tool0', home())


def test_a_target_far_beyond_is_not_reached_through_the_ball(node):
    before = node.snapshot()
    status = node.send_pose(aside(0.5))
    assert status.outcome in (SolveStatus.COLLISION, SolveStatus.SOLVED), status.message
    node.settle()
    BESIDE.assert_passed(node.states_since(before))


def test_off_means_off(node):
    inside = aside(BESIDE.centre[1])
    with node.changed(avoid_collisions=False):
        status = node.send_pose(inside)
        positions = assert_solved(node, ROBOT, status, 'tool0', inside)
        assert BESIDE.nearest(positions) < 0 and list(status.nearest) == []
    # It can also move away from inside: each target leads outwards, and never deeper.
    depths = [-BESIDE.nearest(positions)]

    def is_home():
        status = node.send_pose(home())
        depths.append(-BESIDE.nearest(node.next_posture()))
        return status.outcome == SolveStatus.SOLVED
    node.wait_for(is_home, 'the motion out of the ball')
    assert all(later <= max(depth, -MARGIN) + ROUNDING for depth, later in zip(depths, depths[1:])), depths


def test_an_obstacle_that_comes_near_holds_nothing_back(start):
    close = Ball((0.512, 0.05 + 0.02 + 0.4 * MARGIN, 0.386), 0.03)
    node = start_arm(start, close).client
    here = close.nearest(node.next_posture())
    assert 0 < here < MARGIN
    towards = node.send_pose(aside(0.05))
    assert towards.outcome == SolveStatus.COLLISION and 'ball' in towards.nearest, towards.message
    assert close.nearest(node.next_posture()) >= here - ROUNDING
    assert_solved(node, ROBOT, node.send_pose(aside(-0.1)), 'tool0', aside(-0.1))


def test_steps_stop_before_the_ball(start):
    bound, period = 0.01, 1 / 200
    node = start_arm(start, BESIDE, max_joint_step=bound, publish_rate=1 / period, branch_jumps=False).client
    before = node.snapshot()
    first = node.send_pose(aside(0.2))
    end = end_of(node, first)
    assert end.outcome == SolveStatus.COLLISION and 'ball' in end.nearest, end.message
    states = node.states_since(before)
    BESIDE.assert_passed(states, period, **MOVING)
    assert_steps(states, bound, period)
    assert BESIDE.nearest(node.next_posture()) >= MARGIN - ROUNDING
