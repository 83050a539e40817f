"""Random problems of goals, and their check by Pinocchio.

    judge.py make ROBOT.urdf BASE TIP[,TIP…] OUT.json COUNT [SEED]   problems that a random configuration meets
    judge.py infeasible ROBOT.urdf BASE TIP OUT.json COUNT [SEED]    problems with one reason to fail
    urdf_ik evaluate --cases OUT.json --solutions S.json --outcomes O.json
    judge.py check OUT.json S.json [O.json]                          what the command line found

Each kind is measured by its definition in docs/goals.md, from Pinocchio's kinematics of the whole robot."""
import json
import math
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin

TOLERANCE = 1.01e-5


class Robot:
    """The whole robot; joints off the chain stay at 0."""

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
        # Pinocchio's centre of mass leaves out the links that are fixed to the root.
        fixed, moving = self.model.inertias[0], sum(inertia.mass for inertia in self.model.inertias[1:])
        moment = moving * pin.centerOfMass(self.model, self.data, q) if moving else np.zeros(3)
        self.center = (moment + fixed.mass * fixed.lever) / max(moving + fixed.mass, 1e-300)
        return self

    def pose(self, link):
        """Pose of a link in the base link's frame."""
        base, frame = (self.data.oMf[self.model.getFrameId(name)] for name in (self.base, link))
        return base.inverse() * frame

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
    """The norm of what exceeds the bounds."""
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
    """How much a goal is violated [m or rad]."""
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


class Problems:
    """Goals around the configuration of a robot."""

    def __init__(self, robot, tips, seed):
        self.robot, self.tips, self.rng = robot, tips, np.random.default_rng(seed)
        self.names, self.limits, self.circles = robot.chain(tips)

    def unit(self):
        vector = self.rng.normal(size=3)
        return vector / np.linalg.norm(vector)

    def sample(self):
        return self.rng.uniform(np.maximum(self.limits[:, 0], -math.pi), np.minimum(self.limits[:, 1], math.pi))

    def turned(self, matrix):
        q = pin.Quaternion(matrix)
        return [q.x, q.y, q.z, q.w]

    def goal(self, kind, tip, frame=None):
        """A goal that the placed configuration meets."""
        rng, robot = self.rng, self.robot
        where = robot.pose(frame) if frame else pin.SE3.Identity()
        link, point = where.inverse() * robot.pose(tip), rng.uniform(-0.1, 0.1, 3)
        x, half = link.act(point), rng.uniform(0.002, 0.05, 3)
        shift, box = rng.uniform(-1, 1, 3) * half, {'lower': (-half).tolist(), 'upper': half.tolist()}
        turn = pin.exp3(rng.uniform(-2, 2, 3))
        goal = {'type': kind.split()[0], 'link': tip} | ({'frame': frame} if frame else {})
        if kind.startswith(('position', 'distance', 'gaze')):
            goal['point'] = point.tolist()
        if kind == 'position':
            return goal | box | {'p': (x + turn @ shift).tolist(), 'q_xyzw': self.turned(turn)}
        if kind == 'position exact':
            return goal | {'p': x.tolist(), 'lower': [0, 0, 0], 'upper': [0, 0, 0]}
        if kind.startswith('distance'):
            p = x + 0.3 * self.unit()
            line = {'direction': self.unit().tolist()} if kind == 'distance line' else {}
            offset = x - p - (np.array(line['direction']) * (np.array(line['direction']) @ (x - p)) if line else 0)
            far = float(np.linalg.norm(offset))
            return goal | line | {'p': p.tolist(), 'lower': max(0.0, far - 0.01), 'upper': far + 0.002}
        if kind.startswith('cone'):
            axis, off = self.unit(), 0.0 if kind == 'cone exact' else rng.uniform(0, 0.3)
            direction = pin.exp3(off * self.unit()) @ link.rotation @ axis
            return goal | {'axis': axis.tolist(), 'direction': direction.tolist(), 'angle': off + 0.02 if off else 0.0}
        if kind.startswith('gaze'):
            axis, off = self.unit(), 0.0 if kind == 'gaze exact' else 0.05
            seen = x + rng.uniform(0.3, 1) * (pin.exp3(off * self.unit()) @ link.rotation @ axis)
            return goal | {'axis': axis.tolist(), 'p': seen.tolist(), 'angle': 0.08 if off else 0.0}
        if kind.startswith('orientation'):
            turn, width = pin.exp3(rng.uniform(-0.05, 0.05, 3)), 0.0 if kind == 'orientation exact' else 0.12
            form = {'orientation euler': {'parameterization': 'xyz_euler'}, 'orientation frame': {'axes': 'frame'}}.get(kind, {})
            center = link.rotation if width == 0.0 else link.rotation @ turn
            return goal | form | {'q_xyzw': self.turned(center), 'lower': [-width] * 3, 'upper': [width] * 3}
        if kind == 'joints':
            names = rng.choice(self.names, 2, replace=False)
            factors = dict(zip(names.tolist(), rng.uniform(0.5, 2, 2).tolist()))
            total = sum(factor * robot.positions[name] for name, factor in factors.items())
            return {'type': 'joints', 'coefficients': factors, 'lower': total - 0.01, 'upper': total + 0.02}
        root = where.inverse() * robot.data.oMf[robot.model.getFrameId(robot.base)].inverse()
        return {'type': 'center_of_mass', **({'frame': frame} if frame else {}), **box, 'p': (root.act(robot.center) + shift).tolist()}

    def case(self, goals, kind, **more):
        middle = [0.0 if circle else float(low + up) / 2 for (low, up), circle in zip(self.limits, self.circles)]
        return {'seed': middle, 'seed_random': self.sample().tolist(), 'goals': goals, 'kind': kind, **more}


