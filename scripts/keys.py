#!/usr/bin/env python3
"""Steers the tip of a urdf_ik node by keys in a terminal.

    keys.py --ros-args -p node:=urdf_ik -p linear_speed:=0.1 -p angular_speed:=0.3 -p joint_speed:=0.3

node: name of the urdf_ik node; linear_speed [m/s] of the tip and of prismatic joints; angular_speed [rad/s] of the tip;
joint_speed [rad/s]. The keys + and - change all three.

While a key is held, its velocity is sent repeatedly. On release one zero is sent, and then nothing: other sources can command
the arm then. If this ends while a key is held, the node brings the arm to rest, as for every source that stops publishing.
"""
import math
import os
import signal
import sys
import time

# Signal handling. During the imports Ctrl-C must end the program without a traceback.
on_signal = [lambda: os._exit(0)]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if __name__ == '__main__' else ()
for number in SIGNALS:
    signal.signal(number, lambda *_: on_signal[0]())

import rclpy  # noqa: E402
from geometry_msgs.msg import TwistStamped, Vector3  # noqa: E402
from rcl_interfaces.msg import ParameterDescriptor  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from rclpy.signals import SignalHandlerOptions  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402
from urdf_ik.msg import ServoStatus  # noqa: E402
from urdf_ik.srv import ForwardKinematics  # noqa: E402

from interfaces import topic_name  # noqa: E402
from teleop import chain  # noqa: E402
from teleop.steering import HELP, Jog, Speeds, Steering, Twist  # noqa: E402
from teleop.terminal import Closed, Terminal  # noqa: E402

PERIOD = 0.02  # [s] between two messages
NEWS = 2.0  # [s] that a message of the node is displayed
PATIENCE = 1.0  # [s] without a response until it prints what it waits for
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Stopped(Exception):
    """A signal was received."""


class Failure(Exception):
    """A message for the user."""


class Keys(Node):
    def __init__(self, stopping):
        super().__init__('keys')
        self.stopping = stopping
        self.node = self.declare_parameter('node', 'urdf_ik').value
        self.speeds = Speeds(*(self.declare_speed(name, value) for name, value in (
            ('linear_speed', 0.1), ('angular_speed', 0.3), ('joint_speed', 0.3))))
        self.forward_kinematics = self.create_client(ForwardKinematics, f'{self.node}/forward_kinematics')
        self.stop = self.create_client(Trigger, f'{self.node}/stop')
        self.jogs = self.create_publisher(JointState, f'{self.node}/joint_jog', 1)
        self.descriptions = []
        self.create_subscription(String, f'{self.node}/robot_description', self.descriptions.append, LATCHED)
        self.send_zero = None  # ends the motion that was sent last
        self.news, self.news_until = '', 0.0
        self.create_subscription(ServoStatus, f'{self.node}/servo_status', self.hear, 1)

    def declare_speed(self, name, default):
        speed = self.declare_parameter(name, default, ParameterDescriptor(dynamic_typing=True)).value
        if not isinstance(speed, (int, float)) or not 0 < speed < math.inf:
            raise Failure(f'{name} is {speed}: it must be a number above 0')
        return float(speed)

    def hear(self, status):
        """Handles a status of the node. The end of the commands is not displayed."""
        if status.code != ServoStatus.TIMEOUT:
            self.news = status.message if status.code != ServoStatus.OK or status.sliding else ''
            self.news_until = time.monotonic() + NEWS

    def spin(self, timeout=0.0):
        rclpy.spin_once(self, timeout_sec=timeout)
        if self.stopping:
            raise Stopped

    def wait_for(self, condition, what):
        """Waits until the condition is true and returns its value."""
        patient_until = time.monotonic() + PATIENCE
        while not (value := condition()):
            if time.monotonic() > patient_until:
                print(f'keys: waiting for {what}', flush=True)
                patient_until = math.inf
            self.spin(0.1)
        return value

    def find_robot(self):
        """Waits until the node has a robot, and gets the chain of each tip."""
        service = self.forward_kinematics
        self.wait_for(service.service_is_ready, f'the node {self.resolve_service_name(self.node)}')
        answer = self.wait_for(self.ask_for_tips, 'the robot of the node')
        text = self.wait_for(lambda: self.descriptions, 'the robot description of the node')[-1].data
        base, self.prefix = chain.link_of(text, answer.poses[0].header.frame_id)
        self.tips = {tip: chain.joints(text, base, tip) for tip in answer.link_names}
        # With several tips, each has its own topics.
        self.twists = {tip: self.create_publisher(TwistStamped, f'{self.node}{self.below(tip)}/target_twist', 1)
                       for tip in self.tips}

    def below(self, tip):
        return f'/{topic_name(tip)}' if len(self.tips) > 1 else ''

    def ask_for_tips(self):
        future = self.forward_kinematics.call_async(ForwardKinematics.Request())
        until = time.monotonic() + PATIENCE
        while not future.done() and time.monotonic() < until:
            self.spin(0.1)
        return future.result() if future.done() and future.result().success else None

    def send(self, command, steering):
        """Publishes the command, or the zero that ends the previous one."""
        if isinstance(command, Twist):
            publisher = self.twists[steering.tip]
            frame = f'{self.prefix}{steering.tip}' if steering.of_tip else ''
            self.publish_twist(publisher, frame, command.velocity)
            self.send_zero = lambda: self.publish_twist(publisher, frame, [0.0] * 6)
        elif isinstance(command, Jog):
            self.publish_jog(command)
            self.send_zero = lambda: self.publish_jog(command._replace(velocity=0.0))
        elif self.send_zero:
            self.send_zero()
            self.send_zero = None

    def publish_twist(self, publisher, frame, velocity):
        message = TwistStamped()
        message.header.stamp, message.header.frame_id = self.get_clock().now().to_msg(), frame
        message.twist.linear = Vector3(x=velocity[0], y=velocity[1], z=velocity[2])
        message.twist.angular = Vector3(x=velocity[3], y=velocity[4], z=velocity[5])
        publisher.publish(message)

    def publish_jog(self, command):
        message = JointState(name=[command.joint], velocity=[command.velocity])
        message.header.stamp = self.get_clock().now().to_msg()
        self.jogs.publish(message)

    def steer(self, terminal):
        """Handles keys until the quit key."""
        steering = Steering(self.speeds, self.tips)
        terminal.print(f'{HELP}\n')
        while True:
            for key in terminal.keys(PERIOD):
                if key == 'q':
                    return
                if key == 'h':
                    terminal.print(f'{HELP}\n')
                elif key == ' ':
                    self.stop.call_async(Trigger.Request())
                steering.press(key, time.monotonic())
            now = time.monotonic()
            self.send(steering.command(now), steering)
            terminal.show(steering.line(now, self.news if now < self.news_until else ''))
            self.spin()


def run(stopping):
    if not sys.stdin.isatty():
        raise Failure('the input is not a terminal: run it in a shell')
    keys = Keys(stopping)
    keys.find_robot()
    with Terminal(sys.stdin.fileno(), sys.stdout.fileno()) as terminal:
        keys.steer(terminal)


def main():
    stopping = []
    on_signal[0] = lambda: stopping.append(True)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        run(stopping)
    except Failure as failure:
        print(f'keys: {failure}', file=sys.stderr)
        return 1
    except (Stopped, Closed):
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main())
