# Builds the node, and the command line unless COMMAND_LINE is OFF, against the interfaces that this same package has just generated.
#
# r2r looks for headers and libraries in install prefixes, and this package is not installed yet when its node is built. A staged prefix of
# symbolic links in the build folder therefore shows r2r the generated files where it looks for them. r2r does not notice edited interfaces, so cargo.sh.in cleans it.

file(STRINGS Cargo.toml rust_version REGEX "^rust-version = ")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" rust_version "${rust_version}")
find_program(CARGO cargo HINTS $ENV{CARGO_HOME}/bin $ENV{HOME}/.cargo/bin)
if(NOT CARGO)
  message(FATAL_ERROR "cargo was not found. Install Rust ${rust_version} or newer from https://rustup.rs "
    "and open a new shell.")
endif()
execute_process(COMMAND ${CARGO} --version OUTPUT_VARIABLE cargo_version)
string(REGEX MATCH "[0-9]+\\.[0-9]+" cargo_version "${cargo_version}")
if(cargo_version VERSION_LESS rust_version)
  message(FATAL_ERROR "${CARGO} is version ${cargo_version}, but urdf_ik needs Rust ${rust_version} or newer: "
    "install it from https://rustup.rs, or run: rustup update")
endif()

set(stage ${CMAKE_CURRENT_BINARY_DIR}/stage)
file(REMOVE_RECURSE ${stage})
file(MAKE_DIRECTORY ${stage}/include ${stage}/interfaces)
file(CREATE_LINK ${CMAKE_CURRENT_BINARY_DIR}/rosidl_generator_c ${stage}/include/${PROJECT_NAME} SYMBOLIC)
file(CREATE_LINK ${CMAKE_CURRENT_BINARY_DIR} ${stage}/lib SYMBOLIC)

# A copy of this package in an overlay (an earlier build) would be taken for a second source of its interfaces.
string(REPLACE ":" ";" ros_prefixes "$ENV{AMENT_PREFIX_PATH}:$ENV{CMAKE_PREFIX_PATH}")
list(FILTER ros_prefixes EXCLUDE REGEX "/${PROJECT_NAME}$")
list(REMOVE_DUPLICATES ros_prefixes)
list(JOIN ros_prefixes ":" ros_prefix_path)
set(ros_distro $ENV{ROS_DISTRO})
set(ros_library_path $ENV{LD_LIBRARY_PATH})

include(${CMAKE_CURRENT_LIST_DIR}/interfaces.cmake)
list(TRANSFORM ros_prefixes APPEND /share OUTPUT_VARIABLE ros_shares)
foreach(interface IN LISTS node_interfaces)
  link_interface(${interface} ${stage}/interfaces ${CMAKE_CURRENT_BINARY_DIR}/rosidl_adapter ${ros_shares})
endforeach()
file(GLOB interface_packages ${stage}/interfaces/*)
list(TRANSFORM interface_packages APPEND /cmake)
list(JOIN interface_packages ":" interface_packages)

# Cargo with the node's features and their environment; also for manual use: cargo.sh clippy
set(cargo_with_ros ${CMAKE_CURRENT_BINARY_DIR}/cargo.sh)
configure_file(${CMAKE_CURRENT_LIST_DIR}/cargo.sh.in ${cargo_with_ros} @ONLY)
set(rust_output_dir ${CMAKE_CURRENT_BINARY_DIR}/cargo/release)

option(COMMAND_LINE "Build and install the command line urdf_ik as well" ON)
set(rust_packages -p urdf_ik_node)
set(rust_executables ${rust_output_dir}/urdf_ik_node)
if(COMMAND_LINE)
  list(APPEND rust_packages -p urdf_ik_cli)
  list(APPEND rust_executables ${rust_output_dir}/urdf_ik)
endif()

add_custom_target(rust_executables ALL
  COMMAND bash ${cargo_with_ros} build --release --locked ${rust_packages} --bins
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  BYPRODUCTS ${rust_executables}
  COMMENT "Building the Rust executables"
  USES_TERMINAL
  VERBATIM)
add_dependencies(rust_executables
  ${PROJECT_NAME}__rosidl_generator_c
  ${PROJECT_NAME}__rosidl_typesupport_c
  ${PROJECT_NAME}__rosidl_typesupport_introspection_c)

install(PROGRAMS ${rust_executables} DESTINATION lib/${PROJECT_NAME})
