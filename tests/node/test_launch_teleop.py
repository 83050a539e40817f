"""teleop.launch.py: the processes that it starts, recorded by stand-in executables."""
import pytest
import yaml

from launches import ROOT, TIMEOUT, kill, launch, stand_ins, started

ARM = ROOT / 'urdf' / 'arm7.urdf'
NODE = {'urdf_ik_node': 'urdf_ik'}
GAMEPAD = {'game_controller_node': 'joy', 'teleop_node': 'teleop_twist_joy'}


def names(remappings):
    return {rule: name for rule, name in remappings.items() if not rule.startswith('__')}


def test_a_gamepad_sends_twists_to_the_node(tmp_path):
    everything = {**NODE, **GAMEPAD}
    records, output = started(tmp_path, everything, 'teleop.launch.py', list(everything), f'urdf:={ARM}', 'solver:=jacobian')
    assert records['urdf_ik_node'].parameters == {'urdf_file': str(ARM), 'solver': 'jacobian'}
    teleop = records['teleop_node']
    assert names(teleop.remappings) == {'cmd_vel': 'urdf_ik/target_twist'}
    assert teleop.parameters['publish_stamped_twist'] is True and teleop.parameters['frame'] == ''
    assert {'enable_button', 'enable_turbo_button', 'axis_linear', 'axis_angular'} <= set(teleop.parameters)
    assert records['game_controller_node'].parameters['autorepeat_rate'] > 20
    assert 'ros2 run urdf_ik keys.py' in output and 'no gamepad' not in output


def test_arguments_of_the_gamepad(tmp_path):
    config = tmp_path / 'stick.yaml'
    config.write_text('/**: {ros__parameters: {enable_button: 3}}')
    executables = {**NODE, 'joy_node': 'joy', 'teleop_node': 'teleop_twist_joy'}
    records, _ = started(tmp_path, executables, 'teleop.launch.py', ['joy_node', 'teleop_node'], 'node:=false', 'namespace:=left',
                         f'joy_config:={config}', 'joy_driver:=joy_node', 'frame:=tool0')
    for name in ('joy_node', 'teleop_node'):
        assert records[name].remappings['__ns'] == '/left'
    assert records['teleop_node'].parameters['enable_button'] == 3
    assert records['teleop_node'].parameters['frame'] == 'tool0'


def test_without_the_packages_the_node_starts_and_it_says_what_is_missing(tmp_path):
    records, output = started(tmp_path, NODE, 'teleop.launch.py', ['urdf_ik_node'], 'namespace:=left')
    assert records['urdf_ik_node'].remappings['__ns'] == '/left'
    assert 'no gamepad: joy and teleop_twist_joy not installed' in output and 'ros-$ROS_DISTRO-teleop-twist-joy' in output
    assert 'keys.py --ros-args -r __ns:=/left' in output


def test_a_missing_config_ends_it_with_a_sentence(tmp_path):
    process = launch(ROOT / 'launch' / 'teleop.launch.py', 'joy_config:=nothing.yaml', **stand_ins(tmp_path, {**NODE, **GAMEPAD}))
    try:
        output = process.communicate(timeout=TIMEOUT)[0]
    finally:
        kill(process)
    assert process.returncode != 0 and 'there is no file nothing.yaml' in output, output


@pytest.mark.parametrize('button', ['', '_turbo'])
def test_the_gamepad_moves_by_one_button_and_turns_by_the_other(button):
    settings = yaml.safe_load((ROOT / 'config' / 'gamepad.yaml').read_text())['/**']['ros__parameters']
    linear, angular = settings[f'scale_linear{button}'], settings[f'scale_angular{button}']
    # Each axis of the gamepad has a single meaning.
    used = [settings[f'axis_{kind}'][axis] for kind, scales in (('linear', linear), ('angular', angular))
            for axis, scale in scales.items() if scale]
    assert len(used) == len(set(used))
    assert any(linear.values()) != bool(button) and all(isinstance(scale, float) for scale in (*linear.values(), *angular.values()))
