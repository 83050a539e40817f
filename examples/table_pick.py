#!/usr/bin/env python3
"""Requests joint positions to pick anywhere on a table: the tool points roughly down, at any position in a box. Nothing moves."""
import rclpy
from urdf_ik.srv import SolveIK

TABLE = '{type: position, name: table, p: [0.45, 0, 0.2], lower: [-0.1, -0.3, 0], upper: [0.1, 0.3, 0]}'  # [m]
DOWN = '{type: cone, name: down, axis: [0, 0, 1], direction: [0, 0, -1], angle: 0.17}'  # [rad] between the tool's z axis and down


def main():
    rclpy.init()
    node = rclpy.create_node('table_pick')
    client = node.create_client(SolveIK, 'urdf_ik/solve_ik')
    client.wait_for_service()

    request = SolveIK.Request(goals=[TABLE, DOWN])
    request.free_axes = [True] * 6  # no pose is requested: the goals alone decide
    request.pick = 'nearest'  # the solution with the smallest joint motion

    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    answer = future.result()
    print('success:', answer.success)
    print('message:', answer.message)
    for name, position in zip(answer.joint_state.name, answer.joint_state.position):
        print(f'{name:24} {position:+.4f}')
    for name, violation in zip(('table', 'down'), answer.goal_violations):
        print(f'{name} is violated by {violation:.1e}')
    rclpy.shutdown()


if __name__ == '__main__':
    main()
