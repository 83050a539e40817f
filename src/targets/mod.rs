//! The target topics of each tip: selection and timing of solved targets.
//!
//! - A newer target replaces an older pending one. Targets thus never queue up.
//! - A target that waits for the transform of its frame is replaced by a newer one that need not wait.
//! - A target that waits for its transform is not replaced by a newer one that has to wait too. It is solved, or
//!   refused after `transform_timeout`; only then is the latest one prepared. Otherwise a stream with delayed
//!   transforms would never be answered: each target would be replaced before its transform arrives.
//!
//! The streams are drained in the spin thread into a watch channel. A target that tracking meets is answered there too:
//! waking another thread takes longer than solving. That is bounded work on a chain of up to 32 variables. Searches and
//! targets that wait for a frame go to the task, and so do all targets that arrive meanwhile.

mod conditions;
mod follow_path;
mod path_deviation;
mod path_motion;
mod target_path;
pub(crate) mod target_solver;
mod target_tracker;
mod trajectory_driver;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::channel::mpsc;
use futures::{FutureExt, StreamExt};
use nalgebra::Isometry3;
use r2r::std_msgs::msg::Header;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::Result;
use crate::arm::Arm;
use crate::messages::{TargetAxes, TargetMessage, quality};
use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use crate::ros::{Spinner, TARGET_POINT, TARGET_POSE, task, tip_namespaces};
use crate::servo::intake;
use crate::solving::{Queries, problem};
use path_motion::PathOutput;
use target_solver::{PreparedTarget, TargetSolver};
use urdf_ik_parameters::{OnUnreachable, Settings};
use urdf_ik_solver::Target;

/// Time between two feedbacks on a path.
const FEEDBACK_PERIOD: Duration = Duration::from_millis(50);

/// Subscribes to the topics of each tip. `drags` has one more stream of targets for each tip, or is empty.
pub(crate) fn serve(
    spinner: &mut Spinner,
    queries: &Arc<Queries>,
    drags: Vec<mpsc::Receiver<TargetMessage>>,
) -> Result {
    let mut drags = drags.into_iter();
    let arm = &queries.arm;
    let solver = Arc::new(TargetSolver::new(arm));
    target_solver::serve(&solver);
    let settings = arm.settings();
    let quality = quality(&settings);
    for (tip, namespaces) in tip_namespaces::of_tips(&settings.tip_links)?.into_iter().enumerate() {
        let mut arrivals = futures::stream::SelectAll::new();
        for namespace in namespaces {
            let poses = spinner.subscribe_raw(TARGET_POSE, &TARGET_POSE.name_in(&namespace), quality.clone())?;
            let points = spinner.subscribe_raw(TARGET_POINT, &TARGET_POINT.name_in(&namespace), quality.clone())?;
            arrivals.push(poses.map(|raw| TargetMessage::from_pose(&raw)).boxed());
            arrivals.push(points.map(|raw| TargetMessage::from_point(&raw)).boxed());
        }
        arrivals.extend(drags.next().map(|drags| drags.map(Some).boxed()));
        let (sender, newest) = watch::channel(None);
        let (solver, last_done) = (Arc::clone(&solver), Arc::<AtomicU64>::default());
        task::start(solve_each(Arc::clone(&solver), tip, newest, Arc::clone(&last_done)));
        let mut receiver = TargetReceiver { solver, tip, newest: sender, left: 0, last_done };
        spinner.on_each(arrivals, move |message| receiver.receive(message));
    }
    let output = Arc::new(PathOutput::new(spinner, &settings)?);
    target_path::serve(spinner, queries, &output)?;
    follow_path::serve(spinner, queries, &output)
}

/// Receives the targets of one tip in the spin thread. A target that tracking meets is solved there: a thread switch
/// would take as long as the solve. Others are passed to the task of the tip, because a search may take long.
struct TargetReceiver {
    solver: Arc<TargetSolver>,
    tip: usize,
    newest: watch::Sender<Option<TargetMessage>>,
    /// Number of targets passed to the task.
    left: u64,
    /// Number of the last target finished by the task.
    last_done: Arc<AtomicU64>,
}

impl TargetReceiver {
    fn receive(&mut self, message: Option<TargetMessage>) {
        let arm = &self.solver.arm;
        // Before it is admitted: a stop discards the targets after it has blocked their streams.
        let discards = arm.output.discards();
        let message = message.map(|message| TargetMessage { discards, ..message });
        let taken = message.as_ref().map_or(Ok(false), |message| intake::takes(arm, self.tip, message));
        if matches!(taken, Ok(true)) {
            return;
        }
        arm.reporter.counts.lock().arrived += 1;
        let Some(message) = message else { return };
        if let Err(refused) = taken {
            return arm.report_outcome(message.topic, self.tip, message.header, Err(refused));
        }
        // Not while the task is busy: the newer target would be answered first.
        if self.last_done.load(Ordering::Acquire) == self.left && self.track(&message) {
            return;
        }
        self.left += 1;
        self.newest.send_replace(Some(TargetMessage { number: self.left, ..message }));
    }

