"""SROS 2: permissions and keystore of config/sros2, and the argument of the launch file. No middleware enforces them here."""
import importlib.util
import shutil
import subprocess
import xml.etree.ElementTree as ET
from fnmatch import fnmatchcase

import pytest

from client import PARAMETER_SERVICES
from conftest import ROOT
from test_interface import ACTIONS, PUBLISHED, SERVICES, SUBSCRIBED

SROS2 = ROOT / 'config' / 'sros2'
ACTION_SERVICES = ('send_goal', 'cancel_goal', 'get_result')
ACTION_TOPICS = ('feedback', 'status')
MOVEIT_COMMANDS = (
    'collision_object', 'attached_collision_object', *(f'servo_node/{kind}_cmds' for kind in ('delta_twist', 'delta_joint', 'pose_target')))
MOVEIT_SERVICES = ('compute_ik', 'compute_fk', 'check_state_validity', 'servo_node/switch_command_type', 'servo_node/pause_servo')


def full_names(names):
    return [name.replace('~', '/urdf_ik') if name.startswith('~') else '/' + name.lstrip('/') for name in names]


TOPICS = {'publish': full_names(PUBLISHED), 'subscribe': full_names(SUBSCRIBED)}
CALLED = [*full_names(SERVICES), *(f'{action}/_action/{part}' for action in full_names(ACTIONS) for part in ACTION_SERVICES)]
TOPICS['publish'] += [f'{action}/_action/{part}' for action in full_names(ACTIONS) for part in ACTION_TOPICS]


class Permissions:
    def __init__(self, name):
        [grant] = ET.parse(SROS2 / 'permissions' / f'{name}.xml').getroot().iter('grant')
        assert grant.find('subject_name').text == f'CN=/{name}' and grant.find('default').text == 'DENY'
        [rule] = grant.findall('allow_rule')
        self.allowed = {way: [topic.text for topic in rule.find(f'{way}/topics')] for way in ('publish', 'subscribe')}

    def allows(self, way, topic):
        return any(fnmatchcase(topic, pattern) for pattern in self.allowed[way])


@pytest.fixture(scope='module')
def enclaves():
    return {name: Permissions(name) for name in ('urdf_ik', 'operator', 'observer')}


def test_the_node_may_use_all_its_interfaces(enclaves):
    node = enclaves['urdf_ik']
    for way, topics in TOPICS.items():
        assert [topic for topic in topics if not node.allows(way, f'rt{topic}')] == []
    driver = '/arm_controller/follow_joint_trajectory/_action'
    for service in CALLED:
        assert node.allows('subscribe', f'rq{service}Request') and node.allows('publish', f'rr{service}Reply'), service
    assert node.allows('publish', f'rq{driver}/send_goalRequest') and node.allows('subscribe', f'rt{driver}/feedback')
    assert not node.allows('publish', 'rt/cmd_vel') and not node.allows('subscribe', 'rt/camera')


def test_an_operator_may_command_the_node_and_not_pose_as_it(enclaves):
    operator = enclaves['operator']
    for topic in ('target_pose', 'target_twist', 'left_hand/target_pose', 'joint_jog', 'handle/feedback'):
        assert operator.allows('publish', f'rt/urdf_ik/{topic}'), topic
    for service in CALLED:
        assert operator.allows('publish', f'rq{service}Request') and operator.allows('subscribe', f'rr{service}Reply'), service
    for topic in TOPICS['publish']:
        assert operator.allows('subscribe', f'rt{topic}'), topic
        assert topic in ('/parameter_events', '/rosout') or not operator.allows('publish', f'rt{topic}'), topic
    assert not operator.allows('publish', 'rt/urdf_ik/measured_joint_states')
    assert [service for service in CALLED if operator.allows('publish', f'rr{service}Reply')] == []


def test_an_observer_may_command_nothing(enclaves):
    observer = enclaves['observer']
    assert all(observer.allows('subscribe', f'rt{topic}') for topic in TOPICS['publish'] if topic not in ('/parameter_events', '/rosout'))
    commands = [f'rt{topic}' for topic in TOPICS['subscribe']] + [f'rq{service}Request' for service in CALLED]
    assert [topic for topic in commands if observer.allows('publish', topic)] == []


def test_names_of_moveit_are_for_the_node_and_operators(enclaves):
    node, operator, observer = (enclaves[name] for name in ('urdf_ik', 'operator', 'observer'))
    for topic in (f'rt/{name}' for name in MOVEIT_COMMANDS):
        assert node.allows('subscribe', topic) and operator.allows('publish', topic) and not observer.allows('publish', topic), topic
    for service in MOVEIT_SERVICES:
        request, reply = f'rq/{service}Request', f'rr/{service}Reply'
        assert node.allows('subscribe', request) and node.allows('publish', reply), service
        assert operator.allows('publish', request) and operator.allows('subscribe', reply), service
        assert not observer.allows('publish', request) and not operator.allows('publish', reply), service
    status = 'rt/servo_node/status'
    assert node.allows('publish', status) and operator.allows('subscribe', status) and observer.allows('subscribe', status)


