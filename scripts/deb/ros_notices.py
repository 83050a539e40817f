#!/usr/bin/env python3
"""Prints the licence notices of the private ROS 2's files in the node's package: scripts/deb/ros_notices.py PREFIX

Standard input lists the files and folders taken from PREFIX. Each belongs to a wheel, or was built here from the project's own
messages. The libraries that the makers of the wheels put into them are named in packaging/debian/bundled-libraries.txt.
"""
import importlib.metadata
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = ROOT / 'packaging/debian/bundled-libraries.txt'
HEAD = '''The parts of ROS 2 below /opt/urdf_ik, and their licences.
'''


def owners(prefix):
    """The wheel of each of its files, and of each of its top-level module folders."""
    modules, = prefix.glob('lib/python3.*/site-packages')
    found = {}
    for wheel in importlib.metadata.distributions(path=[str(modules)]):
        if not wheel.metadata['Name'].startswith('ros-'):  # metadata of messages in a wheel, or our own messages
            continue
        for file in wheel.files or []:
            path = Path(wheel.locate_file(file)).resolve()
            found[path] = wheel
            if modules in path.parents:
                found.setdefault(modules / path.relative_to(modules).parts[0], wheel)
    return found


def licence(wheel, prefix):
    """The name of a licence: from the wheel, or from its ROS package."""
    name = wheel.metadata['Name'].removeprefix('ros-').replace('-', '_')
    manifest = prefix / 'share' / name / 'package.xml'
    named = re.findall(r'<license\b.*?>(.*?)</license>', manifest.read_text()) if manifest.exists() else []
    return ', '.join(named) or wheel.metadata['License'] or 'Apache-2.0: see its text below'


def texts(wheel):
    return [Path(wheel.locate_file(file)).read_text().strip() for file in wheel.files if '/licenses/' in str(file)]


def main(prefix):
    of_files = owners(prefix)
    taken = [Path(line) for line in sys.stdin.read().splitlines()]
    bundled = BUNDLED.read_text()
    wheels = {}
    for path in taken:
        if re.search(r'\.libs$', path.parent.name):
            stem = re.sub(r'-[0-9a-f]{8}\.so.*', '', path.name)
            if not re.search(rf'\b{re.escape(stem)}\b', bundled):
                raise SystemExit(f'{path} has no notice: add {stem} to {BUNDLED}')
        elif path.resolve() in of_files:
            wheel = of_files[path.resolve()]
            wheels[wheel.metadata['Name']] = wheel
    print(HEAD)
    for name, wheel in sorted(wheels.items()):
        print(f'{name} {wheel.version}: {licence(wheel, prefix)}')
    different = {}
    for name, wheel in sorted(wheels.items()):
        for text in texts(wheel):
            different.setdefault(re.sub(r'\s+', ' ', text), (text, []))[1].append(name)
    for text, names in different.values():
        print(f'\n{"-" * 100}\n{", ".join(names)}\n\n{text}')
    print(f'\n{"-" * 100}\n{bundled}')


if __name__ == '__main__':
    main(Path(sys.argv[1]).resolve())
