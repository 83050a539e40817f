"""The parameters, through the services that the ros2 tools use."""
import math
import os
import re

import numpy as np
import pytest
import rclpy
import yaml
from rcl_interfaces.msg import Parameter, ParameterEvent, ParameterType
from urdf_ik.msg import SolveStatus

from checks import assert_solved
from client import empty_list, nanoseconds, python_value
from conftest import ARM_FILE, ROOT, SEARCH_TIMEOUT
from kinematics import errors, translation

READ_ONLY = ['soft_limits', 'base_link', 'tip_links', 'urdf_file', 'robot_description_semantic', 'frame_prefix', 'target_reliability',
             'command_joints', 'interactive_target', 'deadman_topic',
             'trajectory_action', 'start_type_description_service', 'moveit_servo.enabled']
EXPECTED = [
    'robot_description', 'solver', 'position_tolerance', 'orientation_tolerance', 'timeout', 'attempts', 'random_seed',
    'on_unreachable', 'branch_jumps', 'avoid_collisions', 'collision_margin', 'missing_shapes', 'publish_rate', 'max_joint_step',
    'initial_posture', 'measured_timeout', 'measured_tolerance', 'following_error.enabled', 'following_error.angle',
    'following_error.distance', 'following_error.window', 'speed_scale', 'transform_timeout', 'pick', 'posture', 'free_axes',
    'null_space.posture', 'null_space.limits', 'null_space.manipulability',
    'clutch.scale.translation', 'clutch.scale.rotation', 'clutch.max_hand_speed.linear', 'clutch.max_hand_speed.angular',
    'servo.workspace',
    'jacobian.method', 'jacobian.damping', 'use_sim_time', *READ_ONLY]


def describe(node, *names):
    descriptors = node.parameters('describe_parameters', names=list(names)).descriptors
    return dict(zip(names, descriptors))


def test_list(arm):
    names = arm.parameters('list_parameters').result.names
    assert len(names) == len(set(names))
    assert set(EXPECTED) <= set(names)
    nested = arm.parameters('list_parameters', prefixes=['jacobian']).result
    assert {'jacobian.method', 'jacobian.damping'} == set(nested.names)
    assert 'jacobian' in nested.prefixes
    shallow = arm.parameters('list_parameters', depth=1).result.names
    assert 'solver' in shallow and 'jacobian.method' not in shallow


def test_every_parameter_is_described(arm):
    names = arm.parameters('list_parameters').result.names
    values = dict(zip(names, arm.parameters('get_parameters', names=names).values))
    types = arm.parameters('get_parameter_types', names=names).types
    for (name, descriptor), kind in zip(describe(arm, *names).items(), types):
        assert descriptor.name == name
        assert len(descriptor.description) > 10, name
        assert descriptor.type == kind == values[name].type != ParameterType.PARAMETER_NOT_SET, name
        assert descriptor.read_only == (name in READ_ONLY or name.startswith('qos_overrides.')), name
        value = python_value(values[name])
        if kind == ParameterType.PARAMETER_DOUBLE:
            (bounds,) = descriptor.floating_point_range
            assert bounds.from_value <= value <= bounds.to_value, name
        if kind == ParameterType.PARAMETER_INTEGER:
            (bounds,) = descriptor.integer_range
            assert bounds.from_value <= value <= bounds.to_value and bounds.step in (0, 1), name


def test_words_to_choose_from_are_described(arm):
    described = describe(arm, 'on_unreachable', 'jacobian.method', 'pick')
    for word in ('first', 'nearest', 'most_manipulable'):
        assert word in described['pick'].additional_constraints
    for word in ('closest', 'position', 'hold'):
        assert word in described['on_unreachable'].additional_constraints
    for word in ('damped', 'pseudoinverse'):
        assert word in described['jacobian.method'].additional_constraints