SINGLE = ['position', 'position exact', 'distance', 'distance line', 'cone', 'cone exact', 'gaze', 'gaze exact', 'orientation',
          'orientation euler', 'orientation frame', 'orientation exact', 'joints']
MIXED = [('position', 'cone'), ('position', 'gaze'), ('distance', 'orientation'), ('position', 'orientation'), ('cone', 'distance'),
         ('position exact', 'cone exact'), ('position', 'orientation euler', 'joints'), ('position exact', 'orientation exact')]


def make(robot, tips, count, seed):
    problems = Problems(robot, tips, seed)
    middle_link = robot.model.frames[robot.model.getFrameId(tips[0])]
    frames = [robot.model.frames[i].name for i in range(robot.model.nframes)
              if robot.model.frames[i].type == pin.BODY and robot.model.frames[i].parentJoint not in (0, middle_link.parentJoint)
              and robot.model.names[robot.model.frames[i].parentJoint] in problems.names]
    has_mass = sum(inertia.mass for inertia in robot.model.inertias) > 0
    combinations = [(kind,) for kind in SINGLE] + MIXED + ([('center_of_mass',)] if has_mass else [])
    for index in range(count):
        robot.place(dict(zip(problems.names, problems.sample().tolist())))
        kinds = combinations[index % len(combinations)]
        if len(tips) > 1 and index // len(combinations) % 2 == 0:
            # The pose of one tip relative to the other.
            goals, name = [problems.goal(kind, tips[0], tips[1]) for kind in kinds], 'relative ' + '+'.join(kinds)
        elif index // len(combinations) % 3 == 2 and frames:
            frame = frames[problems.rng.integers(len(frames))]
            goals, name = [problems.goal(kind, tips[0], frame) for kind in kinds], 'framed ' + '+'.join(kinds)
        else:
            tip = tips[problems.rng.integers(len(tips))]
            goals, name = [problems.goal(kind, tip) for kind in kinds], '+'.join(kinds)
        worst = max(violation(robot, goal) for goal in goals)
        assert worst <= 1e-9, (name, worst)
        yield problems.case(goals, name)


