#!/usr/bin/env bash
# The whole gate for changes. Stops at the first failure; prints the duration of each part. The tests of the node mostly
# wait, so the tests of the libraries run in parallel with them.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
cd "$root"
# shellcheck source=scripts/setup/steps.sh
. scripts/setup/steps.sh
# shellcheck source=scripts/setup/machine.sh
. scripts/setup/machine.sh
# shellcheck source=scripts/setup/debian.sh
. scripts/setup/debian.sh
# shellcheck source=scripts/setup/wheels.sh
. scripts/setup/wheels.sh
# shellcheck source=scripts/setup/own_python.sh
. scripts/setup/own_python.sh
# shellcheck source=scripts/setup/linters.sh
. scripts/setup/linters.sh

summary=""

# Runs one part: check TITLE COMMAND [ARGUMENT]…
check() {
  local title="$1" began="$SECONDS" status=0
  shift
  printf '\n== %s: %s\n' "$title" "$*"
  "$@" || status="$?"
  conclude "$title" "$began" "$status" "$*"
}

# Prints the duration of a part: conclude TITLE BEGAN STATUS COMMAND. Exits if it has failed.
conclude() {
  if [ "$3" -ne 0 ]; then
    printf '%s' "$summary"
    fail "\"$1\" failed." "To run it again alone: $4"
  fi
  summary+="$(printf '%5d s  %s' "$((SECONDS - $2))" "$1")"$'\n'
}

# Starts a part in parallel with the following ones, which have priority: begin_beside TITLE COMMAND [ARGUMENT]…
begin_beside() {
  beside_title="$1" beside_began="$SECONDS" beside_output="$(mktemp)"
  shift
  beside_command="$*"
  printf '\n== %s, beside what follows: %s\n' "$beside_title" "$*"
  setsid nice "$@" < /dev/null > "$beside_output" 2>&1 &
  beside="$!"
  trap 'kill -- "-$beside" 2> /dev/null || true; rm -f "$beside_output"' EXIT
}

# Waits for that part, and prints its output.
end_beside() {
  local status=0
  wait "$beside" || status="$?"
  printf '\n== %s\n' "$beside_title"
  cat "$beside_output"
  conclude "$beside_title" "$beside_began" "$status" "$beside_command"
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
# Everything with ROS uses the features, target folder and profile of the build, so that no crate is compiled twice for
# it: MoveIt's interfaces are tested with the private ROS 2, which has their messages, and with an installed
# moveit_msgs.
with_ros=(scripts/cargo-ros)
ros_options=(--locked --release)
# The node's unit tests use the development profile, which compiles faster and has assertions. Those of the other crates
# are compiled by that profile.
package=profile.release.package.urdf_ik_node
unit_test_options=(--config "$package.opt-level=1" --config "$package.debug-assertions=true"
  --config "$package.overflow-checks=true")

# One list of packages: other lists would give the shared crates other features, and compile them again.
libraries=(--locked --workspace --exclude urdf_ik_node)

check "formatting" cargo fmt --check
check "shell scripts" lint_shell_scripts
check "Python files" lint_python_files
check "licences and sources of crates" lint_crates
check "names and comments" "$root/.ros/ruff/bin/python" scripts/style.py
check "build with ROS 2" scripts/setup.sh
check "lints" "${with_ros[@]}" clippy "${ros_options[@]}" --workspace --all-targets -- --deny warnings
check "documentation" "${with_ros[@]}" doc "${ros_options[@]}" --workspace --no-deps
check "unit tests of the node" "${with_ros[@]}" test "${ros_options[@]}" "${unit_test_options[@]}" -p urdf_ik_node --lib
install_for_tests chromium chromium-browser google-chrome
install_for_tests valgrind
install_for_tests pkg-config
install_for_tests nftables nft
begin_beside "tests of the libraries, the command line and the C interface" cargo test "${libraries[@]}" --lib --tests
check "node tests" scripts/node-tests
end_beside
check "examples in the documentation" cargo test "${libraries[@]}" --doc
check "tests of the Python module" scripts/with-ros scripts/python-tests

printf '\n%s%5d s  in all\n' "$summary" "$SECONDS"
