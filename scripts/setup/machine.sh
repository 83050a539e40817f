# shellcheck shell=bash
# Requirements on the machine that set-up does not install by itself.

# Succeeds if version $1 is at least version $2.
at_least() {
  [ "$(printf '%s\n' "$1" "$2" | sort --version-sort | head -n 1)" = "$2" ]
}

# Puts cargo on PATH and checks that it is as new as the manifest $1 requires.
find_cargo() {
  local wanted version remedy
  wanted="$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$1")"
  remedy="Install Rust $wanted or newer from https://rustup.rs (or run: rustup update stable), then run this again."
  PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
  if ! version="$(cargo --version 2>&1)"; then
    fail "cargo was not found, or does not start." "$remedy"
  fi
  version="$(cut -d ' ' -f 2 <<< "$version")"
  if ! at_least "$version" "$wanted"; then
    fail "$(command -v cargo) has version $version." "$remedy"
  fi
}

# Checks that the node can be built with the sourced ROS 2.
check_sourced_ros() {
  case "${ROS_DISTRO:-}" in
    humble | jazzy | lyrical | rolling) ;;
    "") fail "AMENT_PREFIX_PATH is set, but ROS_DISTRO is not." \
      "Source the setup file of ROS 2 first (source /opt/ros/jazzy/setup.bash), or use a shell without ROS." ;;
    *) fail "ROS 2 $ROS_DISTRO is sourced, but urdf_ik builds with humble, jazzy, lyrical and rolling only." \
      "Source one of these, or run this in a shell without ROS: it then makes a ROS 2 of its own in .ros/." ;;
  esac
  if ! command -v colcon > /dev/null; then
    fail "colcon was not found." "Install it: sudo apt install python3-colcon-common-extensions"
  fi
  say "using ROS 2 $ROS_DISTRO, which is sourced"
}

# Checks that the binary packages of ROS 2 run on this machine.
check_machine() {
  local remedy="Install and source ROS 2 by yourself (https://docs.ros.org, or its container ros:jazzy), then run this again.
Without ROS 2 these work: make play; the command line (cargo build --release) and its Debian package with the C library
(scripts/deb.sh urdf-ik); the Python module (pip install ./crates/python)."
  if [ "$(uname -sm)" != "Linux x86_64" ]; then
    fail "The private ROS 2 exists for Linux on x86-64 only, and this is $(uname -sm)." "$remedy"
  fi
  local libc
  libc="$(getconf GNU_LIBC_VERSION 2> /dev/null | cut -d ' ' -f 2)" || libc=""
  if [ -z "$libc" ] || ! at_least "$libc" 2.28; then
    fail "The private ROS 2 needs glibc 2.28 or newer, and this system has ${libc:-another C library}." "$remedy"
  fi
}

# Succeeds if the packages exist for interpreter $1, a CPython.
python_fits() {
  "$1" -c '
import platform, sys, sysconfig
fits = platform.python_implementation() == "CPython" and (3, 10) <= sys.version_info[:2] <= (3, 13)
sys.exit(not fits or bool(sysconfig.get_config_var("Py_GIL_DISABLED")))' > /dev/null 2>&1
}

# Succeeds if interpreter $1 can create virtual environments and has its C headers.
python_is_complete() {
  "$1" -c '
import ensurepip, pathlib, sys, sysconfig, venv
sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())' > /dev/null 2>&1
}

# Sets python to the interpreter of the private ROS 2: $PYTHON, or the first suitable one. An interpreter that only
# lacks Debian packages comes second; without one, the Debian package python3 provides it.
# shellcheck disable=SC2034 # python is for the script that sources this
choose_python() {
  local candidate
  local -a candidates=(python3 python3.{13,12,11,10} /usr/bin/python3{,.13,.12,.11,.10})
  if [ -n "${PYTHON:-}" ]; then
    candidates=("$PYTHON")
  fi
  python=""
  for candidate in "${candidates[@]}"; do
    if python_fits "$candidate" && python_is_complete "$candidate"; then
      python="$(command -v "$candidate")"
      return
    fi
  done
  for candidate in "${candidates[@]}"; do
    if [[ "$(command -v "$candidate")" = /usr/bin/* ]] && python_fits "$candidate"; then
      python="$(command -v "$candidate")"
      return
    fi
  done
  if [ -n "${PYTHON:-}" ] || command -v python3 > /dev/null; then
    fail "No CPython 3.10, 3.11, 3.12 or 3.13 was found, and the private ROS 2 exists for these only." \
      "Install one (with pyenv, or: uv python install 3.12) and run this with PYTHON=/path/to/python3.12."
  fi
}
