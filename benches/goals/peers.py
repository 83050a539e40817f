"""Solved share and time of mink, placo and Drake on the problems of `judge.py for_peers`, beside urdf_ik in the same run.

    peers.py CASES.json URDF_IK [PEER]…

All start at the random seeds; a peer with ten starts draws nine more after a failure. Answers of peers count within 1e-4 m and rad,
those of urdf_ik within 1e-5. It fails if a peer solves more, or urdf_ik needs over 1/50 of its time."""
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import TOLERANCE, Robot, meets

PEER_TOLERANCE, SHARE, SAME = 1e-4, 1 / 50, 1e-6


def peer_of(name, file):
    if name == 'mink':
        from mink_peer import Mink
        return Mink(file)
    if name == 'placo':
        from placo_peer import Placo
        return Placo(file)
    from drake_peer import Drake
    return Drake(file)


def kinematic_difference(peer, robot, file):
    """The largest difference of tip poses, and of the centre of mass, from Pinocchio's."""
    rng, worst = np.random.default_rng(3), 0.0
    lower, upper = np.maximum(file['lower'], -np.pi), np.minimum(file['upper'], np.pi)
    for _ in range(20):
        q = rng.uniform(lower, upper)
        robot.place(dict(zip(file['joint_names'], q)))
        for tip in file['tip_links']:
            pose, center = peer.pose(q, tip)
            worst = max(worst, np.abs(robot.pose(tip).homogeneous - pose).max())
        if any('center_of_mass' in case['kind'] for case in file['cases']):
            worst = max(worst, np.abs(robot.center - center).max())
    return worst


def ours(path, program):
    """Solutions and times [s] of `urdf_ik evaluate`."""
    with tempfile.TemporaryDirectory() as folder:
        out, times = Path(folder) / 'solutions.json', Path(folder) / 'times.json'
        files = ['--cases', path, '--solutions', out, '--times', times]
        subprocess.run([program, 'evaluate', '--seed', 'random', '--timeout-ms', '100', *files], check=True, capture_output=True)
        return json.loads(out.read_text()), 1e-6 * np.array(json.loads(times.read_text()))


def theirs(peer, robot, file, starts):
    """Whether a peer solves each case, and its processor time [s] without that of the check."""
    rng, solved, times = np.random.default_rng(1), [], []
    lower, upper = np.maximum(file['lower'], -np.pi), np.minimum(file['upper'], np.pi)
    for case in file['cases']:
        duration, good = 0.0, False
        for index in range(starts):
            start = np.array(case['seed_random']) if index == 0 else rng.uniform(lower, upper)
            begin = time.process_time()
            try:
                q = peer.solve(case, start)
            except Exception as failure:  # any failure of a peer is an unsolved problem
                q = None
                print(f'{peer.name}: {type(failure).__name__}: {failure}', file=sys.stderr)
            duration += time.process_time() - begin
            good = q is not None and meets(robot, file, case, q, PEER_TOLERANCE)
            if good:
                break
        solved.append(good)
        times.append(duration)
    return np.array(solved), np.array(times)


class Comparison:
    """A case file with our answers."""

    def __init__(self, path, program):
        self.file = json.loads(Path(path).read_text())
        cases = self.file['cases']
        self.robot, self.kinds = Robot(self.file['urdf'], self.file['base_link']), np.array([case['kind'] for case in cases])
        answers, self.times = ours(path, program)
        self.solved = np.array([q is not None and meets(self.robot, self.file, case, q, TOLERANCE) for case, q in zip(cases, answers)])
        print(f"{self.file['robot']}: urdf_ik {self.solved.sum()} of {len(cases)} in {1e6 * self.times.mean():.1f} µs")

    def of_kind(self, kind, solved, times):
        chosen = self.kinds == kind
        return (f'{kind} {solved[chosen].sum()} of {chosen.sum()} in {1e3 * times[chosen].mean():.1f} ms '
                f'(ours {self.solved[chosen].sum()} in {1e6 * self.times[chosen].mean():.1f} µs)')

    def judge(self, name, starts):
        """Whether a peer solves more, or urdf_ik exceeds its share of the peer's time."""
        peer = peer_of(name, self.file)
        difference = kinematic_difference(peer, self.robot, self.file)
        assert difference < SAME, f'the kinematics of {name} differ by {difference}'
        solved, times = theirs(peer, self.robot, self.file, starts)
        ratio = times.mean() / self.times.mean()
        kinds = [self.of_kind(kind, solved, times) for kind in dict.fromkeys(self.kinds.tolist())]
        print(f'    {name}, {starts} starts: {solved.sum()} in {1e3 * times.mean():.2f} ms, {ratio:.0f} times ours')
        print('        ' + '; '.join(kinds), flush=True)
        return solved.sum() > self.solved.sum() or ratio < 1 / SHARE


def main(path, program, *names):
    comparison = Comparison(path, program)
    return sum(comparison.judge(name, starts) for name in names or ('mink', 'Drake') for starts in (1, 10)) > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
