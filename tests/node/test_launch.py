"""The launch files: what they start, seen by executables that stand in for the real ones; then once for real."""
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

MISSING = [name for name in ('launch', 'launch_ros') if importlib.util.find_spec(name) is None]
if MISSING:
    pytest.skip(f'launch files not tried: no Python package {" and ".join(MISSING)} here (a ROS 2 desktop has them)',
                allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
ARM = ROOT / 'urdf' / 'arm7.urdf'
TIMEOUT = 20.0  # [s]
LAUNCH = '''
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
arguments = [argument.split(':=', 1) for argument in sys.argv[2:]]
service = LaunchService()
service.include_launch_description(LaunchDescription([
    IncludeLaunchDescription(PythonLaunchDescriptionSource(sys.argv[1]), launch_arguments=arguments)]))
sys.exit(service.run())
'''
# Writes down its arguments and what the files among them hold, and stays until it is told to end.
STAND_IN = '''#!{python}
import json, os, signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
files = [open(name).read() for flag, name in zip(sys.argv, sys.argv[1:]) if flag in ('--params-file', '-d')]
json.dump({{'arguments': sys.argv[1:], 'files': files}}, open('{record}.part', 'w'))
os.rename('{record}.part', '{record}')
signal.pause()
'''
EXECUTABLES = {
    'urdf_ik_node': 'urdf_ik',
    'figure_of_eight.py': 'urdf_ik',
    'robot_state_publisher': 'robot_state_publisher',
    'rviz2': 'rviz2',
}


def wait_for(condition, process):
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, 'nothing came in time'
        time.sleep(0.02)


class Started:
    """What an executable was started with."""

    def __init__(self, record):
        self.arguments, self.files = record['arguments'], record['files']
        self.remappings = dict(
            rule.split(':=', 1) for flag, rule in zip(self.arguments, self.arguments[1:]) if flag == '-r')
        self.parameters = {}
        for text in record['files']:
            for section in yaml.safe_load(text).values():
                self.parameters.update(section.get('ros__parameters', {}) if isinstance(section, dict) else {})


def launch(path, *arguments, **environment):
    return subprocess.Popen(
        [sys.executable, '-c', LAUNCH, str(path), *arguments], text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment})


def end(process):
    """Ends a launch as Ctrl-C does, which reaches the launched processes too; its output."""
    os.killpg(process.pid, signal.SIGINT)
    output = process.communicate(timeout=TIMEOUT)[0]
    assert process.returncode == 0, output
    return output


