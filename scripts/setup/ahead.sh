# shellcheck shell=bash
# Compiles the crates without ROS 2 while ROS 2 is being installed, into the folder of the build that follows.

# Starts cargo in the background for $packages, in its own process group. It is bound to fail where build scripts look
# for ROS 2; with --keep-going it still compiles all other crates. Without a C compiler it does not start.
compile_ahead() {
  command -v cc > /dev/null || return 0
  say "compiling meanwhile what needs no ROS 2"
  mkdir -p "$workspace/log"
  CARGO_TARGET_DIR="$workspace/build/urdf_ik/cargo" setsid env --unset=ROS_DISTRO --chdir="$root" \
    nice cargo build --release --locked "${packages[@]}" --bins --keep-going \
    < /dev/null > "$workspace/log/ahead.log" 2>&1 9>&- &
  ahead="$!"
  trap end_ahead EXIT
}

# Stops that cargo if set-up ends early. The build of the package waits for it.
end_ahead() {
  trap - EXIT
  if [ -n "${ahead:-}" ]; then
    kill -- "-$ahead" 2> /dev/null || true
    wait "$ahead" 2> /dev/null || true
  fi
}
