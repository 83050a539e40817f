"""The page displays the standing goals as the node draws them, and drags move them."""
import json

import numpy as np
import pytest

for module in ('viser', 'yourdfpy', 'websockets', 'imageio'):
    pytest.importorskip(module, reason=f'the page in the browser is not tested: no Python package {module} here')

from client import posture  # noqa: E402
from conftest import ARM_FILE  # noqa: E402
from pages import (  # noqa: E402
    TIMEOUT,
    click,
    drag,
    needs_browser,
    pixels,
    wait_for,
    wait_for_pixels,
    wait_for_text,
    window,  # noqa: F401
)
from test_goal_markers import CONE, box_at, goals_in_use  # noqa: E402
from test_view import ACCENT, page, view  # noqa: E402, F401

VIOLATED, MET = (217, 80, 22), (106, 182, 163)

pytestmark = needs_browser


def violated_pixels(window):
    """Columns and rows of the scene with the colour of a violated goal, as pairs."""
    return set(zip(*(side.tolist() for side in pixels(window, VIOLATED, tolerance=30))))


def test_goals_are_drawn_and_named(page, arm_robot):
    node, window = page(ARM_FILE, 'arm7')
    start = arm_robot.pose('tool0', posture(node.next_state()))
    wait_for_pixels(window, ACCENT, 200)
    assert 'Goals' not in window.text()
    arm_alone = len(violated_pixels(window))
    cone = {**CONE, 'direction': start[:3, 2].tolist()}
    node.set_all(goals=json.dumps([box_at(start[:3, 3] - (0.0, 0.0, 0.3), 0.08), cone]))
    wait_for_text(window, 'box, by 0.220 m')
    wait_for_text(window, 'level')
    wait_for(lambda: len(violated_pixels(window)) > arm_alone + 200, 'the box')
    wait_for_pixels(window, MET, 50, tolerance=30)
    node.set_all(goals='')
    wait_for(lambda: 'violated' not in window.text(), 'the goals to go')
    wait_for(lambda: len(violated_pixels(window)) < arm_alone + 20, 'the box to go')


def test_the_goals_are_drawn_on_a_dark_page(page, arm_robot):
    node, window = page(ARM_FILE, 'arm7')
    start = arm_robot.pose('tool0', posture(node.next_state()))
    node.set_all(goals=json.dumps(box_at(start[:3, 3] - (0.0, 0.0, 0.3), 0.08)))
    wait_for_pixels(window, VIOLATED, 200, tolerance=30)
    dark = "[...document.querySelectorAll('label')].find(e => e.innerText.trim() == 'Dark')"
    wait_for(lambda: window.evaluate(f'(({dark})?.scrollIntoView(), true)') and click(window, dark), 'the switch')
    wait_for_pixels(window, (26, 27, 30), 1000, tolerance=20)
    wait_for_pixels(window, VIOLATED, 200, tolerance=30)


def test_what_is_dragged_moves_a_goal(page, arm_robot):
    node, window = page(ARM_FILE, 'arm7')
    start = arm_robot.pose('tool0', posture(node.next_state()))[:3, 3]
    wait_for_pixels(window, ACCENT, 200)
    arm_alone = violated_pixels(window)
    node.set_all(goals=json.dumps([box_at(start + (0.0, -0.35, -0.1), 0.05)]))
    before = np.array(goals_in_use(node)['box']['p'])

    def box():
        """The centre of the box, at its ball, once it is stationary."""
        found = [np.array(sorted(violated_pixels(window) - arm_alone)) for _ in range(2)]
        middles = [np.add(places.min(axis=0), places.max(axis=0)) / 2 for places in found if len(places) > 200]
        return middles[0].tolist() if len(middles) == 2 and np.array_equal(*middles) else None
    x, y = wait_for(box, 'the box')
    drag(window, (x, y), (60, 0), pause=lambda: node.pace(0.05))
    node.wait_for(lambda: np.linalg.norm(np.subtract(goals_in_use(node)['box']['p'], before)) > 0.03, 'the box', TIMEOUT)
