"""Quality of the answers to unsolvable problems: the ratio of the weighted squared violation to the best of 40 starts.

    judge.py infeasible|standing … CASES.json …
    nearest.py CASES.json…

The unit of length is 0.4 times the reach, as in the solver. Standing goals must hold; the squared violation is that of the others.
Needs the module urdfik."""
import json
import sys
from pathlib import Path

import numpy as np
from measure import TOLERANCE, Robot, requirements, violation
from optimise import Batch, Objective, bounds_of, least, length_scale

import urdfik

# Smaller errors count as solvable problems.
SOLVABLE = 1e-9
STARTS = 40
BOUNDS = {0.5: 1.001, 0.99: 1.02, 1.0: 1.1}


class Nearest:
    """A case file's robot, for Pinocchio, for the optimisation, and for urdfik."""

    def __init__(self, file):
        self.file, self.robot = file, Robot(file['urdf'], file['base_link'])
        self.batch = Batch(self.robot, file['joint_names'])
        self.arm = urdfik.Arm(file['urdf'], tip=file['tip_links'], base=file['base_link'])
        self.order, self.limits = self.arm.order(file['joint_names']), bounds_of(file)
        self.scale, self.rng = length_scale(self.robot, file['joint_names'], file['tip_links'][0]), np.random.default_rng(2)

    def error(self, goals, q):
        """The weighted squared violation by Pinocchio, without standing goals, and the worst violation of these."""
        self.robot.place(dict(zip(self.file['joint_names'], q)))
        total, standing = 0.0, 0.0
        for goal in goals:
            unit = self.scale if goal['type'] in ('position', 'distance') else 1.0
            if goal.get('standing'):
                standing = max(standing, violation(self.robot, goal))
            else:
                total += goal.get('weight', 1.0) * (violation(self.robot, goal) / unit) ** 2
        return total, standing

    def answer(self, case):
        """Our positions from the random seed, and the outcome."""
        seed = np.empty(len(self.order))
        seed[self.order] = case['seed_random']
        pose = None
        if 'target' in case:
            pose = {case['tip']: [*case['target']['p'], *case['target']['q_xyzw']]}
        answer = self.arm.solve(pose, seed, goals=case['goals'])
        return answer.positions[self.order], answer.reason

    def best(self, goals, more):
        """The smallest error of the optimisation, from random starts and from our answer, with standing goals met; 0 if solvable."""
        objective = Objective(self.batch, goals, self.scale)
        alone, _ = least(objective, self.limits, self.rng, STARTS)
        both, _ = least(objective, self.limits, self.rng, 0, [more, alone])
        errors = [self.error(goals, q) for q in (alone, both)]
        return min((error for error, standing in errors if standing <= TOLERANCE), default=np.inf)


def judge(path):
    file = json.loads(Path(path).read_text())
    nearest, ratios, left, skipped = Nearest(file), [], 0, 0
    for index, case in enumerate(file['cases']):
        goals = requirements(case)
        q, reason = nearest.answer(case)
        ours, standing = nearest.error(goals, q)
        best = min(nearest.best(goals, q), ours if standing <= TOLERANCE else np.inf)
        left += standing > TOLERANCE
        if standing > TOLERANCE:
            print(f"    case {index}, {case['kind']}: the standing goal is violated by {standing:.1e}: {reason}")
        if best < SOLVABLE:
            skipped += 1
            if ours > SOLVABLE:
                print(f"    case {index}, {case['kind']}: can be solved, but ours has {ours:.2e}: {reason}")
            continue
        ratios.append(ours / best)
        if ratios[-1] > BOUNDS[0.99]:
            print(f"    case {index}, {case['kind']}: {ratios[-1]:.4f} times the best, {best:.3e}: {reason}")
    shares = {share: float(np.quantile(ratios, share, method='lower')) for share in BOUNDS}
    print(f"{file['robot']}: {len(ratios)} problems ({skipped} can be solved), {left} with a violated standing goal; "
          f"over the best: " + ', '.join(f'{100 * share:.0f} % {shares[share]:.5f}' for share in BOUNDS), flush=True)
    return left > 0 or any(shares[share] > BOUNDS[share] for share in BOUNDS)


if __name__ == '__main__':
    sys.exit(sum(judge(path) for path in sys.argv[1:]) > 0)
