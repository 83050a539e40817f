#!/usr/bin/env python3
"""Requests the joint positions for one pose. Nothing moves."""
import rclpy
from urdf_ik.srv import SolveIK


def main():
    rclpy.init()
    node = rclpy.create_node('query')
    client = node.create_client(SolveIK, 'urdf_ik/solve_ik')
    client.wait_for_service()

    request = SolveIK.Request()  # every field but the pose has a default
    request.pose.pose.position.x = 0.4  # [m] in the frame of the base link
    request.pose.pose.position.y = 0.1
    request.pose.pose.position.z = 0.4
    request.pose.pose.orientation.x = 1.0  # the tool points down
    request.pose.pose.orientation.w = 0.0

    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    answer = future.result()
    print('success:', answer.success)
    print('message:', answer.message)
    for name, position in zip(answer.joint_state.name, answer.joint_state.position):
        print(f'{name:24} {position:+.4f}')
    print(f'{answer.status.attempts} starting points, {1e6 * answer.status.solve_time:.0f} µs')
    rclpy.shutdown()


if __name__ == '__main__':
    main()
