"""Builds the package by maturin, which would download Rust without asking where it is missing."""

import shutil
import sys

import maturin
from maturin import *  # noqa: F403

MISSING = "urdfik is compiled by Rust 1.90 or newer, but there is no cargo on the PATH: install Rust (https://rustup.rs), or a wheel"


def get_requires_for_build_wheel(config_settings=None):
    if not shutil.which("cargo"):
        sys.exit(MISSING)
    return maturin.get_requires_for_build_wheel(config_settings)


get_requires_for_build_editable = get_requires_for_build_wheel
