"""Runs each program of examples/ with a node and checks its output. They run in parallel to save time."""
import os
import re
import subprocess
import sys

import pytest

from conftest import ARM_FILE, ROOT
from driver import MEASURED_AT

EXAMPLES = ROOT / 'examples'
JOINTS = list(MEASURED_AT)
TWO_ARMS = {'urdf': ROOT / 'urdf' / 'dual_arm.urdf', 'tip_links': ['left_hand', 'right_hand']}
# The node of each example that does not use the bundled seven-joint arm; as in scripts/example.sh.
NODES = {
    'all_solutions.py': {'urdf': ROOT / 'urdf' / 'arm6.urdf'},
    # Generous, as are the others below: on a busy machine measurements and commands may pause.
    'physics.py': {'motion': 'smooth', 'publish_rate': 250.0, 'command_joints': JOINTS, 'measured_timeout': 10.0,
                   'following_error__window': 3.0},
    'space_mouse.py': {'servo__timeout': 10.0},
    'track_frame.py': {'transform_timeout': 10.0},
    'two_arms.py': TWO_ARMS,
}
REACHED = r'(\d+) of (\d+) targets reached$'
FOLLOWED = r'^nothing held the arm back in (\d+) of (\d+) ticks$'
PRINTED = {
    'all_solutions.py': r'^8 solutions$',
    'batch.py': r'^1012 of 2500 places',
    'path.py': r'planned: the whole path of 1\.0000 m(.|\n)*\d % of the path\n(.|\n)*ended: the whole path',
    'physics.py': r"^stopped: .*'shoulder_pan_joint'(.|\n)*^resumed: (.|\n)*^fastest joint since the release: 0\.\d+ rad/s$",
    'policy.py': r'^arrived: shoulder_pan_joint \+0\.',
    'publish_target.py': REACHED,
    'publish_target.rs': REACHED,
    'query.py': r'^success: True$',
    'space_mouse.py': FOLLOWED,
    'table_pick.py': r'^success: True$(.|\n)*^down is violated by \d',
    'track_frame.py': REACHED,
    'two_arms.py': REACHED,
}
TIMEOUT = 600.0  # [s] including the build of the Rust example, on a busy machine


def command(name):
    if name.endswith('.rs'):
        run = [str(ROOT / 'scripts' / 'cargo-ros'), 'run', '--locked', '--release', '--quiet', '-p', 'urdf_ik_node', '--example']
        return [*run, name.removesuffix('.rs'), '--']
    return [sys.executable, str(EXAMPLES / name)]


@pytest.fixture(scope='module')
def started(module_start):
    """The running examples by name."""
    examples = {}
    for name in PRINTED:
        node = module_start.node(**{'urdf': ARM_FILE, **NODES.get(name, {})})
        examples[name] = subprocess.Popen(
            [*command(name), '--ros-args', '-r', f'__ns:={node.namespace}'], cwd=ROOT, text=True,
            env={**os.environ, 'VIEW': '0'}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    yield examples
    for process in examples.values():
        process.kill()
        process.wait()


@pytest.mark.parametrize('name', PRINTED)
def test_it_prints_what_it_should(started, name):
    printed, _ = started[name].communicate(timeout=TIMEOUT)
    assert started[name].returncode == 0, printed
    assert re.search(PRINTED[name], printed, re.MULTILINE), printed
    if PRINTED[name] is REACHED:
        counts = re.findall(REACHED, printed, re.MULTILINE)
        assert len(counts) == (2 if 'two_arms' in name else 1)
        # A busy machine may end a search early: the parameter timeout is a safeguard.
        assert all(int(reached) >= 0.98 * int(answered) >= 200 for reached, answered in counts), printed
    if PRINTED[name] is FOLLOWED:
        free, ticks = map(int, re.search(FOLLOWED, printed, re.MULTILINE).groups())
        # During acceleration of the tip and fast changes of the twist, the joint limits hold it back.
        assert free >= 0.7 * ticks >= 70, printed


def test_every_example_of_the_node_is_run_and_listed():
    index = (EXAMPLES / 'README.md').read_text()
    for file in [*EXAMPLES.glob('*.py'), *EXAMPLES.glob('*.rs')]:
        assert f']({file.name})' in index
        uses_the_node = file.suffix == '.py' or 'r2r' in file.read_text()
        assert uses_the_node == (file.name in PRINTED), file.name
        assert not uses_the_node or len(file.read_text().splitlines()) <= 75, f'{file.name} is longer than a page'


def test_one_command_runs_an_example():
    run = subprocess.run([str(ROOT / 'scripts' / 'example.sh'), 'query'], capture_output=True, text=True, timeout=TIMEOUT)
    assert run.returncode == 0 and 'success: True' in run.stdout, run.stdout + run.stderr
    unknown = subprocess.run([str(ROOT / 'scripts' / 'example.sh'), 'nothing'], capture_output=True, text=True, timeout=TIMEOUT)
    assert unknown.returncode == 1 and 'examples/README.md' in unknown.stderr
