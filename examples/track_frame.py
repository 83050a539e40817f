#!/usr/bin/env python3
"""Keeps the tool 10 cm above a part on a conveyor: targets in a TF frame.

The example publishes the part's frame. On a robot a camera or a simulation would do that.
"""
import rclpy
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage
from urdf_ik.msg import SolveStatus

RATE = 50.0  # [Hz]
DURATION = 8.0  # [s]
SPEED = 0.06  # [m/s]


def part(time, stamp):
    """The position of the part, which moves along the y axis of the base link until the conveyor stops."""
    transform = TransformStamped(child_frame_id='part')
    transform.header.frame_id, transform.header.stamp = 'base_link', stamp
    transform.transform.translation.x = 0.45
    transform.transform.translation.y = -0.24 + SPEED * min(time, DURATION)
    transform.transform.translation.z = 0.25
    return transform


def above_the_part(stamp):
    """Constant target, because its frame moves."""
    target = PoseStamped()
    target.header.frame_id, target.header.stamp = 'part', stamp
    target.pose.position.z = 0.1
    target.pose.orientation.x, target.pose.orientation.w = 1.0, 0.0  # the tool points down
    return target


def main():
    rclpy.init()
    node = rclpy.create_node('track_frame')
    frames = node.create_publisher(TFMessage, '/tf', QoSProfile(depth=100))
    targets = node.create_publisher(PoseStamped, 'urdf_ik/target_pose', 1)
    outcomes = []
    node.create_subscription(SolveStatus, 'urdf_ik/status', lambda status: outcomes.append(status.outcome), 100)
    while not (targets.get_subscription_count() and frames.get_subscription_count() and node.count_publishers('urdf_ik/status')):
        rclpy.spin_once(node, timeout_sec=0.1)  # until the node is available

    start = node.get_clock().now()

    def send():
        now = node.get_clock().now()
        frames.publish(TFMessage(transforms=[part((now - start).nanoseconds * 1e-9, now.to_msg())]))
        targets.publish(above_the_part(now.to_msg()))

    node.create_timer(1 / RATE, send)
    while len(outcomes) < RATE * DURATION:
        rclpy.spin_once(node)
    print(f'{outcomes.count(SolveStatus.SOLVED)} of {len(outcomes)} targets reached')
    rclpy.shutdown()


if __name__ == '__main__':
    main()
