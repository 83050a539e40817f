"""The command line in the package: the program `urdf_ik` without a binary."""

import functools
import os
import re
import signal
import subprocess
import sys

import pytest

from conftest import urdf

PROGRAMS = {"binary": [os.environ["URDF_IK"]], "module": [sys.executable, "-m", "urdfik"]}
ARM = ["--urdf", str(urdf("arm7")), "--tip", "tool0"]


@pytest.mark.parametrize(
    "arguments, status",
    [
        (["solve", *ARM, "--target", "0.3", "0.2", "0.7", "0", "0", "0", "1"], 0),
        (["solve", *ARM, "--target", "9", "0.2", "0.7", "0", "0", "0", "1"], 1),
        (["solve", "--urdf", "nowhere.urdf"], 2),
        (["solve", "--urdf", os.fsdecode(b"\xff.urdf")], 2),
        (["guess"], 2),
        ([], 2),
        (["--help"], 0),
        (["--version"], 0),
    ],
)
def test_outputs_and_exit_statuses_are_those_of_the_binary(arguments, status):
    binary, module = (subprocess.run([*program, *arguments], capture_output=True) for program in PROGRAMS.values())
    texts = [re.sub(rb'"time_us": .*', b"", ended.stdout) for ended in (module, binary)]
    assert (module.returncode, texts[0], module.stderr) == (status, texts[1], binary.stderr)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_an_interrupt_ends_a_command_at_once(program):
    # Background programs of a shell ignore interrupts, and so do their children.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen([*program, "info", "--urdf", "-"], stdin=subprocess.PIPE, preexec_fn=heed) as running:
        # More than a pipe buffers: once it is written, the command is reading.
        running.stdin.write(b" " * (1 << 20))
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == -signal.SIGINT


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_reader_may_stop_early(program):
    with subprocess.Popen([*program, "generate", "--segments", "1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.wait(timeout=60) == 0 and running.stderr.read() == b""
