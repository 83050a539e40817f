#!/usr/bin/env python3
"""Requests all configurations for one tool pose: with closed_form and six joints, the complete set."""
import rclpy
from urdf_ik.srv import SolveIK


def main():
    rclpy.init()
    node = rclpy.create_node('all_solutions')
    client = node.create_client(SolveIK, 'urdf_ik/solve_ik')
    client.wait_for_service()

    request = SolveIK.Request(solver='closed_form', all_solutions=True)
    request.pose.pose.position.x = 0.5  # [m] in the frame of the base link
    request.pose.pose.position.y = 0.4
    request.pose.pose.position.z = 0.8
    request.pose.pose.orientation.y, request.pose.pose.orientation.w = 0.8, 0.6  # the tool points forward and down

    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    answer = future.result()
    print(answer.message)
    print('  '.join(name.removesuffix('_joint')[:12].rjust(12) for name in answer.joint_state.name))
    for solution in answer.all_joint_states:
        print('  '.join(f'{position:+12.4f}' for position in solution.position))
    print(f'{len(answer.all_joint_states)} solutions')
    rclpy.shutdown()


if __name__ == '__main__':
    main()
