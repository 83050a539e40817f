# The interfaces that r2r makes Rust code for: those of this package, and of others only what the node and r2r use. All interfaces of their
# packages would take twice as long to compile.

set(node_interfaces ${interfaces})
list(TRANSFORM node_interfaces REPLACE "(.*)\\..*" "${PROJECT_NAME}/\\1")
list(APPEND node_interfaces
  action_msgs/msg/GoalStatusArray
  action_msgs/srv/CancelGoal
  control_msgs/action/FollowJointTrajectory
  diagnostic_msgs/msg/DiagnosticArray
  geometry_msgs/msg/PointStamped
  geometry_msgs/msg/PoseArray
  geometry_msgs/msg/PoseStamped
  geometry_msgs/msg/TwistStamped
  rcl_interfaces/msg/Log
  rcl_interfaces/msg/ParameterEvent
  rcl_interfaces/msg/ParameterType
  sensor_msgs/msg/JointState
  shape_msgs/msg/Mesh
  shape_msgs/msg/SolidPrimitive
  std_msgs/msg/Bool
  std_msgs/msg/ColorRGBA
  std_msgs/msg/Float64MultiArray
  std_msgs/msg/String
  std_srvs/srv/SetBool
  std_srvs/srv/Trigger
  tf2_msgs/msg/TFMessage
  trajectory_msgs/msg/JointTrajectory
  unique_identifier_msgs/msg/UUID
  visualization_msgs/msg/InteractiveMarkerFeedback
  visualization_msgs/msg/InteractiveMarkerUpdate
  visualization_msgs/msg/MarkerArray
  visualization_msgs/srv/GetInteractiveMarkers)
# Dependencies of r2r itself.
list(APPEND node_interfaces
  rcl_interfaces/srv/DescribeParameters
  rcl_interfaces/srv/GetParameterTypes
  rcl_interfaces/srv/GetParameters
  rcl_interfaces/srv/ListParameters
  rcl_interfaces/srv/SetParameters
  rcl_interfaces/srv/SetParametersAtomically
  rosgraph_msgs/msg/Clock)

# Descriptions of types: Humble has none.
set(rust_features "")
find_package(type_description_interfaces QUIET)
if(type_description_interfaces_FOUND)
  list(APPEND rust_features type_description)
  list(APPEND node_interfaces type_description_interfaces/srv/GetTypeDescription)
endif()

# MoveIt's services where they are installed, and the topics of MoveIt Servo, which need a moveit_msgs that is newer than Humble's.
find_package(moveit_msgs QUIET)
if(moveit_msgs_FOUND)
  list(APPEND rust_features moveit)
  list(APPEND node_interfaces
    moveit_msgs/msg/AttachedCollisionObject
    moveit_msgs/srv/GetPositionFK
    moveit_msgs/srv/GetPositionIK
    moveit_msgs/srv/GetStateValidity)
  if(EXISTS "${moveit_msgs_DIR}/../srv/ServoCommandType.srv")
    list(APPEND rust_features moveit_servo)
    list(APPEND node_interfaces
      control_msgs/msg/JointJog
      moveit_msgs/msg/ServoStatus
      moveit_msgs/srv/ServoCommandType)
  endif()
endif()
list(JOIN rust_features "," rust_features)

# Links the file of an interface, and those of all that it is made of, from the first of the folders ARGN that has it into FOLDER.
function(link_interface interface folder)
  if(EXISTS ${folder}/${interface}.idl)
    return()
  endif()
  foreach(origin IN LISTS ARGN)
    set(file ${origin}/${interface}.idl)
    if(EXISTS ${file})
      get_filename_component(parent ${folder}/${interface} DIRECTORY)
      file(MAKE_DIRECTORY ${parent})
      file(CREATE_LINK ${file} ${folder}/${interface}.idl SYMBOLIC)
      file(STRINGS ${file} parts REGEX "^#include \".*\\.idl\"")
      foreach(part IN LISTS parts)
        string(REGEX REPLACE "^#include \"(.*)\\.idl\".*" "\\1" part "${part}")
        link_interface(${part} ${folder} ${ARGN})
      endforeach()
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "The interface ${interface} was not found in any of: ${ARGN}. Install its package.")
endfunction()
