# shellcheck shell=bash
# The dependencies of the page without ROS: some Python packages, and the command line.

# From scripts/requirements.txt, which pins their versions.
page_packages='imageio|msgspec|numpy|pillow|pygments|rich|trimesh|typing-extensions|viser|websockets|yourdfpy|zstandard'

# Sets page_python to an interpreter with the packages: that of the private ROS 2 if there is one, else of a separate
# environment.
choose_page_python() {
  local prefix="$workspace/prefix" own="$root/.ros/page" wanted
  mapfile -t wanted < <(grep -E "^($page_packages)==" "$root/scripts/requirements.txt")
  page_python="$prefix/bin/python"
  if [ ! -f "$prefix/recipe" ]; then
    page_python="$own/bin/python"
    make_own_python "$own" viser "${wanted[@]}"
  fi
}

# Builds the command line and sets command_line to its path: in the workspace if it has been built there, else by the
# profile play.
build_command_line() {
  local -a options=(--profile play)
  command_line="$root/target/play/urdf_ik"
  if [ -e "$workspace/install/urdf_ik/lib/urdf_ik/urdf_ik" ]; then
    options=(--release --target-dir "$workspace/build/urdf_ik/cargo")
    command_line="$workspace/build/urdf_ik/cargo/release/urdf_ik"
  fi
  step "building the command line" "Correct the errors that they show, then run this again." "$root/.ros/command_line.log" \
    env --chdir="$root" --unset=CARGO_TARGET_DIR cargo build --locked -p urdf_ik_cli "${options[@]}" 9>&-
}
