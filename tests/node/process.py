"""The executable under test as a child process."""
import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STOP_TIMEOUT = 120.0  # [s] generous timeout for a busy machine
NODE = 'urdf_ik_node'


def executable(name):
    """URDF_IK_NODE for the node; otherwise the executable on PATH."""
    found = (name == NODE and os.environ.get('URDF_IK_NODE')) or shutil.which(name)
    if not found:
        pytest.fail(f'no {name} on PATH: build it (make build), run the tests by scripts/with-ros', pytrace=False)
    return found


def ros_arguments(namespace, parameters, remaps):
    arguments = ['--ros-args', '-r', f'__ns:={namespace}']
    for name, value in parameters.items():
        # JSON is valid YAML, which ROS reads.
        arguments += ['-p', f'{name}:={json.dumps(value)}']
    for name, value in remaps.items():
        arguments += ['-r', f'{name}:={value}']
    return arguments


class NodeProcess:
    """A started urdf_ik_node with its output."""

    def __init__(self, arguments, log: Path, prefix=()):
        self.command = [*prefix, executable(NODE), *arguments]
        self.log = log
        with log.open('wb') as output:
            self.process = subprocess.Popen(self.command, stdout=output, stderr=subprocess.STDOUT)

    def output(self):
        return self.log.read_text(errors='replace')

    def lines_with(self, text):
        return [line for line in self.output().splitlines() if text in line]

    def memory(self):
        """Its resident memory [bytes]."""
        return int(Path(f'/proc/{self.process.pid}/statm').read_text().split()[1]) * resource.getpagesize()

    def is_alive(self):
        return self.process.poll() is None

    def wait_for_output(self, text, timeout=STOP_TIMEOUT):
        """Its whole output, once it contains this text."""
        deadline = time.monotonic() + timeout
        while text not in self.output():
            assert time.monotonic() < deadline, f'"{text}" was not printed within {timeout} s; output:\n{self.output()}'
            time.sleep(0.02)
        return self.output()

    def send_signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """Kills it, without a chance to react."""
        self.process.kill()
        self.process.wait()

    def wait(self, timeout=STOP_TIMEOUT):
        """The exit status."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f'still running after {timeout} s; it printed:\n{self.output()}') from None

    def stop(self):
        """Stops it as Ctrl-C does, unless a test has waited for its end; any abnormal exit is an error."""
        if self.process.returncode is not None:
            return
        ended_by_itself = not self.is_alive()
        self.send_signal(signal.SIGINT)
        began = time.monotonic()
        status = self.wait()
        output = f'; it printed:\n{self.output()}'
        assert not ended_by_itself, f'exited unexpectedly with status {status}{output}'
        assert status == 0, f'exited on SIGINT with status {status} after {time.monotonic() - began:.1f} s{output}'
        assert 'panicked' not in self.output(), f'panicked{output}'