    /// Solves the target if tracking meets it at once. True on success.
    fn track(&self, message: &TargetMessage) -> bool {
        // It must not wait for a transform, because this thread has no runtime.
        let prepared = prepare(&self.solver.arm, self.tip, message, Instant::now()).now_or_never();
        prepared.and_then(Result::ok).is_some_and(|target| self.solver.track(target))
    }
}

/// Solves each latest target of a tip.
async fn solve_each(
    solver: Arc<TargetSolver>,
    tip: usize,
    mut newest: watch::Receiver<Option<TargetMessage>>,
    last_done: Arc<AtomicU64>,
) {
    while newest.changed().await.is_ok() {
        let Some(message) = newest.borrow_and_update().clone() else { continue };
        let (message, prepared) = prepare_or_replace(&solver.arm, tip, &mut newest, message).await;
        match prepared {
            Ok(target) => solver.solve(target).await,
            Err(refused) => solver.arm.report_outcome(message.topic, tip, message.header, Err(refused)),
        }
        last_done.store(message.number, Ordering::Release);
    }
}

/// Prepares `message`, waiting for its transform, or a newer target that need not wait. Returns the message that was
/// prepared or refused. The module documentation has the rule.
async fn prepare_or_replace(
    arm: &Arm,
    tip: usize,
    newest: &mut watch::Receiver<Option<TargetMessage>>,
    message: TargetMessage,
) -> (TargetMessage, Result<PreparedTarget, Refused>) {
    let deadline = Instant::now() + arm.settings().transform_timeout;
    let mut newer_one_waits = false;
    loop {
        let changed = tokio::select! {
            biased;
            prepared = prepare(arm, tip, &message, deadline) => {
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
            let prepared = prepare(arm, tip, &message, Instant::now()).await;
            return (message, prepared);
        }
        let newer = newest.borrow_and_update().clone();
        if let Some(newer) = newer
            && let Ok(prepared) = prepare(arm, tip, &newer, Instant::now()).await
        {
            return (newer, Ok(prepared));
        }
        newer_one_waits = true;
    }
}

/// Checks a target and transforms it into the base link's frame, waiting for its transform until `deadline`.
async fn prepare(arm: &Arm, tip: usize, message: &TargetMessage, deadline: Instant) -> Result<PreparedTarget, Refused> {
    let settings = arm.settings();
    // Before a search, whose solution would not be used.
    arm.deadman.permits(&settings)?;
    let loaded = arm.configuration()?.loaded;
    let pose = message.pose.as_ref().refuse_as("pose")?;
    if message.frame_is_damaged {
        return Err(Refused::damaged_frame());
    }
    let frame = arm.frames.locate(&loaded, &settings.frame_prefix, &message.header, deadline).await?;
    // Only now: the arm may have moved while waiting for the transform.
    let configuration = arm.start()?;
    if !configuration.loaded.is_same_robot(&loaded) {
        return Err(Refused::other_robot());
    }
    let target = problem::target(frame.in_base(&configuration) * pose, &settings).with_tip(tip);
    let target = with_axes(target, message.axes, &loaded, &settings);
    let header = Header { frame_id: frame.name, ..message.header.clone() };
    Ok(PreparedTarget { topic: message.topic, loaded, target, header, discards: message.discards })
}

/// The target with the axes of a message, from that with its complete pose.
fn with_axes(target: Target, axes: TargetAxes, loaded: &LoadedRobot, settings: &Settings) -> Target {
    match axes {
        TargetAxes::Pose => target,
        TargetAxes::Position => target.position_only(),
        TargetAxes::Followable { kept } => {
            let rotation = kept.unwrap_or(target.pose.rotation);
            let pose = Isometry3::from_parts(target.pose.translation, rotation);
            let settings_free_none = settings.free_axes == [false; 6];
            let mut free_axes = if settings_free_none { loaded.free_axes(target.tip) } else { settings.free_axes };
            if settings_free_none && settings.on_unreachable == OnUnreachable::Position {
                // The orientation is met as closely as possible.
                free_axes[3..].fill(false);
            }
            target.with_pose(pose).with_free_axes(free_axes)
        }
    }
}
