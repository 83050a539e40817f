# shellcheck shell=bash
# The linters of shell scripts and Python files.

ruff_version=0.17.5

lint_shell_scripts() {
  mkdir -p "$root/.ros" # the log of the installation
  install_for_tests shellcheck
  if command -v shellcheck > /dev/null; then
    grep -rlIZE '^#!/usr/bin/env bash' .ci benches cmake scripts | xargs --null shellcheck --external-sources --check-sourced scripts/env.sh
  fi
}

# The rules are in ruff.toml.
lint_python_files() {
  mkdir -p "$root/.ros"
  make_own_python "$root/.ros/ruff" ruff "ruff==$ruff_version"
  "$root/.ros/ruff/bin/ruff" check --quiet .
}
