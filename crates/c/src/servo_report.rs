//! The report of a servo: how well it follows, and what limits the motion.

use std::ffi::{CString, c_char, c_int};
use std::ptr;
use std::sync::Arc;

use urdf_ik::motion::servo::{Hold, Servo};

use crate::arm::{UrdfIkArm, name_of};
use crate::failure::c_text;
use crate::world::WorldData;

/// A joint is at a limit of its positions, or near it.
pub const URDF_IK_LIMIT_JOINT_POSITION: i32 = 0;
/// The arm is at or near a singularity.
pub const URDF_IK_LIMIT_SINGULARITY: i32 = 1;
/// Two bodies are near the margin.
pub const URDF_IK_LIMIT_CONTACT: i32 = 2;
/// A goal is at its bound.
pub const URDF_IK_LIMIT_GOAL: i32 = 3;
/// A joint needs the greatest velocity or acceleration that its limits allow.
pub const URDF_IK_LIMIT_JOINT_SPEED: i32 = 4;
/// A tip has its greatest speed.
pub const URDF_IK_LIMIT_TIP_SPEED: i32 = 5;

/// What limits the motion of a servo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UrdfIkServoLimit {
    /// One of URDF_IK_LIMIT_….
    pub kind: i32,
    /// Name of the joint, the goal, the tip or the first body (UTF-8); NULL at a singularity.
    pub name: *const c_char,
    /// Name of the second body of a contact, otherwise NULL.
    pub other: *const c_char,
}

/// The report of the last step. Owned by the library; later versions may append fields.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UrdfIkServoReport {
    /// Share of the commanded speed of the tips over the last 50 ms; 1 without a command.
    pub speed_ratio: f64,
    /// Largest angle between the command of a tip and its motion [rad], with a radian of the tip as 0.3 times the size
    /// of the arm.
    pub angle: f64,
    /// Largest deviation of a tip from its line [m]; 0 without a line.
    pub position_off_line: f64,
    /// Largest deviation of the orientation of a tip from its line [rad]; 0 without a line.
    pub orientation_off_line: f64,
    /// Smallest singular value of the Jacobian of all tips; NAN without a twist or pose.
    pub smallest_singular_value: f64,
    /// Distance of the two bodies of a contact among the limits [m]; NAN without one.
    pub distance: f64,
    /// Nonzero if the tips move beside their commands, in the nearest feasible direction.
    pub is_sliding: c_int,
    /// Nonzero if no joint moves.
    pub is_at_rest: c_int,
    /// The limits of the motion, the most important first.
    pub limits: *const UrdfIkServoLimit,
    /// Number of limits; 0 if the tips follow.
    pub limit_count: usize,
    /// With a singularity among the limits the twists that are lost, 6 entries for each tip along the axes of the base
    /// link, with the size of one radian over all tips; otherwise NULL.
    pub singular_direction: *const f64,
}

/// Memory of a report, with the names in it.
pub(crate) struct ReportMemory {
    world: Option<Arc<WorldData>>,
    joint_names: Vec<CString>,
    tip_names: Vec<CString>,
    report: Option<UrdfIkServoReport>,
    limits: Vec<UrdfIkServoLimit>,
    goal_names: Vec<CString>,
    singular_direction: Vec<f64>,
}

impl ReportMemory {
    /// Memory for the reports of a servo of `arm` in `world`.
    pub(crate) fn new(arm: &UrdfIkArm, world: Option<Arc<WorldData>>) -> Self {
        Self {
            world,
            joint_names: arm.joint_names.clone(),
            tip_names: arm.tip_names.clone(),
            report: None,
            limits: Vec::new(),
            goal_names: Vec::new(),
            singular_direction: Vec::new(),
        }
    }

    fn limit(&self, hold: &Hold) -> UrdfIkServoLimit {
        let of_one = |kind, name| UrdfIkServoLimit { kind, name, other: ptr::null() };
        match *hold {
            Hold::JointLimit { variable } => of_one(URDF_IK_LIMIT_JOINT_POSITION, name_of(&self.joint_names, variable)),
            Hold::Singularity => of_one(URDF_IK_LIMIT_SINGULARITY, ptr::null()),
            Hold::Goal { goal } => of_one(URDF_IK_LIMIT_GOAL, name_of(&self.goal_names, goal)),
            Hold::JointSpeed { variable } => of_one(URDF_IK_LIMIT_JOINT_SPEED, name_of(&self.joint_names, variable)),
            Hold::TipSpeed { tip } => of_one(URDF_IK_LIMIT_TIP_SPEED, name_of(&self.tip_names, tip)),
            Hold::Contact { pair, .. } => {
                let bodies = self.world.as_deref().and_then(|world| Some((world, world.scene.pairs().nth(pair)?)));
                let [name, other] =
                    bodies.map_or([ptr::null(); 2], |(world, pair)| pair.map(|body| world.name(body.name())));
                UrdfIkServoLimit { kind: URDF_IK_LIMIT_CONTACT, name, other }
            }
        }
    }

    /// Writes the report of the last step.
    pub(crate) fn write(&mut self, servo: &Servo) -> *const UrdfIkServoReport {
        self.goal_names = servo.goals().iter().map(|goal| c_text(goal.name())).collect();
        let report = servo.report();
        let limits = report.holds.iter().map(|hold| self.limit(hold)).collect();
        let lost = report.singular_direction.iter().flat_map(|twist| twist.iter().copied()).collect();
        let distance = |hold: &Hold| if let Hold::Contact { distance, .. } = *hold { Some(distance) } else { None };
        let mut public = UrdfIkServoReport {
            speed_ratio: report.share,
            angle: report.angle,
            position_off_line: report.off_line[0],
            orientation_off_line: report.off_line[1],
            smallest_singular_value: report.smallest_singular_value.unwrap_or(f64::NAN),
            distance: report.holds.iter().find_map(distance).unwrap_or(f64::NAN),
            is_sliding: c_int::from(report.is_sliding),
            is_at_rest: c_int::from(servo.is_at_rest()),
            limits: ptr::null(),
            limit_count: report.holds.len(),
            singular_direction: ptr::null(),
        };
        (self.limits, self.singular_direction) = (limits, lost);
        public.limits = self.limits.as_ptr();
        if !self.singular_direction.is_empty() {
            public.singular_direction = self.singular_direction.as_ptr();
        }
        self.report.insert(public)
    }
}
