//! The target topics of each tip: which target is solved, and when.
//!
//! - A newer target replaces an older one that waits to be solved. So targets never queue up.
//! - A target that waits for the transform of its frame is replaced by a newer one that need not wait.
//! - A target that waits for its transform is not replaced by a newer one that has to wait too. It is solved, or refused at the end of
//!   `transform_timeout`; only then is the newest one prepared. Otherwise a stream whose transforms come late would never be answered:
//!   each target would be replaced before its transform arrives.

pub(crate) mod target_path;
pub(crate) mod target_solver;
mod target_tracker;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::channel::mpsc;
use futures::{FutureExt, StreamExt};
use nalgebra::Isometry3;
use r2r::std_msgs::msg::Header;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::arm::start::starting_configuration;
use crate::messages::target_message::{Asks, TargetMessage, quality};
use crate::reports::status::Refused;
use crate::robot_in_use::description::LoadedRobot;
use crate::ros::interface::{TARGET_POINT, TARGET_POSE};
use crate::ros::spin::Spinner;
use crate::ros::tip_namespaces;
use crate::solving::problem;
use crate::{NodeError, Shared, servo};
use target_solver::PreparedTarget;
use urdf_ik::parameters::Settings;
use urdf_ik::solver::Target;

/// Subscribes to the topics of each tip. `drags` has one more stream of targets for each tip; it is empty where there are none.
pub(crate) fn serve(
    node: &mut r2r::Node,
    shared: &Arc<Shared>,
    spinner: &mut Spinner,
    drags: Vec<mpsc::Receiver<TargetMessage>>,
) -> Result<(), NodeError> {
    let mut drags = drags.into_iter();
    let settings = shared.settings();
    let quality = quality(&settings);
    for (tip, namespaces) in tip_namespaces::of_tips(&settings.tip_links)?.into_iter().enumerate() {
        let mut arrivals = futures::stream::SelectAll::new();
        for namespace in namespaces {
            let poses = node.subscribe_raw(&TARGET_POSE.name_in(&namespace), TARGET_POSE.ros_type, quality.clone())?;
            let points =
                node.subscribe_raw(&TARGET_POINT.name_in(&namespace), TARGET_POINT.ros_type, quality.clone())?;
            arrivals.push(poses.map(|raw| TargetMessage::from_pose(&raw)).boxed());
            arrivals.push(points.map(|raw| TargetMessage::from_point(&raw)).boxed());
        }
        arrivals.extend(drags.next().map(|drags| drags.map(Some).boxed()));
        let (mut intake, newest) = Intake::new(Arc::clone(shared), tip);
        tokio::spawn(solve_each(Arc::clone(shared), tip, newest, Arc::clone(&intake.last_done)));
        spinner.run_locally(arrivals.for_each(move |message| {
            intake.receive(message);
            std::future::ready(())
        }));
    }
    Ok(())
}

/// Receives the targets of one tip in the spin thread. A target that tracking meets is solved there: to wake another thread would take
/// as long as the solve itself. All others are left to the task of the tip, because a search may take long.
struct Intake {
    shared: Arc<Shared>,
    tip: usize,
    newest: watch::Sender<Option<TargetMessage>>,
    /// Number of targets that were left to the task.
    left: u64,
    /// Number of the target that the task has finished last.
    last_done: Arc<AtomicU64>,
}

impl Intake {
    fn new(shared: Arc<Shared>, tip: usize) -> (Self, watch::Receiver<Option<TargetMessage>>) {
        let (sender, newest) = watch::channel(None);
        (Self { shared, tip, newest: sender, left: 0, last_done: Arc::default() }, newest)
    }

    fn receive(&mut self, message: Option<TargetMessage>) {
        let Some(message) = message else { return self.shared.counters.arrived() };
        if servo::takes(&self.shared, self.tip, &message) {
            return;
        }
        self.shared.counters.arrived();
        // Not while the task is at work: the newer target would be answered first.
        if self.last_done.load(Ordering::Acquire) == self.left && self.track(&message) {
            return;
        }
        self.left += 1;
        self.newest.send_replace(Some(TargetMessage { number: self.left, ..message }));
    }

