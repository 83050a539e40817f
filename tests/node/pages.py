"""Programs that serve a page, and actions on pages in a browser. Screenshots are stored in target/screenshots."""
import os
import re
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

import browser as browsers
from browser import TIMEOUT, Browser
from conftest import ROOT

PICTURES = ROOT / 'target' / 'screenshots'
Z_ARROW = (55, 140, 228)
WIDTH, HEIGHT = 1000, 640
SCENE = np.s_[:, :660]  # of a screenshot: without the panel
MESSAGE = np.s_[:190, :320]  # about software rendering
# Scripts of viser itself, while a ball is dragged.
HARMLESS = 'Unable to preventDefault inside passive event listener'
needs_browser = pytest.mark.skipif(
    browsers.executable() is None, reason='the page is not tested in a browser: no Chromium here (apt-get install chromium)')


def wait_for(condition, what, timeout=TIMEOUT):
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f'timed out after {timeout} s, waiting for {what() if callable(what) else what}'
        time.sleep(0.05)
    return value


def free_port():
    with socket.socket() as trial:
        trial.bind(('127.0.0.1', 0))
        return trial.getsockname()[1]


class Program:
    """A started program that serves a page."""

    def __init__(self, log, *arguments, **environment):
        self.log = log
        with log.open('wb') as output:
            self.process = subprocess.Popen([sys.executable, *map(str, arguments)], stdout=output, stderr=subprocess.STDOUT,
                                            env={**os.environ, 'PYTHONFAULTHANDLER': '1', **environment})

    def output(self):
        return self.log.read_text()

    def port(self):
        """The printed URL of the page."""
        def found():
            assert self.process.poll() is None, self.output()
            return re.search(r'http://127\.0\.0\.1:(\d+) shows', self.output())
        return int(wait_for(found, lambda: f'an address; it printed:\n{self.output()}')[1])

    def address(self):
        return f'http://127.0.0.1:{self.port()}'

    def stop(self):
        ended = self.process.poll()
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            # Makes the program print the stacks of its threads.
            self.process.send_signal(signal.SIGABRT)
            status = self.process.wait(TIMEOUT)
        finally:
            self.process.kill()
        assert ended is None and status == 0 and 'Traceback' not in self.output(), self.output()


@pytest.fixture(scope='module')
def window(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp('browser') / 'profile', WIDTH, HEIGHT)
    yield browser
    browser.close()


def leave(window, picture):
    """Stores a screenshot of the page; an error in the console fails the test."""
    window.screenshot(PICTURES / f'{picture}.png')
    errors_seen = [error for error in window.errors if HARMLESS not in error]
    window.open('about:blank')
    assert not errors_seen, errors_seen


def wait_for_text(window, text):
    wait_for(lambda: text in window.text(), lambda: f'"{text}" on the page, which says: {window.text()}')


def pixels(window, wanted, tolerance=40):
    """Pixels of this colour in the scene: x and y."""
    is_alike = np.abs(window.screenshot().astype(int) - wanted).max(axis=2) < tolerance
    is_alike[MESSAGE] = False
    rows, columns = np.nonzero(is_alike[SCENE])
    return columns, rows


def wait_for_pixels(window, wanted, count, **options):
    return wait_for(lambda: (found := pixels(window, wanted, **options)) and len(found[0]) >= count and found,
                    f'{count} pixels of the colour {wanted}')


def wait_for_place(window, wanted, choice, count=30, **options):
    """The centre of those pixels of this colour that `choice` selects by column and row, once it is stationary."""
    places = []

    def is_stationary():
        columns, rows = pixels(window, wanted, **options)
        if len(rows) > count:
            chosen = choice(columns, rows)
            places.append((columns[chosen].mean(), rows[chosen].mean()))
        return len(places) > 1 and np.abs(np.subtract(places[-1], places[-2])).max() < 1 and places[-1]
    return wait_for(is_stationary, f'pixels of the colour {wanted} to be stationary')


def wait_for_z_arrow(window, tip=False):
    """The position of the lower end of the blue parts of a handle, or of the arrow's tip."""
    def choice(_, rows):
        return rows < rows.min() + 12 if tip else rows > rows.max() - 12
    return wait_for_place(window, Z_ARROW, choice, tolerance=30)


def click(window, element):
    """Clicks the centre of the element of a JavaScript expression, if there is one."""
    place = window.evaluate(f'(() => {{ const e = {element}; const r = e && e.getBoundingClientRect();'
                            ' return r && r.width > 0 ? [r.left + r.width / 2, r.top + r.height / 2] : null })()')
    if place:
        window.click(*place)
    return place


def show(window, element):
    """Scrolls to the element of a JavaScript expression, if there is one."""
    window.evaluate(f'{element}?.scrollIntoView({{block: "center"}})')


def choose(window, now, wanted):
    """Opens the list that shows `now`, and clicks `wanted` in it."""
    opened, choice = (f"[...document.querySelectorAll('input')].find(e => e.value == {now!r})",
                      f"[...document.querySelectorAll('[role=option]')].find(e => e.innerText == {wanted!r})")

    show(window, opened)

    def count():
        """The number of fields with the expected content."""
        return window.evaluate(f"[...document.querySelectorAll('input')].filter(e => e.value == {wanted!r}).length")

    before = count()

    def is_chosen():
        # The panel may move between reading a place and clicking it: only the field shows whether the click took
        # effect.
        if count() > before:
            return True
        if click(window, choice) or click(window, opened):
            time.sleep(0.5)
        return False

    wait_for(is_chosen, f'the selection of {wanted}')


def drag(window, start, by, steps=10, pause=lambda: time.sleep(0.05)):
    """Drags with the mouse from a position by an offset [pixels]; `pause` is called after each step."""
    (x, y), (right, down) = start, by
    window.mouse('mouseMoved', x, y)
    window.mouse('mousePressed', x, y, 1)
    for step in range(1, steps + 1):
        window.mouse('mouseMoved', x + right * step / steps, y + down * step / steps, 1)
        pause()
    window.mouse('mouseReleased', x + right, y + down)
