"""Path problems for `urdf_ik path`, and the check of its trajectories by Pinocchio and coal.

    judge.py URDF_IK PROBLEM.json…

A problem has a robot (`urdf`, `base_link`, `tip_link`, optionally `srdf`), `obstacles` in the root link's frame, and
`waypoints` in the base link's frame. Each one is planned without a start, and from the solution of the first pose nearest to
the middle of the joint ranges. Between the points of a trajectory the joints move at constant velocity."""
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pinocchio as pin

sys.path.append(str(Path(__file__).resolve().parents[1] / 'peers'))
import scenes  # noqa: E402

SPEED, BLEND_RADIUS = 0.25, 0.0005
POSITION, ANGLE = 1e-4, math.radians(0.1)
SAMPLES = 4
"""Samples between two points of a trajectory."""
ROUNDING = 1.02
"""Maximum ratio of finite differences of rounded positions to the limits."""


class Judge(scenes.Judge):
    """The robot of a problem among its obstacles."""

    def __init__(self, problem, folder):
        self.problem = problem
        self.urdf, self.srdf = (str((Path(folder) / problem[key]).resolve()) if problem.get(key) else None for key in ('urdf', 'srdf'))
        super().__init__(scenes.Scenes('', Path(self.urdf), self.srdf, problem['base_link'], problem['tip_link'], []))
        if not self.srdf:
            self.remove_touching_pairs()
        self.enter({'start': {}, 'obstacles': problem['obstacles']})
        waypoints = [scenes.pose_of(waypoint) for waypoint in self.problem['waypoints']]
        turns = [pin.log3(one.rotation.T @ other.rotation) for one, other in zip(waypoints, waypoints[1:])]
        self.segments = [segment for segment in zip(waypoints, waypoints[1:], turns)
                         if np.linalg.norm(segment[1].translation - segment[0].translation) + np.linalg.norm(segment[2]) > 1e-6]

    @classmethod
    def of(cls, file):
        return cls(json.loads(Path(file).read_text()), Path(file).parent)

    def remove_touching_pairs(self):
        """Removes the pairs of neighbouring links, and those in contact in all of 100 random configurations."""
        shape_data = pin.GeometryData(self.links)
        pairs = [(pair.first, pair.second) for pair in self.links.collisionPairs]
        touching = np.ones(len(pairs), bool)
        for _ in range(100):
            pin.computeCollisions(self.model, self.data, self.links, shape_data, pin.randomConfiguration(self.model), False)
            touching &= [result.isCollision() for result in shape_data.collisionResults]
        for pair, touches in zip(pairs, touching):
            one, other = (self.links.geometryObjects[link].parentJoint for link in pair)
            if touches or one == self.model.parents[other] or other == self.model.parents[one]:
                self.links.removeCollisionPair(pin.CollisionPair(*pair))

    def apart(self, tip, segment, share):
        """Position and angle error from a point on the path, and the position tolerance there."""
        one, other, turn = self.segments[segment]
        at = one.translation + share * (other.translation - one.translation)
        angle = np.linalg.norm(pin.log3((one.rotation @ pin.exp3(share * turn)).T @ tip.rotation))
        size = np.linalg.norm(other.translation - one.translation)
        # Corners are rounded.
        allowed = POSITION + BLEND_RADIUS * (min(share, 1 - share) * size < 1.5 * BLEND_RADIUS)
        return np.linalg.norm(tip.translation - at), angle, allowed

    def error(self, tip, near):
        """The errors of a tip relative to the tolerances, and its segment: the last one near `near` that contains the tip, as a path may
        return on itself, or else the nearest one."""
        found = []
        for segment in range(max(near - 1, 0), min(near + 3, len(self.segments))):
            one, other, turn = self.segments[segment]
            shift = other.translation - one.translation
            shares = [0.0]
            if shift @ shift > 1e-12:
                shares.append((tip.translation - one.translation) @ shift / (shift @ shift))
            if turn @ turn > 1e-12:
                shares.append(pin.log3(one.rotation.T @ tip.rotation) @ turn / (turn @ turn))
            for share in np.clip(shares, 0, 1):
                position, angle, allowed = self.apart(tip, segment, share)
                found.append((max(position / allowed, angle / ANGLE), segment))
        on_path = [place for place in found if place[0] <= 1]
        return max(on_path, key=lambda place: place[1]) if on_path else min(found)

    def faults(self, answer):
        points, order = answer['points'], [answer['joint_names'].index(name) for name in self.names]
        positions = np.array([point['positions'] for point in points])[:, order]
        if answer['fraction'] < 1:
            return [f"ends after {answer['fraction']:.3f}: {answer['stop']}"]
        contacts, worst, segment, faults = 0, 0.0, 0, []
        for one, other in zip(positions, positions[1:]):
            for part in range(SAMPLES):
                q = one + part / SAMPLES * (other - one)
                contacts += not self.is_free(q)
                ratio, segment = self.error(self.tip_pose(q), segment)
                worst = max(worst, ratio)
        reached, _ = self.error(self.tip_pose(positions[-1]), len(self.segments) - 1)
        if contacts:
            faults.append(f'{contacts} contacts')
        if max(worst, reached) > 1:
            faults.append(f'{worst:.3f} of the allowed deviation')
        if segment < len(self.segments) - 2:
            faults.append(f'ends at line {segment}')
        velocities = np.array([self.model.velocityLimit[joint.idx_v] for joint in self.joints])
        period = points[1]['time'] - points[0]['time']
        rates = np.diff(positions, axis=0, prepend=positions[:1], append=positions[-1:]) / period
        speed = (np.abs(rates) / velocities).max()
        # Joints without acceleration limits reach their velocity limit in 0.2 s.
        acceleration = (np.abs(np.diff(rates, axis=0)) / period / (velocities / 0.2)).max()
        ratios = (('velocity', speed), ('acceleration', acceleration))
        faults += [f'{ratio:.3f} of the {what}' for what, ratio in ratios if ratio > ROUNDING]
        return faults

    def plan(self, program, start):
        with tempfile.TemporaryDirectory() as folder:
            for key in ('waypoints', 'obstacles'):
                Path(folder, key).write_text(json.dumps(self.problem[key]))
            robot = ['--urdf', self.urdf, '--base', self.problem['base_link'], '--tip', self.problem['tip_link'],
                     '--obstacles', str(Path(folder, 'obstacles')), *(['--srdf', self.srdf] if self.srdf else [])]
            options = []
            if start:
                first = self.problem['waypoints'][0]
                pose = [str(number) for number in (*first['p'], *first['q_xyzw'])]
                solved = subprocess.run([program, 'solve', *robot, '--pick', 'nearest', '--target', *pose], capture_output=True, check=True)
                options = ['--start', json.dumps(json.loads(solved.stdout)['positions'])]
            began = time.monotonic()
            run = subprocess.run([program, 'path', *robot, '--waypoints', str(Path(folder, 'waypoints')), '--speed', str(SPEED),
                                  '--blend-radius', str(BLEND_RADIUS), *options], capture_output=True, text=True)
            seconds = time.monotonic() - began
        if run.returncode > 1:
            raise SystemExit(run.stderr)
        return json.loads(run.stdout), seconds


def limits(arm):
    """The range of random positions of the joints of a `urdfik.Arm`."""
    return [np.where(np.isinf(ends), np.sign(ends) * math.pi, ends) for ends in (arm.lower, arm.upper)]


def joint_length(positions):
    return np.linalg.norm(np.diff(positions, axis=0), axis=1).sum()


def main():
    program, *files = sys.argv[1:]
    failed = 0
    print('problem, start, result, joint length, duration [s], planning [s]')
    for file in files:
        judge = Judge.of(file)
        for start in (False, True):
            answer, seconds = judge.plan(program, start)
            faults = judge.faults(answer)
            failed += bool(faults)
            positions = np.array([point['positions'] for point in answer['points']])
            print(f"{judge.problem['name']}, {'given' if start else 'free'}, {'; '.join(faults) or 'good'}, {joint_length(positions):.3f}, "
                  f"{answer['points'][-1]['time']:.2f}, {seconds:.2f}", flush=True)
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
