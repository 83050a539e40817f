"""Answers of `urdf_ik skeleton`, and its own figure."""
import json
import os
import subprocess
import tempfile

import numpy as np
from drawing import ROOT
from numpy.linalg import norm

COMMAND = os.environ.get('URDF_IK', ROOT / 'target/release/urdf_ik')
PLAIN = {'acceleration': 0, 'restarts': 0}  # options: FABRIK as published


def ask(model, *requests):
    """The answers of `urdf_ik skeleton --stream` to requests; `model` is the text of a URDF, or a skeleton as a dictionary."""
    with tempfile.NamedTemporaryFile('w', suffix='.yaml') as file:
        file.write(model if isinstance(model, str) else json.dumps(model))
        file.flush()
        command = [COMMAND, 'skeleton', '--model', file.name, '--stream']
        lines = '\n'.join(map(json.dumps, requests))
        stream = subprocess.run(command, input=lines, stdout=subprocess.PIPE, check=True, text=True)
    answers = [json.loads(line) for line in stream.stdout.splitlines()[1:]]
    for answer in answers:
        if 'error' in answer:
            raise SystemExit(answer['error'])
    return answers


def planar(points, parents=None):
    """A skeleton of free segments through points in the plane [m]; segment k begins at the point of index `parents[k]`."""
    segments = [{'name': f'p{k + 1}', 'parent': f'p{parent}', 'end': points[k + 1]}
                for k, parent in enumerate(parents or range(len(points) - 1))]
    return {'dimensions': 2, 'root': {'name': 'p0', 'position': points[0]}, 'segments': segments}


def request(targets, **keys):
    """A request with targets {index of a point: position in the plane [m]}."""
    return {'targets': [{'point': f'p{k}', 'position': [*position, 0]} for k, position in targets.items()], **keys}


def points_of(answer):
    return np.array(answer['points'])[:, :2]


def cycles(model, targets, count, **options):
    """Pairs of the points after the forward and after the backward pass of each cycle."""
    both = [request(targets, **{'pass': name}, options=options) for name in ('forward', 'backward')]
    points = [points_of(answer) for answer in ask(model, *both * count)]
    return list(zip(points[::2], points[1::2]))


def distance(points, targets):
    return max(norm(points[k] - position) for k, position in targets.items())


def cycles_to(model, targets):
    """The number of cycles until every target is met to a millimetre."""
    done = cycles(model, targets, 100)
    return done[:next(k for k, (_, backward) in enumerate(done, 1) if distance(backward, targets) < 1e-3)]


def configurations(joints, target, **keys):
    """All configurations of an arm, each with its points (n, 3) and joint positions (j,). A joint is an axis and the offset to the next
    one."""
    urdf, offset = '<robot name="arm"><link name="l0"/>', '0 0 0'
    for k, (axis, after) in enumerate([*joints, ('1 0 0', None)]):
        kind = 'continuous' if after else 'fixed'
        urdf += (f'<link name="l{k + 1}"/><joint name="j{k}" type="{kind}"><parent link="l{k}"/><child link="l{k + 1}"/>'
                 f'<origin xyz="{offset}"/><axis xyz="{axis}"/></joint>')
        offset = after
    answer, = ask(urdf + '</robot>', {'targets': [{'point': f'l{len(joints) + 1}', 'position': list(target)}], **keys})
    return [(np.array(one['points']), np.array(list(one['positions'].values()))) for one in answer['configurations']]


def humanoid():
    """The figure of a solve, drawn by `urdf_ik skeleton --figure`."""
    files = {'--model': 'config/skeletons/humanoid.yaml', '--targets': 'docs/pictures/targets.json',
             '--figure': 'docs/figures/humanoid.svg'}
    command = [COMMAND, 'skeleton', *(part for key, file in files.items() for part in (key, ROOT / file))]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
