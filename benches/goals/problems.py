"""Problems of goals that hold at a random configuration."""
import math

import numpy as np
import pinocchio as pin
from measure import requirements, violation


class Problems:
    """Goals around the configuration of a robot."""

    def __init__(self, robot, tips, seed):
        self.robot, self.tips, self.rng = robot, tips, np.random.default_rng(seed)
        self.names, self.limits, self.circles = robot.chain(tips)
        slides = [robot.model.joints[robot.model.getJointId(name)].shortname().startswith('JointModelP') for name in self.names]
        self.turning = [name for name, slide in zip(self.names, slides) if not slide]

    def place(self, q):
        """The robot, with its chain at `q`."""
        return self.robot.place(dict(zip(self.names, q.tolist())))

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
            axis, off = self.unit(), rng.uniform(0, 0.3) if kind == 'cone' else 0.0
            direction = pin.exp3(off * self.unit()) @ link.rotation @ axis
            return goal | {'axis': axis.tolist(), 'direction': direction.tolist(), 'angle': 0.0 if kind == 'cone exact' else off + 0.02}
        if kind.startswith('gaze'):
            axis, off = self.unit(), 0.05 if kind == 'gaze' else 0.0
            seen = x + rng.uniform(0.3, 1) * (pin.exp3(off * self.unit()) @ link.rotation @ axis)
            return goal | {'axis': axis.tolist(), 'p': seen.tolist(), 'angle': {'gaze': 0.08, 'gaze around': 0.02}.get(kind, 0.0)}
        if kind.startswith('orientation'):
            turn, width = pin.exp3(rng.uniform(-0.05, 0.05, 3)), 0.0 if kind == 'orientation exact' else 0.12
            form = {'orientation euler': {'parameterization': 'xyz_euler'}, 'orientation frame': {'axes': 'frame'}}.get(kind, {})
            center = link.rotation if width == 0.0 else link.rotation @ turn
            return goal | form | {'q_xyzw': self.turned(center), 'lower': [-width] * 3, 'upper': [width] * 3}
        if kind == 'joints':
            names = rng.choice(self.turning, 2, replace=False)
            factors = dict(zip(names.tolist(), rng.uniform(0.5, 2, 2).tolist()))
            total = sum(factor * robot.positions[name] for name, factor in factors.items())
            return {'type': 'joints', 'coefficients': factors, 'lower': total - 0.01, 'upper': total + 0.02}
        root = where.inverse() * robot.data.oMf[robot.model.getFrameId(robot.base)].inverse()
        if kind.endswith('exact'):
            shift, box = 0, {'lower': [0, 0, 0], 'upper': [0, 0, 0]}
        return {'type': 'center_of_mass', **({'frame': frame} if frame else {}), **box, 'p': (root.act(robot.center) + shift).tolist()}

    def any_case(self, kinds, turn, frames):
        """Goals of these kinds: relative to the other tip, in a moving frame, or on one tip, in turn."""
        tips, rng = self.tips, self.rng
        if kinds == ('pose',):
            return self.pose_case(tips[0])
        if len(tips) > 1 and turn % 2 == 0:
            goals, name = [self.goal(kind, tips[0], tips[1]) for kind in kinds], 'relative ' + '+'.join(kinds)
        elif turn % 3 == 2 and frames:
            frame = frames[rng.integers(len(frames))]
            goals, name = [self.goal(kind, tips[0], frame) for kind in kinds], 'framed ' + '+'.join(kinds)
        else:
            tip = tips[rng.integers(len(tips))]
            goals, name = [self.goal(kind, tip) for kind in kinds], '+'.join(kinds)
        return self.case(goals, name)

    def of_two_tips(self, variant):
        """The relative pose of two tips or the centre of mass, alone and with the position of a tip, and the name of the goals."""
        (first, second), exact = self.tips, {'lower': [0, 0, 0], 'upper': [0, 0, 0]}
        center = [self.goal('center_of_mass exact', first)]
        relative = self.robot.relative(first, second)
        place = {'type': 'position', 'link': second, 'p': self.robot.pose(second).translation.tolist()}
        pose = [{'type': 'position', 'p': relative.translation.tolist()}, {'type': 'orientation', 'q_xyzw': self.turned(relative.rotation)}]
        pose = [goal | exact | {'link': first, 'frame': second} for goal in pose]
        return [(pose, 'relative pose'), ([*pose, place | exact], 'relative pose+position'), (center, 'center_of_mass'),
                ([*center, place | exact], 'center_of_mass+position')][variant]

    def pose_case(self, tip):
        pose = self.robot.pose(tip)
        return self.case([], 'pose', target={'p': pose.translation.tolist(), 'q_xyzw': self.turned(pose.rotation)}, tip=tip)

    def case(self, goals, kind, **more):
        middle = [0.0 if circle else float(low + up) / 2 for (low, up), circle in zip(self.limits, self.circles)]
        made = {'seed': middle, 'seed_random': self.sample().tolist(), 'goals': goals, 'kind': kind, **more}
        worst = max(violation(self.robot, goal) for goal in requirements(made)) if 'reason' not in made else 0.0
        assert worst <= 1e-9, (kind, worst)
        return made


