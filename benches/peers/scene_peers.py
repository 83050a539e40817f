"""A peer on one scene file: python scene_peers.py PEER SCENES.json CHAIN.urdf LIMIT TOLERANCE RUNS

LIMIT is in seconds, TOLERANCE in metres and radians. The last line of the output is one JSON object: `solutions`, one
list of positions in the order of the chain or null for each case, and `times_us`, the smallest time of its runs in
microseconds. Obstacles are put in place before the clock starts.
"""
import math
import sys
import time

import numpy as np

import scenes
from python_peers import print_answers, timed

STARTS = 10_000  # of roboplan: more than its time allows
ITERATIONS = 100  # of one start, its default
CALL = 0.005  # [s] of one call of TRAC-IK: the time in its own documentation


def trac_ik(judge, chain_urdf, limit, tolerance):
    """TRAC-IK from the start, then from random seeds, until coal finds no collision."""
    import pytracik
    from trac_ik import TracIK

    solver = TracIK(judge.scenes.base, judge.scenes.tip, chain_urdf, timeout=CALL, epsilon=tolerance / math.sqrt(3),
                    solver_type='Speed')
    random = np.random.default_rng(1)

    def prepare():
        target, seed = judge.case['target'], judge.start()

        def solve():
            start, end = seed, time.perf_counter() + limit
            while time.perf_counter() < end:
                answer = pytracik.ik(solver._ik_solver, start, *target['p'], *target['q_xyzw'])
                if answer[0] >= 0 and judge.is_free(answer[1:]):
                    return answer[1:]
                start = random.uniform(judge.lower, judge.upper)
            return None
        return solve
    return prepare


def roboplan(judge, _chain_urdf, limit, tolerance):
    """roboplan's SimpleIk, which checks collisions with coal itself and restarts after a collision."""
    import roboplan.core as core
    from roboplan.simple_ik import SimpleIk, SimpleIkOptions

    of = judge.scenes
    world = core.Scene(of.robot, core.loadUrdfSceneDescription(str(of.urdf), of.folders))
    world.importSrdf(of.srdf.read_text())
    world.addGroupFromChain('chain', of.base, of.tip)
    names = world.getJointGroupInfo('chain').joint_names
    options = SimpleIkOptions(group_name='chain', max_iters=ITERATIONS, max_time=limit, max_restarts=STARTS,
                              max_linear_error_norm=tolerance, max_angular_error_norm=tolerance, check_collisions=True)
    add = {'box': lambda one: (world.addBoxGeometry, core.Box(*one['size'])),
           'sphere': lambda one: (world.addSphereGeometry, core.Sphere(one['radius'])),
           'cylinder': lambda one: (world.addCylinderGeometry, core.Cylinder(one['radius'], one['length']))}
    present = []

    def surround():
        for name in present:
            world.removeGeometry(name)
        present[:] = [f'obstacle {number}' for number in range(len(judge.case['obstacles']))]
        for name, one in zip(present, judge.case['obstacles'], strict=True):
            put, shape = add[one['type']](one)
            put(name, 'universe', shape, np.asfortranarray(scenes.pose_of(one).homogeneous), np.ones(4))
        world.setCollisions([(a, b) for a in present for b in present if a < b], False)

    def values(name, position):
        return (math.cos(position), math.sin(position)) if judge.joint(name).nq == 2 else (position,)

    def positions(answer):
        """In the order of the chain; joints without limits are cosine and sine."""
        numbers, found = list(answer.positions), {}
        for name in answer.joint_names or names:
            found[name] = numbers.pop(0)
            if judge.joint(name).nq == 2:
                found[name] = math.atan2(numbers.pop(0), found[name])
        return [found[name] for name in judge.names]

    def prepare():
        surround()
        world.setJointPositions(judge.rest)
        solver, at = SimpleIk(world, options), dict(zip(judge.names, judge.start(), strict=True))
        start = core.JointConfiguration(names, np.concatenate([values(name, at[name]) for name in names]))
        goal = np.asfortranarray(scenes.pose_of(judge.case['target']).homogeneous)
        goal = core.CartesianConfiguration(of.base, of.tip, goal)

        def solve():
            answer = core.JointConfiguration()
            return positions(answer) if solver.solveIk(goal, start, answer) else None
        return solve
    return prepare


PEERS = {'trac_ik': trac_ik, 'roboplan': roboplan}


def main():
    name, path, chain_urdf, limit, tolerance, runs = sys.argv[1:]
    of = scenes.read(path, None)
    judge = scenes.Judge(of)
    prepare = PEERS[name](judge, chain_urdf, float(limit), float(tolerance))
    answers = []
    for case in of.cases:
        judge.enter(case)
        answers.append(timed(prepare(), (), int(runs)))
    print_answers(answers)


if __name__ == '__main__':
    main()
