"""The free start of `urdf_ik path` compared with random starts, each tracked by `urdfik` without a search.

    starts.py URDF_IK PROBLEM.json…

The problems are those of judge.py, which checks the free start. If that completes a path, its joint length is compared with the best of
50 random starts. Otherwise up to 1000 of them show whether one does. It needs `urdfik`, `pin` and `numpy`."""
import sys

import numpy as np
from judge import BLEND_RADIUS, SPEED, Judge, joint_length, limits, scenes

import urdfik

COMPARED, TRIED = 50, 1000
LONGER = 1.1
"""Accepted ratio of joint lengths."""


def random_starts(judge):
    """The joint lengths of complete motions from random starts; infinite for others."""
    problem, rng = judge.problem, np.random.default_rng(1)
    arm = urdfik.Arm(judge.urdf, problem['tip_link'], problem['base_link'], srdf=judge.srdf)
    world = urdfik.World(arm, problem['obstacles'])
    waypoints = np.array([scenes.pose_of(waypoint).homogeneous for waypoint in problem['waypoints']])
    while True:
        start = rng.uniform(*limits(arm))
        found = arm.path(waypoints, start, search=0, blend_radius=BLEND_RADIUS, speed=SPEED, avoid=world)
        yield joint_length(found.positions) if found.fraction == 1 else np.inf


def compare(program, file):
    """Whether the path is valid, whether it can be completed, and the ratio of joint lengths."""
    judge = Judge.of(file)
    answer, seconds = judge.plan(program, False)
    faults, starts = judge.faults(answer), random_starts(judge)
    ratio = np.nan
    if answer['fraction'] == 1:
        best = min(length for length, _ in zip(starts, range(COMPARED)))
        length = joint_length(np.array([point['positions'] for point in answer['points']]))
        ratio, is_possible = length / best, True
    else:
        is_possible = any(length < np.inf for length, _ in zip(starts, range(TRIED)))
    possible = '' if is_possible else ', no random start completes it'
    print(f"{judge.problem['name']}: {'; '.join(faults) or 'good'}{possible}, {ratio:.3f} of the joint length, {seconds:.2f} s", flush=True)
    return not faults, is_possible, ratio


def main():
    program, *files = sys.argv[1:]
    found = [compare(program, file) for file in files]
    possible = np.array([(good, ratio) for good, is_possible, ratio in found if is_possible]).reshape(-1, 2)
    good, short = np.count_nonzero(possible[:, 0]), np.count_nonzero(possible[:, 1] <= LONGER)
    print(f'{len(possible)} of {len(files)} paths are possible: {good} good, {short} at most {LONGER} times as long as the best')
    sys.exit(int(good < 0.99 * len(possible) or short < good))


if __name__ == '__main__':
    main()
