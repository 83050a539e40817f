"""Random paths for judge.py and starts.py: lines, circles, and arcs with rotation, through the pose of a random
configuration, every second one among obstacles. Ten of the poses of each have solutions clear of collisions.

    make.py FOLDER COUNT SEED URDF:BASE:TIP[:SRDF]…

writes COUNT problems per robot. It needs `urdfik`, `pin` and `numpy`."""
import json
import math
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
from judge import Judge, limits

import urdfik

CHECKED_POSES = 10


def frame(rng):
    """Two random perpendicular unit vectors."""
    return np.linalg.qr(rng.normal(size=(3, 2)))[0].T


def line(rng):
    direction, length = frame(rng)[0], rng.uniform(0.2, 0.6)
    return [(part * length * direction, np.zeros(3)) for part in (-0.5, 0.5)]


def round_path(rng, radius, angle, turn):
    """An arc of this many radians that rotates the tip by a random vector of that norm; displacements and rotations from its middle."""
    (outward, along), axis = frame(rng), frame(rng)[0]
    parts = np.linspace(-0.5, 0.5, 2 + math.ceil(angle / 0.06))
    return [(radius * ((math.cos(angle * part) - 1) * outward + math.sin(angle * part) * along), part * turn * axis) for part in parts]


def circle(rng):
    return round_path(rng, rng.uniform(0.05, 0.2), 2 * math.pi, 0)


def arc(rng):
    return round_path(rng, rng.uniform(0.1, 0.3), rng.uniform(1, 3), rng.uniform(0.3, 1.5))


def obstacle(rng, place):
    kind = str(rng.choice(['box', 'sphere', 'cylinder']))
    sizes = {'box': {'size': rng.uniform(0.05, 0.3, 3).tolist()}, 'sphere': {'radius': rng.uniform(0.03, 0.15)},
             'cylinder': {'radius': rng.uniform(0.03, 0.1), 'length': rng.uniform(0.1, 0.5)}}
    turn = pin.Quaternion(pin.exp3(rng.normal(size=3)))
    return {'type': kind, **sizes[kind], 'p': (place + rng.uniform(0.1, 0.4) * frame(rng)[0]).tolist(),
            'q_xyzw': turn.coeffs().tolist()}


def make(rng, robot, kind, has_obstacles):
    judge = Judge({**robot, 'obstacles': [], 'waypoints': []}, '.')
    arm = urdfik.Arm(judge.urdf, robot['tip_link'], robot['base_link'], srdf=judge.srdf)
    middle = judge.tip_pose(rng.uniform(*limits(arm))[arm.order(judge.names)])
    base = judge.data.oMf[judge.base]
    poses = [pin.SE3(middle.rotation @ pin.exp3(turn), middle.translation + shift) for shift, turn in kind(rng)]
    near = rng.choice(len(poses), rng.integers(1, 6) if has_obstacles else 0)
    obstacles = [{'id': f'o{i}', **obstacle(rng, base.act(poses[pose].translation))} for i, pose in enumerate(near)]
    world = urdfik.World(arm, obstacles)
    for pose in np.linspace(0, len(poses) - 1, CHECKED_POSES):
        pose = pin.SE3.Interpolate(poses[math.floor(pose)], poses[math.ceil(pose)], pose % 1)
        if not arm.solve(pose.homogeneous, avoid=world).solved:
            return None
    waypoints = [{'p': pose.translation.tolist(), 'q_xyzw': pin.Quaternion(pose.rotation).coeffs().tolist()} for pose in poses]
    return {**robot, 'obstacles': obstacles, 'waypoints': waypoints}


def main():
    folder, count, seed, *robots = sys.argv[1:]
    for robot in robots:
        robot = dict(zip(('urdf', 'base_link', 'tip_link', 'srdf'), robot.split(':')))
        robot |= {key: str(Path(robot[key]).resolve()) for key in ('urdf', 'srdf') if key in robot}
        for number in range(int(count)):
            rng, problem = np.random.default_rng([int(seed), number]), None
            kind = (line, circle, arc)[number // 2 % 3]
            while problem is None:
                problem = make(rng, robot, kind, bool(number % 2))
            name = f"{Path(robot['urdf']).stem}_{robot['base_link']}_{number}_{kind.__name__}"
            Path(folder, f'{name}.json').write_text(json.dumps({'name': name, **problem}))


main()
