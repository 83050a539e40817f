"""The launch files: the processes that they start, recorded by stand-in executables; then one real launch."""
import os
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from launches import ROOT, TIMEOUT, end, kill, launch, stand_ins, started, wait_for

ARM = ROOT / 'urdf' / 'arm7.urdf'
EXECUTABLES = {
    'urdf_ik_node': 'urdf_ik',
    'figure_of_eight.py': 'urdf_ik',
    'robot_state_publisher': 'robot_state_publisher',
    'rviz2': 'rviz2',
}


@pytest.fixture
def started_by(tmp_path):
    """A function that launches a file with stand-ins and returns the started processes by executable."""
    return lambda *arguments: started(tmp_path, EXECUTABLES, *arguments)[0]


def test_every_launch_file_is_tried():
    assert sorted(path.name for path in (ROOT / 'launch').glob('*.launch.py')) == [
        'demo.launch.py', 'teleop.launch.py', 'urdf_ik.launch.py']


def test_without_arguments_no_parameter_is_set(started_by):
    node = started_by('urdf_ik.launch.py', ['urdf_ik_node'])['urdf_ik_node']
    assert node.parameters == {}
    assert node.remappings['__node'] == 'urdf_ik'
    assert node.remappings.get('__ns', '/') == '/'


def test_arguments_become_parameters(started_by):
    node = started_by(
        'urdf_ik.launch.py', ['urdf_ik_node'], f'urdf:={os.path.relpath(ARM)}', 'base_link:=base_link',
        'tip_link:=tool0,1', 'solver:=fabrik', 'motion:=smooth', 'namespace:=left', 'use_sim_time:=true',
        'trajectory_action:=/driver/follow')['urdf_ik_node']
    assert node.parameters == {
        'urdf_file': str(ARM), 'base_link': 'base_link', 'tip_links': ['tool0', '1'], 'solver': 'fabrik',
        'motion': 'smooth', 'use_sim_time': True, 'trajectory_action': '/driver/follow'}
    assert node.remappings == {'__node': 'urdf_ik', '__ns': '/left'}


@pytest.mark.parametrize('file, others, options', [
    ('urdf_ik.launch.py', [], []), ('teleop.launch.py', [], []),
    ('demo.launch.py', ['robot_state_publisher'], ['use_rviz:=false', 'figure:=false'])])
def test_the_level_of_the_log_is_an_argument(started_by, file, others, options):
    arguments = started_by(file, ['urdf_ik_node', *others], 'log_level:=debug', *options)['urdf_ik_node'].arguments
    assert arguments[arguments.index('--log-level') + 1] == 'debug'
    assert '--log-level' not in started_by(file, ['urdf_ik_node', *others], *options)['urdf_ik_node'].arguments


def test_security_selects_the_enclave(started_by, tmp_path):
    keystore = tmp_path / 'keystore'
    subprocess.run(['bash', ROOT / 'config' / 'sros2' / 'keystore.sh', keystore], check=True)
    (tmp_path / 'lib').mkdir()
    (tmp_path / 'lib' / 'libfastdds.so').write_bytes(b'builtin.PKI-DH')
    arguments = started_by('urdf_ik.launch.py', ['urdf_ik_node'], f'security:={keystore}')['urdf_ik_node'].arguments
    assert arguments[arguments.index('--enclave') + 1] == '/urdf_ik'


def test_security_needs_a_keystore(tmp_path):
    process = launch(ROOT / 'launch' / 'urdf_ik.launch.py', f'security:={tmp_path}', **stand_ins(tmp_path, EXECUTABLES))
    output = process.communicate(timeout=TIMEOUT)[0]
    assert process.returncode != 0 and 'make a keystore by config/sros2/keystore.sh' in output and not list(tmp_path.glob('*.json'))


def test_arguments_win_over_the_parameter_file(started_by):
    example = ROOT / 'config' / 'urdf_ik.yaml'
    node = started_by(
        'urdf_ik.launch.py', ['urdf_ik_node'], f'params_file:={example}', 'solver:=fabrik')['urdf_ik_node']
    in_file = yaml.safe_load(example.read_text())['/**']['ros__parameters']
    assert node.parameters == {**in_file, 'solver': 'fabrik'}


DATA = ROOT / 'tests' / 'data'


@pytest.mark.parametrize('file, tip, is_short', [
    ('robots/so101.urdf', 'gripper_frame_link', True), ('urdf/scara.urdf', '', True), ('urdf/palletiser.urdf', 'tool', True),
    ('robots/ur5_robot.urdf', 'tool0', False), ('urdf/two_arms.urdf', 'left_hand,right_hand', False),
    ('robots/so101.urdf', 'nobody', False)])
def test_an_arm_of_few_joints_reaches_positions_first(started_by, tmp_path, file, tip, is_short):
    arguments = [f'urdf:={DATA / file}', *([f'tip_link:={tip}'] if tip else [])]
    node = started_by('urdf_ik.launch.py', ['urdf_ik_node'], *arguments)['urdf_ik_node']
    assert node.parameters.get('on_unreachable') == ('position' if is_short else None)
    own = tmp_path / 'own.yaml'
    own.write_text('urdf_ik:\n  ros__parameters:\n    on_unreachable: hold\n')
    node = started_by('urdf_ik.launch.py', ['urdf_ik_node'], *arguments, f'params_file:={own}')['urdf_ik_node']
    assert node.parameters['on_unreachable'] == 'hold'


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
        '~/joint_trajectory': '/controller/joint_trajectory', '~/servo_trajectory': '/controller/joint_trajectory'}


def test_the_names_of_moveit_servo_are_a_parameter(started_by):
    node = started_by('urdf_ik.launch.py', ['urdf_ik_node'], 'moveit_servo:=true')['urdf_ik_node']
    assert node.parameters == {'moveit_servo.enabled': True}


def test_xacro_is_expanded(started_by, tmp_path):
    pytest.importorskip('xacro', reason='xacro files not tested: no Python package xacro here')
    path = tmp_path / 'robot.urdf.xacro'
    path.write_text('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
                    '<xacro:property name="tip" value="tool0"/><link name="${tip}"/></robot>')
    node = started_by('urdf_ik.launch.py', ['urdf_ik_node'], f'urdf:={path}')['urdf_ik_node']
    assert 'urdf_file' not in node.parameters
    assert '<link name="tool0"/>' in node.parameters['robot_description']


def layout_of(rviz):
    """The RViz layout, and its displays by class."""
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
    """Checks topics that RViz can display or publish."""
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
