"""`urdf_ik skeleton --stream` as a child process: JSON lines in, JSON lines out."""
import json
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

REPORTED = 2000  # characters of standard error to report
STOP_TIMEOUT = 2.0  # [s]


class NoStream(Exception):
    """There is no solver; the message gives the reason."""


def command():
    """The path of `urdf_ik`: in the folder of the installed package, else on PATH."""
    beside = shutil.which('urdf_ik', path=str(Path(__file__).parents[1]))
    found = beside or shutil.which('urdf_ik')
    if found is None:
        raise NoStream('urdf_ik is not on PATH: build it (make build), then source scripts/env.sh, or run make play')
    return found


class Stream:
    """Calls `on_answer(stream, answer)` for each line, the first of which describes the model, and `on_end(stream, sentence)` once.

    Both are called in a separate thread.
    """

    def __init__(self, model, on_answer, on_end):
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [command(), 'skeleton', '--model', str(model), '--stream'], text=True, encoding='utf-8',
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            start_new_session=True)  # Ctrl-C ends this program, which ends the child
        self._on_answer, self._on_end = on_answer, on_end
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, question):
        try:
            self._process.stdin.write(json.dumps(question) + '\n')
            self._process.stdin.flush()
        except (OSError, ValueError):
            pass  # it has ended, as the reader reports

    def _read(self):
        for line in self._process.stdout:
            try:
                answer = json.loads(line)
            except json.JSONDecodeError:
                answer = {'error': 'the solver answered something that is not JSON'}
            self._on_answer(self, answer)
        status = self._process.wait()
        self._errors.seek(0)
        errors = self._errors.read(REPORTED).decode(errors='replace').strip().partition('\n')[0]
        self._errors.close()
        self._on_end(self, errors or f'the solver ended by itself with status {status}')

    def close(self):
        try:
            self._process.stdin.close()
            self._process.wait(STOP_TIMEOUT)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
