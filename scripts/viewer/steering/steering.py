"""Forwards the pads of the page to the node as twists."""
import numpy as np

from .twist import TIP, VIEW, axes_of_view, twist_of

PERIOD = 0.03  # [s] between two twists, a fraction of the node's default servo.timeout


class Steering:
    """Publishes twists while a pad is held, and a zero after the release."""

    def __init__(self, arm, pads, panel, cameras):
        """`cameras` returns the cameras of all open pages by client id."""
        self._arm, self._pads, self._panel, self._cameras = arm, pads, panel, cameras
        self._moves = None  # the last commanded tip
        self._base = np.eye(3)
        arm.create_timer(PERIOD, self.publish)

    def set_base(self, rotation):
        """The orientation of the base link in the scene, a 3 x 3 matrix."""
        self._base = rotation

    def publish(self):
        held, tip = self._pads.held(), self._panel.tip
        if self._moves is not None and (held is None or self._moves != tip):
            self._arm.publish_twist(self._moves, np.zeros(6))
            self._moves = None
        if held is None or not tip:
            return
        self._moves = tip
        self._arm.hold_still(tip)
        speeds = [self._panel.share * speed for speed in self._arm.servo_speeds]
        self._arm.publish_twist(tip, twist_of(held.by, speeds, self._view(held.client)), self._panel.axes == TIP)

    def _view(self, client):
        """The axes of a page's view in the base link's frame; None unless these axes are selected."""
        camera = self._cameras().get(client) if self._panel.axes == VIEW else None
        return None if camera is None else self._base.T @ axes_of_view(camera.wxyz)