def test_get(arm):
    assert arm.get('urdf_file', 'tip_links', 'solver', 'attempts') == [str(ARM_FILE), [], 'jacobian', 100]


def test_names_that_do_not_exist(arm):
    assert arm.get('no_such_parameter') == [None]
    assert list(arm.parameters('get_parameter_types', names=['no_such_parameter']).types) == [
        ParameterType.PARAMETER_NOT_SET]
    for descriptor in describe(arm, 'no_such_parameter').values():
        assert descriptor.type == ParameterType.PARAMETER_NOT_SET
    assert 'no_such_parameter' in arm.refusal(no_such_parameter=1.0)


def test_a_change_is_read_back(arm):
    with arm.changed(timeout=0.25, attempts=17, on_unreachable='hold', branch_jumps=False,
                     jacobian__method='pseudoinverse'):
        assert arm.get('timeout', 'attempts', 'on_unreachable', 'branch_jumps', 'jacobian.method') == [
            0.25, 17, 'hold', False, 'pseudoinverse']


def test_an_integer_serves_where_a_double_is_wanted(arm):
    with arm.changed(timeout=1):
        assert arm.get('timeout') == [1.0] and isinstance(arm.get('timeout')[0], float)


def as_ros2_param(text):
    """The value that `ros2 param set` and `load` send for a text."""
    return python_value(pytest.importorskip('rclpy.parameter').get_parameter_value(text))


@pytest.mark.parametrize('name, text, value', [
    ('position_tolerance', '1e-4', 1e-4),
    ('position_tolerance', '1e-05', 1e-5),
    ('timeout', '1', 1.0),
    ('attempts', '1e3', 1000),
    ('random_seed', '7', 7),
])
def test_ros2_param_sets_numbers(arm, name, text, value):
    with arm.changed(**{name: as_ros2_param(text)}):
        assert arm.get(name) == [value]


def test_an_empty_list_has_no_type(arm):
    for kind in (bool, int, float, str):
        with arm.changed(free_axes=['rz']):
            (result,) = arm.parameters('set_parameters', parameters=[
                Parameter(name='free_axes', value=empty_list(kind))]).results
            assert result.successful, result.reason
            assert arm.get('free_axes') == [[]]
    (result,) = arm.parameters('set_parameters', parameters=[Parameter(name='timeout', value=empty_list(bool))]).results
    assert not result.successful and 'timeout' in result.reason


def load(node, path):
    """Loads a file as `ros2 param load` does; returns the reasons of refusals by name."""
    client = pytest.importorskip('rclpy.parameter_client').AsyncParameterClient(node.node, node.name)
    node.wait_for(client.services_are_ready, 'the parameter services')
    future = client.load_parameter_file(str(path), use_wildcard=True)
    node.wait_for(future.done, 'an answer')
    names = rclpy.parameter.parameter_dict_from_yaml_file(str(path), use_wildcard=True)
    return {name: result.reason for name, result in zip(names, future.result().results, strict=True)
            if not result.successful}


def dump(node):
    """All parameters as `ros2 param dump` writes them."""
    nested = {}
    names = node.parameters('list_parameters').result.names
    for name, value in zip(names, node.get(*names)):
        *sections, last = name.split('.')
        section = nested
        for key in sections:
            section = section.setdefault(key, {})
        section[last] = value
    return yaml.dump({node.name: {'ros__parameters': nested}}, default_flow_style=False)


def test_the_example_can_be_loaded(arm):
    before = dump(arm)
    assert load(arm, ROOT / 'config' / 'urdf_ik.yaml') == {}
    assert dump(arm) == before, 'the example has the defaults'


def test_a_dump_can_be_loaded_again(start, tmp_path):
    node = start.node(ARM_FILE, tip_links=['tool0'], command_joints=['elbow_joint'], frame_prefix='left/', attempts=7)
    text = dump(node)
    path = tmp_path / 'dump.yaml'
    path.write_text(text)
    node.set_all(attempts=8, position_tolerance=0.1)
    assert load(node, path) == {}
    assert dump(node) == text


