"""Common start-up of the page programs."""
import contextlib
import os
import signal
import sys
import threading
import webbrowser

MISSING = """\
{program}: the Python package {name} is missing. Install what the page needs, for instance:
    python3 -m pip install viser yourdfpy pycollada"""
GREETING = """\
{program}: {address} shows {what}. Ctrl-C ends it.
  From another computer: ssh -L {port}:127.0.0.1:{port} {host}, and then open that address there."""


@contextlib.contextmanager
def needed_packages(program):
    """Exits with a message if a package imported in the block is missing."""
    try:
        yield
    except ModuleNotFoundError as missing:
        sys.exit(MISSING.format(program=program, name=missing.name))


def stopped_by_signals():
    """An event set by Ctrl-C, SIGTERM and a closed terminal."""
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stopping.set())
    return stopping


def greet(program, what, port, wanted, browser):
    """Prints the URL of the page, and opens it if there is a display and `browser` is set."""
    address = f'http://127.0.0.1:{port}'
    if port != wanted:
        print(f'{program}: port {wanted} is taken, so the page is on {port}', flush=True)
    print(GREETING.format(program=program, address=address, what=what, port=port, host=os.uname().nodename), flush=True)
    if not browser:
        return
    if os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY'):
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    else:
        print(f'{program}: there is no display, so no browser was opened', flush=True)
