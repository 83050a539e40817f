"""A client of the node NAME in its own process: network_client.py NAME [--silent]

Publishes targets on a smooth path, unless it is silent, and prints sent and received messages as lines of JSON, until the end of its
standard input.
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


def report(kind, **content):
    print(json.dumps({'kind': kind, **content}), flush=True)


def send_target(client, robot):
    angle = time.monotonic()
    pose = robot.pose('tool0', {'elbow_joint': 0.5 + 0.2 * math.sin(angle), 'shoulder_pan_joint': math.cos(angle)})
    stamp = client.new_stamp()
    report('target', stamp=nanoseconds(stamp), pose=pose.tolist())
    client.target_publisher('target_pose').publish(pose_message(pose, stamp=stamp))


def report_new_messages(client, descriptions):
    for state in client.states:
        report('joint_state', stamp=nanoseconds(state.header.stamp), positions=posture(state))
    for status in client.statuses:
        report('status', target=nanoseconds(status.header.stamp), joint_state=nanoseconds(status.joint_state_stamp),
               outcome=status.outcome, message=status.message)
    for description in descriptions:
        report('description', text=description.data)
    for reported in (client.states, client.statuses, descriptions):
        reported.clear()


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
        report_new_messages(client, descriptions)
        found = client.node.count_publishers(f'{name}/status')
        if found != nodes:
            nodes = found
            report('nodes', count=nodes)
    client.close()
    rclpy.shutdown()


main()