@pytest.mark.parametrize('name, value, words', [
    ('position_tolerance', -1.0, ['position_tolerance']),
    ('position_tolerance', 0.0, ['position_tolerance']),
    ('timeout', math.nan, ['timeout']),
    ('timeout', math.inf, ['timeout']),
    ('timeout', 'soon', ['timeout', 'double']),
    ('attempts', 0, ['attempts', '1']),
    ('attempts', 2.5, ['attempts', 'integer']),
    ('attempts', '2.5', ['attempts', 'integer']),
    ('position_tolerance', '1e300', ['position_tolerance', '1e300']),
    ('publish_rate', 0.0, ['publish_rate']),
    ('branch_jumps', 1, ['branch_jumps', 'bool']),
    ('on_unreachable', 'explode', ['on_unreachable', 'explode', 'closest', 'position', 'hold']),
    ('solver', 'magic', ['solver', 'magic', 'jacobian']),
    ('jacobian__method', 'fast', ['jacobian.method', 'damped', 'pseudoinverse']),
    ('initial_posture', '{knee: 1.0}', ['initial_posture', 'knee']),
    ('initial_posture', '{elbow_joint: [', ['initial_posture']),
    ('initial_posture', '{elbow_joint: 40.0}', ['initial_posture', 'elbow_joint']),
    ('pick', 'farthest', ['pick', 'farthest', 'first', 'nearest', 'most_manipulable']),
    ('posture', '{knee: 1.0}', ['posture', 'knee', 'elbow_joint']),
    ('posture', '{elbow_joint: [', ['posture']),
    ('posture', '{elbow_joint: 40.0}', ['posture', 'elbow_joint']),
    ('null_space__posture', -1.0, ['null_space.posture', '0', '1000']),
    ('null_space__limits', 1001.0, ['null_space.limits', '0', '1000']),
    ('null_space__manipulability', math.nan, ['null_space.manipulability', '0', '1000']),
    ('robot_description', '<robot', ['robot_description']),
    ('clutch__scale__translation', 0.09, ['clutch.scale.translation', '0.1', '10']),
    ('clutch__scale__translation', 10.1, ['clutch.scale.translation', '0.1', '10']),
    ('clutch__scale__rotation', 0.0, ['clutch.scale.rotation', '0.1', '10']),
    ('clutch__scale__rotation', math.nan, ['clutch.scale.rotation', '0.1', '10']),
    ('clutch__max_hand_speed__linear', 0.0, ['clutch.max_hand_speed.linear', 'm/s']),
    ('clutch__max_hand_speed__angular', -1.0, ['clutch.max_hand_speed.angular', 'rad/s']),
    ('servo__workspace', '[0, 1]', ['servo.workspace', 'min', 'max']),
    ('servo__workspace', '{min: [0, 0]}', ['servo.workspace', 'length 2']),
    ('servo__workspace', '{low: [0, 0, 0]}', ['servo.workspace', 'low', 'min', 'max']),
    ('servo__workspace', '{min: [0, 0, 1], max: [1, 1, 0]}', ['servo.workspace', 'from 1 to 0 m along z', '0.01']),
    ('servo__workspace', '{min: [.nan, 0, 0]}', ['servo.workspace', 'NaN', 'along x']),
    ('servo__workspace', '{min: [0', ['servo.workspace']),
])
def test_a_bad_value_is_refused_with_the_reason(arm, name, value, words):
    plain = name.replace('__', '.')
    before = arm.get(plain)
    reason = arm.refusal(**{name: value})
    for word in words:
        assert word in reason, reason
    assert arm.get(plain) == before


