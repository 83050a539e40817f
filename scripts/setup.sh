#!/usr/bin/env bash
# Makes this checkout ready to run: checks the machine, installs missing packages, builds the package. Uses the sourced
# ROS 2; without one, a private ROS 2 Jazzy is created in .ros/embedded. Finished steps are skipped, so a second run
# takes a few seconds.
# scripts/setup.sh [--without-command-line]: builds only the node, unless the command line was built here before.
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
# shellcheck source=scripts/setup/prefix.sh
. "$here/prefix.sh"
# shellcheck source=scripts/setup/build.sh
. "$here/build.sh"
# shellcheck source=scripts/setup/ahead.sh
. "$here/ahead.sh"

# The message generators start Python some two hundred times: compiled modules are cached.
unset PYTHONDONTWRITEBYTECODE
take_turns

workspace="$(_urdf_ik_workspace "$root")"
command_line=ON
packages=(-p urdf_ik_node -p urdf_ik_cli)
if [ "${1:-}" = --without-command-line ] && [ ! -e "$workspace/install/urdf_ik/lib/urdf_ik/urdf_ik" ]; then
  command_line=OFF
  packages=(-p urdf_ik_node)
fi
find_cargo "$root/Cargo.toml"
if [ "$workspace" = "$root/.ros/embedded" ]; then
  check_machine
  if prefix_is_ready; then
    install_debian_packages
  else
    choose_python
    clear_workspace
    compile_ahead
    install_debian_packages
    make_prefix
  fi
else
  check_sourced_ros
  install_debian_packages
fi
_urdf_ik_export "$workspace"
build_package
