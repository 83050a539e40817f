"""Topics and services: names, types and quality of service."""
import importlib.util
from pathlib import Path

import pytest
import rclpy
from rclpy.action import get_action_server_names_and_types_by_node
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from conftest import ARM_FILE, ROOT

RELIABLE, BEST_EFFORT = ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT
VOLATILE, TRANSIENT_LOCAL = DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL
PUBLISHED = {
    '~/joint_states': ('sensor_msgs/msg/JointState', RELIABLE, VOLATILE),
    '~/status': ('urdf_ik/msg/SolveStatus', RELIABLE, VOLATILE),
    '~/servo_status': ('urdf_ik/msg/ServoStatus', RELIABLE, VOLATILE),
    '~/robot_description': ('std_msgs/msg/String', RELIABLE, TRANSIENT_LOCAL),
    '~/handle/update': ('visualization_msgs/msg/InteractiveMarkerUpdate', RELIABLE, VOLATILE),
    '~/joint_trajectory': ('trajectory_msgs/msg/JointTrajectory', RELIABLE, VOLATILE),
    '~/servo_trajectory': ('trajectory_msgs/msg/JointTrajectory', RELIABLE, VOLATILE),
    '~/goals': ('urdf_ik/msg/Goals', RELIABLE, TRANSIENT_LOCAL),
    '~/markers': ('visualization_msgs/msg/MarkerArray', RELIABLE, VOLATILE),
    '/diagnostics': ('diagnostic_msgs/msg/DiagnosticArray', RELIABLE, VOLATILE),
    '/parameter_events': ('rcl_interfaces/msg/ParameterEvent', RELIABLE, VOLATILE),
    '/rosout': ('rcl_interfaces/msg/Log', RELIABLE, TRANSIENT_LOCAL),
}
SUBSCRIBED = {
    '~/target_pose': ('geometry_msgs/msg/PoseStamped', RELIABLE, VOLATILE),
    '~/target_point': ('geometry_msgs/msg/PointStamped', RELIABLE, VOLATILE),
    '~/target_path': ('geometry_msgs/msg/PoseArray', RELIABLE, VOLATILE),
    '~/target_twist': ('geometry_msgs/msg/TwistStamped', RELIABLE, VOLATILE),
    '~/joint_jog': ('sensor_msgs/msg/JointState', RELIABLE, VOLATILE),
    '~/handle/feedback': ('visualization_msgs/msg/InteractiveMarkerFeedback', RELIABLE, VOLATILE),
    '~/measured_joint_states': ('sensor_msgs/msg/JointState', BEST_EFFORT, VOLATILE),
    'robot_description': ('std_msgs/msg/String', RELIABLE, TRANSIENT_LOCAL),
    '/tf': ('tf2_msgs/msg/TFMessage', RELIABLE, VOLATILE),
    '/tf_static': ('tf2_msgs/msg/TFMessage', RELIABLE, TRANSIENT_LOCAL),
}
SERVICES = {
    '~/solve_ik': 'urdf_ik/srv/SolveIK',
    '~/solve_ik_batch': 'urdf_ik/srv/SolveIKBatch',
    '~/solve_path': 'urdf_ik/srv/SolvePath',
    '~/change_obstacles': 'urdf_ik/srv/ChangeObstacles',
    '~/change_goals': 'urdf_ik/srv/ChangeGoals',
    '~/check_collisions': 'urdf_ik/srv/CheckCollisions',
    '~/clutch': 'std_srvs/srv/SetBool',
    '~/stop': 'std_srvs/srv/Trigger',
    '~/resume': 'std_srvs/srv/Trigger',
    '~/forward_kinematics': 'urdf_ik/srv/ForwardKinematics',
    '~/reset': 'std_srvs/srv/Trigger',
    '~/handle/get_interactive_markers': 'visualization_msgs/srv/GetInteractiveMarkers',
    '~/list_parameters': 'rcl_interfaces/srv/ListParameters',
    '~/describe_parameters': 'rcl_interfaces/srv/DescribeParameters',
    '~/get_parameters': 'rcl_interfaces/srv/GetParameters',
    '~/get_parameter_types': 'rcl_interfaces/srv/GetParameterTypes',
    '~/set_parameters': 'rcl_interfaces/srv/SetParameters',
    '~/set_parameters_atomically': 'rcl_interfaces/srv/SetParametersAtomically',
    '~/get_type_description': 'type_description_interfaces/srv/GetTypeDescription',
}

