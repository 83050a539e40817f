"""A sagging arm near an obstacle: measured within the margin, it stops, and may still move away."""
import pytest
from urdf_ik.msg import ServoStatus, SolveStatus

from checks import assert_solved, difference
from client import posture
from driver import MEASURED_AT
from servo_client import RATE, Servo, twist
from solids import BESIDE, ROBOT, aside, home, start_arm

MARGIN = 0.03  # [m]
SAG = {'shoulder_pan_joint': -0.02}  # [rad], to the left: a centimetre at the hand, towards the ball
LOST = 0.005  # [m] permitted intrusion into the margin, due to lag and stopping distance; less than the sag
EARLY = 0.002  # [m] by which the command stops earlier than for an arm without sag, at least
LOST_OF_MOTION = 0.009  # [m] of a motion to a target, mostly braking at the limits at any speed_scale
EARLY_OF_MOTION = 5e-4  # [m], the remainder after the sag
# A measurement inside the margin stops the arm as soon as the node receives it. A busy machine delays that, so the arm
# is slow.
LEFT, RIGHT = twist(linear=(0, 0.01, 0)), twist(linear=(0, -0.05, 0))
SLOW = 0.02  # speed_scale of a motion with a tip speed below 1 cm/s
SILENCE = 0.3  # [s] between two measurements, during which the arm may continue
NEAR = 0.004  # [m] beyond the margin
SETTLED = 1e-4  # [rad]


class Sagging:
    """A node and the arm that it commands."""

    def __init__(self, node, arm):
        self.node, self.arm = node, arm
        self.away_at = arm.now()  # when it was last away from the ball

    def measured(self):
        """Distance of the arm from the ball [m]."""
        return BESIDE.nearest(self.arm.positions())

    def is_near(self):
        at = self.arm.now()
        if self.measured() > MARGIN + NEAR:
            self.away_at = at
        return self.away_at < at

    def has_settled(self):
        """Whether the drives have brought it to the newest command."""
        goal = {name: position - SAG.get(name, 0.0) for name, position in self.arm.commanded().items()}
        return difference(goal, self.arm.positions()) < SETTLED

    def commanded(self):
        return BESIDE.nearest(posture(self.node.states[-1]))

    def assert_stops(self, approach, back, lost=LOST, early=EARLY):
        """`approach` moves the arm towards the ball, where it must stop, and `back` away again.

        If a busy machine delays the measurements near the ball, the node cannot react in time: the test then starts over.
        """
        def has_stopped():
            approach()
            is_measured = self.arm.longest_silence(self.away_at) < SILENCE
            if is_measured:
                assert self.measured() >= MARGIN - lost, self.measured()
                assert self.commanded() > MARGIN + early, 'it stops earlier than an arm without sag'
            back()
            return is_measured
        self.node.wait_for(has_stopped, 'measurements without a pause')


def start_sagging(start):
    # Generous: on a busy machine commands and measurements may pause.
    return start_arm(start, BESIDE, motion='smooth', publish_rate=RATE, branch_jumps=False, collision_margin=MARGIN,
                     servo__timeout=0.5, measured_timeout=10.0, following_error__window=10.0).client


@pytest.fixture
def sagging(start, simulate):
    node = start_sagging(start)
    arm = simulate(node, dict.fromkeys(MEASURED_AT, 0.0), source='joint_states', sag=SAG)
    # The collision scene is built for the first target.
    node.wait_for(lambda: node.send_pose(home()).outcome == SolveStatus.SOLVED, 'the arm to be measured at home')
    return Sagging(node, arm)


def test_a_twist_stops_without_dither_and_leads_away_again(sagging):
    node, servo = sagging.node, Servo(sagging.node)

    def approach():
        since = len(servo.statuses)
        servo.stream(LEFT, sagging.is_near, 'the arm to approach the ball')

        def collision():
            statuses = servo.statuses[since:]
            return next((s for s in statuses if s.code == ServoStatus.COLLISION and 'ball' in s.nearest), None)
        assert len(servo.stream(LEFT, collision, 'the collision status').nearest) == 2
        count = len(node.states) + 30
        servo.stream(LEFT, lambda: len(node.states) > count, 'the arm to come to rest')

    def back():
        there, count = sagging.commanded(), len(node.states) + 100
        servo.stream(LEFT, lambda: len(node.states) > count, 'some periods')
        assert abs(sagging.commanded() - there) < 5e-4
        away = there + 0.03
        servo.stream(RIGHT, lambda: sagging.commanded() > away, 'the arm to move away')
    for _ in range(2):
        sagging.assert_stops(approach, back)


def test_a_smooth_target_stops_and_the_next_one_leads_away(sagging):
    node = sagging.node

    def approach():
        node.set_all(speed_scale=SLOW)
        status = node.send_pose(aside(0.3))
        node.wait_for(sagging.is_near, 'the arm to approach the ball')
        end = node.status_of(status.header.stamp, SolveStatus.COLLISION)
        assert 'ball' in end.nearest and "obstacle 'ball'" in end.message, end.message
        node.live(20)

    def back():
        node.set_all(speed_scale=1.0)
        for target in (aside(-0.05), home()):
            first = node.send_pose(target)
            assert_solved(node, ROBOT, node.status_of(first.header.stamp, SolveStatus.SOLVED), 'tool0', target)
    sagging.assert_stops(approach, back, LOST_OF_MOTION, EARLY_OF_MOTION)


def test_a_stream_of_immediate_targets_stops(sagging):
    node = sagging.node
    node.set_all(motion='immediate')

    def send(to):
        status = node.send_pose(aside(to))
        # The next one is sent when the arm has reached this one.
        node.live(2)
        node.wait_for(sagging.has_settled, 'the arm to follow')
        sagging.is_near()
        return status

    def approach():
        statuses = (send(0.001 * index) for index in range(150))
        status = next(status for status in statuses if status.outcome == SolveStatus.COLLISION)
        assert 'ball' in status.nearest, status.message

    def back():
        there = sagging.commanded()
        for index in range(50):
            assert send(0.1 + 0.001 * index).outcome == SolveStatus.COLLISION
        assert abs(sagging.commanded() - there) < 5e-4
        away = node.send_pose(home())
        assert_solved(node, ROBOT, node.status_of(away.header.stamp, SolveStatus.SOLVED), 'tool0', home())
    sagging.assert_stops(approach, back)


def test_an_arm_that_only_lags_comes_as_near_as_the_margin(start, simulate):
    node = start_sagging(start)
    arm = simulate(node, dict.fromkeys(MEASURED_AT, 0.0), source='joint_states')
    lagging, servo = Sagging(node, arm), Servo(node)
    servo.stream(LEFT, lambda: lagging.measured() < MARGIN + 4e-3, 'the arm to approach the ball')
    assert lagging.measured() > MARGIN - 2e-3
