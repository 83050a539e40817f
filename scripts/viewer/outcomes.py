"""The outcome of a target: a word and a colour."""
from urdf_ik.msg import SolveStatus

from .colors import AMBER, BLUE, GREEN, PURPLE, RED

WORDS = {
    SolveStatus.SOLVED: ('reached', GREEN),
    SolveStatus.STEP_LIMITED: ('on its way', BLUE),
    SolveStatus.JOINT_LIMITS: ('held back', AMBER),
    SolveStatus.NOT_CONVERGED: ('held back', AMBER),
    SolveStatus.COLLISION: ('held back', AMBER),
    SolveStatus.POSITION_ONLY: ('position only', AMBER),
    SolveStatus.OUT_OF_REACH: ('out of reach', RED),
    SolveStatus.FOLLOWING_ERROR: ('not following', RED),
}
REFUSED = ('refused', PURPLE)


def word_and_color(status):
    return WORDS.get(status.outcome, REFUSED)
