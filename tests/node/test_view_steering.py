"""Steering on the page: the tip moves while a pad or a key is held, and stops on release or when the page is gone."""
import numpy as np
import pytest

for module in ('viser', 'yourdfpy', 'websockets', 'imageio'):
    pytest.importorskip(module, reason=f'the page in the browser is not tested: no Python package {module} here')

from geometry_msgs.msg import TwistStamped  # noqa: E402

from checks import difference  # noqa: E402
from client import posture  # noqa: E402
from conftest import ARM_FILE, ROBOTS  # noqa: E402
from motion import still  # noqa: E402
from pages import TIMEOUT, choose, needs_browser, show, wait_for, wait_for_pixels, wait_for_text, window  # noqa: E402, F401
from servo_client import BENT  # noqa: E402
from test_view import page, view  # noqa: E402, F401

AREA = "document.querySelectorAll('.ik-stick')[{}]?.querySelector('.ik-{}')".format
MOVE, TURN = 0, 1
WORKSPACE = (222, 161, 74)

pytestmark = needs_browser


class Steered:
    """A node whose tip is steered on a page."""

    def __init__(self, node, window, topic='target_twist'):
        self.node, self.window = node, window
        self.twists = node.subscribe(TwistStamped, f'{node.name}/{topic}', [])
        wait_for(lambda: window.evaluate(f'!!{AREA(MOVE, "pad")}'), 'the pads')
        show(window, AREA(MOVE, 'pad'))
        node.wait_for(lambda: node.node.count_publishers(f'{node.name}/{topic}') > 0, 'the publisher of twists', TIMEOUT)

    def place(self, pad, part, right=0.0, up=0.0):
        """The place of a deflection of a pad or its bar on the page [pixels]."""
        left, top, width, height = self.window.evaluate(
            f'(() => {{ const r = {AREA(pad, part)}.getBoundingClientRect(); return [r.left, r.top, r.width, r.height] }})()')
        return left + width * (1 + right) / 2, top + height * (1 - up) / 2

    def press(self, pad, part, right=0.0, up=0.0):
        """Drags the knob from the centre, and holds it there."""
        self.window.mouse('mouseMoved', *self.place(pad, part))
        self.window.mouse('mousePressed', *self.place(pad, part), 1)
        self.window.mouse('mouseMoved', *self.place(pad, part, right, up), 1)

    def release(self):
        self.window.mouse('mouseReleased', 5, 5)

    def wait_for_twist(self, linear=(0, 0, 0), angular=(0, 0, 0)):
        """Waits until such a twist is commanded."""
        def commanded():
            twist = self.twists[-1].twist
            return np.allclose([vector(twist.linear), vector(twist.angular)], [linear, angular], atol=1e-3)
        self.node.wait_for(lambda: self.twists and commanded(), f'the twist {linear} {angular}', TIMEOUT)

    def wait_for_rest(self):
        """Waits until zero is the last command, no further commands follow, and the arm is at rest."""
        def is_silent():
            # On a busy machine a page may seem to be gone, which commands zero, before its last deflections arrive.
            self.wait_for_twist()
            count = len(self.twists)
            self.node.live()
            return len(self.twists) == count
        self.node.wait_for(is_silent, 'silence', TIMEOUT)
        self.node.wait_for(lambda: still(self.node.states[-1]) or not self.node.states[-1].velocity, 'the arm to rest', TIMEOUT)

    def wait_for_motion(self):
        before = posture(self.node.states[-1])
        self.node.wait_for(lambda: difference(posture(self.node.states[-1]), before) > 0.01, 'the arm to move', TIMEOUT)


def vector(message):
    return [message.x, message.y, message.z]


@pytest.fixture
def steered(page):
    node, window = page(ARM_FILE, 'arm7', initial_posture=str(BENT), publish_rate=100.0)
    return Steered(node, window)


def test_a_pad_that_is_held_moves_the_tip_and_released_stops_it(steered):
    choose(steered.window, 'view', 'base link')
    show(steered.window, AREA(MOVE, 'pad'))
    for pad, part, deflection, linear, angular in [
            (MOVE, 'pad', (0, 1), (0.1, 0, 0), (0, 0, 0)), (MOVE, 'pad', (1, 0), (0, -0.1, 0), (0, 0, 0)),
            (MOVE, 'bar', (0, -1), (0, 0, -0.1), (0, 0, 0)), (TURN, 'pad', (-1, 0), (0, 0, 0), (0, 0, 0.3)),
            (TURN, 'pad', (0, 0.5), (0, 0, 0), (0, 0.15, 0)), (TURN, 'bar', (0, 1), (0, 0, 0), (0.3, 0, 0))]:
        steered.press(pad, part, *deflection)
        steered.wait_for_twist(linear, angular)
        steered.wait_for_motion()
        steered.release()
        steered.wait_for_rest()


