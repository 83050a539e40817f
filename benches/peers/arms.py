"""Arms and their cases: read from case files or drawn for the bundled arm, and written in the forms that solvers read.

Lengths are in metres, angles in radians, quaternions x y z w.
"""
import json
import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio

KINDS = {'fixed': 'fixed', 'revolute': 'turn', 'continuous': 'circle', 'prismatic': 'slide'}
RANDOM_SEED = 7  # of the cases drawn here: the same in every run
ROUNDING = 1e-6  # of the tolerance
LIMIT_ROOM = 1e-6  # [rad or m] beyond a joint limit: TRAC-IK's bindings store limits in single precision
CHAIN, BOUNDED_CHAIN = 'chain.urdf', 'bounded_chain.urdf'  # names of the files of write_chain_urdf
BUNDLED = {'urdf': 'urdf/arm7.urdf', 'base_link': 'base_link', 'tip_link': 'tool0'}


class ArmError(Exception):
    """An arm cannot be compared; the message gives the reason."""


@dataclass
class Segment:
    """One URDF joint with the link behind it. A circle is a continuous joint: its range is one revolution."""

    name: str
    kind: str  # fixed, turn, circle or slide
    origin: list[float]
    roll_pitch_yaw: list[float]
    axis: list[float]
    lower: float
    upper: float

    @property
    def moves(self):
        return self.kind != 'fixed'


@dataclass
class Arm:
    """A chain and its cases; seeds are in the order of the chain's joints, from the base on."""

    name: str
    urdf: Path
    base: str
    tip: str
    elements: list[ET.Element]  # the URDF's joints from base to tip
    segments: list[Segment]
    cases: list[dict]  # nominal and random: seeds; p and q_xyzw: the target of the tip in the base frame

    @property
    def joints(self):
        return [segment for segment in self.segments if segment.moves]


def floats(text):
    return [float(word) for word in text.split()]


def segment_from(joint):
    """A URDF joint as a segment; the axis is normalised."""
    name, kind = joint.get('name'), KINDS.get(joint.get('type'))
    if kind is None or joint.find('mimic') is not None:
        raise ArmError(f'the joint {name} is of a kind that not every solver knows')
    origin = joint.find('origin')
    origin = {} if origin is None else origin.attrib
    axis = joint.find('axis')
    axis = np.array(floats('1 0 0' if axis is None else axis.get('xyz')))
    lower, upper = -math.pi, math.pi
    if kind in ('turn', 'slide'):
        limit = joint.find('limit')
        if limit is None:
            raise ArmError(f'the joint {name} has no limits')
        lower, upper = float(limit.get('lower', 0)), float(limit.get('upper', 0))
    return Segment(name, kind, floats(origin.get('xyz', '0 0 0')), floats(origin.get('rpy', '0 0 0')),
                   list(axis / (np.linalg.norm(axis) or 1)), lower, upper)


def chain_elements(urdf, base, tip):
    """The URDF's joints from base to tip. The peers support only chains whose base is an ancestor of the tip."""
    by_child = {joint.find('child').get('link'): joint for joint in ET.parse(urdf).getroot().findall('joint')}
    elements, link = [], tip
    while link != base:
        if link not in by_child:
            raise ArmError(f'{base} is not an ancestor of {tip}')
        elements.insert(0, by_child[link])
        link = elements[0].find('parent').get('link')
    return elements


def arm_from(name, urdf, base, tip):
    elements = chain_elements(urdf, base, tip)
    return Arm(name, urdf, base, tip, elements, [segment_from(joint) for joint in elements], [])


def read_case_file(path, count):
    """The arm of a case file with its first `count` cases."""
    content = json.loads(path.read_text())
    urdf = (path.parent / content['urdf']).resolve()
    arm = arm_from(content['robot'], urdf, content['base_link'], content['tip_link'])
    if sorted(content['joint_names']) != sorted(joint.name for joint in arm.joints):
        raise ArmError('the case file names other joints than the chain has')
    order = [content['joint_names'].index(joint.name) for joint in arm.joints]
    for case in content['cases'][:count]:
        nominal, random = ([case[key][at] for at in order] for key in ('seed', 'seed_random'))
        arm.cases.append({'nominal': nominal, 'random': random, **case['target']})
    return arm


def bundled_arm(root, count):
    """The project's own arm, with targets computed by Pinocchio at random configurations inside the limits."""
    arm = arm_from('arm7', root / BUNDLED['urdf'], BUNDLED['base_link'], BUNDLED['tip_link'])
    kinematics, random = Kinematics(arm.urdf, arm.base, arm.tip), np.random.default_rng(RANDOM_SEED)
    lower, upper = (np.array([getattr(joint, side) for joint in arm.joints]) for side in ('lower', 'upper'))
    for _ in range(count):
        pose = kinematics.tip_pose(random.uniform(lower, upper))
        quaternion = pinocchio.Quaternion(pose.rotation).normalized()
        arm.cases.append({'nominal': list((lower + upper) / 2), 'random': list(random.uniform(lower, upper)),
                          'p': list(pose.translation), 'q_xyzw': list(quaternion.coeffs())})
    return arm


def pose_of(entry):
    """The pose of a target, a waypoint or an obstacle."""
    rotation = pinocchio.Quaternion(np.array(entry.get('q_xyzw', (0, 0, 0, 1)), float)).normalized()
    return pinocchio.SE3(rotation.toRotationMatrix(), np.array(entry['p'], float))


