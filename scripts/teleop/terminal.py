"""A terminal without line buffering and echo."""
import os
import re
import select
import shutil
import signal
import termios
import tty

# A key with an escape sequence, such as an arrow, or a character.
KEY = re.compile('\x1b(?:\\[[0-9;]*[A-Za-z~]|O[A-Z])|.', re.DOTALL)
BEGUN = re.compile('\x1b(?:\\[[0-9;]*|O)?$')  # an incomplete escape sequence
ARROWS = {'A': 'up', 'B': 'down', 'C': 'right', 'D': 'left'}


def split(text):
    """The keys in terminal input, and an incomplete sequence at its end."""
    begun = BEGUN.search(text)
    rest = begun[0] if begun else ''
    keys = [match[0] for match in KEY.finditer(text[:len(text) - len(rest)])]
    return [ARROWS.get(key[-1], '') if len(key) > 1 else key for key in keys], rest


class Closed(Exception):
    """The terminal has disappeared."""


class Terminal:
    """Takes over a terminal in a `with` block, and restores it afterwards."""

    def __init__(self, source, sink):
        """The file descriptors of its input and its output."""
        self.source, self.sink = source, sink
        self.begun = self.shown = ''

    def __enter__(self):
        self.before = termios.tcgetattr(self.source)
        self.take()
        # After Ctrl-Z the shell has restored its own settings.
        self.on_return = signal.signal(signal.SIGCONT, lambda *_: self.take())
        return self

    def take(self):
        try:
            tty.setcbreak(self.source, termios.TCSADRAIN)
        except termios.error:
            pass  # the terminal is gone; the next read raises Closed
        self.shown = ''

    def __exit__(self, *_):
        signal.signal(signal.SIGCONT, self.on_return)
        try:
            self.write('\n')
            termios.tcsetattr(self.source, termios.TCSADRAIN, self.before)
        except (Closed, termios.error):
            pass  # the terminal is gone

    def keys(self, timeout):
        """The keys received within `timeout` seconds: waits for the first, and includes those available with it."""
        if not select.select([self.source], [], [], timeout)[0]:
            return []
        try:
            data = os.read(self.source, 4096)
        except OSError as error:
            raise Closed from error
        if not data:
            raise Closed
        keys, self.begun = split(self.begun + data.decode(errors='ignore'))
        return keys

    def show(self, line):
        """Replaces the displayed line, if it differs."""
        line = line[:shutil.get_terminal_size().columns - 1]
        if line != self.shown:
            self.write(f'\r\033[K{line}')
            self.shown = line

    def print(self, text):
        """Writes permanent lines above the displayed one."""
        self.write(f'\r\033[K{text}\n')
        self.shown = ''

    def write(self, text):
        try:
            os.write(self.sink, text.encode())
        except OSError as error:
            raise Closed from error
