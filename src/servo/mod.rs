//! Receives the commands of the servo: twists of tips, velocities of joints, and poses with a clutch.
//!
//! A command that arrives is only checked and stored (`intake`). The ticks of `publish_rate` solve (`steering`). So no command waits for a
//! solve, and states are even in time.

mod clutch;
mod gate;
mod intake;
mod messages;
mod publishers;
mod sources;

use std::sync::Arc;

use futures::{Stream, StreamExt};
use r2r::std_srvs::srv::SetBool;

pub(crate) use intake::Intake;
pub(crate) use messages::{JogMessage, TwistMessage};
use sources::Source;

use crate::NodeError;
use crate::messages::target_message;
use crate::ros::interface::{CLUTCH, JOINT_JOG, TARGET_TWIST};
use crate::ros::service_server::answer_each;
use crate::ros::spin::{Commands, Spinner};
use crate::ros::tip_namespaces;

/// Subscribes to the commands, in the spin thread, and answers the services.
pub(crate) fn serve(
    node: &mut r2r::Node,
    spinner: &mut Spinner,
    intake: &Arc<Intake>,
    commands: Commands,
) -> Result<(), NodeError> {
    let settings = intake.arm.settings();
    let mut topics = vec![(JOINT_JOG, JOINT_JOG.name.to_owned(), Source::Jog)];
    let quality = target_message::quality(&settings);
    for (tip, namespaces) in tip_namespaces::of_tips(&settings.tip_links)?.into_iter().enumerate() {
        for namespace in namespaces {
            let twists =
                node.subscribe_raw(&TARGET_TWIST.name_in(&namespace), TARGET_TWIST.ros_type, quality.clone())?;
            let topic = TARGET_TWIST.short_name();
            topics.push((TARGET_TWIST, TARGET_TWIST.name_in(&namespace), Source::Twist(tip)));
            receive(spinner, intake, twists, move |intake, raw| {
                if let Some(message) = TwistMessage::read(topic, raw) {
                    intake.twist(tip, &message);
                }
            });
            answer_each::<SetBool::Service, _, _>(
                node,
                spinner,
                intake,
                &CLUTCH.name_in(&namespace),
                move |intake, request| std::future::ready(clutch::set(&intake, tip, &request)),
            )?;
        }
    }
    let jogs = node.subscribe_raw(JOINT_JOG.name, JOINT_JOG.ros_type, quality)?;
    receive(spinner, intake, jogs, |intake, raw| {
        if let Some(message) = JogMessage::read(JOINT_JOG.short_name(), raw) {
            intake.jog(&message);
        }
    });
    publishers::watch(intake, commands, node.fully_qualified_name()?, topics);
    Ok(())
}

fn receive(
    spinner: &mut Spinner,
    intake: &Arc<Intake>,
    messages: impl Stream<Item = Vec<u8>> + Send + 'static,
    take: impl Fn(&Intake, &[u8]) + Send + 'static,
) {
    let intake = Arc::clone(intake);
    spinner.run_locally(messages.for_each(move |raw| {
        take(&intake, &raw);
        std::future::ready(())
    }));
}
