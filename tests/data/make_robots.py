#!/usr/bin/env python3
"""Writes the kinematics of manufacturers' robots for the tests: only links and joints, with the original numbers.

    python make_robots.py OUT_DIR URDF...

Each URDF gives OUT_DIR/NAME.urdf with a notice of its authors and licence; descriptions in xacro are expanded
before (`pip install xacro`; `xacro FILE > NAME.urdf`). Meshes, inertia, transmissions and simulator elements are omitted.
Only robots listed in NOTICES are written. The texts of the licences are in tests/data/robots/licences.
"""
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

KEPT = ['parent', 'child', 'origin', 'axis', 'limit', 'mimic']  # of a joint
APACHE = 'Apache-2.0: see LICENSE-APACHE in the folder of the package.'
NOTICES = {
    'fetch': [
        'Fetch of Fetch Robotics, on a base that drives, as the Robotics Toolbox for Python has it.',
        'Authors: Michael Ferguson, Melonee Wise. https://github.com/ZebraDevs/fetch_ros, package fetch_description;',
        'https://github.com/petercorke/robotics-toolbox-python, package rtb-data.',
        'Licence: CC BY-NC-SA 4.0, https://creativecommons.org/licenses/by-nc-sa/4.0. This file keeps that licence.',
    ],
    'frankie': [
        'Frankie of the Queensland University of Technology: an arm of Franka Robotics on an Omron base that drives.',
        'https://github.com/petercorke/robotics-toolbox-python, package rtb-data, qut_frankie_description.',
        'Copyright (c) 2020 Peter Corke and Jesse Haviland. Licence: MIT: see licences/mit.txt.',
        f'The arm: Copyright 2023 Franka Robotics GmbH. Licence: {APACHE}',
    ],
    'gen3': [
        'Gen3 of Kinova. https://github.com/Kinovarobotics/ros_kortex, package kortex_description.',
        'Copyright (c) 2018, Kinova Robotics. Licence: BSD-3-Clause: see licences/bsd-3-clause.txt.',
    ],
    'iiwa14': [
        'LBR iiwa 14 R820 of KUKA. https://github.com/ros-industrial/kuka_experimental, package kuka_lbr_iiwa_support.',
        f'Author: Levi Armstrong (Southwest Research Institute). Licence: {APACHE}',
    ],
    'kr6r900sixx': [
        'KR 6 R900 sixx of KUKA. https://github.com/ros-industrial/kuka_experimental, package kuka_kr6_support.',
        'Authors: G.A. vd. Hoorn (TU Delft Robotics Institute), Brett Hemes (3M).',
        'Licence: BSD-3-Clause: see licences/bsd-3-clause.txt.',
    ],
    'panda': [
        'Panda of Franka Robotics. https://github.com/frankaemika/franka_ros, package franka_description.',
        f'Copyright 2023 Franka Robotics GmbH. Licence: {APACHE}',
    ],
    'so101': [
        'SO-101 of The Robot Studio, as the package example-robot-data has it.',
        'https://github.com/TheRobotStudio/SO-ARM100. Made from its drawings by onshape-to-robot.',
        f'Licence: {APACHE}',
    ],
    'talos_full_v2': [
        'TALOS of PAL Robotics. https://github.com/pal-robotics/talos_robot, package talos_description.',
        f'Copyright (c) 2016, PAL Robotics, S.L. Licence: {APACHE}',
        'So say LICENSE and package.xml since September 2023; heads of older files name CC BY-NC-ND 3.0.',
    ],
    'ur5_robot': [
        'UR5 of Universal Robots. https://github.com/ros-industrial/universal_robot, package ur_description.',
        'Authors: Wim Meeussen, Kelsey Hawkins, Mathias Ludtke, Felix Messmer.',
        'Licence: BSD-3-Clause: see licences/bsd-3-clause.txt.',
    ],
}
CHANGES = 'Changed: meshes, inertia and all else but the kinematics are left out (tests/data/make_robots.py).'


def element(tag, attributes, inside=''):
    text = ' '.join([tag, *(f'{name}="{value}"' for name, value in attributes.items())])
    return f'<{text}>{inside}</{tag}>' if inside else f'<{text}/>'


def line_of(part):
    """A link or a joint in one line."""
    kept = [element(child.tag, child.attrib) for tag in KEPT for child in part.findall(tag)]
    return element(part.tag, part.attrib, ''.join(kept if part.tag == 'joint' else []))


def kinematics(path):
    root = ET.parse(path).getroot()
    notice = '\n'.join(f'  {line}' for line in [*NOTICES[path.stem], CHANGES])
    lines = [line_of(part) for part in root if part.tag in ('link', 'joint')]
    return '\n'.join([f'<robot name="{root.get("name")}">', f'<!--\n{notice}\n-->', *lines, '</robot>', ''])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for path in map(Path, sys.argv[2:]):
        out = Path(sys.argv[1]) / path.name
        out.write_text(kinematics(path))
        print(f'{out}: {out.stat().st_size} bytes')


if __name__ == '__main__':
    main()
