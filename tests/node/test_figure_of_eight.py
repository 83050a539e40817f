"""figure_of_eight.py: where its figures are, and that it ends quietly."""
import importlib.util
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from conftest import ROOT

SCRIPT = ROOT / 'scripts' / 'figure_of_eight.py'
TIMEOUT = 20.0  # [s]
# Stands in for a module of which the import takes long.
SLOW_MODULE = """
import pathlib, time
pathlib.Path(__file__).with_name('importing').touch()
time.sleep(60)
"""


@pytest.fixture(scope='module')
def script():
    spec = importlib.util.spec_from_file_location('figure_of_eight', SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lowest(figure):
    return min(figure.point(phase)[2] for phase in np.linspace(0, 1, 400))


@pytest.mark.parametrize('tip', [(0.817, 0.191, -0.005), (0.3, 0.0, 0.6), (0.0, 0.0, 0.9), (0.4, 0.0, -0.5)])
def test_figures_above_the_base_come_first(script, tip):
    figures = script.candidates(np.array(tip), (0.0, 0.0, 0.0, 1.0), 0.0)
    above = [lowest(figure) >= -1e-12 for figure in figures]
    assert above[0] and above == sorted(above, reverse=True)
    assert not above[-1], 'a robot that hangs from its base needs figures below it'


def test_around_the_present_pose_where_that_is_above_the_base(script):
    tip = np.array([0.3, 0.0, 0.6])
    assert np.allclose(script.candidates(tip, (0.0, 0.0, 0.0, 1.0), 0.0)[0].centre, tip)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_imports_ends_it_quietly(tmp_path, number):
    package = tmp_path / 'numpy'
    package.mkdir()
    (package / '__init__.py').write_text(SLOW_MODULE)
    process = subprocess.Popen([sys.executable, str(SCRIPT)], env={**os.environ, 'PYTHONPATH': str(tmp_path)},
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        deadline = time.monotonic() + TIMEOUT
        while not (package / 'importing').exists():
            assert process.poll() is None and time.monotonic() < deadline, 'it does not import numpy'
            time.sleep(0.02)
        process.send_signal(number)
        output = process.communicate(timeout=TIMEOUT)[0]
    finally:
        process.kill()
    assert (process.returncode, output) == (0, '')