@pytest.mark.parametrize('name', ['position_tolerance', 'timeout', 'publish_rate', 'jacobian.damping', 'attempts'])
def test_a_refusal_states_the_bounds(arm, name):
    descriptor = describe(arm, name)[name]
    (bounds,) = [*descriptor.floating_point_range, *descriptor.integer_range]
    for beyond in (bounds.from_value - 1, bounds.to_value + 1):
        reason = arm.refusal(**{name: beyond})
        numbers = {float(number) for number in re.findall(r'-?\d[\d.]*(?:e[-+]?\d+)?', reason)}
        assert {bounds.from_value, bounds.to_value} <= numbers, reason
    for at_the_end in (bounds.from_value, bounds.to_value):
        with arm.changed(**{name.replace('.', '__'): at_the_end}):
            assert arm.get(name) == [at_the_end]


def test_start_up_parameters_can_be_set_to_what_they_are(arm):
    arm.set_all(**dict(zip(READ_ONLY, arm.get(*READ_ONLY))))


@pytest.mark.parametrize('name, value', [
    ('base_link', 'elbow_link'), ('tip_links', ['hand_link']), ('urdf_file', 'x.urdf'), ('frame_prefix', 'left/'),
    ('target_reliability', 'best_effort')])
def test_start_up_parameters_cannot_be_set(arm, name, value):
    before = arm.get(name)
    assert name in arm.refusal(**{name: value})
    assert arm.get(name) == before


def test_setting_several_takes_the_good_ones(arm):
    with arm.changed(timeout=0.4):
        good, bad = arm.set(timeout=0.5, attempts=0)
        assert good.successful and not bad.successful
        assert arm.get('timeout', 'attempts') == [0.5, 100]


def test_setting_atomically_takes_all_or_none(arm):
    with arm.changed(timeout=0.4, attempts=40):
        result = arm.set('set_parameters_atomically', timeout=0.5, attempts=0)
        assert not result.successful and 'attempts' in result.reason
        assert arm.get('timeout', 'attempts') == [0.4, 40]
        assert arm.set('set_parameters_atomically', timeout=0.5, attempts=50).successful
        assert arm.get('timeout', 'attempts') == [0.5, 50]


def test_changes_are_announced(arm):
    events = arm.subscribe(ParameterEvent, '/parameter_events', [])
    arm.wait_for(lambda: arm.node.count_publishers('/parameter_events') > 0, 'a publisher of /parameter_events')

    def changes():
        return {change.name: python_value(change.value)
                for event in events if event.node == arm.name for change in event.changed_parameters}

    def announced():
        arm.set_all(timeout=0.5)  # sent each time, since the first may precede discovery
        arm.refusal(attempts=0)
        return changes() == {'timeout': 0.5}
    with arm.changed(timeout=0.5):
        arm.wait_for(announced, 'the announcement')
    arm.wait_for(lambda: changes() == {'timeout': SEARCH_TIMEOUT}, 'the second announcement')


def test_a_tolerance_takes_effect_with_the_next_target(arm, arm_robot):
    target = arm_robot.pose('tool0', {'elbow_joint': 0.4, 'shoulder_pan_joint': 0.7})
    with arm.changed(position_tolerance=1e-8, orientation_tolerance=1e-8):
        fine = arm.answer_to(arm.send_pose(target))
    assert max(errors(arm_robot.pose('tool0', fine), target)) < 2e-8
    arm.reset()
    with arm.changed(position_tolerance=0.5, orientation_tolerance=2.0):
        coarse = arm.send_pose(target)
    assert coarse.outcome == SolveStatus.SOLVED
    assert max(errors(arm_robot.pose('tool0', arm.answer_to(coarse)), target)) > 1e-4


def test_on_unreachable_takes_effect_with_the_next_target(arm, arm_robot):
    initial, away = arm.next_posture(), translation(3, 0.5, 0.3)
    with arm.changed(on_unreachable='hold'):
        assert arm.answer_to(arm.send_pose(away)) == initial
    assert arm.answer_to(arm.send_pose(away)) != initial


