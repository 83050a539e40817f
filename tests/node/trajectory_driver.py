"""A driver that executes trajectories: an action server FollowJointTrajectory with a simulated and measured arm."""
import threading
import time

import numpy as np
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from client import MEASURED

PERIOD = 0.02  # [s] period of measurements and feedback


class TrajectoryDriver:
    """Runs in its own threads until `close`. The arm stops at once when a goal ends.

    `pace` is the rate of trajectory time; `rejects` and `aborts` make it refuse a goal, or abort it half-way; `thinks` [s] is the delay
    of its response to a goal; with `quiet` it sends no feedback. `ends` lists the end of each goal.
    """

    def __init__(self, namespace, measured, positions):
        self.positions, self.goals, self.ends = dict(positions), [], []
        self.behave()
        self.vanished, self.closing = False, threading.Event()
        self.node = Node('driver', namespace=namespace, start_parameter_services=False)
        self.measured = self.node.create_publisher(JointState, measured, MEASURED)
        group = ReentrantCallbackGroup()
        self.timer = self.node.create_timer(PERIOD, self.measure, callback_group=group)
        self.server = ActionServer(
            self.node, FollowJointTrajectory, 'follow_joint_trajectory', self.execute, callback_group=group,
            goal_callback=self.receive, cancel_callback=lambda _: CancelResponse.ACCEPT)
        self.executor = MultiThreadedExecutor(num_threads=6)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def behave(self, pace=1.0, rejects=False, aborts=False, thinks=0.0, quiet=False):
        self.pace, self.rejects, self.aborts, self.thinks, self.quiet = pace, rejects, aborts, thinks, quiet

    def close(self):
        self.closing.set()
        self.executor.shutdown()
        self.thread.join()
        self.node.destroy_node()

    def vanish(self):
        """Ends the action server like a crash of its process: without a result. The arm is still measured."""
        self.vanished = True
        self.server.destroy()

    def measure(self):
        positions = dict(self.positions)
        message = JointState(name=list(positions), position=list(positions.values()))
        message.header.stamp = self.node.get_clock().now().to_msg()
        self.measured.publish(message)

    def receive(self, goal):
        time.sleep(self.thinks)
        return GoalResponse.REJECT if self.rejects else GoalResponse.ACCEPT

    def execute(self, handle):
        trajectory = handle.request.trajectory
        self.goals.append(trajectory)
        times = [point.time_from_start.sec + point.time_from_start.nanosec / 1e9 for point in trajectory.points]
        places = np.array([point.positions for point in trajectory.points])
        passed, last = 0.0, time.monotonic()
        while True:
            now = time.monotonic()
            # On a busy machine the arm is slower rather than jerky, so that tests see it on its way.
            passed, last = passed + self.pace * min(now - last, 2 * PERIOD), now
            if self.vanished or self.closing.is_set():
                self.closing.wait()
                return FollowJointTrajectory.Result()
            if handle.is_cancel_requested:
                return self.end(handle.canceled)
            place = [float(np.interp(passed, times, column)) for column in places.T]
            self.positions.update(zip(trajectory.joint_names, place))
            feedback = FollowJointTrajectory.Feedback(joint_names=trajectory.joint_names)
            feedback.actual.positions = place
            if not self.quiet:
                handle.publish_feedback(feedback)
            if self.aborts and passed > 0.5 * times[-1]:
                return self.end(handle.abort, error_code=FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED,
                                error_string='elbow_joint has left its tolerance')
            if passed >= times[-1]:
                return self.end(handle.succeed)
            time.sleep(PERIOD)

    def end(self, end, **result):
        end()
        self.ends.append(end.__name__)
        return FollowJointTrajectory.Result(**result)