SINGLE = ['position', 'position exact', 'distance', 'distance line', 'cone', 'cone exact', 'gaze', 'gaze exact', 'orientation',
          'orientation euler', 'orientation frame', 'orientation exact', 'joints']
MIXED = [('position', 'cone'), ('position', 'gaze'), ('distance', 'orientation'), ('position', 'orientation'), ('cone', 'distance'),
         ('position exact', 'cone exact'), ('position', 'orientation euler', 'joints'), ('position exact', 'orientation exact')]
# Goals with a feasible centre, which is the target of the tasks of mink and placo.
PEERS = [('pose',), ('position exact',), ('cone around',), ('gaze around',), ('position exact', 'cone around'),
         ('position exact', 'gaze around')]


def has_mass(robot):
    return sum(inertia.mass for inertia in robot.model.inertias) > 0


def combinations(robot):
    """Full poses, single kinds and mixtures; the centre of mass for a robot with masses."""
    return [('pose',)] + [(kind,) for kind in SINGLE] + ([('center_of_mass',)] if has_mass(robot) else []) + MIXED


def moving_links(robot, problems):
    """Links that the chain moves, but not together with the first tip."""
    last = robot.model.frames[robot.model.getFrameId(problems.tips[0])].parentJoint
    return [frame.name for frame in robot.model.frames
            if frame.type == pin.BODY and frame.parentJoint not in (0, last) and robot.model.names[frame.parentJoint] in problems.names]


def make(robot, tips, count, seed):
    """Each combination in turn, a third of them in moving frames; with several tips half of them relative."""
    problems = Problems(robot, tips, seed)
    frames, kinds_of = moving_links(robot, problems), combinations(robot)
    for index in range(count):
        problems.place(problems.sample())
        yield problems.any_case(kinds_of[index % len(kinds_of)], index // len(kinds_of), frames)


def at_limits(robot, tips, count, seed):
    """Mixtures, and poses, for a configuration with one to three joints exactly at limits."""
    problems = Problems(robot, tips, seed)
    frames, kinds_of = moving_links(robot, problems), [*MIXED, ('pose',)]
    bounded = [i for i, circle in enumerate(problems.circles) if not circle]
    for index in range(count):
        q = problems.sample()
        for joint in problems.rng.choice(bounded, min(len(bounded), 1 + index % 3), replace=False):
            q[joint] = problems.limits[joint][problems.rng.integers(2)]
        problems.place(q)
        yield problems.any_case(kinds_of[index % len(kinds_of)], index // len(kinds_of), frames)


def for_peers(robot, tips, count, seed):
    """Goals supported by mink and placo, too: exact ones; with two tips relative poses, and with masses the centre of mass."""
    problems = Problems(robot, tips, seed)
    for index in range(count):
        problems.place(problems.sample())
        if len(tips) == 2:
            yield problems.case(*problems.of_two_tips(index % (4 if has_mass(robot) else 2)))
        elif index % len(PEERS) == 0:
            yield problems.pose_case(tips[0])
        else:
            kinds = PEERS[index % len(PEERS)]
            yield problems.case([problems.goal(kind, tips[0]) for kind in kinds], '+'.join(kinds))
