#!/usr/bin/env python3
"""Plans a path with rounded corners, and then lets the arm follow it."""
import rclpy
from geometry_msgs.msg import Point, Pose, PoseArray, Quaternion
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolvePath

DOWN = Quaternion(x=1.0, w=0.0)
CORNERS = [(0.4, -0.15, 0.3), (0.4, 0.15, 0.3), (0.4, 0.15, 0.5), (0.4, -0.15, 0.5), (0.4, -0.15, 0.3)]  # [m]
POSES = [Pose(position=Point(x=x, y=y, z=z), orientation=DOWN) for x, y, z in CORNERS]


def plan(node):
    """Asks for the trajectory. Nothing moves."""
    client = node.create_client(SolvePath, 'urdf_ik/solve_path')
    client.wait_for_service()
    request = SolvePath.Request(poses=POSES, start_at_first_pose=True, blend_radius=0.05, speed=0.3)
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    answer = future.result()
    print('planned:', answer.message)
    print(f'{len(answer.trajectory.points)} points; the tip stays within {1e3 * answer.position_deviation:.3f} mm of the path')


def follow(node):
    """Sends the same poses as a topic: the arm moves from where it is to the first of them, and on to the last."""
    paths = node.create_publisher(PoseArray, 'urdf_ik/target_path', 1)
    statuses = []
    node.create_subscription(SolveStatus, 'urdf_ik/status', statuses.append, 10)
    while paths.get_subscription_count() == 0 or node.count_publishers('urdf_ik/status') == 0:
        rclpy.spin_once(node, timeout_sec=0.1)  # until the node is there
    paths.publish(PoseArray(poses=POSES))
    while not statuses:
        rclpy.spin_once(node)
    print('begun:', statuses[0].message)
    while statuses[-1].outcome == SolveStatus.STEP_LIMITED:  # on its way
        rclpy.spin_once(node)
    print('ended:', statuses[-1].message)


def main():
    rclpy.init()
    node = rclpy.create_node('path')
    plan(node)
    follow(node)
    rclpy.shutdown()


if __name__ == '__main__':
    main()
