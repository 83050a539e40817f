#!/usr/bin/env bash
# All that has to pass before a change is accepted. Ends at the first failure; prints how long each part took.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup/steps.sh
. scripts/setup/steps.sh
# shellcheck source=scripts/setup/machine.sh
. scripts/setup/machine.sh

summary=""

# Runs one part: check TITLE COMMAND [ARGUMENT]…
check() {
  local title="$1" began="$SECONDS"
  shift
  printf '\n== %s: %s\n' "$title" "$*"
  if ! "$@"; then
    printf '%s' "$summary"
    fail "\"$title\" failed." "To run it again alone: $*"
  fi
  summary+="$(printf '%5d s  %s' "$((SECONDS - began))" "$title")"$'\n'
}

need_component() {
  if ! cargo "$1" --version > /dev/null 2>&1; then
    fail "cargo $1 is missing." "Install it: rustup component add $2"
  fi
}

find_cargo Cargo.toml
need_component fmt rustfmt
need_component clippy clippy

export RUSTDOCFLAGS="--deny warnings"
# The parts with ROS use the features, target folder and profile of the build, so that nothing is compiled for them twice:
# MoveIt's services are checked where moveit_msgs is installed.
with_ros=(scripts/cargo-ros)
ros_options=(--locked --release)

check "formatting" cargo fmt --check
check "lints, without ROS" cargo clippy --locked --all-targets -- --deny warnings
check "documentation, without ROS" cargo doc --locked --no-deps
check "Rust tests" cargo test --locked
check "build with ROS 2" scripts/setup.sh
check "lints, with ROS 2" "${with_ros[@]}" clippy "${ros_options[@]}" --all-targets -- --deny warnings
check "documentation, with ROS 2" "${with_ros[@]}" doc "${ros_options[@]}" --no-deps
check "Rust tests of the node" "${with_ros[@]}" test "${ros_options[@]}" --lib node::
check "node tests" scripts/with-ros env ROS_DOMAIN_ID=87 ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST \
  python3 -m pytest tests/node

printf '\n%s%5d s  in all\n' "$summary" "$SECONDS"
