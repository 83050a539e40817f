"""Paths of the bundled arm, and a client of the action ~/follow_path."""
import math

import numpy as np
from rclpy.action import ActionClient
from urdf_ik.action import FollowPath

from client import pose_message
from kinematics import errors, rotation

RATE = 100.0
START = {'shoulder_pan_joint': 0.3, 'shoulder_lift_joint': 0.6, 'upper_arm_roll_joint': 0.2, 'elbow_joint': -1.2,
         'forearm_roll_joint': 0.1, 'wrist_flex_joint': 0.8, 'wrist_roll_joint': 0.0}


def messages(poses):
    return [pose_message(pose).pose if isinstance(pose, np.ndarray) else pose for pose in poses]


def distance_to_lines(pose, corners):
    """Deviation of a pose from the nearest point of the lines between the corners, position and orientation at the same path parameter."""
    best = (math.inf, math.inf)
    for one, other in zip(corners, corners[1:]):
        way = other[:3, 3] - one[:3, 3]
        share = np.clip((pose[:3, 3] - one[:3, 3]) @ way / (way @ way), 0, 1)
        turn = one[:3, :3].T @ other[:3, :3]
        angle = math.acos(np.clip((np.trace(turn) - 1) / 2, -1, 1))
        axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        between = one.copy()
        if angle > 1e-9:
            between = one @ rotation(tuple(axis / np.linalg.norm(axis)), share * angle)
        between[:3, 3] = one[:3, 3] + share * way
        best = min(best, errors(pose, between))
    return best


class PathGoal:
    """A goal of the action, with its feedback and result."""

    def __init__(self, follower, future):
        self.follower, self.future = follower, future
        self.feedback = []
        self.outcome = None

    def wait(self, condition, what):
        return self.follower.node.wait_for(condition, what)

    @property
    def handle(self):
        self.wait(self.future.done, 'the goal to be accepted')
        handle = self.future.result()
        assert handle.accepted
        if self.outcome is None:
            self.outcome = handle.get_result_async()
        return handle

    def has_ended(self):
        return bool(self.handle) and self.outcome.done()

    def result(self):
        """Its result; `self.status` is the status of the action protocol."""
        self.wait(self.has_ended, 'the result of the goal')
        self.status = self.outcome.result().status
        return self.outcome.result().result

    def wait_until(self, progress):
        """Waits until the command has covered this share of the path."""
        return self.wait(lambda: self.has_ended() or self.progress() >= progress, f'progress {progress}')

    def progress(self):
        return self.feedback[-1].progress if self.feedback else 0.0

    def cancel(self):
        """The response to a cancel request."""
        future = self.handle.cancel_goal_async()
        self.wait(future.done, 'an answer to the cancellation')
        return future.result()


class PathFollower:
    def __init__(self, node):
        self.node = node
        self.client = ActionClient(node.node, FollowPath, f'{node.name}/follow_path')
        node.wait_for(self.client.server_is_ready, 'the action server')

    def send(self, poses, **fields):
        """Sends a goal."""
        feedback = []
        goal = FollowPath.Goal(poses=messages(poses), **fields)
        future = self.client.send_goal_async(goal, feedback_callback=lambda message: feedback.append(message.feedback))
        sent = PathGoal(self, future)
        sent.feedback = feedback
        return sent

    def follow(self, poses, **fields):
        """Sends a goal and waits for its result."""
        sent = self.send(poses, **fields)
        sent.result()
        return sent
