"""Pads and keys of the page. A script in the page (`pads.js`) reports their deflection to this program's web server.

A page sends repeatedly while a pad or a key is held. A pause counts as a release: the page may have crashed, or
its network may be gone.
"""
import math
import time
from collections import namedtuple
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
from viser._messages import RunJavascriptMessage

from ..page_request import own_query

PATH = '/steer'
FRESH = 0.25  # [s] validity of a deflection; pages send every 0.05 s, busy ones less often
MARKUP, SCRIPT = (Path(__file__).with_name(f'pads.{kind}').read_text() for kind in ('html', 'js'))

# Of one page: `by` has the pads that move and turn, each with right, up, and the bar beside it, from -1 to 1.
Deflection = namedtuple('Deflection', 'page client number by received')


class Pads:
    """The newest deflection, of the page that holds a pad. Other pages wait until its release."""

    def __init__(self):
        self._held, self._last_numbers = None, {}

    def attach(self, server):
        """Runs the script in the pages of a server."""
        server.gui._websock_interface.queue_message(RunJavascriptMessage(source=SCRIPT))

        @server.on_client_connect
        def _(client):
            name = f'window.urdfIkClient = {int(client.client_id)};'
            client.gui._websock_interface.queue_message(RunJavascriptMessage(source=name))

    def handle(self, request):
        """Handles the request if it is a deflection of a page. Returns whether it is."""
        query = own_query(request, PATH)
        if query is None:
            return False
        try:
            fields = {name: value for name, (value,) in parse_qs(query, strict_parsing=True, max_num_fields=8).items()}
            by = np.array([float(value) for value in fields['by'].split(',')])
            deflection = Deflection(fields['page'][:40], int(fields['client']), int(fields['number']), by, time.monotonic())
            held = int(fields['held'])
        except (KeyError, ValueError):
            return True
        if by.shape == (6,) and np.isfinite(by).all():
            self._take(deflection._replace(by=np.clip(by, -1, 1)), held == 1)
        return True

    def _take(self, deflection, is_held):
        holder = self.held()
        is_ours = holder is None or holder.page == deflection.page
        # Requests of one page may overtake each other.
        if is_ours and deflection.number > self._last_numbers.get(deflection.page, -math.inf):
            self._last_numbers = {deflection.page: deflection.number}
            self._held = deflection if is_held else None

    def held(self):
        """The newest Deflection; None while no pad or key is held."""
        held = self._held
        return held if held is not None and time.monotonic() <= held.received + FRESH else None

    def let_go(self, client_id):
        """A closed page releases its pads."""
        held = self._held
        if held is not None and held.client == client_id:
            self._held = None
