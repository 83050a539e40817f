# shellcheck shell=sh
# The environment of the node, for a shell without another ROS 2: . /opt/urdf_ik/setup.sh
# Afterwards python3 imports rclpy and urdf_ik.srv.
@SOURCE_ROS@
export ROS_DISTRO=@DISTRO@ ROS_VERSION=2 ROS_PYTHON_VERSION=3
export AMENT_PREFIX_PATH="/opt/urdf_ik${AMENT_PREFIX_PATH:+:$AMENT_PREFIX_PATH}"
export LD_LIBRARY_PATH="/opt/urdf_ik/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="/opt/urdf_ik/lib/@PYTHON@/site-packages${PYTHONPATH:+:$PYTHONPATH}"
