"""Callers of the query service of a node and of an echo, in a separate process: callers.py NODE ECHO COUNT PERIOD

Each calls both in turn, once in PERIOD seconds, and checks the answers by forward kinematics. The program prints each answer as a line
of JSON, with the time that it took, until its standard input ends.
"""
import json
import sys
import threading
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from urdf_ik.srv import SolveIK

from client import pose_message, posture
from kinematics import errors
from robots import POSES, robot_of

QUEUE = QoSProfile(depth=100)  # a client receives the responses to all clients
PATIENCE = 30.0  # [s] until a call counts as lost
TOLERANCE = 1e-4  # [m, rad]


def outcome_of(answer, pose):
    """'wrong' if it reports a success that contradicts forward kinematics of the robot in use."""
    if not answer.success:
        return 'refused'
    positions = posture(answer.joint_state)
    is_met = max(errors(robot_of(positions).pose('tool0', positions), pose)) < TOLERANCE
    return 'solved' if is_met else 'wrong'


class Caller:
    """A node with a client of both services."""

    def __init__(self, names, number):
        self.node = rclpy.create_node(f'caller{number}_{time.monotonic_ns()}', start_parameter_services=False)
        self.clients = {peer: self.node.create_client(SolveIK, f'{name}/solve_ik', qos_profile=QUEUE) for peer, name in names.items()}
        self.pending = None
        self.calls = number  # the callers begin with different poses

    def call(self):
        now = time.monotonic()
        if self.pending:
            if now - self.pending['began'] < PATIENCE:
                return
            record_outcome(self.pending, 'lost')
        self.calls += 1
        peer = list(self.clients)[self.calls % 2]
        pose = POSES[self.calls // 2 % len(POSES)]
        call = self.pending = {'peer': peer, 'began': now}
        future = self.clients[peer].call_async(SolveIK.Request(pose=pose_message(pose)))
        future.add_done_callback(lambda done: self.take(call, done.result(), pose))

    def take(self, call, answer, pose):
        call['milliseconds'] = 1000 * (time.monotonic() - call['began'])
        if self.pending is call:
            self.pending = None
        record_outcome(call, 'echoed' if call['peer'] == 'echo' else outcome_of(answer, pose))


def record_outcome(call, outcome):
    print(json.dumps({**call, 'outcome': outcome}), flush=True)


def main():
    names, count, period = dict(zip(('node', 'echo'), sys.argv[1:3])), int(sys.argv[3]), float(sys.argv[4])
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    rclpy.init()
    executor = SingleThreadedExecutor()
    callers = [Caller(names, number) for number in range(count)]
    for caller in callers:
        executor.add_node(caller.node)
    while not all(client.service_is_ready() for caller in callers for client in caller.clients.values()):
        executor.spin_once(timeout_sec=0.1)
    for caller in callers:
        caller.node.create_timer(period, caller.call)
    while not ended.is_set():
        executor.spin_once(timeout_sec=0.1)


main()
