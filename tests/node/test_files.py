"""Files and settings read by the node: those that would block it are refused, and examples in the documents work as printed."""
import os
import re
import shlex
import signal

import pytest

from conftest import ARM_FILE, ROOT
from process import ros_arguments


def refused_with(start, sentence, **parameters):
    """A node with these parameters prints `sentence`. It is stopped unless it has already exited."""
    process = start.run(*ros_arguments('/files', parameters, {}))
    process.wait_for_output(sentence)
    process.send_signal(signal.SIGTERM)
    process.wait()


def test_a_pipe_and_a_device_are_no_urdf(start, tmp_path):
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    refused_with(start, 'it is a pipe, not a regular file', urdf_file=str(pipe))
    refused_with(start, 'it is a device, not a regular file', urdf_file='/dev/zero')


@pytest.mark.parametrize('name', ['initial_posture', 'posture', 'joint_limits'])
def test_deep_settings_are_refused_at_once(start, name):
    refused_with(start, 'opens 30000 brackets; at most 4096 are read', urdf_file=str(ARM_FILE), **{name: '{a: ' * 30_000})


def test_the_quotes_of_the_documents_are_right(start):
    document = (ROOT / 'docs' / 'robots.md').read_text()
    option, setting = shlex.split(re.search(r'`(-p "initial_posture:=.*?)`', document).group(1))
    node = start.node(ARM_FILE, arguments=[option, setting])
    assert node.next_posture()['elbow_joint'] == 0.5
