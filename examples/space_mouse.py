#!/usr/bin/env python3
"""Steers the tool by a space mouse: a velocity, 100 times per second. Without spacenav, a simulated hand draws a circle."""
import math

import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from urdf_ik.msg import ServoStatus

RATE = 100.0  # [Hz]
DURATION = 5.0  # [s]
SPEED = 0.08  # [m/s]


def imagined_hand(time):
    """Deflections that move the tool along a circle."""
    hand, angle = Twist(), 2 * math.pi * time / DURATION
    hand.linear.y, hand.linear.z = SPEED * math.cos(angle), SPEED * math.sin(angle)
    return hand


def main():
    rclpy.init()
    node = rclpy.create_node('space_mouse')
    twists = node.create_publisher(TwistStamped, 'urdf_ik/target_twist', 1)
    hands, statuses = [], []
    node.create_subscription(Twist, 'spacenav/twist', hands.append, 1)
    node.create_subscription(ServoStatus, 'urdf_ik/servo_status', statuses.append, 1000)
    while twists.get_subscription_count() == 0 or node.count_publishers('urdf_ik/servo_status') == 0:
        rclpy.spin_once(node, timeout_sec=0.1)  # until the node is available

    start = node.get_clock().now()

    def send():
        now = node.get_clock().now()
        message = TwistStamped(twist=hands[-1] if hands else imagined_hand((now - start).nanoseconds * 1e-9))
        message.header.stamp = now.to_msg()  # without frame_id: along the axes of the base link
        twists.publish(message)

    node.create_timer(1 / RATE, send)
    while (node.get_clock().now() - start).nanoseconds * 1e-9 < DURATION:
        rclpy.spin_once(node)
    # Then it stops publishing, and the arm comes to rest.
    steered = [status for status in statuses if status.code != ServoStatus.TIMEOUT]
    held_back = [status for status in steered if status.code != ServoStatus.OK]
    print(f'nothing held the arm back in {len(steered) - len(held_back)} of {len(steered)} ticks')
    for sentence in {status.code: status.message for status in held_back}.values():
        print(sentence)
    rclpy.shutdown()


if __name__ == '__main__':
    main()
