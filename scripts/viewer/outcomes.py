"""What became of a target: a word, and the colour that the handle in RViz has, too. The colour-blind can tell them apart."""
from urdf_ik.msg import SolveStatus

GREEN, AMBER, RED, BLUE, PURPLE = (0, 184, 128), (242, 196, 26), (219, 77, 13), (64, 140, 242), (204, 77, 166)
WORDS = {
    SolveStatus.SOLVED: ('reached', GREEN),
    SolveStatus.STEP_LIMITED: ('on its way', BLUE),
    SolveStatus.JOINT_LIMITS: ('held back', AMBER),
    SolveStatus.NOT_CONVERGED: ('held back', AMBER),
    SolveStatus.OUT_OF_REACH: ('out of reach', RED),
}
REFUSED = ('refused', PURPLE)


def word_and_color(status):
    return WORDS.get(status.outcome, REFUSED)
