"""The pointer position on the page: viser reports only clicks and drags.

A script in the page reports it to this program's web server, `server.py`, so that a moving handle can wait for the pointer.
"""
import math
import time
from urllib.parse import parse_qs

import numpy as np
import viser.transforms
from viser._messages import RunJavascriptMessage

from .page_request import own_query

PATH = '/pointer'
INTERVAL = 0.25  # [s] between two reports
FORGOTTEN_AFTER = 1.0  # [s]
# Positions are relative to the centre of the scene, right and down, in half heights of the scene.
SCRIPT = f"""
if (!window.reportsPointer) {{
  window.reportsPointer = true;
  let place = null;
  document.addEventListener('pointermove', event => {{
    // The page has more than one canvas: that of the scene is the one that takes pointers.
    const area = event.target.tagName == 'CANVAS' ? event.target.getBoundingClientRect() : null;
    place = area && [event.clientX - area.left - area.width / 2, event.clientY - area.top - area.height / 2]
      .map(by => 2 * by / area.height);
  }});
  document.documentElement.addEventListener('pointerleave', () => {{ place = null; }});
  setInterval(() => {{
    if (place && !document.hidden) fetch(`{PATH}?right=${{place[0]}}&down=${{place[1]}}`).catch(() => {{}});
  }}, {1000 * INTERVAL});
}}
"""


class Pointer:
    """The newest position of a pointer, on any page."""

    def __init__(self):
        self._place, self._reported_at = None, -math.inf

    def attach(self, server):
        """Runs the script in the pages of a server."""
        server.gui._websock_interface.queue_message(RunJavascriptMessage(source=SCRIPT))

    def handle(self, request):
        """Handles the request if it is a report of the script. Returns whether it is."""
        query = own_query(request, PATH)
        if query is None:
            return False
        try:
            (right,), (down,) = (parse_qs(query).get(name, [math.nan]) for name in ('right', 'down'))
            place = float(right), float(down)
        except ValueError:
            return False
        if np.isfinite(place).all():
            self._place, self._reported_at = place, time.monotonic()
        return True

    def is_over(self, server, middle, radius):
        """Whether the reported position is over a ball of the scene, as displayed by any of the pages."""
        if time.monotonic() > self._reported_at + FORGOTTEN_AFTER:
            return False
        return any(is_seen_at(self._place, client.camera, middle, radius) for client in server.get_clients().values())


def is_seen_at(place, camera, middle, radius):
    """Whether a camera shows a ball at a position, right and down of the centre in half heights of the picture."""
    right, down, ahead = viser.transforms.SO3(camera.wxyz).inverse().apply(np.asarray(middle) - camera.position)
    half_height = ahead * math.tan(camera.fov / 2)
    if half_height <= 0:
        return False
    return math.hypot(right / half_height - place[0], down / half_height - place[1]) <= radius / half_height
