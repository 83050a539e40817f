"""The launch files: what they start, seen by executables that stand in for the real ones; then once for real."""
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
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
# Writes down its arguments and parameter files, and stays until it is told to end.
STAND_IN = '''#!{python}
import json, os, signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
files = [open(name).read() for flag, name in zip(sys.argv, sys.argv[1:]) if flag == '--params-file']
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
        self.arguments = record['arguments']
        self.remappings = dict(
            rule.split(':=', 1) for flag, rule in zip(self.arguments, self.arguments[1:]) if flag == '-r')
        self.parameters = {}
        for text in record['files']:
            for section in yaml.safe_load(text).values():
                self.parameters.update(section['ros__parameters'])


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


@pytest.fixture
def started_by(tmp_path):
    """A function that launches a file among the stand-ins and returns what was started, by executable."""
    for executable, package in EXECUTABLES.items():
        index = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
        index.mkdir(parents=True, exist_ok=True)
        (index / package).touch()
        program = tmp_path / 'lib' / package / executable
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(STAND_IN.format(python=sys.executable, record=tmp_path / f'{executable}.json'))
        program.chmod(0o755)
    prefixes = f'{tmp_path}{os.pathsep}{os.environ.get("AMENT_PREFIX_PATH", "")}'

    def start(name, expected, *arguments):
        process = launch(ROOT / 'launch' / name, *arguments, AMENT_PREFIX_PATH=prefixes, ROS_LOG_DIR=str(tmp_path))
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
    assert sorted(path.name for path in (ROOT / 'launch').glob('*.py')) == ['demo.launch.py', 'urdf_ik.launch.py']


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
    ('true', {'~/compute_ik': '/compute_ik', '~/compute_fk': '/compute_fk'}),
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


def test_demo_shows_the_bundled_arm(started_by):
    started = started_by('demo.launch.py', list(EXECUTABLES))
    publisher = started['robot_state_publisher'].parameters
    assert publisher['robot_description'] == ARM.read_text()
    assert publisher['publish_frequency'] > 20
    node = started['urdf_ik_node']
    assert node.parameters == {}, 'the robot comes from the topic'
    assert node.remappings['~/joint_states'] == 'joint_states'
    assert '~/joint_states' not in started['figure_of_eight.py'].remappings
    view = started['rviz2'].arguments
    assert view[:4] == ['-d', str(ROOT / 'config' / 'urdf_ik.rviz'), '-f', 'base_link']


def test_demo_takes_another_robot(started_by):
    robot = ROOT / 'tests' / 'data' / 'urdf' / 'two_arms.urdf'
    started = started_by(
        'demo.launch.py', [name for name in EXECUTABLES if name != 'rviz2'], f'urdf:={robot}',
        'base_link:=torso_yaw_link', 'tip_link:=left_hand', 'use_rviz:=false')
    assert started['robot_state_publisher'].parameters['robot_description'] == robot.read_text()
    assert started['urdf_ik_node'].parameters == {'base_link': 'torso_yaw_link', 'tip_links': ['left_hand']}


def test_rviz_configuration_follows_the_topics_of_the_node():
    view = yaml.safe_load((ROOT / 'config' / 'urdf_ik.rviz').read_text())['Visualization Manager']
    displays = {display['Class'].split('/')[1]: display for display in view['Displays']}
    description = displays['RobotModel']['Description Topic']
    assert (description['Value'], description['Durability Policy']) == ('/robot_description', 'Transient Local')
    assert displays['Pose']['Topic']['Value'] == '/urdf_ik/target_pose'


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