def kill(process):
    """Leaves nothing of a launch behind, whatever became of it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # all of it has ended, as it should


def stand_ins(folder, executables):
    """Environment in which programs that write down their arguments stand in for these executables."""
    for executable, package in executables.items():
        index = folder / 'share' / 'ament_index' / 'resource_index' / 'packages'
        index.mkdir(parents=True, exist_ok=True)
        (index / package).touch()
        program = folder / 'lib' / package / executable
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(STAND_IN.format(python=sys.executable, record=folder / f'{executable}.json'))
        program.chmod(0o755)
    prefixes = f'{folder}{os.pathsep}{os.environ.get("AMENT_PREFIX_PATH", "")}'
    return {'AMENT_PREFIX_PATH': prefixes, 'ROS_LOG_DIR': str(folder), 'TMPDIR': str(folder)}


@pytest.fixture
def started_by(tmp_path):
    """A function that launches a file among the stand-ins and returns what was started, by executable."""
    environment = stand_ins(tmp_path, EXECUTABLES)

    def start(name, expected, *arguments):
        process = launch(ROOT / 'launch' / name, *arguments, **environment)
        try:
            wait_for(lambda: all((tmp_path / f'{executable}.json').exists() for executable in expected), process)
            output = end(process)
        finally:
            kill(process)
        records = {path.stem: Started(json.loads(path.read_text())) for path in tmp_path.glob('*.json')}
        assert sorted(records) == sorted(expected), output
        return records

    return start


def test_every_launch_file_is_tried():
    assert sorted(path.name for path in (ROOT / 'launch').glob('*.launch.py')) == ['demo.launch.py', 'urdf_ik.launch.py']


def test_without_arguments_no_parameter_is_set(started_by):
    node = started_by('urdf_ik.launch.py', ['urdf_ik_node'])['urdf_ik_node']
    assert node.parameters == {}
    assert node.remappings['__node'] == 'urdf_ik'
    assert node.remappings.get('__ns', '/') == '/'


def test_arguments_become_parameters(started_by):
    node = started_by(
        'urdf_ik.launch.py', ['urdf_ik_node'], f'urdf:={os.path.relpath(ARM)}', 'base_link:=base_link',
        'tip_link:=tool0,1', 'solver:=fabrik', 'motion:=smooth', 'namespace:=left', 'use_sim_time:=true')['urdf_ik_node']
    assert node.parameters == {
        'urdf_file': str(ARM), 'base_link': 'base_link', 'tip_links': ['tool0', '1'], 'solver': 'fabrik',
        'motion': 'smooth', 'use_sim_time': True}
    assert node.remappings == {'__node': 'urdf_ik', '__ns': '/left'}


def test_arguments_win_over_the_parameter_file(started_by):
    example = ROOT / 'config' / 'urdf_ik.yaml'
    node = started_by(
        'urdf_ik.launch.py', ['urdf_ik_node'], f'params_file:={example}', 'solver:=fabrik')['urdf_ik_node']
    in_file = yaml.safe_load(example.read_text())['/**']['ros__parameters']
    assert node.parameters == {**in_file, 'solver': 'fabrik'}


@pytest.mark.parametrize('value, names', [
    ('true', {f'~/{name}': f'/{name}' for name in ('compute_ik', 'compute_fk', 'check_state_validity')}),
    ('false', {}),
])
def test_the_services_for_moveit_can_have_its_names(started_by, value, names):
    node = started_by('urdf_ik.launch.py', ['urdf_ik_node'], f'moveit_names:={value}')['urdf_ik_node']
    assert node.parameters == {}
    assert {rule: name for rule, name in node.remappings.items() if rule.startswith('~')} == names


def test_topics_of_a_robot(started_by):
    node = started_by(
        'urdf_ik.launch.py', ['urdf_ik_node'], 'measured_topic:=/joint_states', 'commands_topic:=/controller/commands',
        'trajectory_topic:=/controller/joint_trajectory')['urdf_ik_node']
    assert node.parameters == {}
    assert {rule: name for rule, name in node.remappings.items() if rule.startswith('~')} == {
        '~/measured_joint_states': '/joint_states', '~/joint_commands': '/controller/commands',
        '~/joint_trajectory': '/controller/joint_trajectory'}


def test_xacro_is_expanded(started_by, tmp_path):
    pytest.importorskip('xacro', reason='xacro files not tried: no Python package xacro here')
    path = tmp_path / 'robot.urdf.xacro'
    path.write_text('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
                    '<xacro:property name="tip" value="tool0"/><link name="${tip}"/></robot>')
    node = started_by('urdf_ik.launch.py', ['urdf_ik_node'], f'urdf:={path}')['urdf_ik_node']
    assert list(node.parameters) == ['robot_description']
    assert '<link name="tool0"/>' in node.parameters['robot_description']


def layout_of(rviz):
    """The layout that RViz was started with, and its displays by class."""
    assert rviz.arguments[0] == '-d'
    assert not Path(rviz.arguments[1]).exists(), 'it is removed at the end'
    manager = yaml.safe_load(rviz.files[0])['Visualization Manager']
    return manager, {display['Class'].split('/')[1]: display for display in manager['Displays']}


def test_demo_shows_the_bundled_arm(started_by):
    started = started_by('demo.launch.py', list(EXECUTABLES))
    publisher = started['robot_state_publisher'].parameters
    assert publisher['robot_description'] == ARM.read_text()
    assert publisher['publish_frequency'] > 20
    node = started['urdf_ik_node']
    assert node.parameters == {'urdf_file': str(ARM)}
    assert node.remappings['~/joint_states'] == 'joint_states'
    assert '~/joint_states' not in started['figure_of_eight.py'].remappings
    manager, displays = layout_of(started['rviz2'])
    assert manager['Global Options']['Fixed Frame'] == 'base_link'
    assert displays['RobotModel']['Description Topic']['Value'] == '/robot_description'
    assert displays['InteractiveMarkers']['Interactive Markers Namespace'] == '/urdf_ik/handle'


def test_demo_takes_another_robot_with_two_tips(started_by):
    robot = ROOT / 'tests' / 'data' / 'urdf' / 'two_arms.urdf'
    started = started_by(
        'demo.launch.py', ['urdf_ik_node', 'robot_state_publisher'], f'urdf:={robot}', 'base_link:=torso_yaw_link',
        'tip_link:=left_hand,right_hand', 'use_rviz:=false', 'figure:=false')
    assert started['robot_state_publisher'].parameters['robot_description'] == robot.read_text()
    assert started['urdf_ik_node'].parameters == {
        'urdf_file': str(robot), 'base_link': 'torso_yaw_link', 'tip_links': ['left_hand', 'right_hand']}


def test_demo_in_a_namespace(started_by):
    started = started_by('demo.launch.py', list(EXECUTABLES), 'namespace:=left')
    for name in ('urdf_ik_node', 'robot_state_publisher', 'figure_of_eight.py'):
        assert started[name].remappings['__ns'] == '/left', name
    manager, displays = layout_of(started['rviz2'])
    topics = [displays['RobotModel']['Description Topic'], displays['MarkerArray']['Topic'],
              displays['PointCloud2']['Topic'], *(tool['Topic'] for tool in manager['Tools'] if 'Topic' in tool)]
    assert [topic['Value'] for topic in topics] == [
        '/left/robot_description', '/left/urdf_ik/markers', '/left/urdf_ik/reach', '/left/urdf_ik/target_pose',
        '/left/urdf_ik/target_point']
    assert displays['InteractiveMarkers']['Interactive Markers Namespace'] == '/left/urdf_ik/handle'


LINK = '<link name="{0}"/><joint name="j{0}" type="continuous"><parent link="{1}"/><child link="{0}"/><origin xyz="{2}"/></joint>'


@pytest.mark.parametrize('origin, size', [
    ('0 0 0.0003', 0.0006), ('0 300 400', 1000.0), ('0 0 0', 1.0), ('nan 0 0', 1.0), ('wide', 1.0)])
def test_the_view_suits_the_size_of_the_robot(started_by, tmp_path, origin, size):
    robot = tmp_path / 'robot.urdf'
    links = LINK.format('a', 'root', origin) + LINK.format('b', 'a', origin) + LINK.format('aside', 'root', '0 9 0')
    robot.write_text(f'<robot name="r"><link name="root"/>{links}</robot>')
    manager, displays = layout_of(started_by(
        'demo.launch.py', list(EXECUTABLES), f'urdf:={robot}', 'tip_link:=b')['rviz2'])
    assert manager['Global Options']['Fixed Frame'] == 'root'
    view = manager['Views']['Current']
    if size == 1.0:  # b has no distance, so the farthest link counts
        size = 9.0
    assert 2 * size < view['Distance'] < 4 * size
    assert 0 < view['Near Clip Distance'] < 0.05 * size
    assert 0.05 * size < displays['Grid']['Cell Size'] <= 0.2 * size


def test_meshes_beside_the_description_are_named_by_their_files(started_by, tmp_path):
    for name in ('arm_description/urdf/arm.urdf', 'arm_description/meshes/own.stl', 'hand_description/hand.stl'):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    robot = tmp_path / 'arm_description' / 'urdf' / 'arm.urdf'
    meshes = ['package://arm_description/meshes/own.stl', 'package://hand_description/hand.stl', '../meshes/own.stl',
              'package://arm_description/meshes/missing.stl', 'http://host/far.stl']
    visuals = ''.join(f'<visual><geometry><mesh scale="1 1 1" filename="{mesh}"/></geometry></visual>' for mesh in meshes)
    robot.write_text(f'<robot name="r"><link name="root">{visuals}</link>{LINK.format("tip", "root", "0 0 1")}</robot>')
    publisher = started_by('demo.launch.py', list(EXECUTABLES), f'urdf:={robot}')['robot_state_publisher']
    found = [mesh.get('filename') for mesh in ET.fromstring(publisher.parameters['robot_description']).iter('mesh')]
    assert found == [
        f'file://{tmp_path}/arm_description/meshes/own.stl', f'file://{tmp_path}/hand_description/hand.stl',
        f'file://{tmp_path}/arm_description/urdf/../meshes/own.stl', *meshes[3:]]


@pytest.mark.parametrize('text, word', [
    (None, 'there is no file'), ('this is no robot', 'is not a robot description'),
    ('<robot name="r"><link name="a"/><link name="b"/></robot>', 'needs one link that is not the child of a joint')])
def test_a_wrong_file_ends_the_demo_with_a_sentence(tmp_path, text, word):
    robot = tmp_path / 'robot.urdf'
    if text is not None:
        robot.write_text(text)
    process = launch(ROOT / 'launch' / 'demo.launch.py', f'urdf:={robot}', **stand_ins(tmp_path, EXECUTABLES))
    try:
        output = process.communicate(timeout=TIMEOUT)[0]
    finally:
        kill(process)
    assert process.returncode != 0 and word in output and str(robot) in output, output


def test_a_robot_that_needs_a_tip_ends_the_demo_with_a_sentence(tmp_path):
    """The real node refuses it."""
    others = {name: package for name, package in EXECUTABLES.items() if package != 'urdf_ik'}
    robot = ROOT / 'tests' / 'data' / 'urdf' / 'two_arms.urdf'
    process = launch(ROOT / 'launch' / 'demo.launch.py', f'urdf:={robot}', 'figure:=false', **stand_ins(tmp_path, others))
    try:
        output = process.communicate(timeout=TIMEOUT)[0]
    finally:
        kill(process)
    assert 'the argument tip_link' in output and 'shutting down launched system' in output, output
    assert not list(tmp_path.glob('*.rviz')), 'the layout is removed'


def test_the_layout_has_every_topic_of_the_node_under_its_name():
    """Of those that RViz can show or send."""
    text = (ROOT / 'config' / 'urdf_ik.rviz').read_text()
    manager = yaml.safe_load(text)['Visualization Manager']
    displays = {display['Class'].split('/')[1]: display for display in manager['Displays']}
    description = displays['RobotModel']['Description Topic']
    assert (description['Value'], description['Durability Policy']) == ('/robot_description', 'Transient Local')
    assert displays['MarkerArray']['Topic']['Value'] == '/urdf_ik/markers'
    tools = {tool['Class'].split('/')[1]: tool for tool in manager['Tools']}
    assert tools['SetGoal']['Topic']['Value'] == '/urdf_ik/target_pose'
    assert tools['PublishPoint']['Topic']['Value'] == '/urdf_ik/target_point'


def test_launched_node_publishes_and_ends_cleanly(tmp_path, monkeypatch):
    rclpy = pytest.importorskip('rclpy')
    from sensor_msgs.msg import JointState

    domain = 102 + os.getpid() % 100
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    listener = rclpy.create_node('listener', context=context)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    executor.add_node(listener)
    states = []
    listener.create_subscription(JointState, '/left/urdf_ik/joint_states', states.append, 10)
    process = launch(ROOT / 'launch' / 'urdf_ik.launch.py', f'urdf:={ARM}', 'namespace:=left', ROS_LOG_DIR=str(tmp_path))
    try:
        wait_for(lambda: executor.spin_once(timeout_sec=0.05) or states, process)
        assert 'elbow_joint' in states[0].name
        assert 'finished cleanly' in end(process)
    finally:
        kill(process)
        listener.destroy_node()
        rclpy.shutdown(context=context)
