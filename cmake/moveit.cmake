# Builds the plug-in for MoveIt, a package of its own in moveit/, and installs it with this one, where MoveIt is installed.
# colcon does not look below a package. The logic of the plug-in uses the C interface and is tested without MoveIt.

find_package(moveit_core 2.12 QUIET)
if(NOT moveit_core_FOUND)
  message(STATUS "MoveIt's plug-in urdf_ik/UrdfIkPlugin is left out: for it, install ros-$ENV{ROS_DISTRO}-moveit-core (Jazzy or newer) and build again")
  return()
endif()

include(ExternalProject)
set(moveit_build ${CMAKE_CURRENT_BINARY_DIR}/moveit)
ExternalProject_Add(urdf_ik_moveit
  SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/moveit
  BINARY_DIR ${moveit_build}
  CMAKE_ARGS -DCMAKE_INSTALL_PREFIX=${CMAKE_INSTALL_PREFIX} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DBUILD_TESTING=OFF
    -DCARGO_FOLDER=${rust_output_dir}/..
  BUILD_ALWAYS ON
  INSTALL_COMMAND ""
  DEPENDS rust_executables)
install(CODE "
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${moveit_build} RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR \"MoveIt's plug-in could not be installed\")
  endif()")
