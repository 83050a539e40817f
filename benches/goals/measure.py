"""Kinematics and violations of goals by Pinocchio, each kind by its definition in docs/goals.md."""
import math

import numpy as np
import pinocchio as pin

TOLERANCE = 1.01e-5


class Robot:
    """The whole robot; joints outside the chain stay at 0."""

    def __init__(self, urdf, base):
        self.model = pin.buildModelFromUrdf(urdf)
        self.data, self.base, self.urdf = self.model.createData(), base, urdf

    def place(self, positions):
        q = pin.neutral(self.model)
        for name, value in positions.items():
            joint = self.model.joints[self.model.getJointId(name)]
            q[joint.idx_q:joint.idx_q + joint.nq] = (math.cos(value), math.sin(value)) if joint.nq == 2 else value
        pin.framesForwardKinematics(self.model, self.data, q)
        self.positions = positions
        # Pinocchio's centre of mass omits the links that are fixed to the root.
        fixed, moving = self.model.inertias[0], sum(inertia.mass for inertia in self.model.inertias[1:])
        moment = moving * pin.centerOfMass(self.model, self.data, q) if moving else np.zeros(3)
        self.center = (moment + fixed.mass * fixed.lever) / max(moving + fixed.mass, 1e-300)
        return self

    def pose(self, link):
        """Pose of a link in the base link's frame."""
        base, frame = (self.data.oMf[self.model.getFrameId(name)] for name in (self.base, link))
        return base.inverse() * frame

    def relative(self, link, frame):
        return self.pose(frame).inverse() * self.pose(link)

    def chain(self, tips):
        """Names and limits of the joints between the base and the tips."""
        def above(link):
            joint = self.model.frames[self.model.getFrameId(link)].parentJoint
            while joint:
                yield joint
                joint = self.model.parents[joint]
        base = set(above(self.base))
        joints = sorted({joint for tip in tips for joint in above(tip)} ^ base)
        names = [self.model.names[joint] for joint in joints]
        limits = [(-math.pi, math.pi) if self.model.joints[j].nq == 2 else
                  (self.model.lowerPositionLimit[self.model.joints[j].idx_q], self.model.upperPositionLimit[self.model.joints[j].idx_q])
                  for j in joints]
        return names, np.array(limits), [self.model.joints[j].nq == 2 for j in joints]


def excess(values, lower, upper):
    """The norm of the excess over the bounds."""
    over = [max(0.0, *(b for b in (None if low is None else low - v, None if up is None else v - up) if b is not None))
            if (low, up) != (None, None) else 0.0 for v, low, up in zip(values, lower, upper)]
    return float(np.linalg.norm(over))


def angle(a, b):
    return math.atan2(np.linalg.norm(np.cross(a, b)), a @ b)


def rotation(goal):
    x, y, z, w = goal.get('q_xyzw', (0, 0, 0, 1))
    return pin.Quaternion(w, x, y, z).normalized().toRotationMatrix()


def bounds(goal):
    return goal.get('lower') or [None] * 3, goal.get('upper') or [None] * 3


def violation(robot, goal):
    """Violation of a goal [m or rad]."""
    frame = robot.pose(goal.get('frame', robot.base))
    kind, p = goal['type'], np.array(goal.get('p', (0, 0, 0)), float)
    if kind == 'joints':
        total = sum(factor * robot.positions.get(name, 0.0) for name, factor in goal['coefficients'].items())
        return excess([total], [goal.get('lower')], [goal.get('upper')])
    if kind == 'center_of_mass':
        root = robot.data.oMf[robot.model.getFrameId(robot.base)]
        return excess(rotation(goal).T @ (frame.inverse().act(root.inverse().act(robot.center)) - p), *bounds(goal))
    link = frame.inverse() * robot.pose(goal['link'])
    point = link.act(np.array(goal.get('point', (0, 0, 0)), float))
    if kind == 'position':
        return excess(rotation(goal).T @ (point - p), *bounds(goal))
    if kind == 'distance':
        offset = point - p
        if 'direction' in goal:
            line = np.array(goal['direction']) / np.linalg.norm(goal['direction'])
            offset -= line * (line @ offset)
        return excess([np.linalg.norm(offset)], [goal.get('lower')], [goal.get('upper')])
    if kind == 'cone':
        return max(0.0, angle(link.rotation @ goal['axis'], np.array(goal['direction'])) - goal['angle'])
    if kind == 'gaze':
        return max(0.0, angle(link.rotation @ goal['axis'], p - point) - goal['angle'])
    error = rotation(goal).T @ link.rotation
    if goal.get('parameterization') == 'xyz_euler':
        values = [math.atan2(-error[1, 2], error[2, 2]), math.atan2(error[0, 2], math.hypot(error[0, 0], error[0, 1])),
                  math.atan2(-error[0, 1], error[0, 0])]
    else:
        values = pin.log3(error)
        values = rotation(goal) @ values if goal.get('axes') == 'frame' else values
    return excess(values, *bounds(goal))


def requirements(case):
    """The goals of a case, with its target pose as two goals."""
    goals = case.get('goals', [])
    if 'target' not in case:
        return goals
    exact = {'lower': [0, 0, 0], 'upper': [0, 0, 0], 'link': case['tip']}
    target = case['target']
    return [{'type': 'position', 'p': target['p'], **exact}, {'type': 'orientation', 'q_xyzw': target['q_xyzw'], **exact}, *goals]


def meets(robot, file, case, positions, tolerance=TOLERANCE):
    """Whether joint positions are within the limits and meet the goals of a case."""
    robot.place(dict(zip(file['joint_names'], positions)))
    inside = all(circle or low - 1e-9 <= value <= up + 1e-9
                 for value, low, up, circle in zip(positions, file['lower'], file['upper'], file['continuous']))
    return inside and all(violation(robot, goal) <= tolerance for goal in requirements(case))
