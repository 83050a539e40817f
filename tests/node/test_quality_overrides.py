"""The parameters qos_overrides.TOPIC.publisher.POLICY and qos_overrides.TOPIC.subscription.POLICY, as in rclcpp."""
import pytest
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from conftest import ARM_FILE
from process import ros_arguments

NAMESPACE = '/quality'
STATES = 'qos_overrides./moved/joint_states.publisher'
TARGETS = 'qos_overrides./quality/urdf_ik/target_pose.subscription'
GIVEN = {f'{STATES}.reliability': 'best_effort', f'{STATES}.durability': 'transient_local', f'{STATES}.depth': 3,
         f'{TARGETS}.reliability': 'best_effort'}


@pytest.fixture(scope='module')
def node(module_start):
    return module_start.node(ARM_FILE, robot=False, namespace=NAMESPACE, remaps={'~/joint_states': '/moved/joint_states'},
                             **GIVEN, **{'qos_overrides./no/topic.publisher.depth': 1})


def test_the_topics_have_the_quality_that_is_given(node):
    [states] = node.node.get_publishers_info_by_topic('/moved/joint_states')
    quality = states.qos_profile
    assert (quality.reliability, quality.durability) == (ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.TRANSIENT_LOCAL)
    [targets] = node.node.get_subscriptions_info_by_topic(f'{node.name}/target_pose')
    assert targets.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT
    [points] = node.node.get_subscriptions_info_by_topic(f'{node.name}/target_point')
    assert points.qos_profile.reliability == ReliabilityPolicy.RELIABLE


def test_the_parameters_are_declared_and_read_only(node):
    assert node.get(*GIVEN) == list(GIVEN.values())
    names = node.parameters('list_parameters', prefixes=['qos_overrides']).result.names
    assert {*GIVEN, f'{TARGETS}.history', f'{TARGETS}.depth'} <= set(names)
    assert node.get(f'{TARGETS}.history', f'{TARGETS}.depth') == ['keep_last', 1]
    for descriptor in node.parameters('describe_parameters', names=list(GIVEN)).descriptors:
        assert descriptor.read_only and descriptor.description, descriptor
    assert f'{STATES}.depth is read only when the node starts' in node.refusal(**{f'{STATES}.depth': 4})
    node.set_all(**GIVEN)


def test_an_override_of_no_topic_is_told(node):
    [line] = node.process.lines_with('/no/topic')
    assert 'WARN' in line and 'depth, durability, history, reliability' in line


@pytest.mark.parametrize('policy, value, words', [
    ('depth', 0, 'from 1 to 100000'), ('depth', 'deep', 'takes an integer'), ('reliability', 'perfect', 'reliable, best_effort'),
    ('durability', 1, 'takes a string'), ('history', 'keep_none', 'keep_last, keep_all')])
def test_an_invalid_override_ends_the_node_with_its_name(start, policy, value, words):
    name = f'qos_overrides./bad/urdf_ik/status.publisher.{policy}'
    process = start.run(*ros_arguments('/bad', {name: value}, {}))
    assert process.wait() == 1, process.output()
    assert name in process.output() and words in process.output()
