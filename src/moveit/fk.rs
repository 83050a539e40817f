//! `compute_fk`: poses of links.

use std::sync::Arc;

use r2r::moveit_msgs::srv::GetPositionFK::{Request, Response};

use super::{Failure, apply_state, code, error_code, with_note};
use crate::Shared;
use crate::reports::answers::Answer;
use crate::reports::status::Refused;
use crate::robot_in_use::link_poses;

impl Answer<Request, Failure> for Response {
    fn refused(shared: &Shared, _: &Request, failure: Failure) -> Self {
        Self { error_code: failure.error_code(shared), ..Self::default() }
    }
}

pub(super) async fn compute_fk(shared: Arc<Shared>, request: Request) -> Result<Response, Failure> {
    let settings = shared.settings();
    let mut configuration = shared.output.configuration().ok_or_else(Refused::no_robot)?;
    let loaded = Arc::clone(&configuration.loaded);
    let note = apply_state(&loaded.robot, &request.robot_state, &mut configuration.positions)?;
    let frame = shared.frames.of_request(&loaded, &settings, &request.header).await?;
    let fk_link_names = link_poses::or_tips(&loaded, request.fk_link_names);
    let poses = link_poses::poses(&configuration, &settings.frame_prefix, &fk_link_names, frame, shared.clock.stamp());
    let pose_stamped = poses.map_err(|sentence| Failure::new(code::INVALID_LINK_NAME, "fk_link_names", sentence))?;
    let error_code = error_code(&shared, code::SUCCESS, &with_note(String::new(), note));
    Ok(Response { pose_stamped, fk_link_names, error_code })
}
