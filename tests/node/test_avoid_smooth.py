"""Smooth motion towards an obstacle: the arm brakes within its limits, and stops before contact."""
import numpy as np
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus

from checks import assert_honest, assert_solved
from client import posture
from motion import assert_smooth, still
from solids import BESIDE, MARGIN, MOVING, ROBOT, ROUNDING, Ball, aside, home, start_arm
from test_avoid_streams import end_of
from world import change

RATE = 100.0


def start_smooth(start, *balls, **parameters):
    return start_arm(start, *balls, motion='smooth', publish_rate=RATE, branch_jumps=False, **parameters)


def moved(node, before):
    """The states since then that have velocities."""
    return [state for state in node.states_since(before) if len(state.velocity)]


def test_what_appears_in_the_way_stops_the_arm(start):
    there, here = Ball((0, 0, 3), 0.08), Ball((0.45, 0.33, 0.4), 0.08)
    # Slow, so that a busy machine can place the obstacle in time.
    world = start_smooth(start, there, speed_scale=0.15)
    node = world.client
    # The collision scene is built for the first target.
    assert_solved(node, ROBOT, node.send_pose(home()), 'tool0', home())
    before = node.snapshot()
    target = aside(0.45)
    first = node.send_pose(target)
    assert first.outcome == SolveStatus.STEP_LIMITED, first.message
    world.make(change('move', 'ball', here.centre))
    end = node.status_of(first.header.stamp, SolveStatus.COLLISION)
    assert "obstacle 'ball'" in end.message and 'ball' in end.nearest
    node.wait_for(lambda: still(node.states[-1]), 'the arm to rest')
    states = moved(node, before)
    assert_smooth(states, ROBOT, 1 / RATE)
    here.assert_passed(states, 1 / RATE, **MOVING)
    stands = node.answer_to(end)
    assert here.nearest(stands) >= MARGIN - ROUNDING and posture(states[-1]) == stands
    assert_honest(end, ROBOT, stands, 'tool0', target)


def test_the_arm_moves_away_and_comes_back(start):
    node = start_smooth(start, BESIDE).client
    for y in (0.2, -0.1, 0.15, 0.0):
        before = node.snapshot()
        end = end_of(node, node.send_pose(aside(y)))
        assert end.outcome == (SolveStatus.COLLISION if y > 0.1 else SolveStatus.SOLVED), end.message
        BESIDE.assert_passed(moved(node, before), 1 / RATE, **MOVING)
        assert BESIDE.nearest(node.next_posture()) >= MARGIN - ROUNDING
    assert_solved(node, ROBOT, end, 'tool0', aside(0.0))


def test_a_stream_is_followed_as_far_as_the_way_is_clear(start):
    node = start_smooth(start, BESIDE).client
    before = node.snapshot()
    for y in np.linspace(0, 0.3, 100):
        last = node.send_pose(aside(y))
        node.pace(0.01)
    # On a busy machine the arm also rests between the targets.
    end_of(node, last)
    node.next_posture()
    node.wait_for(lambda: still(node.states[-1]), 'the arm to rest')
    states = moved(node, before)
    assert_smooth(states, ROBOT, 1 / RATE)
    assert BESIDE.assert_passed(states, 1 / RATE, **MOVING) < 2 * MARGIN
    assert BESIDE.nearest(node.next_posture()) >= MARGIN - ROUNDING


def test_the_margin_is_kept_however_the_speed_is_scaled(start):
    node = start_smooth(start, BESIDE).client
    assert_solved(node, ROBOT, node.send_pose(home()), 'tool0', home())
    before = node.snapshot()
    for scale in (0.5, 0.1, 0.0):
        first = node.send_pose(aside(0.3))
        node.wait_for(lambda: max(map(abs, node.states[-1].velocity), default=0.0) > 0.1, 'motion')
        node.set_all(speed_scale=scale)
        node.live(20)
        # Includes a stop from any speed, and a motion that replaces a scaled one.
        assert node.call(Trigger, 'stop').success
        node.wait_for(lambda: still(node.states[-1]), 'the arm to rest')
        assert BESIDE.nearest(node.next_posture()) >= MARGIN - ROUNDING
        assert node.call(Trigger, 'resume').success
        node.set_all(speed_scale=0.5)
        back = node.send_pose(home())
        node.live(5)
        node.set_all(speed_scale=1.0)
        assert_solved(node, ROBOT, node.status_of(back.header.stamp, SolveStatus.SOLVED), 'tool0', home())
        assert len(node.statuses_of(first.header.stamp)) <= 2
    BESIDE.assert_passed(moved(node, before), 1 / RATE, **MOVING)
