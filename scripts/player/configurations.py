"""The visibly different configurations of an arm: joints that differ by half a turn each can give the same picture."""
import numpy as np

ELBOWS = ('elbow up', 'elbow down')
SAME = 1e-6  # distance below which points coincide in the picture, in reaches


class Configuration:
    def __init__(self, points, is_allowed):
        self.points, self.is_allowed = points, is_allowed


def distinct(answer, reach):
    """The configurations of an answer, the one with the highest elbow first; an answer without a list has one."""
    found = []
    for entry in answer.get('configurations') or [{'points': answer['points'], 'allowed': True}]:
        points = np.array(entry['points'], float)
        same = next((one for one in found if np.allclose(one.points, points, rtol=0.0, atol=SAME * reach)), None)
        if same is None:
            found.append(Configuration(points, entry['allowed']))
        else:
            same.is_allowed |= entry['allowed']
    return sorted(found, key=lambda one: -one.points[:, 2].sum())


def name(number, configuration):
    """The label on the page."""
    elbow = ELBOWS[min(number, 1)] + (f' {number}' if number > 1 else '')
    return elbow if configuration.is_allowed else f'{elbow} (beyond limits)'


def first_choice(configurations):
    """The index of one within the limits, if there is one."""
    return next((number for number, one in enumerate(configurations) if one.is_allowed), 0)