ACTIONS = {'~/follow_path': 'urdf_ik/action/FollowPath'}


@pytest.fixture(scope='module')
def node(module_start):
    return module_start.node(robot=False)


def full_name(node, name):
    if name.startswith('~'):
        return name.replace('~', node.name)
    return name if name.startswith('/') else f'{node.namespace}/{name}'


def own_endpoint(node, endpoints):
    """Type and quality of service of the node's own endpoint among several."""
    for endpoint in endpoints:
        if (endpoint.node_namespace, endpoint.node_name) == (node.namespace, 'urdf_ik'):
            return endpoint.topic_type, endpoint.qos_profile.reliability, endpoint.qos_profile.durability
    return None


@pytest.mark.parametrize('topic', PUBLISHED)
def test_published(node, topic):
    assert own_endpoint(node, node.node.get_publishers_info_by_topic(full_name(node, topic))) == PUBLISHED[topic]


@pytest.mark.parametrize('topic', SUBSCRIBED)
def test_subscribed(node, topic):
    assert own_endpoint(node, node.node.get_subscriptions_info_by_topic(full_name(node, topic))) == SUBSCRIBED[topic]


def test_services(node):
    offered = dict(node.node.get_service_names_and_types_by_node('urdf_ik', node.namespace))
    for name, kind in SERVICES.items():
        assert offered.get(full_name(node, name)) == [kind], name


def test_actions(node):
    offered = dict(get_action_server_names_and_types_by_node(node.node, 'urdf_ik', node.namespace))
    assert offered == {full_name(node, name): [kind] for name, kind in ACTIONS.items()}


def test_tf2_msgs_has_what_tf2_is_built_with():
    from tf2_msgs.action import LookupTransform
    from tf2_msgs.msg import TF2Error
    from tf2_msgs.srv import FrameGraph

    assert FrameGraph.Response.get_fields_and_field_types() == {'frame_yaml': 'string'}
    assert LookupTransform.Result.get_fields_and_field_types()['error'] == 'tf2_msgs/TF2Error'
    assert TF2Error.TRANSFORM_ERROR == 6


@pytest.mark.skipif(ROOT not in Path(rclpy.__file__).parents, reason='a ROS 2 was sourced, which may lack moveit_msgs')
def test_the_private_ros_has_the_messages_of_moveit():
    """Otherwise all tests of MoveIt's interfaces would be skipped."""
    from control_msgs.action import FollowJointTrajectory
    from control_msgs.msg import JointJog
    from moveit_msgs.msg import CollisionObject
    from moveit_msgs.srv import ServoCommandType

    assert list(JointJog.get_fields_and_field_types())[-1] == 'duration'
    assert list(FollowJointTrajectory.Goal.get_fields_and_field_types())[-1] == 'goal_time_tolerance'
    assert CollisionObject.get_fields_and_field_types()['type'] == 'object_recognition_msgs/ObjectType'
    assert CollisionObject.MOVE == b'\x03' and ServoCommandType.Request.POSE == 2


@pytest.mark.parametrize('document', ['README.md', 'docs/node.md'])
def test_the_documents_have_the_types_of_the_running_node(document):
    rows = [row for row in (ROOT / document).read_text().splitlines() if row.startswith('|')]
    kinds = {name: kind for name, (kind, *_) in {**PUBLISHED, **SUBSCRIBED}.items()} | SERVICES | ACTIONS
    for name, kind in kinds.items():
        package, _, base = kind.split('/')
        if package != 'rcl_interfaces':  # every node has these
            types = [f'{package}/{base}' in row for row in rows if f'`{name}`' in row]
            # The README lists only the most important ones.
            assert any(types) or (document == 'README.md' and not types), name


@pytest.mark.skipif(importlib.util.find_spec('moveit_msgs') is not None, reason='moveit_msgs is here: see test_moveit_servo.py')
def test_without_the_messages_of_moveit_servo_the_log_says_what_is_missing(start):
    node = start.node(ARM_FILE, moveit_servo__enabled=True)
    [line] = node.process.lines_with('moveit_servo.enabled is not used')
    assert 'ros-$ROS_DISTRO-moveit-msgs' in line
