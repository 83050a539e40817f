#!/usr/bin/env python3
"""Prints once per second how well a urdf_ik node follows its targets.

    watch.py --ros-args -p node:=urdf_ik

A line shows the last target, the share of this second's answered targets that were reached, the largest
errors, the mean solve time, and the rate.
"""
import math
import sys
import time

import rclpy
from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile
from urdf_ik.msg import SolveStatus

OUTCOMES = {
    getattr(SolveStatus, name): name.lower().replace('_', ' ')
    for name in ('SOLVED', 'OUT_OF_REACH', 'JOINT_LIMITS', 'STEP_LIMITED', 'NOT_CONVERGED', 'INVALID',
                 'UNKNOWN_FRAME', 'NO_ROBOT', 'COLLISION', 'POSITION_ONLY')
}


class Tally:
    """The outcomes of some targets."""

    def __init__(self):
        self.targets = self.reached = 0
        self.position_error = self.orientation_error = self.solve_time = 0.0
        self.last_miss = None
        self.since = self.until = time.monotonic()

    def add(self, status):
        self.targets += 1
        if status.outcome == SolveStatus.SOLVED:
            self.reached += 1
        else:
            self.last_miss = status
        self.position_error = max(self.position_error, status.position_error)
        self.orientation_error = max(self.orientation_error, status.orientation_error)
        self.solve_time += status.solve_time
        self.until = time.monotonic()

    def rate(self):
        """Targets per second [Hz] from the start of the tally to the last target."""
        return self.targets / max(self.until - self.since, 1e-3)

    def __str__(self):
        text = (f'reached {self.reached}/{self.targets} | error {1000 * self.position_error:.4f} mm, '
                f'{math.degrees(self.orientation_error):.4f} deg | solve {1e6 * self.solve_time / self.targets:.0f} us | '
                f'{self.rate():.0f} Hz')
        if self.last_miss is not None:
            text += f' | {OUTCOMES.get(self.last_miss.outcome, self.last_miss.outcome)}: {self.last_miss.message}'
        return text


class Watch(Node):
    def __init__(self, default_node='urdf_ik'):
        super().__init__('watch')
        node = self.declare_parameter('node', default_node).value
        self.target = None
        self.second, self.total = Tally(), Tally()
        latest = QoSProfile(depth=1)
        self.create_subscription(PoseStamped, f'{node}/target_pose', lambda pose: self.see(pose.pose.position), latest)
        self.create_subscription(PointStamped, f'{node}/target_point', lambda point: self.see(point.point), latest)
        self.create_subscription(SolveStatus, f'{node}/status', self.count, QoSProfile(depth=10))
        self.create_timer(1.0, self.report)

    def see(self, position):
        self.target = position

    def count(self, status):
        if self.total.targets == 0:
            self.total, self.second = Tally(), Tally()  # the clock starts with the first target
        self.second.add(status)
        self.total.add(status)

    def report(self):
        if self.total.targets == 0:
            print('waiting for the first target', flush=True)
        elif self.second.targets == 0:
            print('no target was answered in this second', flush=True)
        else:
            where = f'({self.target.x:+.3f}, {self.target.y:+.3f}, {self.target.z:+.3f}) m' if self.target else 'unknown'
            print(f'target {where} | {self.second}', flush=True)
        self.second = Tally()


def main():
    rclpy.init()
    try:
        rclpy.spin(Watch())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main())
