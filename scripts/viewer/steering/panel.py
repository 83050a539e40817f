"""The part of the panel for steering the tip."""
from urdf_ik.msg import ServoStatus

from ..colors import AMBER, GREEN, GREY, PURPLE
from ..style import block, outcome
from .pads import MARKUP
from .twist import AXES

HELP = 'Velocity commands: the tip moves while a pad or key is held'
WORDS = {ServoStatus.OK: ('follows', GREEN), ServoStatus.TIMEOUT: ('at rest', GREY)}
HELD_BACK, SLIDES, REFUSED = ('held back', AMBER), ('slides', AMBER), ('refused', PURPLE)


class SteeringPanel:
    """Elements of the panel: the user's choices are `axes`, `tip` and `share`."""

    def __init__(self, gui):
        with gui.add_folder('Steer'):
            gui.add_html(MARKUP)
            self._share = gui.add_slider('Speed', 5, 100, 5, 20, hint='Percentage of servo.linear_speed and servo.angular_speed')
            self._axes = gui.add_dropdown('Axes', AXES, hint='Along which axes the pads move and turn the tip')
            self._tip = gui.add_dropdown('Tip', ('',), visible=False)
            self._status = gui.add_html('')

    @property
    def share(self):
        """Share of the maximum speeds at full deflection."""
        return self._share.value / 100

    @property
    def axes(self):
        return self._axes.value

    @property
    def tip(self):
        """The name of the steered tip link; empty without a robot."""
        return self._tip.value

    def use_tips(self, tips):
        self._tip.options = tuple(tips) or ('',)
        self._tip.visible = len(tips) > 1

    def show_status(self, status):
        """The newest ServoStatus, or None."""
        content = ''
        if status is not None:
            other = REFUSED if status.code >= ServoStatus.INVALID else HELD_BACK
            word, color = SLIDES if status.sliding else WORDS.get(status.code, other)
            name = f'{100 * status.scale:.0f} % of the speed' if status.code < ServoStatus.TIMEOUT else ''
            content = block([outcome(word, color, name, status.message)])
        if self._status.content != content:
            self._status.content = content