class Kinematics:
    """Pinocchio's forward kinematics of the whole URDF, with the joints outside the chain at the positions `rest`."""

    def __init__(self, urdf, base, tip):
        self.model = pinocchio.buildModelFromUrdf(str(urdf))
        self.data, self.rest = self.model.createData(), pinocchio.neutral(self.model)
        self.base, self.tip = self.model.getFrameId(base), self.model.getFrameId(tip)
        self.names = self.chain_names()
        self.joints = [self.joint(name) for name in self.names]
        self.lower = self.limits(self.model.lowerPositionLimit, -math.pi)
        self.upper = self.limits(self.model.upperPositionLimit, math.pi)

    def joint(self, name):
        return self.model.joints[self.model.getJointId(name)]

    def limits(self, of_model, of_circle):
        """The limits of the chain's joints on one side."""
        return np.array([of_circle if joint.nq == 2 else of_model[joint.idx_q] for joint in self.joints])

    def chain_names(self):
        """The joints that move the tip relative to the base, from the base on."""
        names, at = [], self.model.frames[self.tip].parentJoint
        while at != self.model.frames[self.base].parentJoint:
            names.insert(0, self.model.names[at])
            at = self.model.parents[at]
        return names

    @staticmethod
    def put(configuration, joint, position):
        """Pinocchio represents a joint without limits by cosine and sine."""
        values = (math.cos(position), math.sin(position)) if joint.nq == 2 else position
        configuration[joint.idx_q:joint.idx_q + joint.nq] = values

    def configuration(self, positions):
        """All joints of the robot, with those of the chain at `positions`."""
        configuration = self.rest.copy()
        for joint, position in zip(self.joints, positions, strict=True):
            self.put(configuration, joint, position)
        return configuration

    def tip_pose(self, positions):
        """The pose of the tip in the base frame."""
        pinocchio.framesForwardKinematics(self.model, self.data, self.configuration(positions))
        return self.data.oMf[self.base].actInv(self.data.oMf[self.tip])

    def is_right(self, positions, target, tolerance):
        """Whether the positions meet the target within the tolerance, inside the limits."""
        if not all(math.isfinite(position) for position in positions):
            return False
        pose, target = self.tip_pose(positions), pose_of(target)
        distance = np.linalg.norm(pose.translation - target.translation)
        angle = np.linalg.norm(pinocchio.log3(target.rotation.T @ pose.rotation))
        room = zip(self.joints, positions, self.lower - LIMIT_ROOM, self.upper + LIMIT_ROOM, strict=True)
        inside = all(joint.nq == 2 or low <= position <= high for joint, position, low, high in room)
        return inside and max(distance, angle) <= tolerance * (1 + ROUNDING)


def write_chain_urdf(arm, path, circles=True):
    """The chain alone, because some peers take every leaf of a URDF for part of the arm.

    Without `circles`, joints without limits become ones that turn from -pi to pi.
    """
    robot = ET.Element('robot', name=arm.name)
    for link in [arm.base, *(joint.find('child').get('link') for joint in arm.elements)]:
        ET.SubElement(robot, 'link', name=link)
    for joint, segment in zip(arm.elements, arm.segments, strict=True):
        copy = ET.SubElement(robot, 'joint', joint.attrib)
        copy.extend(joint.findall('origin') + joint.findall('parent') + joint.findall('child') + joint.findall('axis'))
        if segment.moves:
            if not circles and segment.kind == 'circle':
                copy.set('type', 'revolute')
            ET.SubElement(copy, 'limit', lower=repr(segment.lower), upper=repr(segment.upper), velocity='1', effort='1')
    ET.ElementTree(robot).write(path)


def write_case_file(arm, cases, seed, folder, path):
    """A case file for `urdf_ik evaluate` and the Python peers; both of its seeds are the requested one."""
    content = {
        'robot': arm.name, 'urdf': str(arm.urdf), 'base_link': arm.base, 'tip_link': arm.tip,
        'joint_names': [joint.name for joint in arm.joints],
        'chain_urdf': str(folder / CHAIN), 'bounded_urdf': str(folder / BOUNDED_CHAIN),
        'segments': [vars(segment) for segment in arm.segments],
        'cases': [{'seed': case[seed], 'seed_random': case[seed], 'target': {'p': case['p'], 'q_xyzw': case['q_xyzw']}}
                  for case in cases],
    }
    path.write_text(json.dumps(content))


def write_problem_file(arm, cases, seed, folder, path, limit, tolerance):
    """The same as plain text, for compiled peers without a parser; `limit` in seconds."""
    lines = [str(folder / CHAIN), arm.tip, f'{limit!r} {tolerance!r}', str(len(arm.segments))]
    for one in arm.segments:
        numbers = [*one.origin, *one.roll_pitch_yaw, *one.axis, one.lower, one.upper]
        lines.append(' '.join([one.kind, *(repr(float(number)) for number in numbers)]))
    lines.append(str(len(cases)))
    for case in cases:
        lines.append(' '.join(repr(float(number)) for number in [*case[seed], *case['p'], *case['q_xyzw']]))
    path.write_text('\n'.join(lines) + '\n')
