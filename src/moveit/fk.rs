//! `compute_fk`: poses of links.

use std::sync::Arc;

use r2r::moveit_msgs::srv::GetPositionFK::{Request, Response};

use super::{apply_state, code, error_code, refusal};
use crate::reports::{RefuseAs, Refused, Reporter, ServiceResponse};
use crate::robot_in_use::link_poses;
use crate::solving::Queries;

impl ServiceResponse<Request> for Response {
    fn refused(reporter: &Reporter, _: &Request, refused: Refused) -> Self {
        Self { error_code: refusal(reporter, &refused), ..Self::default() }
    }
}

pub(super) async fn compute_fk(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    let arm = &queries.arm;
    let settings = arm.settings();
    let mut configuration = arm.configuration()?;
    let loaded = Arc::clone(&configuration.loaded);
    let note = apply_state(&loaded.robot, &request.robot_state, &mut configuration.positions)?;
    let frame = arm.frames.of_request(&loaded, &settings, &request.header).await?;
    let fk_link_names = link_poses::or_tips(&loaded, request.fk_link_names);
    let poses = link_poses::poses(&configuration, &settings.frame_prefix, &fk_link_names, frame, arm.clock.stamp());
    let pose_stamped = poses.refuse_as("fk_link_names")?;
    let error_code = error_code(&arm.reporter, code::SUCCESS, note.unwrap_or_default());
    Ok(Response { pose_stamped, fk_link_names, error_code })
}
