//! Every topic and service of the node: the one list of their names and types.

/// A topic or a service.
#[derive(Clone, Copy)]
pub(crate) struct Interface {
    /// Its name. `~` is the node's own namespace.
    pub name: &'static str,
    /// Its type, as ROS 2 writes it.
    pub ros_type: &'static str,
}

impl Interface {
    /// The name without the node's own namespace, for messages to a person.
    pub(crate) fn short_name(self) -> &'static str {
        self.name.strip_prefix("~/").unwrap_or(self.name)
    }

    /// The name below `namespace`, which ends with a slash: each of several tips has topics of its own.
    pub(crate) fn name_in(self, namespace: &str) -> String {
        format!("{namespace}{}", self.short_name())
    }
}

/// Makes a list of interfaces, and a constant of each, with an attribute.
macro_rules! interfaces {
    (#[$attribute:meta] $list:ident; $($(#[doc = $sentence:literal])* $constant:ident: $name:literal, $type:literal;)*) => {
        $($(#[doc = $sentence])* #[$attribute]
        pub(crate) const $constant: Interface = Interface { name: $name, ros_type: $type };)*
        #[cfg(test)]
        const $list: &[Interface] = &[$($constant),*];
    };
}

interfaces! {
    #[cfg(all())]
    OF_EVERY_NODE;

    // Subscribed.
    /// A pose for the tip link.
    TARGET_POSE: "~/target_pose", "geometry_msgs/msg/PoseStamped";
    /// A position for the tip link.
    TARGET_POINT: "~/target_point", "geometry_msgs/msg/PointStamped";
    /// Poses that the tip link visits along straight lines.
    TARGET_PATH: "~/target_path", "geometry_msgs/msg/PoseArray";
    /// The velocity of the tip link.
    TARGET_TWIST: "~/target_twist", "geometry_msgs/msg/TwistStamped";
    /// Velocities of joints.
    JOINT_JOG: "~/joint_jog", "sensor_msgs/msg/JointState";
    /// The URDF, where no parameter gives it.
    ROBOT_DESCRIPTION: "robot_description", "std_msgs/msg/String";
    /// The SRDF, where no parameter gives it.
    ROBOT_DESCRIPTION_SEMANTIC: "robot_description_semantic", "std_msgs/msg/String";
    /// Where the robot really is.
    MEASURED_JOINT_STATES: "~/measured_joint_states", "sensor_msgs/msg/JointState";
    /// What a person does with the handle of a tip.
    HANDLE_FEEDBACK: "~/handle/feedback", "visualization_msgs/msg/InteractiveMarkerFeedback";
    /// Frames that move.
    TF: "/tf", "tf2_msgs/msg/TFMessage";
    /// Frames that do not move.
    TF_STATIC: "/tf_static", "tf2_msgs/msg/TFMessage";
    // Published.
    /// Positions of all movable joints.
    JOINT_STATES: "~/joint_states", "sensor_msgs/msg/JointState";
    /// Each path that the arm follows.
    JOINT_TRAJECTORY: "~/joint_trajectory", "trajectory_msgs/msg/JointTrajectory";
    /// Each state of the servo, for a controller of trajectories.
    SERVO_TRAJECTORY: "~/servo_trajectory", "trajectory_msgs/msg/JointTrajectory";
    /// Positions of the parameter `command_joints`, for controllers.
    JOINT_COMMANDS: "~/joint_commands", "std_msgs/msg/Float64MultiArray";
    /// The result of each target.
    STATUS: "~/status", "urdf_ik/msg/SolveStatus";
    /// What the servo does.
    SERVO_STATUS: "~/servo_status", "urdf_ik/msg/ServoStatus";
    /// Changes of the handles.
    HANDLE_UPDATE: "~/handle/update", "visualization_msgs/msg/InteractiveMarkerUpdate";
    /// The URDF in use.
    ROBOT_DESCRIPTION_IN_USE: "~/robot_description", "std_msgs/msg/String";
    /// Obstacles and attached parts.
    OBSTACLES: "~/obstacles", "urdf_ik/msg/Obstacles";
    /// What RViz draws beside the robot.
    MARKERS: "~/markers", "visualization_msgs/msg/MarkerArray";
    /// Counts of the last second.
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
    /// A trajectory along a path.
    SOLVE_PATH: "~/solve_path", "urdf_ik/srv/SolvePath";
    /// Poses of links.
    FORWARD_KINEMATICS: "~/forward_kinematics", "urdf_ik/srv/ForwardKinematics";
    /// Changes of obstacles and attached parts.
    CHANGE_OBSTACLES: "~/change_obstacles", "urdf_ik/srv/ChangeObstacles";
    /// How near the robot is to itself and to obstacles.
    CHECK_COLLISIONS: "~/check_collisions", "urdf_ik/srv/CheckCollisions";
    /// Whether the tip link moves as its poses move.
    CLUTCH: "~/clutch", "std_srvs/srv/SetBool";
    /// Brakes to rest.
    STOP: "~/stop", "std_srvs/srv/Trigger";
    /// Back to the measured or initial joint positions.
    RESET: "~/reset", "std_srvs/srv/Trigger";
    /// Ends a halt and a stop, where the robot is measured.
    RESUME: "~/resume", "std_srvs/srv/Trigger";
    /// The handles as they are now.
    HANDLES: "~/handle/get_interactive_markers", "visualization_msgs/srv/GetInteractiveMarkers";
    /// Names of the parameters.
    LIST_PARAMETERS: "~/list_parameters", "rcl_interfaces/srv/ListParameters";
    /// Types, bounds and sentences of parameters.
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
    #[cfg_attr(not(feature = "moveit"), allow(dead_code, reason = "only with moveit_msgs"))]
    OF_MOVEIT;

    /// Changes of obstacles as MoveIt sends them.
    COLLISION_OBJECT: "collision_object", "moveit_msgs/msg/CollisionObject";
    /// Parts that are attached and detached as MoveIt sends them.
    ATTACHED_COLLISION_OBJECT: "attached_collision_object", "moveit_msgs/msg/AttachedCollisionObject";
    /// Inverse kinematics as MoveIt asks for it.
    COMPUTE_IK: "~/compute_ik", "moveit_msgs/srv/GetPositionIK";
    /// Forward kinematics as MoveIt asks for it.
    COMPUTE_FK: "~/compute_fk", "moveit_msgs/srv/GetPositionFK";
    /// Whether a configuration is free, as MoveIt asks for it.
    CHECK_STATE_VALIDITY: "~/check_state_validity", "moveit_msgs/srv/GetStateValidity";
}

interfaces! {
    #[cfg_attr(not(feature = "moveit_servo"), allow(dead_code, reason = "only with moveit_msgs"))]
    OF_MOVEIT_SERVO;

    /// The velocity of the first tip link as MoveIt Servo takes it.
    DELTA_TWIST_CMDS: "/servo_node/delta_twist_cmds", "geometry_msgs/msg/TwistStamped";
    /// Velocities of joints as MoveIt Servo takes them.
    DELTA_JOINT_CMDS: "/servo_node/delta_joint_cmds", "control_msgs/msg/JointJog";
    /// Poses that the first tip link follows, as MoveIt Servo takes them.
    POSE_TARGET_CMDS: "/servo_node/pose_target_cmds", "geometry_msgs/msg/PoseStamped";
    /// The status as MoveIt Servo publishes it.
    SERVO_STATUS_OF_MOVEIT: "/servo_node/status", "moveit_msgs/msg/ServoStatus";
    /// Which commands of MoveIt Servo count.
    SWITCH_COMMAND_TYPE: "/servo_node/switch_command_type", "moveit_msgs/srv/ServoCommandType";
    /// Lets no command of MoveIt Servo count, or lets them count again.
    PAUSE_SERVO: "/servo_node/pause_servo", "std_srvs/srv/SetBool";
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTS: [(&str, &str); 2] = [
        ("README.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"))),
        ("docs/node.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/node.md"))),
    ];

    fn all() -> impl Iterator<Item = &'static Interface> {
        [OF_EVERY_NODE, OF_MOVEIT, OF_MOVEIT_SERVO].into_iter().flatten()
    }

    /// The documents do not list what every node has: the parameter services, their events, the log.
    fn is_listed(interface: &Interface) -> bool {
        !interface.ros_type.starts_with("rcl_interfaces/")
    }

    #[test]
    fn the_documents_list_every_interface_with_its_type() {
        for (document, text) in DOCUMENTS {
            for interface in all().filter(|interface| is_listed(interface)) {
                let name = format!("`{}`", interface.name);
                let short_type = interface.ros_type.replace("/msg/", "/").replace("/srv/", "/");
                let is_row = |line: &str| line.starts_with('|') && line.contains(&name) && line.contains(&short_type);
                assert!(text.lines().any(is_row), "{document} should have a row with {name} and {short_type}");
            }
        }
    }

    #[test]
    fn the_documents_list_no_other_interface() {
        for (document, text) in DOCUMENTS {
            for name in text.lines().filter_map(|line| line.strip_prefix("| `~/")?.split('`').next()) {
                let is_known = |interface: &&Interface| is_listed(interface) && interface.name == format!("~/{name}");
                assert!(all().any(|interface| is_known(&interface)), "{document} lists ~/{name}");
            }
        }
    }
}
