# shellcheck shell=bash
# Selects the ROS 2, the folder of its build, and the environment of both. Written for bash and zsh, because env.sh
# defines these functions in the user's shell.

# Prints the path list $1 without the entries that _urdf_ik_export added earlier, for this checkout or another.
_urdf_ik_foreign() {
  local rest="$1:" entry kept=""
  while [ -n "$rest" ]; do
    entry="${rest%%:*}"
    rest="${rest#*:}"
    case "$entry" in
      "" | */.ros/*/install/urdf_ik | */.ros/*/install/urdf_ik/* | */.ros/embedded/*) ;;
      *) kept="${kept:+$kept:}$entry" ;;
    esac
  done
  printf '%s' "$kept"
}

# Prints the build folder of checkout $1: that of the sourced ROS 2, or of the embedded one.
_urdf_ik_workspace() {
  if [ -n "$(_urdf_ik_foreign "${AMENT_PREFIX_PATH-}")" ]; then
    printf '%s' "$1/.ros/${ROS_DISTRO:-unknown}"
  else
    printf '%s' "$1/.ros/embedded"
  fi
}

# Prints $1, and $2 after a colon if $2 is not empty.
_urdf_ik_join() {
  printf '%s' "$1${2:+:$2}"
}

# Exports the environment of workspace $1: its ROS 2 if it is the embedded one, and the package if it is built.
_urdf_ik_export() {
  local prefix="$1/prefix" package="$1/install/urdf_ik" libraries modules
  PATH="$(_urdf_ik_foreign "$PATH")"
  AMENT_PREFIX_PATH="$(_urdf_ik_foreign "${AMENT_PREFIX_PATH-}")"
  CMAKE_PREFIX_PATH="$(_urdf_ik_foreign "${CMAKE_PREFIX_PATH-}")"
  LD_LIBRARY_PATH="$(_urdf_ik_foreign "${LD_LIBRARY_PATH-}")"
  PYTHONPATH="$(_urdf_ik_foreign "${PYTHONPATH-}")"

  if [ -z "$AMENT_PREFIX_PATH" ]; then
    libraries="$(find "$prefix"/lib/ -maxdepth 3 -type d -name 'ros_*.libs' | sort | tr '\n' ':')"
    PATH="$(_urdf_ik_join "$prefix/bin" "$PATH")"
    AMENT_PREFIX_PATH="$prefix"
    CMAKE_PREFIX_PATH="$(_urdf_ik_join "$prefix" "$CMAKE_PREFIX_PATH")"
    LD_LIBRARY_PATH="$(_urdf_ik_join "$prefix/lib:${libraries%:}" "$LD_LIBRARY_PATH")"
    export ROS_VERSION=2 ROS_PYTHON_VERSION=3 ROS_DISTRO=jazzy
    # The wheels have a hook that starts Python a second time to set these variables.
    export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
  fi
  if [ -d "$package" ]; then
    modules="$(find "$package" -maxdepth 4 -type d \( -name site-packages -o -name dist-packages \))"
    PATH="$(_urdf_ik_join "$package/lib/urdf_ik" "$PATH")"
    AMENT_PREFIX_PATH="$(_urdf_ik_join "$package" "$AMENT_PREFIX_PATH")"
    CMAKE_PREFIX_PATH="$(_urdf_ik_join "$package" "$CMAKE_PREFIX_PATH")"
    LD_LIBRARY_PATH="$(_urdf_ik_join "$package/lib" "$LD_LIBRARY_PATH")"
    PYTHONPATH="$(_urdf_ik_join "$modules" "$PYTHONPATH")"
  fi
  export PATH AMENT_PREFIX_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH PYTHONPATH
}
