//! Receives the commands of the servo: twists of tips, joint velocities, and poses with a clutch.
//!
//! A received command is only checked and stored (`intake`). The ticks of `publish_rate` solve (`steering`). Commands
//! thus never wait for a solve, and states are equally spaced in time.
//!
//! Velocity commands are stored on arrival and applied by the ticks, so states are evenly spaced in time whatever the
//! rate of the commands, and a command costs the spin thread some microseconds. The clutch offset is dropped when its
//! stream stops, so each new or returning source starts with an offset of its own.

mod clutch;
mod intake;
mod messages;
mod publishers;

use std::sync::Arc;

use r2r::std_srvs::srv::SetBool;

use crate::arm::sources::Source;
pub(crate) use intake::Intake;
pub(crate) use messages::{JogMessage, TwistMessage};

use crate::NodeError;
use crate::messages::target_message;
use crate::ros::interface::{CLUTCH, JOINT_JOG, TARGET_TWIST};
use crate::ros::service_server::answer_each;
use crate::ros::spin::{Commands, Spinner};
use crate::ros::tip_namespaces;

/// Subscribes to the commands in the spin thread, and answers the services.
pub(crate) fn serve(spinner: &mut Spinner, intake: &Arc<Intake>, commands: Commands) -> Result<(), NodeError> {
    let settings = intake.arm.settings();
    let mut topics = vec![(JOINT_JOG, JOINT_JOG.name.to_owned(), Source::Jog)];
    let quality = target_message::quality(&settings);
    for (tip, namespaces) in tip_namespaces::of_tips(&settings.tip_links)?.into_iter().enumerate() {
        for namespace in namespaces {
            let twists = spinner.subscribe_raw(TARGET_TWIST, &TARGET_TWIST.name_in(&namespace), quality.clone())?;
            let topic = TARGET_TWIST.short_name();
            topics.push((TARGET_TWIST, TARGET_TWIST.name_in(&namespace), Source::Twist(tip)));
            let taking = Arc::clone(intake);
            spinner.on_each(twists, move |raw| {
                if let Some(message) = TwistMessage::read(topic, &raw) {
                    taking.twist(tip, &message);
                }
            });
            answer_each::<SetBool::Service, _, _>(
                spinner,
                intake,
                &CLUTCH.name_in(&namespace),
                move |intake, request| std::future::ready(clutch::set(&intake, tip, &request)),
            )?;
        }
    }
    let jogs = spinner.subscribe(JOINT_JOG.name, quality)?;
    let taking = Arc::clone(intake);
    spinner.on_each(jogs, move |message| taking.jog(&JogMessage::new(JOINT_JOG.short_name(), message)));
    publishers::watch(intake, commands, topics);
    Ok(())
}
