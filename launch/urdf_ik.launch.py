"""Starts the urdf_ik node for a robot: ros2 launch urdf_ik urdf_ik.launch.py urdf:=FILE tip_link:=LINK"""
from pathlib import Path
from typing import List  # noqa: UP035 (launch_ros compares with this type)

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import load_python_launch_file_as_module
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

description, security = (
    load_python_launch_file_as_module(str(Path(__file__).resolve().with_name(f'{name}.py'))) for name in ('description', 'security'))

# An empty argument leaves the parameter to the params file, or to the node's default.
ARGUMENTS = {
    'urdf': 'the robot, a URDF or xacro file; empty: it comes from the params file or the topic robot_description',
    'base_link': 'link that targets are relative to; empty: the root link',
    'tip_link': 'link that should reach the targets, or several separated by commas; empty: the only leaf link that moves',
    'solver': 'the solver, such as jacobian',
    'motion': 'immediate or smooth',
    'params_file': 'YAML file with parameters; the other arguments override it',
    'namespace': 'namespace of the node',
    'use_sim_time': 'true: follow the topic clock',
    'log_level': 'lowest level of the log: debug, info, warn, error or fatal; empty: info',
    'measured_topic': 'joint states of the robot itself, such as /joint_states of a joint_state_broadcaster',
    'commands_topic': 'topic for bare positions, such as /forward_position_controller/commands; set command_joints as well',
    'trajectory_topic': 'topic for the trajectories of paths and of the servo, such as /joint_trajectory_controller/joint_trajectory',
    'trajectory_action': 'action of a driver for paths, such as /joint_trajectory_controller/follow_joint_trajectory',
    'security': 'SROS 2: folder of a keystore that has the enclave /urdf_ik; empty: none',
    'moveit_names': 'true: offer the services for MoveIt under the names of a move_group; none may run',
    'moveit_servo': 'true: offer the topics and services of MoveIt Servo under /servo_node; no Servo may run',
}
MOVEIT_SERVICES = ('compute_ik', 'compute_fk', 'check_state_validity')
TOPICS = {
    '~/measured_joint_states': 'measured_topic',
    '~/joint_commands': 'commands_topic',
    '~/joint_trajectory': 'trajectory_topic',
    '~/servo_trajectory': 'trajectory_topic',
}


def parameters_from(arguments):
    """The node's parameters for the arguments that are not empty."""
    parameters = {}
    urdf = arguments['urdf']
    if urdf.endswith('.xacro'):
        parameters['robot_description'] = ParameterValue(description.read(urdf), value_type=str)
    elif urdf:
        parameters['urdf_file'] = ParameterValue(str(Path(urdf).absolute()), value_type=str)
    if arguments['tip_link']:
        parameters['tip_links'] = ParameterValue(arguments['tip_link'].split(','), value_type=List[str])  # noqa: UP006
    for name in ('base_link', 'solver', 'motion', 'trajectory_action'):
        if arguments[name]:
            parameters[name] = ParameterValue(arguments[name], value_type=str)
    for argument, name in (('use_sim_time', 'use_sim_time'), ('moveit_servo', 'moveit_servo.enabled')):
        if arguments[argument]:
            parameters[name] = ParameterValue(LaunchConfiguration(argument), value_type=bool)
    return parameters


def start(context):
    arguments = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    remappings = [(topic, arguments[name]) for topic, name in TOPICS.items() if arguments[name]]
    moveit_names = arguments['moveit_names'] and IfCondition(LaunchConfiguration('moveit_names')).evaluate(context)
    if moveit_names:
        remappings += [(f'~/{name}', f'/{name}') for name in MOVEIT_SERVICES]
    defaults, sentence = description.for_short_chain(*(arguments[name] for name in ('urdf', 'base_link', 'tip_link')))
    if arguments['params_file'] and 'on_unreachable' in Path(arguments['params_file']).read_text(errors='replace'):
        defaults, sentence = {}, ''
    options = ['--log-level', arguments['log_level']] if arguments['log_level'] else []
    environment = {}
    if arguments['security']:
        environment = security.environment(arguments['security'])
        options += ['--enclave', security.ENCLAVE]
    node = Node(
        package='urdf_ik', executable='urdf_ik_node', name='urdf_ik', namespace=arguments['namespace'], output='screen',
        # The last one takes precedence.
        parameters=[source for source in (defaults, arguments['params_file'], parameters_from(arguments)) if source],
        remappings=remappings,
        ros_arguments=options, additional_env=environment,
    )
    return [LogInfo(msg=sentence), node] if sentence else [node]


def generate_launch_description():
    declared = [DeclareLaunchArgument(name, default_value='', description=text) for name, text in ARGUMENTS.items()]
    return LaunchDescription([*declared, OpaqueFunction(function=start)])
