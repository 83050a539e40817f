#!/usr/bin/env python3
"""Moves the tool along a circle: targets at 50 Hz, with the outcome of each."""
import math

import rclpy
from geometry_msgs.msg import PoseStamped
from urdf_ik.msg import SolveStatus

RATE = 50.0  # [Hz]
DURATION = 10.0  # [s] one round
CENTRE, RADIUS = (0.45, 0.0, 0.4), 0.1  # [m] in the frame of the base link


def circle(phase):
    """The target at `phase`, from 0 to 1."""
    target = PoseStamped()  # a header without frame_id means the base link
    target.pose.position.x = CENTRE[0]
    target.pose.position.y = CENTRE[1] + RADIUS * math.sin(2 * math.pi * phase)
    target.pose.position.z = CENTRE[2] + RADIUS * math.cos(2 * math.pi * phase)
    target.pose.orientation.x, target.pose.orientation.w = 1.0, 0.0  # the tool points down
    return target


def main():
    rclpy.init()
    node = rclpy.create_node('circle')
    targets = node.create_publisher(PoseStamped, 'urdf_ik/target_pose', 1)
    outcomes = []
    node.create_subscription(SolveStatus, 'urdf_ik/status', lambda status: outcomes.append(status.outcome), 100)
    while targets.get_subscription_count() == 0 or node.count_publishers('urdf_ik/status') == 0:
        rclpy.spin_once(node, timeout_sec=0.1)  # until the node is available

    start = node.get_clock().now()

    def send():
        phase = (node.get_clock().now() - start).nanoseconds * 1e-9 / DURATION
        targets.publish(circle(phase))

    node.create_timer(1 / RATE, send)
    while len(outcomes) < RATE * DURATION:
        rclpy.spin_once(node)
    print(f'{outcomes.count(SolveStatus.SOLVED)} of {len(outcomes)} targets reached')
    rclpy.shutdown()


if __name__ == '__main__':
    main()