@pytest.mark.parametrize('method', ['pseudoinverse', 'damped'])
def test_the_method_takes_effect_with_the_next_target(arm, arm_robot, generator, method):
    with arm.changed(jacobian__method=method):
        for _ in range(3):
            target = arm_robot.pose('tool0', arm_robot.sample(generator))
            assert_solved(arm, arm_robot, arm.send_pose(target), 'tool0', target)


def test_the_two_methods_differ(arm, arm_robot):
    target = arm_robot.pose('tool0', {'elbow_joint': 0.9, 'shoulder_pan_joint': 1.5, 'wrist_flex_joint': -1.0})
    answers = []
    for method in ('pseudoinverse', 'damped'):
        with arm.changed(jacobian__method=method, jacobian__damping=0.5):
            answers.append(arm.solve_ik(target).joint_state.position)
    assert answers[0] != answers[1]


def test_the_publish_rate_can_be_changed(arm):
    with arm.changed(publish_rate=200):
        def period():
            """The median time [s] between recent joint states."""
            return 1e-9 * np.median(np.diff([nanoseconds(state.header.stamp) for state in arm.states[-20:]]))
        arm.wait_for(lambda: period() < 0.01, 'a shorter period of the joint states')


@pytest.mark.parametrize('overrides, words', [
    ({'position_tolerance': -1.0}, ['position_tolerance', '-1']),
    ({'attempts': 0}, ['attempts', '1']),
    ({'solver': 'magic'}, ['solver', 'magic', 'jacobian']),
    ({'timeout': 'soon'}, ['timeout', 'double']),
    ({'initial_posture': '{elbow: ['}, ['initial_posture']),
])
def test_a_bad_override_ends_the_start_with_a_sentence(start, overrides, words):
    arguments = ['--ros-args']
    for name, value in {'urdf_file': ARM_FILE, **overrides}.items():
        arguments += ['-p', f'{name}:={value}']
    process = start.run(*arguments)
    assert process.wait() not in (0, None)
    for word in words:
        assert word in process.output(), process.output()
    assert 'panicked' not in process.output() and 'RUST_BACKTRACE' not in process.output()


def test_an_override_that_no_parameter_has_is_a_warning(start):
    node = start.node(ARM_FILE, positon_tolerance=1e-3)
    node.wait_for(lambda: node.process.lines_with('positon_tolerance'), 'the warning')
    assert len(node.process.lines_with('positon_tolerance')) == 1


def test_overrides_are_taken(start):
    node = start.node(ARM_FILE, timeout=1, tip_links=[], jacobian__method='pseudoinverse')
    assert node.get('timeout', 'tip_links', 'jacobian.method') == [1.0, [], 'pseudoinverse']


def test_a_params_file_is_taken(start, tmp_path):
    path = tmp_path / 'parameters.yaml'
    path.write_text('/**:\n  ros__parameters:\n    timeout: 2\n    tip_links: []\n    jacobian:\n      damping: 0.5\n')
    node = start.node(ARM_FILE, arguments=['--params-file', str(path)])
    assert node.get('timeout', 'tip_links', 'jacobian.damping') == [2.0, [], 0.5]


def test_a_posture_file_is_read_when_it_is_named_and_not_again(start, tmp_path):
    file = tmp_path / 'home.yaml'
    file.write_text('elbow_joint: 0.5\n')
    node = start.node(ARM_FILE, initial_posture=str(file))
    assert node.next_posture()['elbow_joint'] == 0.5
    file.unlink()
    node.set_all(attempts=7)
    assert node.reset()['elbow_joint'] == 0.5
    assert 'no such file' in node.refusal(initial_posture=str(file) + '.gone.yaml')


def test_a_pipe_is_no_posture_file(start, tmp_path):
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    node = start.node(ARM_FILE)
    assert 'initial_posture' in node.refusal(initial_posture=str(pipe))
    assert node.get('attempts') == [100]
