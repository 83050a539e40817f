"""The configurations of an arm that look different: joints that turn by half a turn each can give one picture several times."""
import numpy as np

ELBOWS = ('elbow up', 'elbow down')
SAME = 1e-6  # distance of points that are drawn once, in reaches


class Configuration:
    def __init__(self, points, is_allowed):
        self.points, self.is_allowed = points, is_allowed


def distinct(answer, reach):
    """Those of an answer, the one with the highest elbow first; an answer that lists none has one."""
    found = []
    for said in answer.get('configurations') or [{'points': answer['points'], 'allowed': True}]:
        points = np.array(said['points'], float)
        same = next((one for one in found if np.allclose(one.points, points, rtol=0.0, atol=SAME * reach)), None)
        if same is None:
            found.append(Configuration(points, said['allowed']))
        else:
            same.is_allowed |= said['allowed']
    return sorted(found, key=lambda one: -one.points[:, 2].sum())


def name(number, configuration):
    """The name on the page."""
    elbow = ELBOWS[min(number, 1)] + (f' {number}' if number > 1 else '')
    return elbow if configuration.is_allowed else f'{elbow} (beyond limits)'


def first_choice(configurations):
    """The number of one within the limits, where there is one."""
    return next((number for number, one in enumerate(configurations) if one.is_allowed), 0)
