"""The smallest weighted squared violation of goals found by a projected Levenberg-Marquardt method from many starts.

All starts advance together in NumPy: kinematics and rows have a leading axis for the configurations. Derivatives are finite differences.
Supports one tip, and joints with one axis each."""
import numpy as np
import pinocchio as pin
from measure import rotation

STEP = 1e-7
# Iterations from all starts, and the number of best ones that continue.
COARSE, FINAL = 20, 8
# Dominant weight of the squared violation of standing goals.
STANDING = 1e8


def cross(axis):
    x, y, z = axis
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def clamped(values, lower, upper):
    """Signed excess over the bounds."""
    low, up = ([sign * np.inf if bound is None else bound for bound in each] for each, sign in ((lower, -1), (upper, 1)))
    return values - np.clip(values, low, up)


class Batch:
    """Kinematics of many configurations of a robot's chain at once. Other joints stay at 0."""

    def __init__(self, robot, names):
        model, data = robot.model, robot.model.createData()
        self.names, self.model, self.joints = names, model, []
        neutral = pin.neutral(model)
        pin.forwardKinematics(model, data, neutral)
        for index in range(1, model.njoints):
            joint, moved = model.joints[index], model.joints[index].createData()
            joint.calc(moved, neutral)
            at = names.index(model.names[index]) if model.names[index] in names else None
            self.joints.append((model.parents[index], model.jointPlacements[index], at, np.ravel(moved.S)))
        self.base = robot.base

    def places(self, q):
        """Rotations and translations of all joints."""
        turns, shifts = [np.tile(np.eye(3), (len(q), 1, 1))], [np.zeros((len(q), 3))]
        for parent, placement, at, axis in self.joints:
            turn = turns[parent] @ placement.rotation
            shift = shifts[parent] + turns[parent] @ placement.translation
            if at is not None:
                value = q[:, at]
                k = cross(axis[3:])
                turning = np.eye(3) + np.sin(value)[:, None, None] * k + (1 - np.cos(value))[:, None, None] * (k @ k)
                shift = shift + (turn @ axis[:3]) * value[:, None]
                turn = turn @ turning
            turns.append(turn)
            shifts.append(shift)
        return turns, shifts

    def pose(self, places, link):
        """Poses of a link in the root's frame."""
        frame = self.model.frames[self.model.getFrameId(link)]
        turn, shift = places[0][frame.parentJoint], places[1][frame.parentJoint]
        return turn @ frame.placement.rotation, shift + turn @ frame.placement.translation


def angle_row(axis, direction):
    return np.arctan2(np.linalg.norm(np.cross(axis, direction), axis=1), np.einsum('ij,ij->i', axis, direction))[:, None]


def log(matrices):
    """Rotation vectors."""
    skew = (matrices - np.swapaxes(matrices, 1, 2)) / 2
    out = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], 1)
    sine, cosine = np.linalg.norm(out, axis=1), (np.trace(matrices, axis1=1, axis2=2) - 1) / 2
    angle = np.arctan2(sine, cosine)
    scale = np.where(sine > 1e-6, angle / np.where(sine > 1e-6, sine, 1), 1.0)
    out = out * scale[:, None]
    for i in np.flatnonzero(angle > 3.1):
        out[i] = pin.log3(matrices[i])
    return out


