# shellcheck shell=bash
# The build of the package in its workspace, by colcon as on any ROS 2 machine. $command_line says whether it includes
# the command line.

build_package() {
  local source="$workspace/src/urdf_ik" build="$workspace/build" log="$workspace/log"
  local -a cmake_arguments=(-DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DCOMMAND_LINE="$command_line" --no-warn-unused-cli)
  if [ -d "$workspace/prefix" ]; then
    # With a private ROS 2 nothing is built in C++, and message code in C needs no more than small size, which compiles
    # fast.
    cmake_arguments+=(-G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel "-DPython3_EXECUTABLE=$workspace/prefix/bin/python" -DMESSAGES_FOR_C_ALONE=ON)
  fi
  # CMake refuses a build folder for another location of the sources.
  if [ -f "$build/urdf_ik/CMakeCache.txt" ] \
    && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$source" "$build/urdf_ik/CMakeCache.txt"; then
    rm -rf "$build" "$workspace/install"
  fi
  # CMake also refuses to export a package whose Python is inside its sources, as in .ros. Through a link the sources
  # have another path.
  mkdir -p "$workspace/src"
  ln -sfn "$root" "$source"
  # Links to removed scripts, which colcon leaves behind.
  if [ -d "$workspace/install" ]; then find "$workspace/install" -xtype l -delete; fi
  # The user's colcon defaults could redirect the result. The lock of set-up is not inherited (9>&-), because a compiler
  # cache would keep it for the lifetime of its server.
  step "building the package" "Correct the errors that they show, then run this again." "$log/build.log" \
    env COLCON_DEFAULTS_FILE=/dev/null colcon --log-base "$log" build --paths "$source" \
    --build-base "$build" --install-base "$workspace/install" --symlink-install \
    --event-handlers console_direct+ console_cohesion- --cmake-args "${cmake_arguments[@]}" 9>&-
}
