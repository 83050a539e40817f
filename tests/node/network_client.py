"""A client of the node NAME in a process of its own: network_client.py NAME [--silent]

Sends targets on a smooth path, unless it is silent, and prints what it sends and hears, each as a line of JSON, until its standard
input ends.
"""
import json
import math
import sys
import threading
import time

import rclpy
from std_msgs.msg import String

from client import LATCHED, Client, nanoseconds, pose_message, posture
from kinematics import Robot
from process import ROOT

PERIOD = 0.02  # [s] between targets


def tell(kind, **content):
    print(json.dumps({'kind': kind, **content}), flush=True)


def send_target(client, robot):
    angle = time.monotonic()
    pose = robot.pose('tool0', {'elbow_joint': 0.5 + 0.2 * math.sin(angle), 'shoulder_pan_joint': math.cos(angle)})
    stamp = client.new_stamp()
    tell('target', stamp=nanoseconds(stamp), pose=pose.tolist())
    client.target_publisher('target_pose').publish(pose_message(pose, stamp=stamp))


def tell_news(client, descriptions):
    for state in client.states:
        tell('joint_state', stamp=nanoseconds(state.header.stamp), positions=posture(state))
    for status in client.statuses:
        tell('status', target=nanoseconds(status.header.stamp), joint_state=nanoseconds(status.joint_state_stamp),
             outcome=status.outcome, message=status.message)
    for description in descriptions:
        tell('description', text=description.data)
    for news in (client.states, client.statuses, descriptions):
        news.clear()


def main():
    name, silent = sys.argv[1], '--silent' in sys.argv
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    rclpy.init()
    client = Client(name)
    descriptions = client.subscribe(String, f'{name}/robot_description', [], LATCHED)
    if not silent:
        robot = Robot.load(ROOT / 'urdf' / 'arm7.urdf')
        client.node.create_timer(PERIOD, lambda: send_target(client, robot))
    nodes = None
    while not ended.is_set():
        client.executor.spin_once(timeout_sec=0.1)
        tell_news(client, descriptions)
        found = client.node.count_publishers(f'{name}/status')
        if found != nodes:
            nodes = found
            tell('nodes', count=nodes)
    client.close()
    rclpy.shutdown()


main()
