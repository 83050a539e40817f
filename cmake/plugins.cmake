# Builds the plug-ins for MoveIt and ros2_control, packages of their own in folders of this one, and installs them with it, where what they need is
# installed. colcon does not look below a package. They use the C interface, which is tested without them.

include(ExternalProject)

# add_plugin(FOLDER PLUGIN PACKAGE VERSION): builds the plug-in in FOLDER if PACKAGE of that VERSION or a newer one is found.
function(add_plugin folder plugin package version)
  find_package(${package} ${version} QUIET)
  if(NOT ${package}_FOUND)
    string(REPLACE "_" "-" debian ros-$ENV{ROS_DISTRO}-${package})
    message(STATUS "The plug-in ${plugin} is left out: for it, install ${debian} (Jazzy or newer) and build again")
    return()
  endif()
  set(build ${CMAKE_CURRENT_BINARY_DIR}/${folder})
  ExternalProject_Add(urdf_ik_${folder}
    SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/${folder}
    BINARY_DIR ${build}
    CMAKE_ARGS -DCMAKE_INSTALL_PREFIX=${CMAKE_INSTALL_PREFIX} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DBUILD_TESTING=OFF
      -DCARGO_FOLDER=${rust_output_dir}/..
    BUILD_ALWAYS ON
    INSTALL_COMMAND ""
    DEPENDS rust_executables)
  install(CODE "
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} RESULT_VARIABLE status)
    if(status)
      message(FATAL_ERROR \"The plug-in ${plugin} could not be installed\")
    endif()")
endfunction()

add_plugin(moveit urdf_ik/UrdfIkPlugin moveit_core 2.12)
add_plugin(ros2_control urdf_ik/UrdfIkKinematics kinematics_interface 1.3)
