"""Goals among obstacles, judged by Pinocchio and coal.

    obstacles.py free COUNT SCENES.json…      goals that a free configuration meets
    obstacles.py blocked COUNT SCENES.json…   goals that only an obstacle makes infeasible

SCENES.json is a scene file of `urdf_ik evaluate`; `arm7` stands for the bundled arm among random shapes. Needs the module urdfik."""
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
from measure import TOLERANCE, Robot, violation
from problems import MIXED, SINGLE, Problems

import urdfik

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / 'benches/peers'))
from scenes import Judge, bundled, read  # noqa: E402

ATTEMPTS, TIMEOUT = 100_000, 0.1
# Distance from obstacles of a known solution [m]: the solver's margin is a tenth of a millimetre.
ROOM = 1e-3
# Half the edges of an obstacle around a position to reach, and the largest box of this position [m].
BLOCK, PLACE = 0.09, 0.02


class Place:
    """A robot in the scenes of a file, and the same one in the module urdfik."""

    def __init__(self, path):
        self.scenes = bundled(ROOT, Path(tempfile.mkdtemp()), 100) if path == 'arm7' else read(path, None)
        self.judge, self.robot = Judge(self.scenes), Robot(str(self.scenes.urdf), self.scenes.base)
        self.problems = Problems(self.robot, [self.scenes.tip], 11)
        self.arm = urdfik.Arm(self.scenes.urdf, tip=self.scenes.tip, base=self.scenes.base, srdf=self.scenes.srdf,
                              package_dirs=self.scenes.folders)
        self.order = self.arm.order(self.judge.names)

    def enter(self, case):
        self.judge.enter(case)
        known = set(self.arm.robot.joint_names)
        rest = {name: position for name, position in case['start'].items() if name in known}
        self.world = urdfik.World(self.arm, case['obstacles'], rest=rest)

    def is_roomy(self, q):
        for request in self.judge.shapes_data.collisionRequests:
            request.security_margin = ROOM
        free = self.judge.is_free(q)
        for request in self.judge.shapes_data.collisionRequests:
            request.security_margin = 0.0
        return free and self.world.is_free(self.ours(q))

    def ours(self, q):
        positions = np.empty(len(q))
        positions[self.order] = q
        return positions

    def place(self, q):
        self.robot.place(dict(zip(self.judge.names, q.tolist())))

    def free_configuration(self, rng):
        for _ in range(300):
            q = rng.uniform(self.judge.lower, self.judge.upper)
            if self.is_roomy(q):
                return q
        return None

    def solve(self, goals, **options):
        seed = dict(zip(self.judge.names, self.judge.start()))
        begin = time.perf_counter()
        answer = self.arm.solve(goals=goals, seed=seed, avoid=self.world, **options)
        return answer, time.perf_counter() - begin

    def verdict(self, goals, answer):
        """Whether the goals are met within the limits, and whether the configuration is free of collisions."""
        q = answer.positions[self.order]
        self.place(q)
        inside = np.all((q >= self.judge.lower - 1e-9) & (q <= self.judge.upper + 1e-9) | np.array([j.nq == 2 for j in self.judge.joints]))
        return inside and all(violation(self.robot, goal) <= TOLERANCE for goal in goals), self.judge.is_free(q)


def free(place, count):
    """Solved share, answers in contact or wrong, and times."""
    rng, kinds_of = np.random.default_rng(4), [(kind,) for kind in SINGLE] + MIXED
    solved, wrong, times, failures, index = 0, 0, [], [], 0
    while len(times) < count:
        place.enter(place.scenes.cases[index * 7 % len(place.scenes.cases)])
        kinds, index = kinds_of[index % len(kinds_of)], index + 1
        q = place.free_configuration(rng)
        if q is None:
            continue
        place.place(q)
        goals = [place.problems.goal(kind, place.scenes.tip) for kind in kinds]
        answer, duration = place.solve(goals, attempts=ATTEMPTS, timeout=TIMEOUT)
        times.append(duration)
        if answer.solved:
            met, clear = place.verdict(goals, answer)
            good = met and clear
            wrong += not good
        else:
            good = False
        solved += good
        if not good:
            failures.append(f'    problem {index - 1}, {"+".join(kinds)}: {"wrong" if answer.solved else answer.reason}')
    times = 1e6 * np.array(times)
    print(f'{place.scenes.robot}: {solved} of {count}, {wrong} in contact or wrong, mean {times.mean():.0f} µs, '
          f'median {np.median(times):.0f}, 99 % {np.quantile(times, 0.99):.0f}', *failures, sep='\n', flush=True)
    return solved < 0.995 * count or wrong


def vertices(place):
    """Points of the shapes that move with the tip, in the tip's frame."""
    frame = place.judge.model.frames[place.judge.tip]
    for shape in place.judge.links.geometryObjects:
        if shape.parentJoint == frame.parentJoint:
            to_tip = frame.placement.inverse() * shape.placement
            if isinstance(shape.geometry, coal.BVHModelBase):
                for index in range(shape.geometry.num_vertices):
                    yield to_tip.act(np.ravel(shape.geometry.vertex(index)))
            else:
                yield to_tip.translation


def blocked(place, count):
    """How often the reported reason is the obstacle around a position to reach."""
    rng, points, reasons, index, right = np.random.default_rng(8), list(vertices(place)), Counter(), 0, 0
    start = place.scenes.cases[0]['start']
    while index < count:
        place.enter({'start': start, 'obstacles': []})
        q = place.free_configuration(rng)
        place.place(q)
        goal = place.problems.goal('position', place.scenes.tip)
        point = points[rng.integers(len(points))]
        x = place.robot.pose(place.scenes.tip).act(point)
        half = rng.uniform(0.002, PLACE, 3)
        goal |= {'point': point.tolist(), 'p': x.tolist(), 'lower': (-half).tolist(), 'upper': half.tolist()}
        base = place.robot.data.oMf[place.robot.model.getFrameId(place.scenes.base)]
        turn = pin.Quaternion(pin.exp3(rng.uniform(-2, 2, 3))).coeffs().tolist()
        obstacle = {'id': 'block', 'type': 'box', 'size': [2 * BLOCK] * 3, 'p': base.act(x).tolist(), 'q_xyzw': turn}
        if np.linalg.norm(x[:2]) < 0.35:
            continue
        goals = [goal, place.problems.goal('cone', place.scenes.tip)][:1 + index % 2]
        place.enter({'start': start, 'obstacles': [obstacle]})
        answer, _ = place.solve(goals)
        index += 1
        named = not answer.solved and 'block' in answer.reason
        right += named
        reasons[str(answer.outcome)] += 1
        if not named:
            print(f'    problem {index - 1}: {answer.reason}')
    print(f'{place.scenes.robot}: {right} of {count} with the obstacle as reason; {dict(reasons)}', flush=True)
    return right < count


if __name__ == '__main__':
    judge = {'free': free, 'blocked': blocked}[sys.argv[1]]
    sys.exit(sum(judge(Place(path), int(sys.argv[2])) for path in sys.argv[3:]) > 0)
