"""`make run`: the list of topics and services that it prints is what the node offers."""
import os
import signal
import subprocess
import sys

import pytest
from rclpy.node import NodeNameNonExistentError

from client import Client
from conftest import ROOT

LAST_LINE = 'figure of eight,'  # of the other script, which starts when the list is printed


@pytest.fixture
def printed(tmp_path):
    """What `make run` has printed, while it goes on."""
    log = tmp_path / 'run.log'
    environment = {name: value for name, value in os.environ.items() if name not in ('URDF', 'BASE', 'TIP', 'DURATION')}
    with log.open('wb') as output:
        run = subprocess.Popen([sys.executable, str(ROOT / 'scripts' / 'run.py')], env=environment, stdout=output,
                               stderr=subprocess.STDOUT)
    yield lambda: log.read_text()
    run.send_signal(signal.SIGINT)
    assert run.wait(20.0) == 0, log.read_text()


def offered(node):
    """(name, type) of all that the graph knows of /urdf_ik, but what every node has."""
    queries = [node.get_subscriber_names_and_types_by_node, node.get_publisher_names_and_types_by_node,
               node.get_service_names_and_types_by_node]
    try:
        return [(name, kind) for query in queries for name, kinds in query('urdf_ik', '/') for kind in kinds
                if not kind.startswith('rcl_interfaces/')]
    except NodeNameNonExistentError:
        return []


def test_the_list_is_what_the_node_offers(printed):
    client = Client('/urdf_ik')
    try:
        client.wait_for(lambda: LAST_LINE in printed(), 'the end of the list', 20.0)
        text = printed()
        # Each line ends with a name and a type.
        listed = [tuple(line.split()[-2:]) for line in text.splitlines() if line.startswith('  ') and '/' in line]
        client.wait_for(lambda: offered(client.node), 'the node')
        client.spin_for(0.5)
        for row in offered(client.node):
            assert row in listed, f'{row} is missing in:\n{text}'
        for row in listed:
            if row[0].startswith('/'):
                assert row in offered(client.node), f'{row} is printed, but the node does not have it'
        for name in ('target_path', 'stop', 'solve_ik_batch', 'solve_path', 'joint_trajectory', 'measured_joint_states'):
            assert f'/urdf_ik/{name} ' in text, f'{name} is missing in:\n{text}'
    finally:
        client.close()
