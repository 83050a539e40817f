//! `check_state_validity`: contacts of a configuration.

use std::sync::Arc;

use r2r::geometry_msgs::msg::Vector3;
use r2r::moveit_msgs::msg::{Constraints, ContactInformation};
use r2r::moveit_msgs::srv::GetStateValidity::{Request, Response};
use r2r::std_msgs::msg::Header;

use super::apply_state;
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, Reporter, ServiceResponse, refused};
use crate::robot_in_use::Configuration;
use crate::solving::Queries;
use urdf_ik_collision::{Near, Scene};

impl ServiceResponse<Request> for Response {
    /// The response has no field for the reason, which is logged. An unchecked state is invalid.
    fn refused(_: &Reporter, _: &Request, _: Refused) -> Self {
        Self::default()
    }
}

/// Each touching pair is a contact.
pub(super) async fn check_state_validity(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    check_constraints(&request.constraints)?;
    if !request.robot_state.attached_collision_objects.is_empty() {
        let sentence =
            "robot_state has attached_collision_objects, which are not read: attach them by ~/change_obstacles";
        return Err(Refused::invalid("robot_state", sentence));
    }
    let Queries { arm, searches } = &*queries;
    let settings = arm.settings();
    let mut configuration = arm.configuration()?;
    apply_state(&Arc::clone(&configuration.loaded).robot, &request.robot_state, &mut configuration.positions)?;
    let scene = arm.surroundings.scene(&configuration.loaded, &configuration.positions, &settings).await?;
    settings.missing_shapes.check(scene.missing_shapes()).refuse_as("collisions")?;
    let header = Header { stamp: arm.clock.stamp(), frame_id: configuration.loaded.base_frame(&settings) };
    let check = move || {
        let contacts = contacts(&scene, &configuration, &header);
        Ok(Response { valid: contacts.is_empty(), contacts, ..Response::default() })
    };
    searches.run_long(1, check).await
}

/// Refuses constraints, which are not checked.
fn check_constraints(constraints: &Constraints) -> Result<(), Refused> {
    for (kind, count) in [
        ("joint", constraints.joint_constraints.len()),
        ("position", constraints.position_constraints.len()),
        ("orientation", constraints.orientation_constraints.len()),
        ("visibility", constraints.visibility_constraints.len()),
    ] {
        if count > 0 {
            return Err(refused!(
                "constraints",
                "constraints has {count} {kind} constraints, which check_state_validity does not check: send the request \
                 without them"
            ));
        }
    }
    Ok(())
}

fn contacts(scene: &Scene, configuration: &Configuration, header: &Header) -> Vec<ContactInformation> {
    let root_in_base = configuration.root_in_base();
    let contact = |near: &Near| {
        let pair = convert::body_pair(scene, near, &root_in_base);
        // In MoveIt it points from the first body to the second.
        let normal = -(root_in_base.rotation * near.normal);
        ContactInformation {
            header: header.clone(),
            position: pair.first_point,
            normal: Vector3 { x: normal.x, y: normal.y, z: normal.z },
            contact_body_1: pair.first,
            contact_body_2: pair.second,
            // Both messages number the kinds equally.
            body_type_1: u32::from(pair.first_kind),
            body_type_2: u32::from(pair.second_kind),
            depth: pair.depth,
        }
    };
    configuration.near_pairs(scene, 0.0).iter().map(contact).collect()
}
