# The rest of each package's CMakeLists.txt: generates the interfaces in msg, srv and action, with what package.xml depends on.

find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
ament_package_xml()
set(dependencies ${${PROJECT_NAME}_BUILD_DEPENDS})
foreach(package IN LISTS dependencies)
  find_package(${package} REQUIRED)
endforeach()

# No code for C++, which takes as long to compile as all else: the node and Python use that for C.
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")

# The files of a library share long headers: compiled as one file they take a quarter of the time.
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)

file(GLOB interfaces RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS msg/*.msg srv/*.srv action/*.action)
rosidl_generate_interfaces(${PROJECT_NAME} ${interfaces} DEPENDENCIES ${dependencies})
# Its files have static names in common.
set_target_properties(${PROJECT_NAME}__rosidl_generator_c PROPERTIES UNITY_BUILD OFF)
ament_package()
