"""Robots of the tests: files of this repository."""

import os
from pathlib import Path

import numpy as np
import pytest

import urdfik

ROOT = Path(__file__).resolve().parents[3]

# Added to every seed, as in the tests of the library: SEED_OFFSET=3 draws other random numbers.
OFFSET = int(os.environ.get("SEED_OFFSET", "0"))


def urdf(name):
    """The path of a URDF of the repository."""
    found = [folder / f"{name}.urdf" for folder in (ROOT / "urdf", ROOT / "tests/data/robots", ROOT / "tests/data/urdf")]
    return next(path for path in found if path.exists())


def random(seed):
    return np.random.default_rng(seed + OFFSET)


def draw(arm, rng, count):
    """Random joint positions (count, n) inside the limits, continuous joints within one revolution."""
    return rng.uniform(np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi), (count, len(arm.joint_names)))


@pytest.fixture(scope="session")
def arm():
    return urdfik.Arm(urdf("arm7"), tip="tool0")


@pytest.fixture(scope="session")
def panda():
    return urdfik.Arm(urdf("panda"), tip="panda_hand_tcp")


@pytest.fixture(scope="session")
def hands():
    return urdfik.Arm(urdf("dual_arm"), tip=["left_hand", "right_hand"])
