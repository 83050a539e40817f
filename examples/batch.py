#!/usr/bin/env python3
"""Requests joint positions for 2500 poses at once: which positions on a table can the tool reach?"""
import rclpy
from geometry_msgs.msg import Point, Pose, Quaternion
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolveIKBatch

COLUMNS = ROWS = 50
DOWN = Quaternion(x=1.0, w=0.0)


def place(row, column):
    """A position on the table [m]: 2 m by 2 m, around the robot, 0.2 m above its base link."""
    return Point(x=1.0 - 2.0 * row / (ROWS - 1), y=1.0 - 2.0 * column / (COLUMNS - 1), z=0.2)


def main():
    rclpy.init()
    node = rclpy.create_node('batch')
    client = node.create_client(SolveIKBatch, 'urdf_ik/solve_ik_batch')
    client.wait_for_service()

    places = [place(row, column) for row in range(ROWS) for column in range(COLUMNS)]
    request = SolveIKBatch.Request(poses=[Pose(position=point, orientation=DOWN) for point in places])
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    answer = future.result()

    # Seen from above: the x axis points up, the y axis to the left.
    for row in range(ROWS):
        outcomes = answer.outcomes[row * COLUMNS:(row + 1) * COLUMNS]
        print(''.join('#' if outcome == SolveStatus.SOLVED else '.' for outcome in outcomes))
    print(f'{answer.solved} of {len(places)} places, in {1e3 * answer.solve_time:.0f} ms')

    joints = len(answer.joint_names)
    first = list(answer.outcomes).index(SolveStatus.SOLVED)
    row = answer.positions[first * joints:(first + 1) * joints]
    print('the first of them:', ', '.join(f'{name} {position:+.3f}' for name, position in zip(answer.joint_names, row)))
    rclpy.shutdown()


if __name__ == '__main__':
    main()
