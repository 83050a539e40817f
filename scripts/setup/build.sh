# shellcheck shell=bash
# The build of the package in its workspace, by colcon as on any ROS 2 machine. $command_line says whether with the command line.

build_package() {
  local source="$workspace/src/urdf_ik" build="$workspace/build" log="$workspace/log"
  local -a cmake_arguments=(-DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DCOMMAND_LINE="$command_line" --no-warn-unused-cli)
  if [ -d "$workspace/prefix" ]; then
    # Nothing in C++ is built with a private ROS 2, and message code in C gains nothing by more than small code, which is soon compiled.
    cmake_arguments+=(-G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel "-DPython3_EXECUTABLE=$workspace/prefix/bin/python" -DMESSAGES_FOR_C_ALONE=ON)
  fi
  # CMake refuses a build folder that was made for another place of the sources.
  if [ -f "$build/urdf_ik/CMakeCache.txt" ] \
    && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$source" "$build/urdf_ik/CMakeCache.txt"; then
    rm -rf "$build" "$workspace/install"
  fi
  # CMake also refuses to export a package whose Python lies within its sources, as that of .ros does. Seen through
  # a link the sources lie elsewhere.
  mkdir -p "$workspace/src"
  ln -sfn "$root" "$source"
  # Links to scripts that the package no longer has, which colcon leaves.
  if [ -d "$workspace/install" ]; then find "$workspace/install" -xtype l -delete; fi
  # The person's own colcon defaults could move the result to where nothing looks for it. The lock of set-up is not
  # handed on (9>&-), because a compiler cache would keep it for as long as its server runs.
  step "building the package" "Correct the errors that they show, then run this again." "$log/build.log" \
    env COLCON_DEFAULTS_FILE=/dev/null colcon --log-base "$log" build --paths "$source" \
    --build-base "$build" --install-base "$workspace/install" --symlink-install \
    --event-handlers console_direct+ console_cohesion- --cmake-args "${cmake_arguments[@]}" 9>&-
}
