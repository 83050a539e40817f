"""publish_cloud.py: the published cloud, and refused files."""
import struct
import subprocess
import sys
import time

import pytest
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import PointCloud2

from client import TIMEOUT
from conftest import ROOT

SCRIPT = ROOT / 'scripts' / 'publish_cloud.py'
HEADER = """ply
format ascii 1.0
comment reach of tool0, made by urdf_ik reach
comment frame base_link
comment voxel 0.05 m
element vertex 2
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
property float fraction
end_header
"""
VERTICES = '0.1 -0.2 0.3 255 128 0 0.5\n1 2 3 1 2 3 1\n'


def test_a_late_listener_receives_the_whole_cloud(tmp_path):
    path = tmp_path / 'reach.ply'
    path.write_text(HEADER + VERTICES)
    process = subprocess.Popen([sys.executable, SCRIPT, path, '--ros-args', '-r', 'urdf_ik/reach:=cloud_under_test'],
                               stdout=subprocess.PIPE, text=True)
    node = rclpy.create_node('cloud_listener')
    try:
        # DDS may print lines before it, for example about shared memory of a killed process.
        assert '2 points in base_link on /cloud_under_test\n' in process.stdout
        received = []
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(PointCloud2, 'cloud_under_test', received.append, latched)
        deadline = time.monotonic() + TIMEOUT
        while not received and time.monotonic() < deadline:
            rclpy.spin_once(node, timeout_sec=0.1)
        [cloud] = received
    finally:
        node.destroy_node()
        process.terminate()
        process.wait(TIMEOUT)
    assert (cloud.header.frame_id, cloud.width, cloud.height, cloud.point_step) == ('base_link', 2, 1, 20)
    assert [field.name for field in cloud.fields] == ['x', 'y', 'z', 'rgb', 'fraction']
    first = struct.unpack_from('<fffIf', bytes(cloud.data))
    assert first == pytest.approx((0.1, -0.2, 0.3, 0xFF8000, 0.5))


@pytest.mark.parametrize('text, words', [
    ('', 'no PLY'),
    ('\0' * 100, 'no PLY'),
    (HEADER.replace('ascii', 'binary_little_endian') + VERTICES, 'no PLY file in ASCII'),
    (HEADER + '0 0 0 0 0 0 1\n', 'vertices are missing'),
    (HEADER.replace('float fraction', 'float quality') + VERTICES, 'header is not that'),
    (HEADER + VERTICES.replace('-0.2', 'nan'), 'vertex 0'),
    (HEADER + VERTICES.replace('255', '256'), 'vertex 0'),
    (HEADER + VERTICES.replace('1 2 3 1', '1 2 3 -1'), 'vertex 1'),
    (HEADER + VERTICES.replace('1 2 3 1', '1e300 2 3 1'), 'vertex 1'),
    (HEADER + VERTICES.replace('0.5', ''), 'vertex 0'),
])
def test_broken_files_are_refused_with_a_sentence(tmp_path, text, words):
    path = tmp_path / 'broken.ply'
    path.write_text(text)
    run = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True, timeout=TIMEOUT)
    assert run.returncode == 2 and run.stdout == ''
    assert words in run.stderr and 'broken.ply' in run.stderr and 'Traceback' not in run.stderr, run.stderr


def test_missing_files_and_arguments_are_refused(tmp_path):
    for arguments in ([], [tmp_path / 'absent.ply'], [tmp_path], ['a.ply', 'b.ply']):
        run = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=TIMEOUT)
        assert run.returncode == 2 and run.stderr and 'Traceback' not in run.stderr, run.stderr
