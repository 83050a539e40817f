"""An arm that sags towards an obstacle: where it is measured within the margin, it stops, and may still move away."""
import pytest
from urdf_ik.msg import ServoStatus, SolveStatus

from checks import assert_solved
from client import posture
from driver import MEASURED_AT
from servo_client import RATE, Servo, twist
from solids import BESIDE, ROBOT, aside, home, start_arm

MARGIN = 0.03  # [m]
SAG = {'shoulder_pan_joint': -0.02}  # [rad], to the left: a centimetre at the hand, where the ball is
LOST = 0.005  # [m] by which the arm may be nearer than the margin, after lag and a stop from 5 cm/s; less than it sags
LEFT, RIGHT = twist(linear=(0, 0.05, 0)), twist(linear=(0, -0.05, 0))


class Sagging:
    """A node and the arm that it commands."""

    def __init__(self, node, arm):
        self.node, self.arm = node, arm

    def measured(self):
        """Distance of the arm from the ball [m]."""
        return BESIDE.nearest(self.arm.positions())

    def commanded(self):
        return BESIDE.nearest(posture(self.node.states[-1]))

    def assert_kept(self, lost=LOST):
        assert self.measured() >= MARGIN - lost, self.measured()
        assert self.commanded() > MARGIN + 0.002, 'it stops earlier than an arm that does not sag'


def start_sagging(start):
    return start_arm(start, BESIDE, motion='smooth', publish_rate=RATE, branch_jumps=False, collision_margin=MARGIN,
                     servo__timeout=0.5).client


@pytest.fixture
def sagging(start, simulate):
    node = start_sagging(start)
    arm = simulate(node, dict.fromkeys(MEASURED_AT, 0.0), source='joint_states', sag=SAG)
    # The scene is made for the first target.
    node.wait_for(lambda: node.send_pose(home()).outcome == SolveStatus.SOLVED, 'the arm to be measured at home')
    return Sagging(node, arm)


def test_a_twist_stops_without_dither_and_leads_away_again(sagging):
    node, servo = sagging.node, Servo(sagging.node)
    for _ in range(2):
        since = len(servo.statuses)

        def held():
            told = servo.statuses[since:]
            return next((s for s in told if s.code == ServoStatus.COLLISION and 'ball' in s.nearest), None)
        assert len(servo.stream(LEFT, held, 'something to be in the way').nearest) == 2
        count = len(node.states) + 30
        servo.stream(LEFT, lambda: len(node.states) > count, 'the arm to come to rest')
        there, count = sagging.commanded(), len(node.states) + 100
        servo.stream(LEFT, lambda: len(node.states) > count, 'the node to live')
        assert abs(sagging.commanded() - there) < 5e-4
        sagging.assert_kept()
        away = there + 0.03
        servo.stream(RIGHT, lambda: sagging.commanded() > away, 'the arm to move away')


def test_a_smooth_target_stops_and_the_next_one_leads_away(sagging):
    node = sagging.node
    node.set_all(speed_scale=0.2)
    status = node.send_pose(aside(0.3))
    end = node.status_of(status.header.stamp, SolveStatus.COLLISION)
    assert 'ball' in end.nearest and "obstacle 'ball'" in end.message, end.message
    node.live(20)
    # It was braking at its limits already.
    sagging.assert_kept(0.008)
    node.set_all(speed_scale=1.0)
    for target in (aside(-0.05), home()):
        first = node.send_pose(target)
        assert_solved(node, ROBOT, node.status_of(first.header.stamp, SolveStatus.SOLVED), 'tool0', target)


def test_a_stream_of_immediate_targets_stops(sagging):
    node = sagging.node
    node.set_all(motion='immediate')
    for index in range(150):
        status = node.send_pose(aside(0.001 * index))
        node.pace(0.02)
    assert status.outcome == SolveStatus.COLLISION and 'ball' in status.nearest, status.message
    node.live(20)
    sagging.assert_kept()
    away = node.send_pose(home())
    assert_solved(node, ROBOT, node.status_of(away.header.stamp, SolveStatus.SOLVED), 'tool0', home())


def test_an_arm_that_only_lags_comes_as_near_as_the_margin(start, simulate):
    node = start_sagging(start)
    arm = simulate(node, dict.fromkeys(MEASURED_AT, 0.0), source='joint_states')
    lagging, servo = Sagging(node, arm), Servo(node)
    servo.stream(LEFT, lambda: lagging.measured() < MARGIN + 4e-3, 'the arm to come near')
    assert lagging.measured() > MARGIN - 2e-3
