"""All solutions of six-joint arms compared with EAIK's: python all_solutions.py BENCH CASES.json …

BENCH is the program that `cargo bench --bench closed_form --no-run` names; EAIK is `pip install eaik`. EAIK gets the poses that its
own forward kinematics computes at the configurations of the cases, all in one call to its C++ part with one thread, so that what Python
adds is shared by all. Both take turns, and the fastest run of each counts.
"""
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from eaik.IK_URDF import UrdfRobot

TURNS = 5
RUNS = 20

bench, files = sys.argv[1], sys.argv[2:]


def eaik(robot, poses):
    """Mean time per pose in the fastest of some runs [µs], and the number of solutions."""
    fastest = np.inf
    for _ in range(RUNS):
        start = time.perf_counter()
        answers = robot.IK_batched(poses, 1)
        fastest = min(fastest, time.perf_counter() - start)
    exact = [np.count_nonzero(~np.array(answer.is_LS, dtype=bool)) for answer in answers]
    return 1e6 * fastest / len(poses), np.mean(exact)


def ours(file):
    words = subprocess.run([bench, file], capture_output=True, text=True, check=True).stdout.split()
    return [float(words[index]) for index in (2, 4, 6)]


for file in files:
    content = json.loads(Path(file).read_text())
    robot = UrdfRobot(str(Path(file).parent / content['urdf']))
    poses = [np.asarray(robot._robot.fwdkin(np.array(case['q_source']))) for case in content['cases']]
    runs = [(ours(file), eaik(robot, poses)) for _ in range(TURNS)]
    solutions, postures = (min(own[column] for own, _ in runs) for column in (0, 1))
    peer = min(other[0] for _, other in runs)
    print(f'{content["robot"]}: {solutions:.2f} us for {runs[0][0][2]:.2f} solutions inside the limits, {postures:.2f} us by the '
          f'formulas alone; EAIK {peer:.2f} us for {runs[0][1][1]:.2f}; ratio {solutions / peer:.2f}')