@pytest.mark.parametrize('name', ['operator', 'observer'])
def test_programs_may_offer_the_services_of_every_node(enclaves, name):
    program = enclaves[name]
    for node in (name, '_ros2cli_4711'):
        for service in (*PARAMETER_SERVICES, 'get_type_description'):
            assert program.allows('subscribe', f'rq/{node}/{service}Request') and program.allows('publish', f'rr/{node}/{service}Reply')
    for topic in ('clock', 'parameter_events'):
        assert program.allows('subscribe', f'rt/{topic}'), topic
    assert [service for service in CALLED if program.allows('subscribe', f'rq{service}Request')] == []


def test_strangers_may_not_join():
    [rule] = ET.parse(SROS2 / 'governance.xml').getroot().iter('domain_rule')
    assert rule.find('allow_unauthenticated_participants').text == 'false' and rule.find('enable_join_access_control').text == 'true'
    [topics] = rule.iter('topic_rule')
    assert topics.find('topic_expression').text == '*'
    assert topics.find('enable_read_access_control').text == topics.find('enable_write_access_control').text == 'true'


@pytest.fixture(scope='module')
def keystore(tmp_path_factory):
    assert shutil.which('openssl'), 'openssl is needed: sudo apt install openssl'
    folder = tmp_path_factory.mktemp('sros2') / 'keystore'
    subprocess.run(['bash', SROS2 / 'keystore.sh', folder], check=True, capture_output=True)
    return folder


def test_a_keystore_is_signed_by_its_authority(keystore):
    def openssl(*arguments):
        return subprocess.run(['openssl', *arguments], check=True, capture_output=True, text=True, cwd=keystore).stdout
    authority = ['-CAfile', 'public/ca.cert.pem']
    for name in ('urdf_ik', 'operator', 'observer'):
        enclave = f'enclaves/{name}'
        assert openssl('verify', *authority, f'{enclave}/cert.pem').endswith('OK\n')
        assert openssl('x509', '-in', f'{enclave}/cert.pem', '-noout', '-subject', '-nameopt', 'RFC2253') == f'subject=CN=/{name}\n'
        signed = openssl('smime', '-verify', '-text', '-in', f'{enclave}/permissions.p7s', *authority)
        assert signed.splitlines() == (SROS2 / 'permissions' / f'{name}.xml').read_text().splitlines()
        assert openssl('smime', '-verify', '-text', '-in', f'{enclave}/governance.p7s', *authority).splitlines()
        assert (keystore / enclave / 'key.pem').stat().st_mode & 0o077 == 0
    again = subprocess.run(['bash', SROS2 / 'keystore.sh', keystore], capture_output=True, text=True)
    assert again.returncode == 1 and 'does not exist yet' in again.stderr


@pytest.fixture
def security():
    spec = importlib.util.spec_from_file_location('security', ROOT / 'launch' / 'security.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def middleware(monkeypatch, folder, content):
    """An install prefix with a Fast DDS of this content."""
    (folder / 'lib').mkdir(exist_ok=True)
    (folder / 'lib' / 'libfastrtps.so').write_bytes(content)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(folder))
    monkeypatch.delenv('RMW_IMPLEMENTATION', raising=False)


def test_the_launch_argument_says_what_is_missing(security, keystore, tmp_path, monkeypatch):
    middleware(monkeypatch, tmp_path, b'builtin.PKI-DH')
    assert security.environment(keystore) == {
        'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce', 'ROS_SECURITY_KEYSTORE': str(keystore)}
    with pytest.raises(RuntimeError, match='lacks cert.pem, .* make a keystore'):
        security.environment(tmp_path)
    middleware(monkeypatch, tmp_path, b'')
    with pytest.raises(RuntimeError, match='libfastrtps.so was built without security'):
        security.environment(keystore)
    monkeypatch.setenv('RMW_IMPLEMENTATION', 'rmw_cyclonedds_cpp')
    assert security.environment(keystore)


def test_a_node_that_security_stops_says_so(start, tmp_path):
    (tmp_path / 'enclaves' / 'empty').mkdir(parents=True)
    variables = ('ROS_SECURITY_ENABLE=true', 'ROS_SECURITY_STRATEGY=Enforce', f'ROS_SECURITY_KEYSTORE={tmp_path}')
    process = start.run('--ros-args', '--enclave', '/empty', prefix=('env', *variables))
    assert process.wait() == 1
    assert 'an enclave without all of its files' in process.output()
