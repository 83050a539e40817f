"""Steers a robot by a gamepad: ros2 launch urdf_ik teleop.launch.py urdf:=FILE tip_link:=LINK

The arguments of urdf_ik.launch.py are arguments of this file too.
"""
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, LogInfo, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

SHARE = Path(__file__).resolve().parent.parent  # contains launch and config, in the sources and when installed
NODE_LAUNCH = str(SHARE / 'launch' / 'urdf_ik.launch.py')
AUTOREPEAT_RATE = 50.0  # [Hz] of a stick held still: well above 1 / servo.timeout
KEYS = ['by keys in a terminal: ros2 run urdf_ik keys.py --ros-args -r __ns:=/', LaunchConfiguration('namespace')]


def gamepad(context):
    """The nodes between a gamepad and the node, or a message about missing packages."""
    missing = [package for package in ('joy', 'teleop_twist_joy') if not is_installed(package)]
    if missing:
        packages = ' '.join(f'ros-$ROS_DISTRO-{package.replace("_", "-")}' for package in missing)
        return [LogInfo(msg=f'no gamepad: {" and ".join(missing)} not installed: sudo apt install {packages}')]
    driver, config, namespace = (
        LaunchConfiguration(name).perform(context) for name in ('joy_driver', 'joy_config', 'namespace'))
    if not Path(config).is_file():
        raise RuntimeError(f'there is no file {config}: joy_config has to be a YAML file with parameters of teleop_twist_joy')
    return [
        Node(
            package='joy', executable=driver, namespace=namespace, output='screen',
            parameters=[{'autorepeat_rate': AUTOREPEAT_RATE}],
        ),
        Node(
            package='teleop_twist_joy', executable='teleop_node', name='teleop_twist_joy', namespace=namespace, output='screen',
            parameters=[config, {
                'publish_stamped_twist': True,
                'frame': ParameterValue(LaunchConfiguration('frame'), value_type=str),
            }],
            remappings=[('cmd_vel', 'urdf_ik/target_twist')],
        ),
    ]


def is_installed(package):
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument('node', default_value='true', description='false: a node runs already'),
        DeclareLaunchArgument('joy_driver', default_value='game_controller_node',
                              description='executable of joy: joy_node for what is no common gamepad, with a joy_config of its own'),
        DeclareLaunchArgument('joy_config', default_value=str(SHARE / 'config' / 'gamepad.yaml'),
                              description='YAML file with parameters of teleop_twist_joy: its buttons, axes and speeds'),
        DeclareLaunchArgument('frame', default_value='',
                              description='frame along whose axes the tip moves; empty: the base link; the tip link: its own axes'),
        DeclareLaunchArgument('namespace', default_value='', description='namespace of all nodes and topics'),
        IncludeLaunchDescription(PythonLaunchDescriptionSource(NODE_LAUNCH), condition=IfCondition(LaunchConfiguration('node'))),
        OpaqueFunction(function=gamepad),
        LogInfo(msg=KEYS),
    ])
