//! All topics and services of the node with their names and types.

/// A topic, service or action.
#[derive(Clone, Copy)]
pub(crate) struct Interface {
    /// The name. `~` is the node's own namespace.
    pub name: &'static str,
    /// The ROS 2 type.
    pub ros_type: &'static str,
}

impl Interface {
    /// The name without the node's own namespace, for messages to users.
    pub(crate) fn short_name(self) -> &'static str {
        self.name.strip_prefix("~/").unwrap_or(self.name)
    }

    /// The name in `namespace`, which ends with a slash: each of several tips has its own topics.
    pub(crate) fn name_in(self, namespace: &str) -> String {
        format!("{namespace}{}", self.short_name())
    }
}

/// Defines a list of interfaces, and a constant for each, with an attribute.
macro_rules! interfaces {
    (#[$attribute:meta] $list:ident; $($(#[doc = $sentence:literal])* $constant:ident: $name:literal, $type:literal;)*) => {
        $($(#[doc = $sentence])* #[$attribute]
        pub(crate) const $constant: Interface = Interface { name: $name, ros_type: $type };)*
        #[cfg(any(test, feature = "type_description"))]
        const $list: &[Interface] = &[$($constant),*];
    };
}

interfaces! {
    #[cfg(all())]
    OF_EVERY_NODE;

    // Subscribed.
    /// Pose target of the tip link.
    TARGET_POSE: "~/target_pose", "geometry_msgs/msg/PoseStamped";
    /// Position target of the tip link.
    TARGET_POINT: "~/target_point", "geometry_msgs/msg/PointStamped";
    /// Cartesian path of the tip link.
    TARGET_PATH: "~/target_path", "geometry_msgs/msg/PoseArray";
    /// Velocity command for the tip link.
    TARGET_TWIST: "~/target_twist", "geometry_msgs/msg/TwistStamped";
    /// Joint velocity command.
    JOINT_JOG: "~/joint_jog", "sensor_msgs/msg/JointState";
    /// URDF, unless set by a parameter.
    ROBOT_DESCRIPTION: "robot_description", "std_msgs/msg/String";
    /// SRDF, unless set by a parameter.
    ROBOT_DESCRIPTION_SEMANTIC: "robot_description_semantic", "std_msgs/msg/String";
    /// Measured joint positions.
    MEASURED_JOINT_STATES: "~/measured_joint_states", "sensor_msgs/msg/JointState";
    /// Feedback on the handles.
    HANDLE_FEEDBACK: "~/handle/feedback", "visualization_msgs/msg/InteractiveMarkerFeedback";
    /// Dynamic frames.
    TF: "/tf", "tf2_msgs/msg/TFMessage";
    /// Static frames.
    TF_STATIC: "/tf_static", "tf2_msgs/msg/TFMessage";
    // Published.
    /// Positions of all movable joints.
    JOINT_STATES: "~/joint_states", "sensor_msgs/msg/JointState";
    /// Each path that the arm follows.
    JOINT_TRAJECTORY: "~/joint_trajectory", "trajectory_msgs/msg/JointTrajectory";
    /// Each state of the servo, for a trajectory controller.
    SERVO_TRAJECTORY: "~/servo_trajectory", "trajectory_msgs/msg/JointTrajectory";
    /// Positions of `command_joints`, for controllers.
    JOINT_COMMANDS: "~/joint_commands", "std_msgs/msg/Float64MultiArray";
    /// Outcome of each target.
    STATUS: "~/status", "urdf_ik/msg/SolveStatus";
    /// Status of the servo.
    SERVO_STATUS: "~/servo_status", "urdf_ik/msg/ServoStatus";
    /// Changes of the handles.
    HANDLE_UPDATE: "~/handle/update", "visualization_msgs/msg/InteractiveMarkerUpdate";
    /// The URDF in use.
    ROBOT_DESCRIPTION_IN_USE: "~/robot_description", "std_msgs/msg/String";
    /// Obstacles and attached parts.
    OBSTACLES: "~/obstacles", "urdf_ik/msg/Obstacles";
    /// Standing goals and their states.
    GOALS: "~/goals", "urdf_ik/msg/Goals";
    /// Additional displays for RViz.
    MARKERS: "~/markers", "visualization_msgs/msg/MarkerArray";
    /// Counters of the last second.
    DIAGNOSTICS: "/diagnostics", "diagnostic_msgs/msg/DiagnosticArray";
    /// Changes of parameters.
    PARAMETER_EVENTS: "/parameter_events", "rcl_interfaces/msg/ParameterEvent";
    /// The log.
    ROSOUT: "/rosout", "rcl_interfaces/msg/Log";
    // Services.
    /// One query.
    SOLVE_IK: "~/solve_ik", "urdf_ik/srv/SolveIK";
    /// Many queries in one request.
    SOLVE_IK_BATCH: "~/solve_ik_batch", "urdf_ik/srv/SolveIKBatch";
    /// Trajectory along a path.
    SOLVE_PATH: "~/solve_path", "urdf_ik/srv/SolvePath";
    /// Poses of links.
    FORWARD_KINEMATICS: "~/forward_kinematics", "urdf_ik/srv/ForwardKinematics";
    /// Changes of obstacles and attached parts.
    CHANGE_OBSTACLES: "~/change_obstacles", "urdf_ik/srv/ChangeObstacles";
    /// Changes of standing goals.
    CHANGE_GOALS: "~/change_goals", "urdf_ik/srv/ChangeGoals";
    /// Distances of the robot to itself and to obstacles.
    CHECK_COLLISIONS: "~/check_collisions", "urdf_ik/srv/CheckCollisions";
    /// Motion along a path, an action.
    FOLLOW_PATH: "~/follow_path", "urdf_ik/action/FollowPath";
    /// Relative motion of the tip with its poses.
    CLUTCH: "~/clutch", "std_srvs/srv/SetBool";
    /// Brake to rest.
    STOP: "~/stop", "std_srvs/srv/Trigger";
    /// Return to the measured or initial joint positions.
    RESET: "~/reset", "std_srvs/srv/Trigger";
    /// End of a halt or stop.
    RESUME: "~/resume", "std_srvs/srv/Trigger";
    /// All handles.
    HANDLES: "~/handle/get_interactive_markers", "visualization_msgs/srv/GetInteractiveMarkers";
    /// TopicNames of the parameters.
    LIST_PARAMETERS: "~/list_parameters", "rcl_interfaces/srv/ListParameters";
    /// Types, bounds and descriptions of parameters.
    DESCRIBE_PARAMETERS: "~/describe_parameters", "rcl_interfaces/srv/DescribeParameters";
    /// Values of parameters.
    GET_PARAMETERS: "~/get_parameters", "rcl_interfaces/srv/GetParameters";
    /// Types of parameters.
    GET_PARAMETER_TYPES: "~/get_parameter_types", "rcl_interfaces/srv/GetParameterTypes";
    /// Sets parameters one by one.
    SET_PARAMETERS: "~/set_parameters", "rcl_interfaces/srv/SetParameters";
    /// Sets all parameters of a request or none.
    SET_PARAMETERS_ATOMICALLY: "~/set_parameters_atomically", "rcl_interfaces/srv/SetParametersAtomically";
}

interfaces! {
    #[cfg_attr(not(feature = "type_description"), allow(dead_code, reason = "only with type_description_interfaces"))]
    OF_TYPED_NODES;

    /// Descriptions of the types of the node.
    GET_TYPE_DESCRIPTION: "~/get_type_description", "type_description_interfaces/srv/GetTypeDescription";
}

interfaces! {
    #[cfg_attr(not(feature = "moveit"), allow(dead_code, reason = "only with moveit_msgs"))]
    OF_MOVEIT;

    /// Changes of obstacles in MoveIt's message.
    COLLISION_OBJECT: "collision_object", "moveit_msgs/msg/CollisionObject";
    /// Attached parts in MoveIt's message.
    ATTACHED_COLLISION_OBJECT: "attached_collision_object", "moveit_msgs/msg/AttachedCollisionObject";
    /// MoveIt's inverse kinematics.
    COMPUTE_IK: "~/compute_ik", "moveit_msgs/srv/GetPositionIK";
    /// MoveIt's forward kinematics.
    COMPUTE_FK: "~/compute_fk", "moveit_msgs/srv/GetPositionFK";
    /// MoveIt's state validity check.
    CHECK_STATE_VALIDITY: "~/check_state_validity", "moveit_msgs/srv/GetStateValidity";
}

interfaces! {
    #[cfg_attr(not(feature = "moveit_servo"), allow(dead_code, reason = "only with moveit_msgs"))]
    OF_MOVEIT_SERVO;

    /// MoveIt Servo's velocity command for the first tip link.
    DELTA_TWIST_CMDS: "/servo_node/delta_twist_cmds", "geometry_msgs/msg/TwistStamped";
    /// MoveIt Servo's joint velocity command.
    DELTA_JOINT_CMDS: "/servo_node/delta_joint_cmds", "control_msgs/msg/JointJog";
    /// MoveIt Servo's pose command for the first tip link.
    POSE_TARGET_CMDS: "/servo_node/pose_target_cmds", "geometry_msgs/msg/PoseStamped";
    /// MoveIt Servo's status.
    SERVO_STATUS_OF_MOVEIT: "/servo_node/status", "moveit_msgs/msg/ServoStatus";
    /// Selects the accepted commands of MoveIt Servo.
    SWITCH_COMMAND_TYPE: "/servo_node/switch_command_type", "moveit_msgs/srv/ServoCommandType";
    /// Pauses the commands of MoveIt Servo.
    PAUSE_SERVO: "/servo_node/pause_servo", "std_srvs/srv/SetBool";
}

/// All interfaces, also those of packages that were not installed when the node was built.
#[cfg(any(test, feature = "type_description"))]
pub(super) fn all() -> impl Iterator<Item = &'static Interface> {
    [OF_EVERY_NODE, OF_TYPED_NODES, OF_MOVEIT, OF_MOVEIT_SERVO].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/node.md"));

    /// False for the interfaces of every ROS node: parameter services, parameter events, log.
    fn is_listed(interface: &Interface) -> bool {
        !interface.ros_type.starts_with("rcl_interfaces/")
    }

    #[test]
    fn the_documents_list_every_interface_with_its_type() {
        for interface in all().filter(|interface| is_listed(interface)) {
            let name = format!("`{}`", interface.name);
            let short_type = interface.ros_type.replace("/msg/", "/").replace("/srv/", "/").replace("/action/", "/");
            let is_row = |line: &str| line.starts_with('|') && line.contains(&name) && line.contains(&short_type);
            assert!(DOCUMENT.lines().any(is_row), "docs/node.md should have a row with {name} and {short_type}");
        }
    }

    #[test]
    fn the_documents_list_no_other_interface() {
        for name in DOCUMENT.lines().filter_map(|line| line.strip_prefix("| `~/")?.split('`').next()) {
            let is_known = |interface: &&Interface| is_listed(interface) && interface.name == format!("~/{name}");
            assert!(all().any(|interface| is_known(&interface)), "docs/node.md lists ~/{name}");
        }
    }
}
