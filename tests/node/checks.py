"""Checks of answers with the independent kinematics."""
from urdf_ik.msg import SolveStatus

from kinematics import errors

POSITION_TOLERANCE = ORIENTATION_TOLERANCE = 1e-5  # the defaults of the parameters [m, rad]
ROUNDING = 1e-9  # [m or rad] by which two implementations may differ


def assert_posture(robot, positions):
    """All movable joints are there, inside limits, and mimics follow."""
    wrong = robot.violations(positions)
    assert not wrong, '; '.join(wrong)


def assert_reached(robot, positions, link, target, base=None, position_tolerance=POSITION_TOLERANCE,
                   orientation_tolerance=ORIENTATION_TOLERANCE):
    """The posture puts `link` on the target, a 4 x 4 matrix."""
    assert_posture(robot, positions)
    distance, angle = errors(robot.pose(link, positions, base), target)
    assert distance <= position_tolerance + ROUNDING, f'{distance} m off'
    assert angle <= orientation_tolerance + ROUNDING, f'{angle} rad off'


def assert_honest(status, robot, positions, link, target, base=None):
    """The errors of a status are those of the posture."""
    distance, angle = errors(robot.pose(link, positions, base), target)
    assert abs(status.position_error - distance) <= ROUNDING, (status.position_error, distance)
    assert abs(status.orientation_error - angle) <= ROUNDING, (status.orientation_error, angle)


def assert_solved(client, robot, status, link, target, base=None):
    """The status says solved, and its joint state meets the target; returns the joint positions."""
    assert status.outcome == SolveStatus.SOLVED, status.message
    positions = client.answer_to(status)
    assert_reached(robot, positions, link, target, base)
    assert_honest(status, robot, positions, link, target, base)
    return positions


def difference(one, other):
    """The greatest difference between the same joints of two postures."""
    assert one.keys() == other.keys()
    return max(abs(one[name] - other[name]) for name in one)