def infeasible(robot, tips, count, seed):
    """Problems with one reason: a box out of reach, two incompatible cones, a joint that would have to pass its limit."""
    problems, tip = Problems(robot, tips, seed), tips[0]
    far = 2 * max(np.linalg.norm(robot.place(dict(zip(problems.names, problems.sample()))).pose(tip).translation) for _ in range(200))
    bounded = [i for i, circle in enumerate(problems.circles) if not circle and np.ptp(problems.limits[i]) < 5.5]
    for index in range(count):
        q = problems.sample()
        reason = ('reach', 'conflict', 'limits')[index % (3 if bounded else 2)]
        if reason == 'limits':
            joint = bounded[problems.rng.integers(len(bounded))]
            side = problems.rng.integers(2)
            q[joint] = problems.limits[joint][side] + (2 * side - 1) * problems.rng.uniform(0.2, 0.4)
        robot.place(dict(zip(problems.names, q.tolist())))
        if reason == 'reach':
            goals = [problems.goal('position', tip) | {'p': (far * problems.unit() * 1.5).tolist()}, problems.goal('cone', tip)]
        elif reason == 'conflict':
            cone = problems.goal('cone', tip)
            other = cone | {'direction': (-np.array(cone['direction'])).tolist(), 'angle': 0.3}
            goals = [cone, other, problems.goal('distance', tip)]
        else:
            name = problems.names[joint]
            # Only this joint value meets the relation.
            relation = {'type': 'joints', 'coefficients': {name: 1.0}, 'lower': q[joint] - 0.05, 'upper': q[joint] + 0.05}
            goals = [relation, problems.goal('cone', tip)]
        yield problems.case(goals, reason, reason=reason)


def write(kind, urdf, base, tips, out, count, seed=1):
    tips = tips.split(',')
    robot = Robot(urdf, base)
    names, limits, circles = robot.chain(tips)
    cases = list({'make': make, 'infeasible': infeasible}[kind](robot, tips, int(count), int(seed)))
    head = {'robot': Path(urdf).stem, 'urdf': str(Path(urdf).resolve()), 'base_link': base, 'tip_links': tips, 'joint_names': names,
            'lower': limits[:, 0].tolist(), 'upper': limits[:, 1].tolist(), 'continuous': circles}
    Path(out).write_text(json.dumps(head | {'cases': cases}))


def check(cases, solutions, outcomes=None):
    file = json.loads(Path(cases).read_text())
    robot, counts = Robot(file['urdf'], file['base_link']), {}
    answers = json.loads(Path(solutions).read_text())
    words = {'reach': 'cannot be met, even without joint limits', 'conflict': 'excludes the others', 'limits': 'limit'}
    sentences = json.loads(Path(outcomes).read_text()) if outcomes else [''] * len(answers)
    for case, q, sentence in zip(file['cases'], answers, sentences):
        solved, wrong, total = counts.setdefault(case['kind'], [0, 0, 0])
        if 'reason' in case:
            good, claimed = q is None and words[case['reason']] in sentence, q is not None
            if not good:
                print(case['kind'], sentence)
        elif q is None:
            good = claimed = False
        else:
            robot.place(dict(zip(file['joint_names'], q)))
            inside = all(circle or low - 1e-9 <= v <= up + 1e-9
                         for v, low, up, circle in zip(q, file['lower'], file['upper'], file['continuous']))
            good = inside and all(violation(robot, goal) <= TOLERANCE for goal in case['goals'])
            claimed = not good
        counts[case['kind']] = [solved + good, wrong + claimed, total + 1]
    failed = {kind: count for kind, count in counts.items() if count[0] < count[2] or count[1]}
    good, wrong, total = np.sum(list(counts.values()), axis=0)
    print(f"{file['robot']}: {good} of {total}, {wrong} false claims")
    for kind, (solved, wrong, total) in failed.items():
        print(f'    {kind}: {solved} of {total}, {wrong} false')
    return bool(failed)


if sys.argv[1] == 'check':
    sys.exit(check(*sys.argv[2:]))
write(*sys.argv[1:])
