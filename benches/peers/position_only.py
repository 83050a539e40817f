#!/usr/bin/env python3
"""Judges `urdf_ik solve --on-unreachable position` by SciPy's SLSQP, on random full poses that are infeasible for an arm of few joints.

    python benches/peers/position_only.py URDF BASE TIP [POSES] [OPTIMISATIONS]      (needs numpy, pin, scipy, and urdf_ik on the PATH)

The position has to be within 1e-5 m if any optimisation reaches it, and the angle is compared with the best of the optimisations
from random starts. Kinematics and limits are those of Pinocchio. Prints the figures; the exit status is 0 if the position is
always reached, the angle is within 0.1 % + 1e-4 rad in 99 %, and within 2 % + 1e-4 rad in all.
"""
import json
import math
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial

import numpy as np
import pinocchio
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from arms import Kinematics

POSITION = 1e-5  # [m]
CLOSE, ALWAYS = 1.001, 1.02
SLACK = 1e-4  # [rad]


class Arm(Kinematics):
    """The kinematics of an arm, with derivatives."""

    @lru_cache(maxsize=4)  # noqa: B019
    def at(self, q):
        """Position and rotation of the tip for a tuple of joint positions, and its Jacobian in the base's axes, linear part first."""
        pose, to_base = self.tip_pose(q), self.data.oMf[self.base].rotation.T
        jacobian = pinocchio.computeFrameJacobian(self.model, self.data, self.configuration(q), self.tip, pinocchio.LOCAL_WORLD_ALIGNED)
        columns = jacobian[:, [joint.idx_v for joint in self.joints]]
        return pose.translation, pose.rotation, np.vstack([to_base @ columns[:3], to_base @ columns[3:]])

    def random(self, generator):
        return generator.uniform(self.lower, self.upper)


def angle_and_slope(arm, target, q):
    """Half the squared angle to the target, and its gradient."""
    _, rotation, jacobian = arm.at(tuple(q))
    left = target[:3, :3] @ rotation.T
    twice = np.array([left[2, 1] - left[1, 2], left[0, 2] - left[2, 0], left[1, 0] - left[0, 1]])
    sine = np.linalg.norm(twice)
    angle = math.atan2(sine, np.trace(left) - 1)
    left = twice * (angle / sine if sine > 1e-12 else 0.5)
    return 0.5 * angle * angle, -jacobian[3:].T @ left


def best_angle(arm, target, optimisations, generator):
    """The smallest angle of all optimisations that reach the position; infinite if none does."""
    at = {'type': 'eq', 'fun': lambda q: 10 * (arm.at(tuple(q))[0] - target[:3, 3]),
          'jac': lambda q: 10 * arm.at(tuple(q))[2][:3]}
    best, bounds = np.inf, list(zip(arm.lower, arm.upper))
    for _ in range(optimisations):
        found = minimize(partial(angle_and_slope, arm, target), arm.random(generator), jac=True, method='SLSQP', bounds=bounds,
                         constraints=[at], options={'maxiter': 120, 'ftol': 1e-12}).x
        found = np.clip(found, arm.lower, arm.upper)
        if np.linalg.norm(arm.at(tuple(found))[0] - target[:3, 3]) <= POSITION:
            best = min(best, np.sqrt(2 * angle_and_slope(arm, target, found)[0]))
    return best


def judge(urdf, base, tip, optimisations, number):
    """Errors of the position [m] and of the angle [rad], and the best angle of the optimisations, for one random pose."""
    arm, generator = Arm(urdf, base, tip), np.random.default_rng(number)
    target = np.eye(4)
    target[:3, :3] = Rotation.random(random_state=generator).as_matrix()
    # Most of the positions are reachable, and some are just beyond the reach.
    target[:3, 3] = arm.at(tuple(arm.random(generator)))[0] * generator.uniform(0.9, 1.15)
    numbers = [*target[:3, 3], *Rotation.from_matrix(target[:3, :3]).as_quat()]
    command = ['urdf_ik', 'solve', '--urdf', urdf, '--base', base, '--tip', tip, '--on-unreachable', 'position', '--target',
               *map(repr, map(float, numbers))]
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    q = np.array([answer['positions'][name] for name in arm.names])
    missed = np.linalg.norm(arm.at(tuple(q))[0] - target[:3, 3])
    angle = np.sqrt(2 * angle_and_slope(arm, target, q)[0])
    return missed, angle, best_angle(arm, target, optimisations, generator), answer['time_us']


def main():
    urdf, base, tip = sys.argv[1:4]
    poses, optimisations = map(int, (sys.argv[4:] + ['1000', '40'][len(sys.argv) - 4:])[:2])
    with ProcessPoolExecutor() as pool:
        found = np.array(list(pool.map(partial(judge, urdf, base, tip, optimisations), range(poses), chunksize=4)))
    missed, angle, best, time = found.T
    reachable = np.isfinite(best)
    reached = missed <= 1.01 * POSITION
    close = angle <= CLOSE * best + SLACK
    always = angle <= ALWAYS * best + SLACK
    better = angle < best / CLOSE - SLACK
    print(f'{poses} poses; position reachable by an optimisation: {reachable.sum()}, of these reached: {(reached & reachable).sum()}; '
          f'reached beyond them: {(reached & ~reachable).sum()}')
    both = reachable & reached
    print(f'angle within 0.1 % + 1e-4 rad of the best of {optimisations}: {(close & both).sum()} of {both.sum()}, within 2 %: '
          f'{(always & both).sum()}; better than the best: {(better & both).sum()}; median {np.median(angle[both]):.3f} rad; '
          f'mean time {time[both].mean():.0f} us, greatest {time.max():.0f} us')
    for number in np.flatnonzero(both & ~close)[:10]:
        print(f'  pose {number}: {angle[number]:.5f} rad, best {best[number]:.5f} rad')
    is_good = np.all(reached[reachable]) and np.mean(close[both]) >= 0.99 and np.all(always[both])
    return 0 if is_good else 1


if __name__ == '__main__':
    sys.exit(main())
