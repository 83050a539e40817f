#!/usr/bin/env python3
"""A simulated arm with lag and sag: an emergency stop, and the return. Then the page has a button for each fault, until Ctrl-C.

With VIEW=0 there is no page. MuJoCo gives the arm mass, if it is installed: scripts/with-ros python3 -m pip install mujoco
"""
import contextlib
import os
import subprocess
import sys
from pathlib import Path

import rclpy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'scripts'))

from simulated_arm.arm import SimulatedArm  # noqa: E402
from simulated_arm.faults import offer_faults  # noqa: E402

START = {'shoulder_pan_joint': 0.0, 'shoulder_lift_joint': 0.3, 'upper_arm_roll_joint': 0.0, 'elbow_joint': 0.6,
         'forearm_roll_joint': 0.0, 'wrist_flex_joint': -0.5, 'wrist_roll_joint': 0.0}  # [rad]


def stop_and_resume(node, arm):
    jogs = node.create_publisher(JointState, 'urdf_ik/joint_jog', 1)
    resume = node.create_client(Trigger, 'urdf_ik/resume')
    statuses = []
    node.create_subscription(SolveStatus, 'urdf_ik/status', statuses.append, 10)

    def turn_until(condition):
        while not condition():
            jogs.publish(JointState(name=['shoulder_pan_joint'], velocity=[0.3]))
            rclpy.spin_once(node, timeout_sec=0.01)
    turn_until(lambda: arm.positions()['shoulder_pan_joint'] > 0.2)
    arm.freeze()
    turn_until(lambda: statuses and statuses[-1].outcome == SolveStatus.FOLLOWING_ERROR)
    print('stopped:', statuses[-1].message)
    turn_until(lambda: abs(arm.commanded()['shoulder_pan_joint'] - arm.positions()['shoulder_pan_joint']) < 1e-3)
    print('the command is back at the arm: the drives can be released')
    released = arm.now()
    arm.release()
    answer = resume.call_async(Trigger.Request())
    rclpy.spin_until_future_complete(node, answer)
    print('resumed:', answer.result().message)
    turn_until(lambda: arm.positions()['shoulder_pan_joint'] > 0.6)
    print(f'fastest joint since the release: {arm.record(released).greatest_speed().max():.2f} rad/s', flush=True)


def main():
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('physics')
    arm = SimulatedArm.with_mass('urdf_ik', START, ROOT / 'urdf' / 'arm7.urdf')
    offer_faults(node, 'urdf_ik', arm)
    children = []
    with contextlib.suppress(KeyboardInterrupt):
        for program in () if os.environ.get('VIEW') == '0' else ('view.py', 'figure_of_eight.py'):
            children.append(subprocess.Popen([sys.executable, ROOT / 'scripts' / program]))
        stop_and_resume(node, arm)
        if children:
            rclpy.spin(node)
    for child in children:
        child.terminate()
    arm.close()
    rclpy.shutdown()


if __name__ == '__main__':
    main()
