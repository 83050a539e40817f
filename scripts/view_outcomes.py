"""What became of a target, in a word and a colour that the colour-blind can tell apart (Okabe and Ito's palette)."""
from urdf_ik.msg import SolveStatus

GREEN, AMBER, RED, BLUE = (0, 158, 115), (230, 159, 0), (213, 94, 0), (0, 114, 178)
WORDS = {
    SolveStatus.SOLVED: ('reached', GREEN),
    SolveStatus.STEP_LIMITED: ('on its way', BLUE),
    SolveStatus.JOINT_LIMITS: ('held back', AMBER),
    SolveStatus.NOT_CONVERGED: ('held back', AMBER),
    SolveStatus.OUT_OF_REACH: ('out of reach', RED),
}
REFUSED = ('refused', RED)


def word_and_color(status):
    return WORDS.get(status.outcome, REFUSED)
