"""Shows in RViz how a robot follows a figure of eight: ros2 launch urdf_ik demo.launch.py [urdf:=FILE tip_link:=LINK]

robot_state_publisher publishes the robot description, from which RViz and the urdf_ik node take the robot.
"""
import xml.etree.ElementTree as ET
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, OpaqueFunction, Shutdown
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource, load_python_launch_file_as_module
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, SetRemap
from launch_ros.parameter_descriptions import ParameterValue

SHARE = Path(__file__).resolve().parent.parent  # holds launch, config and urdf, in the sources and where installed
NODE_LAUNCH = str(SHARE / 'launch' / 'urdf_ik.launch.py')
TF_RATE = 100.0  # [Hz] so that RViz moves smoothly: the default of robot_state_publisher is 20


def root_link(description, path):
    """The link that is not the child of a joint."""
    try:
        robot = ET.fromstring(description)
    except ET.ParseError as error:
        raise RuntimeError(f'{path} is not a robot description: {error}') from error
    children = {child.get('link') for child in robot.findall('joint/child')}
    roots = [link.get('name') for link in robot.findall('link') if link.get('name') not in children]
    if len(roots) != 1:
        raise RuntimeError(f'{path} needs one link that is not the child of a joint, but has {len(roots)}: {", ".join(roots)}')
    return roots[0]


def start(context):
    path = LaunchConfiguration('urdf').perform(context)
    description = load_python_launch_file_as_module(NODE_LAUNCH).robot_text(path)
    node_arguments = {name: LaunchConfiguration(name) for name in ('base_link', 'tip_link', 'solver')}
    return [
        Node(
            package='robot_state_publisher', executable='robot_state_publisher', output='screen',
            parameters=[{
                'robot_description': ParameterValue(description, value_type=str),
                'publish_frequency': TF_RATE,
            }],
        ),
        GroupAction([
            SetRemap('~/joint_states', 'joint_states'),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(NODE_LAUNCH), launch_arguments={'urdf': '', **node_arguments}.items(),
            ),
        ]),
        Node(package='urdf_ik', executable='figure_of_eight.py', output='screen'),
        Node(
            package='rviz2', executable='rviz2', output='screen', on_exit=Shutdown(),
            arguments=['-d', str(SHARE / 'config' / 'urdf_ik.rviz'), '-f', root_link(description, path)],
            condition=IfCondition(LaunchConfiguration('use_rviz')),
        ),
    ]


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument('urdf', default_value=str(SHARE / 'urdf' / 'arm7.urdf'),
                              description='the robot, a URDF or xacro file'),
        DeclareLaunchArgument('base_link', default_value='',
                              description='link that targets are relative to; empty: the root link'),
        DeclareLaunchArgument('tip_link', default_value='',
                              description='link that should reach the targets; empty: the only leaf link'),
        DeclareLaunchArgument('solver', default_value='', description='the solver, such as jacobian'),
        DeclareLaunchArgument('use_rviz', default_value='true', description='false: without RViz'),
        OpaqueFunction(function=start),
    ])
