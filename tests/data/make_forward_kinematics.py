#!/usr/bin/env python3
"""Writes reference forward kinematics, computed by Pinocchio, for the tests.

    pip install pin
    python make_forward_kinematics.py OUT_DIR URDF...

Each URDF gives OUT_DIR/NAME.json with five samples: positions of the independent joints (rad or m), drawn
uniformly inside their limits and within -pi to pi, and the pose of every link in the root link's frame (m, unit
quaternion). Mimic joints are omitted: they follow their master. The same files give the same figures.
"""
import json
import math
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio

SAMPLES = 5


def mimic_rules(root):
    """{joint: (master, multiplier, offset)} of the mimic joints."""
    return {
        joint.get('name'): (mimic.get('joint'), float(mimic.get('multiplier', 1)), float(mimic.get('offset', 0)))
        for joint in root.findall('joint')
        if (mimic := joint.find('mimic')) is not None
    }


def is_circle(joint):
    """Pinocchio represents a continuous joint by the cosine and sine of its angle."""
    return joint.nq == 2


def draw(model, names, random):
    """Random positions of the named joints, uniform inside their limits and a revolution (or as many metres)."""
    positions = {}
    for name in names:
        joint = model.joints[model.getJointId(name)]
        lower, upper = -math.pi, math.pi  # wide limits are cut: kilometres from the root the figures would lose digits
        if not is_circle(joint):
            lower = max(lower, model.lowerPositionLimit[joint.idx_q])
            upper = min(upper, model.upperPositionLimit[joint.idx_q])
        positions[name] = float(random.uniform(lower, upper))
    return positions


def position_of(name, positions, mimics):
    if name not in mimics:
        return positions[name]
    master, multiplier, offset = mimics[name]
    return multiplier * position_of(master, positions, mimics) + offset


def link_poses(model, links, positions, mimics):
    configuration = pinocchio.neutral(model)
    for name in model.names[1:]:  # the first is the universe
        joint = model.joints[model.getJointId(name)]
        position = position_of(name, positions, mimics)
        if is_circle(joint):
            configuration[joint.idx_q:joint.idx_q + 2] = math.cos(position), math.sin(position)
        else:
            configuration[joint.idx_q] = position
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, configuration)
    poses = {}
    for link in links:
        pose = data.oMf[model.getFrameId(link, pinocchio.FrameType.BODY)]
        quaternion = pinocchio.Quaternion(pose.rotation).normalized().coeffs()
        poses[link] = {'p': pose.translation.tolist(), 'q_xyzw': quaternion.tolist()}
    return poses


def reference(path):
    root = ET.parse(path).getroot()
    links = [link.get('name') for link in root.findall('link')]
    mimics = mimic_rules(root)
    model = pinocchio.buildModelFromUrdf(str(path))
    random = np.random.default_rng(0)
    samples = []
    for _ in range(SAMPLES):
        positions = draw(model, [name for name in model.names[1:] if name not in mimics], random)
        samples.append({'positions': positions, 'links': link_poses(model, links, positions, mimics)})
    return {'urdf': path.name, 'source': f'Pinocchio {pinocchio.__version__}', 'samples': samples}


def write(figures, path):
    """One sample per line: compact, and a changed figure shows its place in a diff."""
    samples = ',\n'.join(json.dumps(sample) for sample in figures['samples'])
    path.write_text(f'{{"urdf": "{figures["urdf"]}", "source": "{figures["source"]}", "samples": [\n{samples}\n]}}\n')


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for urdf in map(Path, sys.argv[2:]):
        out = folder / f'{urdf.stem}.json'
        write(reference(urdf), out)
        print(f'{out}: {out.stat().st_size} bytes')


if __name__ == '__main__':
    main()
