"""Shows a robot in RViz, with a handle for its tip: ros2 launch urdf_ik demo.launch.py [urdf:=FILE tip_link:=LINK]

Its target moves on a figure of eight, unless another source moves it. robot_state_publisher publishes the robot description for RViz.
"""
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, OpaqueFunction, RegisterEventHandler, Shutdown
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessExit, OnShutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource, load_python_launch_file_as_module
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, SetRemap
from launch_ros.parameter_descriptions import ParameterValue

SHARE = Path(__file__).resolve().parent.parent  # contains launch, config and urdf, in the sources and when installed
NODE_LAUNCH = str(SHARE / 'launch' / 'urdf_ik.launch.py')
TF_RATE = 100.0  # [Hz] for smooth motion in RViz: the default of robot_state_publisher is 20

description = load_python_launch_file_as_module(str(SHARE / 'launch' / 'description.py'))
rviz_layout = load_python_launch_file_as_module(str(SHARE / 'launch' / 'rviz_layout.py'))


def rviz(robot, path, tips, namespace):
    """RViz with a layout for this robot, and the removal of the layout's file."""
    root = description.root_link(robot, path)
    size = description.size(robot, root, tips)
    layout = rviz_layout.write(rviz_layout.fitted(SHARE / 'config' / 'urdf_ik.rviz', root, size, namespace))
    return [
        RegisterEventHandler(OnShutdown(on_shutdown=lambda *_: Path(layout).unlink(missing_ok=True))),
        Node(package='rviz2', executable='rviz2', output='screen', on_exit=Shutdown(), arguments=['-d', layout]),
    ]


def end_with_the_node(event, _):
    """Ends everything if the node refuses its parameters."""
    failed = event.returncode != 0 and 'urdf_ik_node' in event.process_name
    return [Shutdown()] if failed else []


def start(context):
    path, tips, namespace = (LaunchConfiguration(name).perform(context) for name in ('urdf', 'tip_link', 'namespace'))
    text = description.with_found_meshes(description.read(path), path)
    robot = description.parse(text, path)
    description.root_link(robot, path)
    node_arguments = {name: LaunchConfiguration(name) for name in ('urdf', 'base_link', 'tip_link', 'solver', 'namespace', 'log_level')}
    actions = [
        RegisterEventHandler(OnProcessExit(on_exit=end_with_the_node)),
        Node(
            package='robot_state_publisher', executable='robot_state_publisher', namespace=namespace, output='screen',
            parameters=[{
                'robot_description': ParameterValue(text, value_type=str),
                'publish_frequency': TF_RATE,
            }],
        ),
        GroupAction([
            SetRemap('~/joint_states', 'joint_states'),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(NODE_LAUNCH), launch_arguments=node_arguments.items()),
        ]),
        Node(
            package='urdf_ik', executable='figure_of_eight.py', namespace=namespace, output='screen',
            condition=IfCondition(LaunchConfiguration('figure')),
        ),
    ]
    if IfCondition(LaunchConfiguration('use_rviz')).evaluate(context):
        actions += rviz(robot, path, tips.split(','), namespace)
    return actions


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument('urdf', default_value=str(SHARE / 'urdf' / 'arm7.urdf'),
                              description='the robot, a URDF or xacro file'),
        DeclareLaunchArgument('base_link', default_value='',
                              description='link that targets are relative to; empty: the root link'),
        DeclareLaunchArgument('tip_link', default_value='',
                              description='link that should reach the targets, or several separated by commas; '
                                          'empty: the only leaf link that moves'),
        DeclareLaunchArgument('solver', default_value='', description='the solver, such as jacobian'),
        DeclareLaunchArgument('namespace', default_value='', description='namespace of all nodes and topics'),
        DeclareLaunchArgument('log_level', default_value='',
                              description="lowest level of the node's log: debug, info, warn, error or fatal; empty: info"),
        DeclareLaunchArgument('figure', default_value='true', description='false: without the target on a figure of eight'),
        DeclareLaunchArgument('use_rviz', default_value='true', description='false: without RViz'),
        OpaqueFunction(function=start),
    ])
