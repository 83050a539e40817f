#!/usr/bin/env python3
"""A policy moves the joints: it gets joint positions and returns joint velocities, 50 times per second."""
import rclpy
from sensor_msgs.msg import JointState

RATE = 50.0  # [Hz]
GOAL = {'shoulder_pan_joint': 0.5, 'shoulder_lift_joint': 0.3, 'elbow_joint': 0.9}  # [rad]
GAIN = 2.0  # [1/s]
SPEED = 0.5  # [rad/s]
CLOSE = 0.01  # [rad]


def policy(positions):
    """The joint velocities [rad/s] for these joint positions: replace it by a learned policy."""
    return {name: max(-SPEED, min(SPEED, GAIN * (goal - positions[name]))) for name, goal in GOAL.items()}


def main():
    rclpy.init()
    node = rclpy.create_node('policy')
    jogs = node.create_publisher(JointState, 'urdf_ik/joint_jog', 1)
    states = []
    node.create_subscription(JointState, 'urdf_ik/joint_states', states.append, 10)
    while jogs.get_subscription_count() == 0 or not states:
        rclpy.spin_once(node, timeout_sec=0.1)  # until the node is available

    def positions():
        return dict(zip(states[-1].name, states[-1].position))

    def step():
        velocities = policy(positions())
        message = JointState(name=list(velocities), velocity=list(velocities.values()))  # the other joints hold still
        message.header.stamp = node.get_clock().now().to_msg()
        jogs.publish(message)

    node.create_timer(1 / RATE, step)
    while any(abs(positions()[name] - goal) > CLOSE for name, goal in GOAL.items()):
        rclpy.spin_once(node)
    # Then it stops publishing, and the arm comes to rest.
    print('arrived:', ', '.join(f'{name} {positions()[name]:+.3f}' for name in GOAL))
    rclpy.shutdown()


if __name__ == '__main__':
    main()
