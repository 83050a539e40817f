"""Checks of solver answers against independent kinematics."""
from urdf_ik.msg import SolveStatus

from kinematics import errors

POSITION_TOLERANCE = ORIENTATION_TOLERANCE = 1e-5  # parameter defaults [m, rad]
ROUNDING = 1e-9  # [m or rad] tolerated difference between two implementations


def assert_posture(robot, positions):
    """All movable joints are present and inside their limits, and mimic joints follow their masters."""
    wrong = robot.violations(positions)
    assert not wrong, '; '.join(wrong)


def assert_reached(robot, positions, link, target, base=None, position_tolerance=POSITION_TOLERANCE,
                   orientation_tolerance=ORIENTATION_TOLERANCE):
    """Checks that these joint positions put `link` at the target, a 4 x 4 matrix."""
    assert_posture(robot, positions)
    distance, angle = errors(robot.pose(link, positions, base), target)
    assert distance <= position_tolerance + ROUNDING, f'{distance} m off'
    assert angle <= orientation_tolerance + ROUNDING, f'{angle} rad off'


def assert_honest(status, robot, positions, link, target, base=None):
    """Checks that the errors in a status agree with forward kinematics."""
    distance, angle = errors(robot.pose(link, positions, base), target)
    assert abs(status.position_error - distance) <= ROUNDING, (status.position_error, distance)
    assert abs(status.orientation_error - angle) <= ROUNDING, (status.orientation_error, angle)


def assert_solved(client, robot, status, link, target, base=None):
    """Checks that the status reports success and its joint state meets the target; returns the joint positions."""
    assert status.outcome == SolveStatus.SOLVED, status.message
    positions = client.answer_to(status)
    assert_reached(robot, positions, link, target, base)
    assert_honest(status, robot, positions, link, target, base)
    return positions


def difference(one, other):
    """The largest difference between corresponding joints of two configurations."""
    assert one.keys() == other.keys()
    return max(abs(one[name] - other[name]) for name in one)
