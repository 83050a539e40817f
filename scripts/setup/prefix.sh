# shellcheck shell=bash
# The private ROS 2: a virtual environment filled with ROS 2's wheels, which is an install prefix as well.

# Prints what the prefix is made of; a virtual environment cannot be moved, so its place is part of it.
prefix_recipe() {
  printf '%s\n' "$workspace/prefix"
  find "$root/scripts/requirements.txt" "$here/prefix.sh" "$here/repair.py" "$here/messages" -type f -print0 \
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
  cmake -S "$here/messages" -B "$build" -DCMAKE_INSTALL_PREFIX="$1" -DPython3_EXECUTABLE="$1/bin/python" \
    -DCMAKE_BUILD_TYPE=Release \
    && cmake --build "$build" --parallel "$(nproc)"
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
  step "making a virtual environment" "See whether this works: $python -m venv /tmp/trial" "$log/venv.log" \
    "$python" -m venv "$prefix"
  # --no-compile: Python compiles the few modules that are used when it first imports them.
  step "installing ROS 2 from PyPI" "Check the connection to https://pypi.org, then run this again." "$log/pip.log" \
    env PIP_CONSTRAINT="$root/scripts/requirements.txt" "$prefix/bin/python" -m pip install --no-input \
    --disable-pip-version-check --progress-bar off --use-pep517 --no-deps --no-compile \
    --requirement "$root/scripts/requirements.txt"
  step "completing the prefix" "Report this with the file $log/repair.log." "$log/repair.log" \
    in_prefix python "$here/repair.py" "$prefix"
  step "generating messages" "Report this with the file $log/messages.log." "$log/messages.log" \
    in_prefix make_messages "$prefix"
  # Written last: a prefix without it is not finished.
  prefix_recipe > "$prefix/recipe"
}
