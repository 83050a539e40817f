"""Robots among obstacles: scenes read from files or drawn for the bundled arm, and the judge, Pinocchio with coal's
exact shapes.

Lengths are in metres, angles in radians, quaternions x y z w. A scene file is what `urdf_ik evaluate
--avoid-collisions` reads.
"""
import json
import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import coal
import numpy as np
import pinocchio

from arms import BUNDLED, RANDOM_SEED, Kinematics, pose_of

DRAWN = 100  # configurations in which a pair must touch to be excluded


@dataclass
class Scenes:
    """A robot and its cases, with absolute paths."""

    robot: str
    urdf: Path
    srdf: Path
    base: str
    tip: str
    cases: list[dict]

    @property
    def folders(self):
        """Search path of `package://`: the folders above the URDF."""
        return [str(folder) for folder in self.urdf.parents]


def read(path, count):
    content = json.loads(Path(path).read_text())
    urdf, srdf = ((Path(path).parent / content[key]).resolve() for key in ('urdf', 'srdf'))
    return Scenes(content['robot'], urdf, srdf, content['base_link'], content['tip_link'], content['cases'][:count])


def write(scenes, path):
    path.write_text(json.dumps({'robot': scenes.robot, 'urdf': str(scenes.urdf), 'srdf': str(scenes.srdf),
                                'base_link': scenes.base, 'tip_link': scenes.tip, 'cases': scenes.cases}))


def shape_of(obstacle):
    kind = obstacle['type']
    if kind == 'box':
        return coal.Box(*obstacle['size'])
    if kind == 'sphere':
        return coal.Sphere(obstacle['radius'])
    return coal.Cylinder(obstacle['radius'], obstacle['length'])


class Judge(Kinematics):
    """A robot with its collision shapes, among the obstacles of one case at a time."""

    def __init__(self, scenes):
        super().__init__(scenes.urdf, scenes.base, scenes.tip)
        self.scenes = scenes
        self.links = pinocchio.buildGeomFromUrdf(self.model, str(scenes.urdf), pinocchio.GeometryType.COLLISION,
                                                 package_dirs=scenes.folders)
        self.links.addAllCollisionPairs()
        frames = [shape.parentFrame for shape in self.links.geometryObjects]
        for pair in list(self.links.collisionPairs):
            if frames[pair.first] == frames[pair.second]:
                self.links.removeCollisionPair(pair)
        if scenes.srdf:
            pinocchio.removeCollisionPairs(self.model, self.links, str(scenes.srdf))

    def enter(self, case):
        """Places the obstacles of a case around the robot, and the other joints at their positions in the case."""
        self.case, self.shapes = case, self.links.copy()
        moving = [index for index, shape in enumerate(self.links.geometryObjects) if shape.parentJoint != 0]
        for number, obstacle in enumerate(case['obstacles']):
            thing = pinocchio.GeometryObject(f'obstacle {number}', 0, pose_of(obstacle), shape_of(obstacle))
            at = self.shapes.addGeometryObject(thing)
            for link in moving:
                self.shapes.addCollisionPair(pinocchio.CollisionPair(link, at))
        self.shapes_data = pinocchio.GeometryData(self.shapes)
        self.rest = pinocchio.neutral(self.model)
        for name, position in case['start'].items():
            if self.model.existJointName(name):
                self.put(self.rest, self.joint(name), position)

    def is_free(self, positions):
        configuration = self.configuration(positions)
        shapes = self.shapes, self.shapes_data
        return not pinocchio.computeCollisions(self.model, self.data, *shapes, configuration, True)

    def is_right(self, positions, target, tolerance):
        """Whether the positions are right and free of collisions."""
        return super().is_right(positions, target, tolerance) and self.is_free(positions)

    def start(self):
        return np.array([self.case['start'].get(name, 0.0) for name in self.names])


def bundled(root, folder, count):
    """The project's own arm among random boxes, cylinders and spheres; a free configuration is known for each target."""
    urdf, srdf = root / BUNDLED['urdf'], folder / 'arm7.srdf'
    base, tip = BUNDLED['base_link'], BUNDLED['tip_link']
    random = np.random.default_rng(RANDOM_SEED)
    write_srdf(Judge(Scenes('arm7', urdf, None, base, tip, [])), srdf, random)
    scenes = Scenes('arm7', urdf, srdf, base, tip, [])
    judge = Judge(scenes)
    while len(scenes.cases) < count:
        case = {'start': {}, 'obstacles': [obstacle(number, random) for number in range(8)]}
        judge.enter(case)
        start, goal = (random.uniform(judge.lower, judge.upper) for _ in range(2))
        if judge.is_free(start) and judge.is_free(goal):
            pose = judge.tip_pose(goal)
            quaternion = pinocchio.Quaternion(pose.rotation).normalized()
            scenes.cases.append({**case, 'start': dict(zip(judge.names, start)),
                                 'target': {'p': list(pose.translation), 'q_xyzw': list(quaternion.coeffs())}})
    return scenes


def obstacle(number, random):
    """A random shape, outside the base of the arm."""
    angle, out, up = random.uniform(-math.pi, math.pi), random.uniform(0.3, 0.9), random.uniform(0.0, 1.0)
    turn = random.normal(size=4)
    place = {'id': f'o{number}', 'p': [out * math.cos(angle), out * math.sin(angle), up],
             'q_xyzw': list(turn / np.linalg.norm(turn))}
    size = list(random.uniform(0.05, 0.3, 3))
    return {**place, **[{'type': 'box', 'size': size}, {'type': 'sphere', 'radius': size[0] / 2},
                        {'type': 'cylinder', 'radius': size[0] / 2, 'length': size[1]}][number % 3]}


def write_srdf(judge, path, random):
    """An SRDF that permits contacts of neighbours, and contacts in all of some random configurations."""
    judge.enter({'start': {}, 'obstacles': []})
    model, shapes, data = judge.model, judge.links, pinocchio.GeometryData(judge.links)
    link = [model.frames[shape.parentFrame].name for shape in shapes.geometryObjects]
    pairs = [tuple(sorted((link[pair.first], link[pair.second]))) for pair in shapes.collisionPairs]
    always = set(pairs)
    for _ in range(DRAWN):
        configuration = judge.configuration(random.uniform(judge.lower, judge.upper))
        pinocchio.computeCollisions(model, judge.data, shapes, data, configuration, False)
        always &= {pair for pair, result in zip(pairs, data.collisionResults) if result.isCollision()}
    joints = ET.parse(judge.scenes.urdf).getroot().findall('joint')
    neighbours = {tuple(sorted(joint.find(end).get('link') for end in ('parent', 'child'))) for joint in joints}
    root = ET.Element('robot', name=judge.scenes.robot)
    for first, second in sorted(always | neighbours):
        ET.SubElement(root, 'disable_collisions', link1=first, link2=second, reason='Adjacent')
    ET.ElementTree(root).write(path)