def test_the_pads_follow_the_view(steered):
    steered.press(MOVE, 'pad', 1, 0)

    def commanded():
        linear = vector(steered.twists[-1].twist.linear) if steered.twists else np.zeros(3)
        return linear if np.linalg.norm(linear) > 0.05 else None
    right = np.array(steered.node.wait_for(commanded, 'a twist', TIMEOUT))
    steered.release()
    steered.wait_for_rest()
    # The camera is in front of the arm, on the side of -y: right on the screen is motion away from it, along y.
    assert abs(np.linalg.norm(right) - 0.1) < 1e-3 and right[1] > 0.05 and abs(right[2]) < 1e-6, right
    steered.twists.clear()
    steered.press(MOVE, 'pad', 0, 1)
    up = np.array(steered.node.wait_for(commanded, 'a twist', TIMEOUT))
    steered.release()
    assert up[2] > 0.05 and abs(up @ right) < 1e-4, up


def test_keys_move_the_tip_while_they_are_held(steered):
    window = steered.window
    choose(window, 'view', 'base link')
    window.evaluate("document.querySelectorAll('.ik-stick')[0].focus()")
    for code, key, linear, angular in [
            ('KeyW', 'w', (0.1, 0, 0), (0, 0, 0)), ('ArrowLeft', 'ArrowLeft', (0, 0.1, 0), (0, 0, 0)),
            ('PageUp', 'PageUp', (0, 0, 0.1), (0, 0, 0)), ('KeyJ', 'j', (0, 0, 0), (0, 0, 0.3))]:
        window.key('keyDown', code, key)
        steered.wait_for_twist(linear, angular)
        window.key('keyUp', code, key)
        steered.wait_for_rest()
    # Keys without focus have no effect, and a loss of focus releases them.
    window.key('keyDown', 'KeyW', 'w')
    steered.wait_for_twist((0.1, 0, 0))
    window.evaluate('document.activeElement.blur()')
    steered.wait_for_rest()
    window.key('keyUp', 'KeyW', 'w')
    window.key('keyDown', 'KeyS', 's')
    window.key('keyUp', 'KeyS', 's')
    count = len(steered.twists)
    steered.node.live()
    assert len(steered.twists) == count


@pytest.mark.parametrize('end', [
    "location.href = 'about:blank'",  # the page is closed
    "window.fetch = () => new Promise(() => {})",  # or its network is gone
], ids=['closed', 'silent'])
def test_a_page_that_is_gone_lets_go(steered, end):
    address = steered.window.evaluate('location.href')
    steered.press(MOVE, 'pad', 1, 0)
    steered.wait_for_motion()
    steered.window.evaluate(end)
    steered.wait_for_rest()
    steered.release()
    # Visible again, because a page during navigation has no screenshot.
    steered.window.open(address)
    wait_for_text(steered.window, 'arm7')


def test_speed_and_status_are_on_the_panel(steered):
    node, window = steered.node, steered.window
    start = node.forward_kinematics().poses[0].pose.position.z
    node.set_all(servo__linear_speed=0.2, servo__workspace=f'{{min: [-.inf, -.inf, {start - 0.03}]}}')
    wait_for_pixels(window, WORKSPACE, 50, tolerance=30)
    choose(window, 'view', 'base link')
    show(window, AREA(MOVE, 'pad'))
    steered.press(MOVE, 'bar', 0, -1)
    steered.wait_for_twist((0, 0, -0.04))
    wait_for_text(window, "'servo.workspace of tool0' is at its bound")
    wait_for_text(window, 'held back')
    steered.release()
    steered.wait_for_rest()


def test_the_tip_of_several_is_chosen(page):
    node, window = page(ROBOTS / 'two_arms.urdf', 'two_arms', tip_links=['left-hand', 'right-hand'])
    steered = Steered(node, window, 'right_hand/target_twist')
    choose(window, 'view', 'base link')
    choose(window, 'left-hand', 'right-hand')
    show(window, AREA(MOVE, 'pad'))
    steered.press(MOVE, 'pad', 1, 0)
    steered.wait_for_twist((0, -0.1, 0))
    steered.release()
    steered.wait_for_rest()
