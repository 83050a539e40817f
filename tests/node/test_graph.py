"""Faults of the ROS graph reported by the node: incompatible publishers, and a second node with its name."""
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from checks import assert_solved
from client import LATCHED, pose_message
from conftest import ARM_FILE

VOLATILE = QoSProfile(depth=1, durability=DurabilityPolicy.VOLATILE)
BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED_BEST_EFFORT = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.BEST_EFFORT)


@pytest.fixture
def peer():
    """Another rclpy node."""
    node = rclpy.create_node('peer', namespace='/others')
    yield node
    node.destroy_node()


def diagnosis(node):
    """The latest status of the node on /diagnostics from now on, at each call."""
    received = node.subscribe(DiagnosticArray, '/diagnostics', [])
    return lambda: next((status for array in reversed(received) for status in array.status
                         if status.name.startswith(f'{node.name}:')), None)


def wait_for_diagnosis(node, *words, send=lambda: None):
    """The diagnostics with these words; `send` is called meanwhile, again and again."""
    newest = diagnosis(node)
    status = node.wait_for(lambda: send() or (status := newest()) and all(word in status.message for word in words) and status,
                           f'diagnostics with {words}; the node printed:\n{node.process.output()}')
    return status


def warning(node, *words):
    """The only warning with this text."""
    def found():
        return [line for line in node.process.lines_with('[WARN]') if all(word in line for word in words)]
    node.wait_for(found, f'a warning with {words}; the node printed:\n{node.process.output()}')
    # Later checks of the graph do not repeat it.
    newest = diagnosis(node)
    node.wait_for(newest, 'diagnostics')
    (line,) = found()
    return line


@pytest.mark.parametrize('kind, topic, quality, policies', [
    (PoseStamped, '{node}/target_pose', BEST_EFFORT, {'reliability': 'Reliable'}),
    (String, '{namespace}/robot_description', VOLATILE, {'durability': 'TransientLocal'}),
    (TFMessage, '/tf_static', BEST_EFFORT, {'reliability': 'Reliable', 'durability': 'TransientLocal'}),
    (TFMessage, '/tf_static', LATCHED_BEST_EFFORT, {'reliability': 'Reliable'}),
])
def test_a_publisher_that_does_not_fit_is_named(start, peer, kind, topic, quality, policies):
    node = start.node(ARM_FILE)
    topic = topic.format(node=node.name, namespace=node.namespace)
    peer.create_publisher(kind, topic, quality)
    for policy, requested in policies.items():
        assert requested in warning(node, topic, '/others/peer', policy)
        status = wait_for_diagnosis(node, policy, topic, '/others/peer')
        assert status.level != DiagnosticStatus.OK
    assert len(node.process.lines_with('/others/peer')) == len(policies)


def test_a_publisher_that_fits_is_not(start, peer, arm_robot):
    node = start.node(ARM_FILE, target_reliability='best_effort')
    publisher = peer.create_publisher(PoseStamped, f'{node.name}/target_pose', BEST_EFFORT)
    peer.create_publisher(String, f'{node.namespace}/robot_description', LATCHED)
    peer.create_publisher(JointState, f'{node.name}/measured_joint_states', 10)
    node.wait_for(lambda: publisher.get_subscription_count() > 0, 'the node to be discovered')
    target = pose_message(arm_robot.pose('tool0', {'elbow_joint': 0.2}))

    def answered():
        publisher.publish(target)
        return [status for status in node.statuses if status.header.stamp == target.header.stamp]
    (status, *_) = node.wait_for(answered, 'a status')
    assert_solved(node, arm_robot, status, 'tool0', arm_robot.pose('tool0', {'elbow_joint': 0.2}))
    # Diagnostics are those of the last second, and the subscription may take longer than that.
    status = wait_for_diagnosis(node, 'every target was met', send=lambda: publisher.publish(target))
    assert status.level in (DiagnosticStatus.OK, b'\x00') and 'unheard' not in status.message
    assert not node.process.lines_with('/others/peer')


def test_the_fault_ends_with_the_publisher(start, peer):
    node = start.node(ARM_FILE)
    publisher = peer.create_publisher(PoseStamped, f'{node.name}/target_pose', BEST_EFFORT)
    wait_for_diagnosis(node, 'unheard')
    peer.destroy_publisher(publisher)
    newest = diagnosis(node)
    node.wait_for(lambda: newest() and 'unheard' not in newest().message, 'the end of the fault')


def test_a_remapped_topic_is_looked_at_by_its_new_name(start, peer):
    node = start.node(ARM_FILE, remaps={'robot_description': '/others/urdf'})
    peer.create_publisher(String, '/others/urdf', VOLATILE)
    warning(node, '/others/urdf', '/others/peer', 'durability')


def test_two_nodes_of_one_name_both_say_so(start):
    one = start.node(ARM_FILE, namespace='/twins')
    other = start.run('--ros-args', '-r', '__ns:=/twins', '-p', f'urdf_file:={ARM_FILE}')
    for process in (one.process, other):
        process.wait_for_output('2 nodes have the name /twins/urdf_ik')
    status = wait_for_diagnosis(one, '2 nodes have the name /twins/urdf_ik')
    assert status.level != DiagnosticStatus.OK
    assert len(one.process.lines_with('2 nodes have the name')) == 1


def test_a_node_of_another_program_with_the_same_name_is_noticed(start):
    node = start.node(ARM_FILE, namespace='/shared')
    other = rclpy.create_node('urdf_ik', namespace='/shared')
    try:
        warning(node, '2 nodes have the name /shared/urdf_ik')
    finally:
        other.destroy_node()
