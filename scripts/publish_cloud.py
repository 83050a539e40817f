#!/usr/bin/env python3
"""Publishes the point cloud written by `urdf_ik reach --ply`, for RViz.

    publish_cloud.py reach.ply --ros-args -r urdf_ik/reach:=/my/topic

The topic `urdf_ik/reach` keeps the cloud for late subscribers. The demo's RViz has a display for it, "Reach cloud", which
colours it by RGB8; the channel `fraction` has the numbers.
"""
import math
import signal
import struct
import sys
import threading

import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import PointCloud2, PointField

PROPERTIES = ['float x', 'float y', 'float z', 'uchar red', 'uchar green', 'uchar blue', 'float fraction']
FIELDS = ['x', 'y', 'z', 'rgb', 'fraction']
POINT = struct.Struct('<fffIf')
MAX_BYTES = 256 << 20


def read_cloud(path):
    """The message, without a stamp. Raises ValueError or OSError with a message for the user."""
    with open(path, encoding='utf-8', errors='replace') as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise ValueError(f'it is larger than {MAX_BYTES} bytes')
    header, end, body = text.partition('end_header\n')
    lines = header.splitlines()
    if not end or lines[:2] != ['ply', 'format ascii 1.0']:
        raise ValueError('it is no PLY file in ASCII')
    named = {prefix: [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]
             for prefix in ('property ', 'comment frame ', 'element ')}
    rows = body.splitlines()
    if named['property '] != PROPERTIES or named['element '] != [f'vertex {len(rows)}'] or not named['comment frame ']:
        raise ValueError('its header is not that of urdf_ik reach, or vertices are missing')
    data = b''.join(point(row, number) for number, row in enumerate(rows))
    fields = [PointField(name=name, offset=4 * index, count=1,
                         datatype=PointField.UINT32 if name == 'rgb' else PointField.FLOAT32)
              for index, name in enumerate(FIELDS)]
    cloud = PointCloud2(height=1, width=len(rows), fields=fields, point_step=POINT.size, row_step=len(data), data=data,
                        is_dense=True)
    cloud.header.frame_id = named['comment frame '][0]
    return cloud


def point(row, number):
    try:
        x, y, z, red, green, blue, fraction = row.split()
        position = [float(x), float(y), float(z), float(fraction)]
        red, green, blue = bytes([int(red), int(green), int(blue)])  # 0 to 255
        if not all(map(math.isfinite, position)):
            raise ValueError
        return POINT.pack(*position[:3], red << 16 | green << 8 | blue, position[3])
    except (ValueError, OverflowError):
        what = 'three coordinates, three colours and a fraction'
        raise ValueError(f'vertex {number} is {row[:80]!r}, not {what}') from None


def main():
    arguments = remove_ros_args(sys.argv)[1:]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        cloud = read_cloud(arguments[0])
    except (OSError, ValueError) as error:
        print(f'publish_cloud: {arguments[0]}: {error}', file=sys.stderr)
        return 2
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('publish_cloud', start_parameter_services=False)
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = node.create_publisher(PointCloud2, 'urdf_ik/reach', latched)
    cloud.header.stamp = node.get_clock().now().to_msg()
    publisher.publish(cloud)
    print(f'{cloud.width} points in {cloud.header.frame_id} on {publisher.topic_name}', flush=True)
    stopping.wait()  # DDS keeps the cloud for late subscribers
    return 0


if __name__ == '__main__':
    sys.exit(main())
