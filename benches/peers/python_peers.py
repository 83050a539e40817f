"""A peer with a Python interface on one case file: python python_peers.py PEER CASES.json LIMIT TOLERANCE RUNS

LIMIT is in seconds, TOLERANCE in metres and radians. The last line of the output is one JSON object: `solutions`, one
list of positions or null for each case, and `times_us`, the smallest time of its runs in microseconds. The arguments of
each solve are made beforehand, so that the time is that of the peer's own function.
"""
import gc
import json
import math
import sys
import time
from pathlib import Path

import numpy as np
import pinocchio


def trac_ik(content, limit, tolerance):
    """TRAC-IK compares each of the six components with its tolerance; the check of the answers uses the norms of both vectors."""
    import pytracik
    from trac_ik import TracIK

    solver = TracIK(content['base_link'], content['tip_link'], content['chain_urdf'], timeout=limit,
                    epsilon=tolerance / math.sqrt(3), solver_type='Speed')

    def solve(seed, position, quaternion, _matrix):
        answer = pytracik.ik(solver._ik_solver, seed, *position, *quaternion)
        return answer[1:] if answer[0] >= 0 else None
    return solve


def optik(content, limit, tolerance):
    """OptIK minimises the squared norm of the pose error's logarithm. It rejects joints without limits."""
    from optik import Robot, SolverConfig

    robot = Robot.from_urdf_file(content['bounded_urdf'], content['base_link'], content['tip_link'])
    robot.set_parallelism(1)
    settings = SolverConfig(solution_mode='speed', max_time=limit, max_restarts=1_000_000, tol_f=tolerance**2,
                            tol_df=-1, tol_dx=-1)

    def solve(seed, _position, _quaternion, matrix):
        answer = robot.ik(settings, matrix, seed)
        return None if answer is None else answer[0]
    return solve


def elementary_transforms(segments):
    """The chain in roboticstoolbox's form; its joints rotate about z or slide along z, so frames are rotated accordingly."""
    from roboticstoolbox import ET, ETS
    from spatialmath import SE3

    steps, way, index = [], pinocchio.SE3.Identity(), 0
    for segment in segments:
        rotation = pinocchio.rpy.rpyToMatrix(np.array(segment['roll_pitch_yaw']))
        way = way * pinocchio.SE3(rotation, np.array(segment['origin']))
        if segment['kind'] == 'fixed':
            continue
        turned = pinocchio.Quaternion.FromTwoVectors(np.array([0.0, 0, 1]), np.array(segment['axis']))
        to_axis = pinocchio.SE3(turned.toRotationMatrix(), np.zeros(3))
        joint = ET.tz if segment['kind'] == 'slide' else ET.Rz
        steps.append(ET.SE3(SE3((way * to_axis).homogeneous, check=False)))
        steps.append(joint(jindex=index, qlim=[segment['lower'], segment['upper']]))
        way, index = to_axis.inverse(), index + 1
    steps.append(ET.SE3(SE3(way.homogeneous, check=False)))
    return ETS(steps)


def roboticstoolbox(content, limit, tolerance):
    """ik_LM with its defaults, repeated until the time is over, because it has no clock: ten starts at a time."""
    transforms = elementary_transforms(content['segments'])

    def solve(seed, _position, _quaternion, matrix):
        end = time.perf_counter() + limit
        while True:
            answer = transforms.ik_LM(matrix, q0=seed, slimit=10, tol=0.5 * tolerance**2)
            if answer.success:
                return answer.q
            if time.perf_counter() >= end:
                return None
            seed = None  # it draws one
    return solve


PEERS = {'trac_ik': trac_ik, 'optik': optik, 'roboticstoolbox': roboticstoolbox}


def arguments_of(case):
    """Seed, position, quaternion and homogeneous matrix of a case."""
    position, quaternion = case['target']['p'], case['target']['q_xyzw']
    matrix = np.eye(4)
    matrix[:3, :3] = pinocchio.Quaternion(np.array(quaternion)).normalized().toRotationMatrix()
    matrix[:3, 3] = position
    return np.array(case['seed'], float), position, quaternion, matrix


def attempt(solve, arguments):
    """A solution or None; a Rust panic, which is no Exception in Python, is no solution."""
    try:
        return solve(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as failure:
        print(f'{type(failure).__name__}: {failure}', file=sys.stderr)
        return None


def timed(solve, case, runs):
    """The first of this many solutions of a case, a list or None, and their minimum time in microseconds."""
    solutions, took = [], []
    for _ in range(runs):
        began = time.perf_counter()
        solutions.append(attempt(solve, case))
        took.append((time.perf_counter() - began) * 1e6)
    first = solutions[0]
    return None if first is None else [float(position) for position in first], min(took)


def print_answers(answers):
    """Prints pairs of a solution and its time."""
    print('\n' + json.dumps({'solutions': [solution for solution, _ in answers], 'times_us': [took for _, took in answers]}))


def main():
    name, path, limit, tolerance, runs = sys.argv[1:]
    content = json.loads(Path(path).read_text())
    solve = PEERS[name](content, float(limit), float(tolerance))
    cases = [arguments_of(case) for case in content['cases']]
    attempt(solve, cases[0])
    gc.disable()
    print_answers([timed(solve, case, int(runs)) for case in cases])


if __name__ == '__main__':
    main()
