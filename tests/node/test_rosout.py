"""The node's log on /rosout."""
import pytest
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile

from client import nanoseconds
from conftest import ARM_FILE
from kinematics import translation

INFO, WARN = 20, 30  # levels of rcl_interfaces/Log
QUALITY = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def log_of(node):
    """The log of the node at each call, including recent messages."""
    received = node.subscribe(Log, '/rosout', [], QUALITY)
    logger = node.name.strip('/').replace('/', '.')
    return lambda text: [record for record in received if record.name == logger and text in record.msg]


def publishes_rosout(node):
    endpoints = node.node.get_publishers_info_by_topic('/rosout')
    return any((endpoint.node_namespace, endpoint.node_name) == (node.namespace, 'urdf_ik') for endpoint in endpoints)


def test_warnings_are_there_with_their_origin(start):
    node = start.node(ARM_FILE)
    log = log_of(node)
    status = node.send_pose(translation(0.3, 0, 0.3), 'nowhere')
    (record,) = node.wait_for(lambda: log('nowhere'), 'the warning')
    assert record.level == WARN and status.message in record.msg
    assert record.file.endswith('.rs') and record.line > 0
    age = node.node.get_clock().now().nanoseconds - nanoseconds(record.stamp)
    assert abs(age) < 60e9


def test_late_subscribers_see_what_was_logged_at_the_start(start):
    node = start.node(ARM_FILE, positon_tolerance=1e-3)
    log = log_of(node)
    (record,) = node.wait_for(lambda: log('positon_tolerance'), 'the warning')
    assert record.level == WARN
    (record,) = node.wait_for(lambda: log('chain from'), 'the message about its robot')
    assert record.level == INFO


@pytest.mark.parametrize('rule', ['warn', '{logger}:=warn'])
def test_the_level_of_the_log_is_that_of_rosout(start, rule):
    namespace = '/quiet'
    rule = rule.format(logger='quiet.urdf_ik')
    node = start.node(ARM_FILE, namespace=namespace, arguments=['--log-level', rule], positon_tolerance=1e-3)
    log = log_of(node)
    node.wait_for(lambda: log('positon_tolerance'), 'the warning')
    node.send_pose(translation(0.3, 0, 0.3), 'nowhere')
    node.wait_for(lambda: log('nowhere'), 'a later warning')
    assert not log('chain from')
    assert not node.process.lines_with('chain from')


def test_debug_messages_are_asked_for(start):
    node = start.node(ARM_FILE, arguments=['--log-level', 'debug'])
    log = log_of(node)
    node.wait_for(lambda: log('chain from'), 'the message about its robot')


def test_it_can_be_disabled(start):
    other = start.node(ARM_FILE)
    node = start.node(ARM_FILE, arguments=['--disable-rosout-logs'])
    other.wait_for(lambda: publishes_rosout(other), 'the publisher of the other node')
    assert not publishes_rosout(node)
