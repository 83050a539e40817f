"""`make run`: it prints the topics and services that the node offers, and the page ends with it."""
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from functools import partial

import pytest
from rclpy.action import get_action_server_names_and_types_by_node
from rclpy.node import NodeNameNonExistentError

from client import TIMEOUT, Client
from conftest import ROOT

LAST_LINE = 'figure of eight,'  # of the other script, which starts after the list


PAGE = re.compile(r'view: http://127\.0\.0\.1:(\d+) shows')


@pytest.fixture
def started(tmp_path):
    """Starts `make run`; stops it afterwards. Its output is available while it runs."""
    log = tmp_path / 'run.log'
    runs = []

    def start_run(**settings):
        environment = {name: value for name, value in os.environ.items() if name not in ('URDF', 'BASE', 'TIP', 'DURATION', 'VIEW')}
        with log.open('wb') as output:
            runs.append(subprocess.Popen([sys.executable, str(ROOT / 'scripts' / 'run.py')], env={**environment, **settings},
                                         stdout=output, stderr=subprocess.STDOUT))
        return log.read_text, runs[0]

    yield start_run
    for run in runs:
        if run.poll() is None:
            end(run)
        assert run.returncode == 0, log.read_text()


def end(run):
    run.send_signal(signal.SIGINT)
    run.wait(TIMEOUT)


def offered(node):
    """(name, type) of all endpoints of /urdf_ik in the graph, except those of every node."""
    queries = [node.get_subscriber_names_and_types_by_node, node.get_publisher_names_and_types_by_node,
               node.get_service_names_and_types_by_node, partial(get_action_server_names_and_types_by_node, node)]
    try:
        return [(name, kind) for query in queries for name, kinds in query('urdf_ik', '/') for kind in kinds
                if not kind.startswith('rcl_interfaces/') and '/_action/' not in name]
    except NodeNameNonExistentError:
        return []


def test_the_list_is_what_the_node_offers(started):
    printed, _ = started(VIEW='0')
    client = Client('/urdf_ik')
    try:
        client.wait_for(lambda: LAST_LINE in printed(), 'the end of the list')
        text = printed()
        # Each line ends with a name and a type.
        listed = [tuple(line.split()[-2:]) for line in text.splitlines() if line.startswith('  ') and '/' in line]
        client.wait_for(lambda: {row for row in listed if row[0].startswith('/')} <= set(offered(client.node)),
                        f'the whole output:\n{text}')
        for row in offered(client.node):
            assert row in listed, f'{row} is missing in:\n{text}'
        for name in ('target_path', 'stop', 'solve_ik_batch', 'solve_path', 'follow_path', 'joint_trajectory', 'measured_joint_states'):
            assert f'/urdf_ik/{name} ' in text, f'{name} is missing in:\n{text}'
        assert 'view:' not in text, 'VIEW=0 leaves out the page'
    finally:
        client.close()


@pytest.mark.parametrize('file, base, tips, joints', [
    ('tests/data/robots/so101.urdf', '', 'gripper_frame_link', 5), ('tests/data/urdf/scara.urdf', '', '', 4),
    ('tests/data/urdf/palletiser.urdf', 'base', 'tool', 4), ('tests/data/robots/ur5_robot.urdf', '', 'tool0', 6),
    ('urdf/arm7.urdf', 'tool0', 'base_link', 7), ('tests/data/urdf/two_arms.urdf', 'torso_yaw_link', 'left_hand,right_hand', 7),
    ('urdf/arm7.urdf', '', 'nobody', None), ('urdf/arm7.urdf', 'nobody', '', None)])
def test_joints_to_the_tip_are_counted(file, base, tips, joints):
    module = importlib.util.spec_from_file_location('description', ROOT / 'launch' / 'description.py')
    description = importlib.util.module_from_spec(module)
    module.loader.exec_module(description)
    path = str(ROOT / file)
    robot = description.parse(description.read(path), path)
    assert description.joints_to_tip(robot, base, [tip for tip in tips.split(',') if tip]) == joints
    assert bool(description.for_short_chain(path, base, tips)[0]) == (joints is not None and joints < 6)


def test_an_arm_of_few_joints_reaches_positions_first(started):
    printed, _ = started(VIEW='0', URDF=str(ROOT / 'tests' / 'data' / 'robots' / 'so101.urdf'), TIP='gripper_frame_link')
    client = Client('/urdf_ik')
    try:
        client.wait_for(lambda: LAST_LINE in printed(), 'the figure of eight')
        assert '5 joints cannot meet most full poses: on_unreachable is set to position' in printed()
        assert client.get('on_unreachable') == ['position']
    finally:
        client.close()


def answers(port):
    with socket.socket() as trial:
        return trial.connect_ex(('127.0.0.1', port)) == 0


def test_the_page_is_there_and_ends_with_the_node(started):
    for package in ('viser', 'yourdfpy'):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f'the page in the browser is not tested: no Python package {package} here')
    printed, run = started()
    client = Client('/urdf_ik')
    try:
        client.wait_for(lambda: LAST_LINE in printed() and PAGE.search(printed()), 'the page and the moving target')
        port = int(PAGE.search(printed())[1])
        assert answers(port)
        end(run)
        assert not answers(port), 'the page is still there'
    finally:
        client.close()
