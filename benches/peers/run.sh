#!/usr/bin/env bash
# Compares urdf_ik with published solvers; missing ones are installed first, into .ros/peers and by apt-get. A peer that
# cannot be installed is skipped. The environment variables are documented in compare.py and compare_scenes.py; PART is
# poses or scenes, to run only that one.
set -euo pipefail

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)"
here="$root/benches/peers"
# shellcheck source=scripts/setup/steps.sh
. "$root/scripts/setup/steps.sh"
# shellcheck source=scripts/setup/machine.sh
. "$root/scripts/setup/machine.sh"
# shellcheck source=scripts/setup/debian.sh
. "$root/scripts/setup/debian.sh"

# Options of a calling make must not affect cargo and pip.
unset MAKEFLAGS MFLAGS MAKELEVEL

private="$root/.ros/peers"
programs="$private/programs"
logs="$private/log"
mkdir -p "$programs" "$logs"
touch "$root/.ros/COLCON_IGNORE"

# Succeeds if no peers were selected, or one of these.
wanted() {
  local name
  for name in "$@"; do
    if [ -z "${PEERS:-}" ] || [[ " ${PEERS//,/ } " = *" $name "* ]]; then
      return 0
    fi
  done
  return 1
}

# Runs a part of the set-up of peer $1; after a failure the comparison continues without that peer.
optional() {
  local name="$1"
  shift
  ("$@") || say "$name is left out: see above"
}

# Creates the virtual environment with a CPython that all packages support.
make_environment() {
  if "$private/venv/bin/python" -m pip --version > /dev/null 2>&1; then
    return
  fi
  choose_python
  mapfile -t packages < <(missing_python_packages)
  if [ "${#packages[@]}" != 0 ]; then
    install_with_apt "${packages[@]}"
    choose_python
  fi
  rm -rf "$private/venv"
  step "making a virtual environment" "See whether this works: $python -m venv /tmp/trial" "$logs/venv.log" \
    "$python" -m venv "$private/venv"
}

# Succeeds if package $1 is installed in the version of requirements.txt.
is_installed() {
  "$private/venv/bin/python" - "$1" "$here/requirements.txt" << 'END'
import importlib.metadata
import sys
name, path = sys.argv[1:]
try:
    found = f'{name}=={importlib.metadata.version(name)}'
except importlib.metadata.PackageNotFoundError:
    found = ''
sys.exit(found not in open(path).read().split())
END
}

install_python_package() {
  if ! is_installed "$1"; then
    step "installing $1 from PyPI" "Check the connection to https://pypi.org, then run this again." "$logs/$1.log" \
      "$private/venv/bin/python" -m pip install --no-input --disable-pip-version-check --progress-bar off \
      --only-binary :all: --constraint "$here/requirements.txt" "$1"
  fi
}

# Compiles cpp/NAME.cpp unless it is up to date: build_cpp NAME [OPTION]…
build_cpp() {
  local name="$1" source="$here/cpp/$1.cpp" program="$programs/$1"
  shift
  if [ ! -e "$program" ] || [ -n "$(find "$here/cpp" -name '*.?pp' -newer "$program")" ]; then
    rm -f "$program"
    step "compiling $source (up to two minutes)" "Correct what it says, then run this again." "$logs/$name.log" \
      c++ -std=c++20 -O3 -DNDEBUG -Wall -Wextra -isystem /usr/include/eigen3 "$source" -o "$program" "$@"
  fi
}

make_kdl() {
  local -a packages=()
  if ! command -v c++ > /dev/null; then
    packages+=(build-essential)
  fi
  if [ ! -e /usr/include/kdl/chain.hpp ]; then
    packages+=(liborocos-kdl-dev)
  fi
  install_with_apt "${packages[@]}"
  build_cpp kdl -lorocos-kdl
}

# Pinocchio's headers come with its Python package, which is needed for the check of answers; Eigen's do not.
make_pinocchio() {
  local -a packages=()
  local headers
  if ! command -v c++ > /dev/null; then
    packages+=(build-essential)
  fi
  if [ ! -e /usr/include/eigen3/Eigen/Core ]; then
    packages+=(libeigen3-dev)
  fi
  install_with_apt "${packages[@]}"
  headers="$("$private/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
  build_cpp pinocchio -isystem "$headers/cmeel.prefix/include"
}

make_k() {
  rm -f "$programs/k"
  step "building k" "Correct what it says, then run this again." "$logs/k.log" \
    cargo build --locked --release --manifest-path "$here/k/Cargo.toml" --target-dir "$private/k"
  cp "$private/k/release/peer_k" "$programs/k"
}

find_cargo "$root/Cargo.toml"
make_environment
for package in numpy pin matplotlib; do
  install_python_package "$package"
done
if wanted trac_ik; then optional TRAC-IK install_python_package pytracik; fi
if wanted roboplan; then optional roboplan install_python_package roboplan; fi
if wanted optik; then optional OptIK install_python_package optik-py; fi
if wanted roboticstoolbox; then optional roboticstoolbox install_python_package roboticstoolbox-python; fi
if wanted kdl; then optional KDL make_kdl; fi
if wanted pinocchio; then optional Pinocchio make_pinocchio; fi
if wanted k; then optional k make_k; fi
step "building urdf_ik" "Correct what it says, then run this again." "$logs/urdf_ik.log" \
  cargo build --locked --release --manifest-path "$root/Cargo.toml" -p urdf_ik_cli
program="${CARGO_TARGET_DIR:-$root/target}/release/urdf_ik"
if [ "${PART:-poses}" = poses ]; then "$private/venv/bin/python" "$here/compare.py" "$program" "$programs"; fi
if [ "${PART:-scenes}" = scenes ]; then "$private/venv/bin/python" "$here/compare_scenes.py" "$program"; fi
