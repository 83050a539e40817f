#!/usr/bin/env python3
"""Moves two hands at once, which share the torso joint: each hand draws a circle.

The node has two tips: tip_links:=[left_hand, right_hand] of urdf/dual_arm.urdf.
"""
import math
from collections import Counter

import rclpy
from geometry_msgs.msg import PoseStamped
from urdf_ik.msg import SolveStatus

RATE = 50.0  # [Hz]
DURATION = 10.0  # [s] one round
CENTRE = (0.4, 0.25, 0.7)  # [m] of the left circle, in the frame of the base link; the right one is its mirror image
RADIUS = 0.08  # [m]
SIDES = {'left_hand': 1, 'right_hand': -1}


def circle(side, phase):
    """The target of one hand at `phase`, from 0 to 1."""
    target = PoseStamped()  # default orientation: no rotation, so the hand points forward
    target.pose.position.x = CENTRE[0]
    target.pose.position.y = side * (CENTRE[1] + RADIUS * math.cos(2 * math.pi * phase))
    target.pose.position.z = CENTRE[2] + RADIUS * math.sin(2 * math.pi * phase)
    return target


def main():
    rclpy.init()
    node = rclpy.create_node('two_arms')
    targets = {tip: node.create_publisher(PoseStamped, f'urdf_ik/{tip}/target_pose', 1) for tip in SIDES}
    statuses = []
    node.create_subscription(SolveStatus, 'urdf_ik/status', statuses.append, 100)
    while any(topic.get_subscription_count() == 0 for topic in targets.values()) or not node.count_publishers('urdf_ik/status'):
        rclpy.spin_once(node, timeout_sec=0.1)  # until the node is available

    start = node.get_clock().now()

    def send():
        phase = (node.get_clock().now() - start).nanoseconds * 1e-9 / DURATION
        # Targets that arrive within a millisecond of each other are solved together.
        for tip, side in SIDES.items():
            targets[tip].publish(circle(side, phase))

    node.create_timer(1 / RATE, send)
    while len(statuses) < 2 * RATE * DURATION:
        rclpy.spin_once(node)
    # All statuses arrive on one topic, and each names its tip link.
    reached = Counter(status.tip_link for status in statuses if status.outcome == SolveStatus.SOLVED)
    for tip, count in Counter(status.tip_link for status in statuses).items():
        print(f'{tip}: {reached[tip]} of {count} targets reached')
    rclpy.shutdown()


if __name__ == '__main__':
    main()
