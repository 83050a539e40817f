# shellcheck shell=bash
# The private ROS 2: a virtual environment filled with ROS 2's wheels, which is an install prefix as well.

# Prints what the prefix is made of; a virtual environment cannot be moved, so its place is part of it.
prefix_recipe() {
  printf '%s\n' "$workspace/prefix"
  find "$root/scripts/requirements.txt" "$here/prefix.sh" "$here/wheels.sh" "$here/repair.py" "$here/messages" -type f -print0 \
    | sort --zero-terminated | xargs --null sha256sum
}

# Succeeds where the prefix was finished from the present recipe and still starts.
prefix_is_ready() {
  [ -f "$workspace/prefix/recipe" ] && [ "$(prefix_recipe)" = "$(cat "$workspace/prefix/recipe")" ] \
    && in_prefix python -c 'import control_msgs.msg, moveit_msgs.srv, numpy, pytest, rclpy, tf2_msgs.srv' > /dev/null 2>&1
}

# Runs a command in the environment of the prefix alone.
in_prefix() (
  _urdf_ik_export "$workspace"
  "$@"
)

# Installs the message packages that no wheel holds into prefix $1.
make_messages() {
  local build="$workspace/build/messages"
  cmake -S "$here/messages" -B "$build" -G Ninja -DCMAKE_INSTALL_PREFIX="$1" -DPython3_EXECUTABLE="$1/bin/python" \
    -DCMAKE_BUILD_TYPE=MinSizeRel \
    && cmake --build "$build"
}

clear_workspace() {
  if [ -e "$workspace" ]; then
    say "the private ROS 2 in $workspace is incomplete or out of date: making it again"
    rm -rf "$workspace"
  fi
}

# Makes the prefix in a workspace that was cleared.
make_prefix() {
  local prefix="$workspace/prefix" log="$workspace/log"
  say "no ROS 2 is sourced: making a private ROS 2 Jazzy with $python in $workspace (340 MB)"
  make_environment "$prefix" "ROS 2" "$log" --requirement "$root/scripts/requirements.txt"
  step "completing the prefix" "Report this with the file $log/repair.log." "$log/repair.log" \
    in_prefix python "$here/repair.py" "$prefix"
  step "generating messages" "Report this with the file $log/messages.log." "$log/messages.log" \
    in_prefix make_messages "$prefix"
  # Written last: a prefix without it is not finished.
  prefix_recipe > "$prefix/recipe"
}
