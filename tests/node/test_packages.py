"""The contents of the node's Debian package, in another directory; bills of materials; set-up without the private ROS 2."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ARM_FILE, ROOT
from kinematics import translation

PREFIX = ROOT / '.ros/embedded/prefix'
START = '''#!/bin/sh
export LD_LIBRARY_PATH={tree}/lib AMENT_PREFIX_PATH={tree}
exec {tree}/lib/urdf_ik/urdf_ik_node "$@"
'''


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope='module')
def packed(tmp_path_factory):
    """The folder with the node's files, and the files taken from the private ROS 2."""
    install, prefix = os.environ['AMENT_PREFIX_PATH'].split(':')[:2]
    if Path(prefix) != PREFIX:
        pytest.skip('packages contain no file of a sourced ROS 2')
    tree = tmp_path_factory.mktemp('opt') / 'urdf_ik'
    copied = run(sys.executable, ROOT / 'scripts/deb/node_tree.py', install, tree, prefix)
    assert copied.returncode == 0, copied.stderr
    return tree, copied.stdout


def test_the_packed_node_runs_in_another_place(packed, start, arm_robot, tmp_path, monkeypatch):
    tree, _ = packed
    command = tmp_path / 'urdf_ik_node'
    command.write_text(START.format(tree=tree))
    command.chmod(0o755)
    monkeypatch.setenv('URDF_IK_NODE', str(command))
    arm = start.node(ARM_FILE)
    loaded = Path(f'/proc/{arm.process.process.pid}/maps').read_text()
    assert str(PREFIX) not in loaded and str(tree) in loaded
    assert not arm.solve_ik(translation(9.0, 0.0, 0.0)).success
    assert arm.solve_ik(arm_robot.pose('tool0', {'shoulder_pan_joint': 0.4, 'elbow_joint': 0.3})).success


def test_every_part_of_the_package_has_a_licence(packed):
    notices = run(sys.executable, ROOT / 'scripts/deb/ros_notices.py', PREFIX, input=packed[1])
    assert notices.returncode == 0, notices.stderr
    for words in ('ros-rclpy 7.', 'ros-fastrtps 2.', 'OpenSSL License', 'TERMS AND CONDITIONS FOR USE'):
        assert words in notices.stdout
    unknown = run(sys.executable, ROOT / 'scripts/deb/ros_notices.py', PREFIX,
                  input=f'{PREFIX}/lib/python3/site-packages/ros_rcl.libs/libunknown-0123abcd.so.1')
    assert unknown.returncode == 1 and 'add libunknown to' in unknown.stderr


def test_the_bill_of_materials_has_every_crate_and_wheel_with_its_version():
    printed = run(sys.executable, ROOT / 'scripts/sbom.py')
    assert printed.returncode == 0, printed.stderr
    parts = {part['name']: part for part in json.loads(printed.stdout)['components']}
    for part in parts.values():
        kind = 'cargo' if 'hashes' in part else 'pypi'
        assert part['purl'] == f'pkg:{kind}/{part["name"]}@{part["version"]}'
        assert kind == 'pypi' or (part['licenses'][0]['expression'] and len(part['hashes'][0]['content']) == 64)
    assert {'nalgebra', 'r2r', 'pyo3', 'clap', 'ros-rclpy', 'ros-fastrtps'} <= parts.keys()
    assert not any(name.startswith('urdf_ik') for name in parts)


def test_a_machine_without_wheels_is_told_what_works(tmp_path):
    (tmp_path / 'uname').write_text('#!/bin/sh\necho Linux aarch64\n')
    (tmp_path / 'uname').chmod(0o755)
    checked = run('bash', '-c', '. scripts/setup/steps.sh && . scripts/setup/machine.sh && check_machine', cwd=ROOT,
                  env={**os.environ, 'PATH': f'{tmp_path}:{os.environ["PATH"]}'})
    assert checked.returncode == 1
    for words in ('Linux aarch64', 'ros:jazzy', 'make play', 'scripts/deb.sh urdf-ik', 'pip install'):
        assert words in checked.stderr
