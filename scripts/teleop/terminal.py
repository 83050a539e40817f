"""A terminal without line buffering and echo."""
import os
import re
import select
import shutil
import signal
import termios
import tty

# A key that has a sequence, such as an arrow, or a character.
KEY = re.compile('\x1b(?:\\[[0-9;]*[A-Za-z~]|O[A-Z])|.', re.DOTALL)
BEGUN = re.compile('\x1b(?:\\[[0-9;]*|O)?$')  # the begin of a sequence whose end is still to come
ARROWS = {'A': 'up', 'B': 'down', 'C': 'right', 'D': 'left'}


def split(text):
    """The keys in the input of a terminal, and an incomplete sequence at its end."""
    begun = BEGUN.search(text)
    rest = begun[0] if begun else ''
    keys = [match[0] for match in KEY.finditer(text[:len(text) - len(rest)])]
    return [ARROWS.get(key[-1], '') if len(key) > 1 else key for key in keys], rest


class Closed(Exception):
    """The terminal is gone."""


class Terminal:
    """Takes a terminal over for the length of a `with` block, and leaves it as it was."""

    def __init__(self, source, sink):
        """Of the file descriptors of its input and its output."""
        self.source, self.sink = source, sink
        self.begun = self.shown = ''

    def __enter__(self):
        self.before = termios.tcgetattr(self.source)
        self.take()
        # Who comes back from Ctrl-Z finds the terminal as the shell has it.
        self.on_return = signal.signal(signal.SIGCONT, lambda *_: self.take())
        return self

    def take(self):
        try:
            tty.setcbreak(self.source, termios.TCSADRAIN)
        except termios.error:
            pass  # it is gone, which the next key will tell
        self.shown = ''

    def __exit__(self, *_):
        signal.signal(signal.SIGCONT, self.on_return)
        try:
            self.write('\n')
            termios.tcsetattr(self.source, termios.TCSADRAIN, self.before)
        except (Closed, termios.error):
            pass  # it is gone

    def keys(self, timeout):
        """The keys that come within `timeout` seconds: waits for the first, and takes those that are there with it."""
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
        """Writes a line over the one before, if it differs."""
        line = line[:shutil.get_terminal_size().columns - 1]
        if line != self.shown:
            self.write(f'\r\033[K{line}')
            self.shown = line

    def print(self, text):
        """Writes lines that stay, above the one that is shown."""
        self.write(f'\r\033[K{text}\n')
        self.shown = ''

    def write(self, text):
        try:
            os.write(self.sink, text.encode())
        except OSError as error:
            raise Closed from error
