"""The node on one machine, its clients on another: broken links, killed nodes, late viewers."""
import json
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from urdf_ik.msg import SolveStatus

from checks import assert_reached
from conftest import ARM_FILE
from network import Network, Unavailable
from process import ros_arguments

NAME = '/far/urdf_ik'
TIMEOUT = 180.0  # [s] The middleware takes 20 s to drop an unreachable machine.
STREAM = 50  # number of targets of a stream


class FarClient:
    """network_client.py on a machine, and its reports."""

    def __init__(self, machine, log, *options):
        script = Path(__file__).with_name('network_client.py')
        self.log = log
        with log.open('wb') as errors:
            self.process = subprocess.Popen([*machine.node_prefix(), sys.executable, script, NAME, *options], text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        self.targets, self.states = {}, {}  # by stamp [ns]
        self.statuses, self.descriptions = [], []
        self.nodes = 0
        self.lines = queue.SimpleQueue()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def take(self, line):
        assert line is not None, f'the client exited unexpectedly:\n{self.log.read_text()}'
        report = json.loads(line)
        kind = report.pop('kind')
        if kind == 'target':
            self.targets[report['stamp']] = np.array(report['pose'])
        elif kind == 'joint_state':
            self.states[report['stamp']] = report['positions']
        elif kind == 'status':
            self.statuses.append(report)
        elif kind == 'description':
            self.descriptions.append(report['text'])
        else:
            self.nodes = report['count']

    def wait_for(self, condition, what):
        """Waits until the condition is true and returns its value; reads the client's reports meanwhile."""
        deadline = time.monotonic() + TIMEOUT
        while not (value := condition()):
            try:
                self.take(self.lines.get(timeout=max(0.0, deadline - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f'timed out after {TIMEOUT} s, waiting for {what}') from None
        return value

    def sent(self, since):
        """The targets sent after a time [ns]."""
        return [stamp for stamp in self.targets if stamp > since]

    def answers(self, since):
        """The statuses, with received joint states, for targets sent after a time [ns]."""
        return [status for status in self.statuses if status['target'] > since and status['joint_state'] in self.states]

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT)
        self.reader.join()
        self.process.stdout.close()
        assert status == 0, f'the client exited with status {status}:\n{self.log.read_text()}'


class Site:
    """The node on the first machine, clients on the second."""

    def __init__(self, network, launcher, folder):
        self.network, self.launcher, self.folder = network, launcher, folder
        self.clients = []

    def start_node(self):
        namespace, name = NAME.rsplit('/', 1)
        arguments = ros_arguments(namespace, {'urdf_file': str(ARM_FILE)}, {'__node': name})
        return self.launcher.run(*arguments, prefix=self.network.machines[0].node_prefix())

    def start_client(self, *options):
        log = self.folder / f'client{len(self.clients)}.log'
        self.clients.append(FarClient(self.network.machines[1], log, *options))
        return self.clients[-1]

    def close(self):
        for client in self.clients:
            client.close()


@pytest.fixture
def site(start, tmp_path):
    try:
        network = Network()
    except Unavailable as reason:
        pytest.skip(f'two machines not tested: {reason}')
    with network:
        made = Site(network, start, tmp_path)
        try:
            yield made
        finally:
            made.close()


def assert_stream(client, robot, since=0, count=STREAM):
    """Waits for a stream of consecutive targets, sent after a time [ns], that are met."""
    answers = client.wait_for(lambda: len(found := client.answers(since)) >= count and found,
                              f'statuses for targets sent after {since}')
    for answer in answers:
        assert answer['outcome'] == SolveStatus.SOLVED, answer['message']
        assert_reached(robot, client.states[answer['joint_state']], 'tool0', client.targets[answer['target']])


def assert_silence(client, since):
    """Waits for targets sent after a time [ns], none of which is answered."""
    client.wait_for(lambda: len(client.sent(since)) >= STREAM, 'unanswered targets')
    assert not client.answers(since)


@pytest.mark.parametrize('forgotten', [False, True], ids=['for a moment', 'until both sides have forgotten each other'])
def test_a_stream_resumes_after_the_link_was_cut(site, arm_robot, forgotten):
    node, client = site.start_node(), site.start_client()
    assert_stream(client, arm_robot)
    site.network.cut()
    cut = time.time_ns()
    assert_silence(client, cut)
    if forgotten:
        client.wait_for(lambda: client.nodes == 0, 'the client to lose the node')
        assert not client.answers(cut)
    site.network.restore()
    assert_stream(client, arm_robot, time.time_ns())
    assert node.is_alive()


def test_a_stream_resumes_with_a_node_that_was_killed_and_started_again(site, arm_robot):
    first, client = site.start_node(), site.start_client()
    assert_stream(client, arm_robot)
    first.kill()
    killed = time.time_ns()
    assert_silence(client, killed)
    site.start_node()
    assert_stream(client, arm_robot, time.time_ns())


def test_a_stream_over_a_link_that_loses_some_packets_is_answered_rightly(site, arm_robot):
    node, client = site.start_node(), site.start_client()
    assert_stream(client, arm_robot)
    try:
        site.network.lose(5)
    except Unavailable as reason:
        pytest.skip(f'packet loss not tested: {reason}')
    start = time.time_ns()
    # A short stream may have no losses, so it continues until both machines have lost packets.
    client.wait_for(lambda: all(site.network.lost()), 'lost packets on both machines')
    assert_stream(client, arm_robot, start, count=10)
    assert node.is_alive()


def test_a_stream_over_a_slow_link_is_answered_rightly(site, arm_robot):
    try:
        with site.network.slow(0.2) as carried:
            node, client = site.start_node(), site.start_client()
            assert_stream(client, arm_robot)
    except Unavailable as reason:
        pytest.skip(f'packet delay not tested: {reason}')
    assert carried[0] > 2 * STREAM
    assert node.is_alive()


def test_a_viewer_that_joins_late_gets_the_description_and_the_posture(site, arm_robot):
    site.start_node()
    assert_stream(site.start_client(), arm_robot)
    viewer = site.start_client('--silent')
    viewer.wait_for(lambda: viewer.descriptions and viewer.states, 'the description and a joint state')
    assert viewer.descriptions == [ARM_FILE.read_text()]


def test_a_viewer_gets_the_description_of_a_node_that_was_started_again(site):
    first, viewer = site.start_node(), site.start_client('--silent')
    viewer.wait_for(lambda: len(viewer.descriptions) == 1 and viewer.states, 'the first description')
    first.kill()
    site.start_node()
    viewer.wait_for(lambda: len(viewer.descriptions) == 2, 'the description of the second node')
    assert viewer.descriptions[0] == viewer.descriptions[1] == ARM_FILE.read_text()
