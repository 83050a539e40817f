"""Problems with exactly one reason for infeasibility, and a check of this property."""
import numpy as np
from optimise import Batch, Objective, least, length_scale
from problems import Problems

REASONS = ('reach', 'cones', 'limits', 'boxes', 'limits of a pose', 'reach of a distance', 'relations')
# The largest weighted squared violation of a solvable problem, and the smallest one of an unsolvable problem.
SOLVED, UNSOLVED = 1e-11, 1e-6


class Infeasible:
    """Makes problems for each reason around random configurations."""

    def __init__(self, robot, tip, seed):
        self.robot, self.tip, self.problems = robot, tip, Problems(robot, [tip], seed)
        names = self.problems.names
        self.rng, self.limits, self.circles = self.problems.rng, self.problems.limits, self.problems.circles
        self.batch, self.scale = Batch(robot, names), length_scale(robot, names, tip)
        self.bounded = [i for i, circle in enumerate(self.circles) if not circle and np.ptp(self.limits[i]) < 5.5]
        self.within = np.where(np.array(self.circles)[:, None], [-np.inf, np.inf], self.limits)
        self.far = 2 * max(np.linalg.norm(self.problems.place(self.problems.sample()).pose(tip).translation) for _ in range(200))

    def least(self, goals, limits):
        return least(Objective(self.batch, goals, self.scale), limits, self.rng, iterations=60, solved=SOLVED)[1]

    def beyond(self, q):
        """A configuration with one joint beyond a limit, and the name of this joint."""
        joint = self.bounded[self.rng.integers(len(self.bounded))]
        side = self.rng.integers(2)
        q[joint] = self.limits[joint][side] + (2 * side - 1) * self.rng.uniform(0.2, 0.4)
        return q, self.problems.names[joint]

    def goals(self, kind):
        problems, tip, q = self.problems, self.tip, self.problems.sample()
        if kind.startswith('limits'):
            q, name = self.beyond(q)
        problems.place(q)
        if kind == 'reach':
            return [problems.goal('position', tip) | {'p': (self.far * problems.unit() * 1.5).tolist()}, problems.goal('cone', tip)]
        if kind == 'reach of a distance':
            far = problems.goal('distance', tip)
            return [problems.goal('orientation', tip), far | {'lower': far['upper'] + 2 * self.far, 'upper': far['upper'] + 2.2 * self.far}]
        if kind == 'cones':
            cone = problems.goal('cone', tip)
            other = cone | {'direction': (-np.array(cone['direction'])).tolist(), 'angle': 0.3}
            return [cone, other, problems.goal('distance', tip)]
        if kind == 'boxes':
            box = problems.goal('position', tip)
            problems.place(problems.sample())
            return [box, problems.goal('position', tip) | {'point': [0, 0, 0]}, problems.goal('cone', tip)]
        if kind == 'relations':
            relation = problems.goal('joints', tip)
            below = {'lower': relation['lower'] - 0.5, 'upper': relation['lower'] - 0.1}
            return [relation, relation | below, problems.goal('position', tip)]
        if kind == 'limits':
            # The relation holds only at this joint position.
            relation = {'type': 'joints', 'coefficients': {name: 1.0}, 'lower': self.robot.positions[name] - 0.05,
                        'upper': self.robot.positions[name] + 0.05}
            return [relation, problems.goal('cone', tip)]
        return [problems.goal('position exact', tip), problems.goal('orientation exact', tip)]

    def has_one_reason(self, reason, goals):
        """Confirmed by optimisation from 40 starts: unsolvable, and solvable (or not) without limits, alone, and without a goal."""
        free = np.tile([-np.inf, np.inf], (len(self.limits), 1))
        if self.least(goals, self.within) < UNSOLVED:
            return False
        without_limits = self.least(goals, free) < SOLVED
        if reason == 'limits' or without_limits:
            return reason == 'limits' and without_limits
        alone = all(self.least([goal], free) < SOLVED for goal in goals)
        if reason == 'reach' or not alone:
            return reason == 'reach' and not alone
        return any(self.least(goals[:i] + goals[i + 1:], self.within) < SOLVED for i in range(len(goals)))


def infeasible(robot, tips, count, seed):
    """Problems with the reasons in turn: out of reach, goals that exclude each other, joint limits."""
    maker, index = Infeasible(robot, tips[0], seed), 0
    kinds = [kind for kind in REASONS if maker.bounded or not kind.startswith('limits')]
    while index < count:
        kind = kinds[index % len(kinds)]
        reason = kind.split()[0] if kind.startswith(('limits', 'reach')) else 'conflict'
        goals = maker.goals(kind)
        if maker.has_one_reason(reason, goals):
            index += 1
            yield maker.problems.case(goals, kind, reason=reason)


def standing(robot, tips, count, seed):
    """Unreachable poses with standing goals: cones, boxes and relations that the seed meets."""
    problems = Problems(robot, tips, seed)
    kinds = [('cone',), ('cone exact',), ('position',), ('joints',), ('orientation',), ('cone', 'joints'), ('gaze',)]
    for index in range(count):
        q = problems.sample()
        problems.place(q)
        goals = [problems.goal(kind, tips[0]) | {'standing': True} for kind in kinds[index % len(kinds)]]
        problems.place(problems.sample())
        made = problems.case(goals, 'standing ' + '+'.join(kinds[index % len(kinds)]), reason='standing')
        pose = robot.pose(tips[0])
        target = {'p': pose.translation.tolist(), 'q_xyzw': problems.turned(pose.rotation)}
        yield made | {'target': target, 'tip': tips[0], 'seed_random': q.tolist(), 'goals': goals}

