"""The load on a node, in a separate process: load.py NODE

A stream of 1000 target poses a second and twists for the servo; batches, changes of parameters and of obstacles, and other robots. It
prints each change of the robot as a line of JSON, until its standard input ends.
"""
import json
import math
import sys
import threading
import time

import rclpy
from geometry_msgs.msg import PoseStamped, TwistStamped
from rcl_interfaces.msg import Parameter
from rcl_interfaces.srv import SetParameters
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from urdf_ik.srv import ChangeObstacles, SolveIKBatch

from client import LATCHED, Client, parameter_value, pose_message
from robots import POSES, TEXTS
from world import change, sphere

STREAM_RATE = 1000.0  # [Hz]
SERVO_PERIOD = 0.01  # [s], likewise the others
BATCH_PERIOD, PARAMETER_PERIOD, OBSTACLE_PERIOD, ROBOT_PERIOD = 2.0, 0.5, 0.2, 10.0
BATCH = 200  # targets


def stream(client, ended):
    """Sends poses along a path and back, serialised beforehand, at a constant rate."""
    messages = [serialize_message(pose_message(pose)) for pose in POSES + POSES[::-1]]
    publisher = client.target_publisher('target_pose', PoseStamped)
    began, sent = time.monotonic(), 0
    while not ended.is_set():
        publisher.publish(messages[sent // 20 % len(messages)])
        sent += 1
        time.sleep(max(0.0, began + sent / STREAM_RATE - time.monotonic()))


class Load:
    """Messages of separate timers."""

    def __init__(self, client):
        self.client = client
        self.turns = 0
        self.twists = client.publisher(TwistStamped, f'{client.name}/target_twist')
        self.robots = client.publisher(String, f'{client.namespace}/robot_description', LATCHED)

    def request(self, kind, name, **fields):
        """Calls a service and ignores the response: a robot may be replaced meanwhile."""
        self.client.service(kind, name).call_async(kind.Request(**fields))

    def twist(self):
        message = TwistStamped()
        message.twist.linear.y = 0.05 * math.sin(time.monotonic())
        self.twists.publish(message)

    def batch(self):
        poses = [pose_message(POSES[k % len(POSES)]).pose for k in range(BATCH)]
        self.request(SolveIKBatch, 'solve_ik_batch', poses=poses, batch_timeout=5.0)

    def parameter(self):
        self.turns += 1
        value = parameter_value(0.5 + 0.1 * (self.turns % 5))
        self.request(SetParameters, 'set_parameters', parameters=[Parameter(name='speed_scale', value=value)])

    def obstacle(self):
        number = time.monotonic_ns() // 200_000_000
        ball = change('add', f'ball{number % 20}', (0.3 + 0.01 * (number % 40), 0.5, 0.4), shapes=[sphere(0.05)])
        self.request(ChangeObstacles, 'change_obstacles', changes=[ball, change('remove', f'ball{(number - 10) % 20}')][:1 + number % 2])

    def robot(self):
        self.turns += 1
        self.robots.publish(String(data=TEXTS[self.turns % 2]))
        print(json.dumps({'swapped': time.monotonic()}), flush=True)


def main():
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    rclpy.init()
    client = Client(sys.argv[1])
    load = Load(client)
    client.wait_for(lambda: client.states and load.twists.get_subscription_count(), 'the node')
    for period, send in ((SERVO_PERIOD, load.twist), (BATCH_PERIOD, load.batch), (PARAMETER_PERIOD, load.parameter),
                         (OBSTACLE_PERIOD, load.obstacle), (ROBOT_PERIOD, load.robot)):
        client.node.create_timer(period, send)
    threading.Thread(target=stream, args=(client, ended), daemon=True).start()
    while not ended.is_set():
        client.executor.spin_once(timeout_sec=0.1)
        client.states.clear()
        client.statuses.clear()


main()
