"""Runs the programs of crates/python/examples from any folder, except draw_in_viser.py, which serves a page until it is stopped."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))
RUN = [path for path in EXAMPLES if path.stem != "draw_in_viser"]
PACKAGES = {"plot": "matplotlib"}
"""Additional packages of some examples."""
ARGUMENTS = {"data_set": ["1000", "small.npz"]}


@pytest.mark.parametrize("example", RUN, ids=lambda path: path.stem)
def test_an_example_runs(example, tmp_path):
    if package := PACKAGES.get(example.stem):
        pytest.importorskip(package)
    command = [sys.executable, example, *ARGUMENTS.get(example.stem, [])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr
