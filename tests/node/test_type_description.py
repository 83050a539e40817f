"""The service ~/get_type_description, compared with the responses of an rclpy node."""
import importlib.util
import json
from pathlib import Path

import pytest
from ament_index_python import get_package_share_directory

from conftest import ARM_FILE
from test_interface import SERVICES as OFFERED

if importlib.util.find_spec('type_description_interfaces') is None:
    pytest.skip('this ROS 2 has no type descriptions', allow_module_level=True)

from rclpy.action import ActionServer
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from type_description_interfaces.srv import GetTypeDescription
from urdf_ik.action import FollowPath
from urdf_ik.msg import Goals, Obstacles, SolveStatus
from urdf_ik.srv import SolveIKBatch

TOPICS = {'sensor_msgs/msg/JointState': JointState, 'urdf_ik/msg/SolveStatus': SolveStatus, 'urdf_ik/msg/Goals': Goals,
          'urdf_ik/msg/Obstacles': Obstacles}
SERVICES = {'std_srvs/srv/SetBool': SetBool, 'urdf_ik/srv/SolveIKBatch': SolveIKBatch}
ACTION = 'urdf_ik/action/FollowPath'
OF_ACTION = [ACTION, f'{ACTION}_SendGoal', f'{ACTION}_GetResult', f'{ACTION}_FeedbackMessage']
NAMES = [*TOPICS, *SERVICES, *OF_ACTION, 'action_msgs/srv/CancelGoal', 'action_msgs/msg/GoalStatusArray']


@pytest.fixture(scope='module')
def reference(shared_arm):
    """An rclpy node with interfaces of these types, which describes them by the code of their libraries."""
    node = Node('reference', namespace=shared_arm.namespace)
    for number, kind in enumerate(TOPICS.values()):
        node.create_publisher(kind, f'topic_{number}', 1)
    for number, kind in enumerate(SERVICES.values()):
        node.create_service(kind, f'service_{number}', lambda request, response: response)
    action = ActionServer(node, FollowPath, 'action', lambda goal: FollowPath.Result())
    shared_arm.executor.add_node(node)
    yield f'{shared_arm.namespace}/reference'
    shared_arm.executor.remove_node(node)
    action.destroy()
    node.destroy_node()


def hash_of(name):
    """The hash of a type from the files of its package."""
    package, kind, base = name.split('/')
    file = Path(get_package_share_directory(package)) / kind / f"{base.split('_')[0]}.json"
    return next(known['hash_string'] for known in json.loads(file.read_text())['type_hashes'] if known['type_name'] == name)


def describe(arm, node, name, type_hash, **fields):
    return arm.call(GetTypeDescription, f'{node}/get_type_description', type_name=name, type_hash=type_hash, **fields)


@pytest.mark.parametrize('with_sources', [False, True])
@pytest.mark.parametrize('name', NAMES)
def test_a_description_is_that_of_rclpy(arm, reference, name, with_sources):
    described = describe(arm, reference, name, hash_of(name), include_type_sources=with_sources)
    assert described.successful and described.type_description.type_description.type_name == name, described.failure_reason
    assert bool(described.type_sources) == with_sources
    ours = describe(arm, arm.name, name, hash_of(name), include_type_sources=with_sources)
    for source, other in zip(ours.type_sources, described.type_sources):
        if not source.raw_file_contents.isascii():  # the code in the libraries has escapes there
            source.raw_file_contents = other.raw_file_contents
    assert ours == described


def test_the_types_in_the_graph_are_described(arm):
    for topic in ['status', 'joint_states', 'handle/update', 'markers']:
        [info] = arm.node.get_publishers_info_by_topic(f'{arm.name}/{topic}')
        described = describe(arm, arm.name, info.topic_type, str(info.topic_type_hash))
        assert described.type_description.type_description.type_name == info.topic_type, described.failure_reason


@pytest.mark.parametrize('type_hash', ['', 'RIHS01_' + '0' * 64, 'x' * 100_000, 'RIHS01_é'])
def test_an_unknown_hash_is_refused_with_the_remedy(arm, type_hash):
    described = describe(arm, arm.name, 'urdf_ik/msg/SolveStatus', type_hash)
    assert not described.successful and not described.type_description.type_description.type_name
    assert 'ros2 topic info --verbose' in described.failure_reason and len(described.failure_reason) < 500


def test_the_service_can_be_left_out(start):
    node = start.node(ARM_FILE, start_type_description_service=False)
    left_out = f'{node.name}/get_type_description'
    expected = {service.replace('~', node.name) for service in OFFERED} - {left_out}

    def offered():
        return {name for name, _ in node.node.get_service_names_and_types()}

    node.wait_for(lambda: expected <= offered(), 'all other services')
    assert left_out not in offered()