class Objective:
    """Rows of the goals of a case: signed violations, metres divided by `scale`, times the root of the weight."""

    def __init__(self, batch, goals, scale):
        self.batch, self.goals, self.scale = batch, goals, scale

    def violations(self, goal, q, places):
        batch, bounds = self.batch, (goal.get('lower') or [None] * 3, goal.get('upper') or [None] * 3)
        if goal['type'] == 'joints':
            total = sum(factor * q[:, batch.names.index(name)] for name, factor in goal['coefficients'].items())
            return clamped(total[:, None], [goal.get('lower')], [goal.get('upper')])
        base, at = batch.pose(places, goal.get('frame', batch.base)), batch.pose(places, goal['link'])
        turn = np.swapaxes(base[0], 1, 2) @ at[0]
        shift = np.einsum('ikj,ik->ij', base[0], at[1] - base[1])
        point, p = shift + turn @ np.array(goal.get('point', (0, 0, 0)), float), np.array(goal.get('p', (0, 0, 0)), float)
        if goal['type'] == 'position':
            return clamped((point - p) @ rotation(goal), *bounds)
        if goal['type'] == 'distance':
            offset = point - p
            if 'direction' in goal:
                line = np.array(goal['direction']) / np.linalg.norm(goal['direction'])
                offset = offset - (offset @ line)[:, None] * line
            return clamped(np.linalg.norm(offset, axis=1)[:, None], [goal.get('lower')], [goal.get('upper')])
        if goal['type'] in ('cone', 'gaze'):
            axis = turn @ np.array(goal['axis'], float)
            direction = np.tile(goal['direction'], (len(q), 1)).astype(float) if goal['type'] == 'cone' else p - point
            return np.maximum(0, angle_row(axis, direction) - goal['angle'])
        error = rotation(goal).T @ turn
        if goal.get('parameterization') == 'xyz_euler':
            beta = np.arctan2(error[:, 0, 2], np.hypot(error[:, 0, 0], error[:, 0, 1]))
            values = np.stack([np.arctan2(-error[:, 1, 2], error[:, 2, 2]), beta, np.arctan2(-error[:, 0, 1], error[:, 0, 0])], 1)
        else:
            values = log(error)
            values = values @ rotation(goal).T if goal.get('axes') == 'frame' else values
        return clamped(values, *bounds)

    def rows(self, q):
        places, out = self.batch.places(q), []
        for goal in self.goals:
            unit = self.scale if goal['type'] in ('position', 'distance') else 1.0
            weight = goal.get('weight', 1.0) * (STANDING if goal.get('standing') else 1.0)
            out.append(self.violations(goal, q, places) * np.sqrt(weight) / unit)
        return np.concatenate(out, axis=1)

    def error(self, q):
        return (self.rows(q) ** 2).sum(axis=1)

    def jacobian(self, q):
        starts, n = q.shape
        near = q[:, None, :] + STEP * np.stack([np.eye(n), -np.eye(n)]).reshape(1, 2 * n, n)
        rows = self.rows(near.reshape(-1, n)).reshape(starts, 2, n, -1)
        return np.swapaxes(rows[:, 0] - rows[:, 1], 1, 2) / (2 * STEP)


def descend(objective, q, limits, iterations=120, solved=1e-16):
    """Local minima within limits (n, 2), from each row of `q`, with their errors, until one is below `solved`."""
    damping, error, eye = np.full(len(q), 1e-3), objective.error(q), np.eye(q.shape[1])
    best = error.min()
    for iteration in range(iterations):
        jacobian, rows = objective.jacobian(q), objective.rows(q)
        gradient = np.einsum('ijk,ij->ik', jacobian, rows)
        blocked = ((q <= limits[:, 0]) & (gradient > 0)) | ((q >= limits[:, 1]) & (gradient < 0))
        jacobian = np.where(blocked[:, None, :], 0, jacobian)
        matrix = np.swapaxes(jacobian, 1, 2) @ jacobian
        least_damping = 1e-13 * np.trace(matrix, axis1=1, axis2=2)
        matrix = matrix + (damping + least_damping)[:, None, None] * eye
        step = -np.linalg.solve(matrix, np.where(blocked, 0, gradient)[:, :, None])[:, :, 0]
        step *= np.minimum(1, 0.7 / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
        there = np.clip(q + step, limits[:, 0], limits[:, 1])
        found = objective.error(there)
        better = found < error
        q, error = np.where(better[:, None], there, q), np.where(better, found, error)
        damping = np.clip(np.where(better, damping / 4, damping * 4), 1e-12, 1e6)
        if error.min() < solved:
            break
        if iteration % 20 == 19:
            if error.min() > best * (1 - 1e-9):
                break
            best = error.min()
    return q, error


def least(objective, limits, rng, starts=40, more=(), **descent):
    """The best of the local minima from random starts, and from `more`; `descent` has further arguments of `descend`."""
    wide = np.clip(limits, -np.pi, np.pi) if np.isinf(limits).any() else limits
    begin = np.concatenate([rng.uniform(wide[:, 0], wide[:, 1], (starts, len(limits))), np.reshape(more, (-1, len(limits)))])
    q, error = descend(objective, begin, limits, **descent | {'iterations': COARSE})
    q, error = descend(objective, q[np.argsort(error)[:FINAL]], limits, **descent)
    best = error.argmin()
    return q[best], float(error[best])


def bounds_of(file):
    """The joint limits of a case file, (n, 2), infinite for continuous joints."""
    limits = np.array([file['lower'], file['upper']], float).T
    limits[np.array(file['continuous'])] = -np.inf, np.inf
    return limits


def length_scale(robot, names, tip):
    """0.4 times the sum of the distances between joints and to the tip: the solver's length scale of a radian."""
    model, total = robot.model, 0.0
    frame = model.frames[model.getFrameId(tip)]
    joint, offset = frame.parentJoint, frame.placement.translation
    while model.names[joint] in names:
        total += np.linalg.norm(offset)
        joint, offset = model.parents[joint], model.jointPlacements[joint].translation
    return 0.4 * total
