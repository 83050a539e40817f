#!/usr/bin/env bash
# The page of `make play`: scripts/play.sh [ARGUMENT OF play.py]… Needs Rust and Python, but neither installs nor builds
# ROS 2.
set -euo pipefail

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
here="$root/scripts/setup"
# shellcheck source=scripts/setup/environment.sh
. "$here/environment.sh"
# shellcheck source=scripts/setup/steps.sh
. "$here/steps.sh"
# shellcheck source=scripts/setup/machine.sh
. "$here/machine.sh"
# shellcheck source=scripts/setup/debian.sh
. "$here/debian.sh"
# shellcheck source=scripts/setup/wheels.sh
. "$here/wheels.sh"
# shellcheck source=scripts/setup/own_python.sh
. "$here/own_python.sh"
# shellcheck source=scripts/setup/page.sh
. "$here/page.sh"

take_turns
workspace="$(_urdf_ik_workspace "$root")"
find_cargo "$root/Cargo.toml"
choose_page_python
build_command_line
exec 9>&- # the page runs for long: the lock of set-up is not needed
PATH="$(dirname "$command_line"):$PATH" exec "$page_python" "$root/scripts/play.py" "$@"
