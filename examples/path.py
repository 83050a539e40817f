#!/usr/bin/env python3
"""Plans a path with rounded corners, and then moves the arm along it."""
import rclpy
from geometry_msgs.msg import Point, Pose, Quaternion
from rclpy.action import ActionClient
from urdf_ik.action import FollowPath
from urdf_ik.srv import SolvePath

DOWN = Quaternion(x=1.0, w=0.0)
CORNERS = [(0.4, -0.15, 0.3), (0.4, 0.15, 0.3), (0.4, 0.15, 0.5), (0.4, -0.15, 0.5), (0.4, -0.15, 0.3)]  # [m]
POSES = [Pose(position=Point(x=x, y=y, z=z), orientation=DOWN) for x, y, z in CORNERS]


def plan(node):
    """Requests the trajectory. Nothing moves."""
    client = node.create_client(SolvePath, 'urdf_ik/solve_path')
    client.wait_for_service()
    request = SolvePath.Request(poses=POSES, start_at_first_pose=True, blend_radius=0.05, speed=0.3)
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    answer = future.result()
    print('planned:', answer.message)
    print(f'{len(answer.trajectory.points)} points; the tip stays within {1e3 * answer.position_deviation:.3f} mm of the path')


def follow(node):
    """Sends the same poses as a goal: the arm moves from its current configuration to the first of them, and on to the last."""
    client = ActionClient(node, FollowPath, 'urdf_ik/follow_path')
    client.wait_for_server()
    goal = FollowPath.Goal(poses=POSES, blend_radius=0.05, speed=0.3)
    sent = client.send_goal_async(goal, feedback_callback=show_feedback)
    rclpy.spin_until_future_complete(node, sent)
    ended = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, ended)
    print('ended:', ended.result().result.message)


def show_feedback(message):
    print(f'{100 * message.feedback.progress:.0f} % of the path')


def main():
    rclpy.init()
    node = rclpy.create_node('path')
    plan(node)
    follow(node)
    rclpy.shutdown()


if __name__ == '__main__':
    main()