    /// Solves the target if tracking meets it at once; returns whether it did.
    fn track(&self, message: &TargetMessage) -> bool {
        // It must not wait for a transform, because this thread has no runtime.
        match prepare(&self.shared, self.tip, message, Instant::now()).now_or_never() {
            Some(Ok(target)) => self.shared.target_solver.track(&self.shared, target),
            _ => false,
        }
    }
}

/// Solves the newest target of a tip whenever there is one.
async fn solve_each(
    shared: Arc<Shared>,
    tip: usize,
    mut newest: watch::Receiver<Option<TargetMessage>>,
    last_done: Arc<AtomicU64>,
) {
    while newest.changed().await.is_ok() {
        let Some(message) = newest.borrow_and_update().clone() else { continue };
        let (message, prepared) = prepare_or_replace(&shared, tip, &mut newest, message).await;
        match prepared {
            Ok(target) => shared.target_solver.solve(&shared, target).await,
            Err(refused) => shared.conclude(message.topic, tip, message.header, Err(refused)),
        }
        last_done.store(message.number, Ordering::Release);
    }
}

/// Prepares `message`, waiting for its transform, or a newer target that need not wait. Gives back the message that was prepared or
/// refused. The rule is that of the module.
async fn prepare_or_replace(
    shared: &Shared,
    tip: usize,
    newest: &mut watch::Receiver<Option<TargetMessage>>,
    message: TargetMessage,
) -> (TargetMessage, Result<PreparedTarget, Refused>) {
    let deadline = Instant::now() + shared.settings().transform_timeout;
    let mut newer_one_waits = false;
    loop {
        let changed = tokio::select! {
            biased;
            prepared = prepare(shared, tip, &message, deadline) => {
                if newer_one_waits {
                    // It was seen, but not prepared.
                    newest.mark_changed();
                }
                return (message, prepared);
            }
            changed = newest.changed() => changed,
        };
        if changed.is_err() {
            // The node is stopping.
            let prepared = prepare(shared, tip, &message, Instant::now()).await;
            return (message, prepared);
        }
        let newer = newest.borrow_and_update().clone();
        if let Some(newer) = newer
            && let Ok(prepared) = prepare(shared, tip, &newer, Instant::now()).await
        {
            return (newer, Ok(prepared));
        }
        newer_one_waits = true;
    }
}

/// Checks a target and transforms it into the base link's frame, waiting for its transform until `deadline`.
async fn prepare(
    shared: &Shared,
    tip: usize,
    message: &TargetMessage,
    deadline: Instant,
) -> Result<PreparedTarget, Refused> {
    let settings = shared.settings();
    let loaded = shared.output.configuration().ok_or_else(Refused::no_robot)?.loaded;
    let pose = message.pose.as_ref().map_err(|sentence| Refused::invalid("pose", sentence.clone()))?;
    if message.frame_is_damaged {
        return Err(Refused::damaged_frame());
    }
    let name = (message.header.frame_id.as_str(), &message.header.stamp);
    let frame = shared.frames.locate(&loaded, &settings.frame_prefix, name, deadline).await;
    let frame = frame.map_err(|sentence| Refused::unknown_frame(name.0, sentence))?;
    // Only now: the arm may have moved during the wait for the transform.
    let configuration = starting_configuration(shared)?;
    if !Arc::ptr_eq(&configuration.loaded, &loaded) {
        return Err(Refused::other_robot());
    }
    let target = Target { tip, ..problem::target(frame.in_base(&configuration) * pose, &settings) };
    let target = asked(target, message.asks, &loaded, &settings);
    let header = Header { frame_id: frame.name, ..message.header.clone() };
    Ok(PreparedTarget { topic: message.topic, loaded, target, header })
}

/// The target that a message asks for, from that with its whole pose.
fn asked(target: Target, asks: Asks, loaded: &LoadedRobot, settings: &Settings) -> Target {
    match asks {
        Asks::Pose => target,
        Asks::Position => target.position_only(),
        Asks::Followable { kept } => {
            let rotation = kept.unwrap_or(target.pose.rotation);
            let pose = Isometry3::from_parts(target.pose.translation, rotation);
            let settings_free_none = settings.free_axes == [false; 6];
            let free_axes = if settings_free_none { loaded.free_axes(target.tip) } else { settings.free_axes };
            Target { pose, free_axes, ..target }
        }
    }
}
