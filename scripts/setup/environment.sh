# shellcheck shell=bash
# Which ROS 2 is used, where its build lies, and the environment of both. Written for bash and zsh, because env.sh
# brings these functions into a person's shell.

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

# Prints the folder in checkout $1 that holds the build: that of the ROS 2 which was sourced, or of the embedded one.
_urdf_ik_workspace() {
  if [ -n "$(_urdf_ik_foreign "${AMENT_PREFIX_PATH-}")" ]; then
    printf '%s' "$1/.ros/${ROS_DISTRO:-unknown}"
  else
    printf '%s' "$1/.ros/embedded"
  fi
}

# Prints $1, and $2 behind a colon where there is a $2.
_urdf_ik_join() {
  printf '%s' "$1${2:+:$2}"
}

# Exports the environment of workspace $1: its ROS 2 where that is the embedded one, and the package where it is built.
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
    # The wheels bring a hook that starts Python a second time to set what is set here.
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
