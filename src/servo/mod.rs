//! Receives the commands of the servo: twists of tips, joint velocities, and poses with a clutch.
//!
//! A received command is only checked and stored (`intake`). The ticks of `publish_rate` solve (`steering`). Commands
//! thus never wait for a solve, and states are equally spaced in time.
//!
//! Velocity commands are stored on arrival and applied by the ticks, so states are evenly spaced in time whatever the
//! rate of the commands, and a command costs the spin thread some microseconds. The clutch offset is dropped when its
//! stream stops, so each new or returning source starts with an offset of its own.

mod clutch;
pub(crate) mod intake;
mod messages;
mod publishers;

use std::sync::Arc;

use r2r::sensor_msgs::msg::JointState;
use r2r::std_srvs::srv::SetBool;

pub(crate) use messages::{JogMessage, TwistMessage};

use crate::Result;
use crate::arm::Arm;
use crate::arm::sources::Source;
use crate::messages::quality;
use crate::ros::{CLUTCH, Commands, JOINT_JOG, Spinner, TARGET_TWIST, answer_each, tip_namespaces};

/// Subscribes to the commands in the spin thread, and answers the services.
pub(crate) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>, commands: Commands) -> Result {
    let settings = arm.settings();
    let mut topics = vec![(JOINT_JOG, JOINT_JOG.name.to_owned(), Source::Jog)];
    let quality = quality(&settings);
    for (tip, namespaces) in tip_namespaces::of_tips(&settings.tip_links)?.into_iter().enumerate() {
        for namespace in namespaces {
            let twists = spinner.subscribe_raw(TARGET_TWIST, &TARGET_TWIST.name_in(&namespace), quality.clone())?;
            let topic = TARGET_TWIST.short_name();
            topics.push((TARGET_TWIST, TARGET_TWIST.name_in(&namespace), Source::Twist(tip)));
            let arm_of_twists = Arc::clone(arm);
            spinner.on_each(twists, move |raw| {
                if let Some(message) = TwistMessage::read(topic, &raw) {
                    intake::twist(&arm_of_twists, tip, &message);
                }
            });
            answer_each::<SetBool::Service, _, _>(spinner, arm, &CLUTCH.name_in(&namespace), move |arm, request| {
                std::future::ready(clutch::set(&arm, tip, &request))
            })?;
        }
    }
    let jogs = spinner.subscribe(JOINT_JOG.name, quality)?;
    let arm_of_jogs = Arc::clone(arm);
    spinner.on_each(jogs, move |JointState { header, name, velocity, .. }| {
        let message = JogMessage { topic: JOINT_JOG.short_name(), header, joints: name, velocities: velocity };
        intake::jog(&arm_of_jogs, &message);
    });
    publishers::watch(arm, commands, topics);
    Ok(())
}
