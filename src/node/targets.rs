//! The target topics of each tip: a newer target replaces an older one that is still waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::{FutureExt, StreamExt};
use r2r::QosProfile;
use r2r::std_msgs::msg::Header;
use tokio::sync::watch;
use tokio::time::Instant;

use super::answers::Fresh;
use super::drive::Posture;
use super::spin::Spinner;
use super::status::Refused;
use super::wanted::Wanted;
use super::{NodeError, Shared, query, tips};
use crate::parameters::Settings;
use crate::solver::Target;

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>, spinner: &mut Spinner) -> Result<(), NodeError> {
    let settings = shared.settings();
    let quality = quality(&settings);
    for (tip, scopes) in tips::scopes(&settings.tip_links)?.into_iter().enumerate() {
        let mut arrivals = futures::stream::SelectAll::new();
        for scope in scopes {
            let (pose, point) = (format!("{scope}target_pose"), format!("{scope}target_point"));
            let poses = node.subscribe_raw(&pose, "geometry_msgs/msg/PoseStamped", quality.clone())?;
            let points = node.subscribe_raw(&point, "geometry_msgs/msg/PointStamped", quality.clone())?;
            arrivals.push(poses.map(|raw| Wanted::from_pose(&raw)).boxed());
            arrivals.push(points.map(|raw| Wanted::from_point(&raw)).boxed());
        }
        let (mut intake, wanted) = Intake::new(Arc::clone(shared), tip);
        tokio::spawn(follow(Arc::clone(shared), tip, wanted, Arc::clone(&intake.done)));
        spinner.attend(arrivals.for_each(move |wanted| {
            intake.take_in(wanted);
            std::future::ready(())
        }));
    }
    Ok(())
}

/// Quality of service of the target topics.
pub(super) fn quality(settings: &Settings) -> QosProfile {
    let quality = QosProfile::default().keep_last(1);
    if settings.best_effort_targets { quality.best_effort() } else { quality }
}

/// Takes the targets of one tip in as they arrive, in the spin thread. What tracking meets is answered there and then, which spares the
/// way to another thread, as long as a target itself; all others are left to the task, for a search may take its time.
struct Intake {
    shared: Arc<Shared>,
    tip: usize,
    newest: watch::Sender<Option<Wanted>>,
    /// How many targets were left to the task.
    left: u64,
    /// The place of the one that it has answered last.
    done: Arc<AtomicU64>,
}

impl Intake {
    fn new(shared: Arc<Shared>, tip: usize) -> (Self, watch::Receiver<Option<Wanted>>) {
        let (newest, wanted) = watch::channel(None);
        (Self { shared, tip, newest, left: 0, done: Arc::default() }, wanted)
    }

    fn take_in(&mut self, wanted: Option<Wanted>) {
        self.shared.counters.arrived();
        let Some(wanted) = wanted else { return };
        // Never past one that is still at work.
        if self.done.load(Ordering::Acquire) == self.left && self.track(&wanted).is_some() {
            return;
        }
        self.left += 1;
        self.newest.send_replace(Some(Wanted { place: self.left, ..wanted }));
    }

    /// Answers the target, if tracking meets it at once.
    fn track(&self, wanted: &Wanted) -> Option<()> {
        // Without any time to wait for a frame: there is no runtime in this thread.
        let prepared = prepare(&self.shared, self.tip, wanted, Instant::now()).now_or_never()?.ok()?;
        self.shared.answers.track(&self.shared, fresh(wanted, prepared)).then_some(())
    }
}

/// Takes up the newest target of a tip whenever there is one.
async fn follow(shared: Arc<Shared>, tip: usize, mut newest: watch::Receiver<Option<Wanted>>, done: Arc<AtomicU64>) {
    while newest.changed().await.is_ok() {
        let Some(wanted) = newest.borrow_and_update().clone() else { continue };
        let (wanted, prepared) = take_up(&shared, tip, &mut newest, wanted).await;
        let place = wanted.place;
        match prepared {
            Ok(prepared) => shared.answers.answer(&shared, fresh(&wanted, prepared)).await,
            Err(refused) => shared.refuse(wanted.topic, tip, wanted.header, refused),
        }
        done.store(place, Ordering::Release);
    }
}

/// A target that can be solved.
fn fresh(wanted: &Wanted, (posture, target, frame): Prepared) -> Fresh {
    let header = Header { frame_id: frame, ..wanted.header.clone() };
    Fresh { topic: wanted.topic, loaded: posture.loaded, target, header }
}

/// What can be answered, once `wanted` has found its frame or given up on it.
///
/// A newer target takes its place at once where that one's own frame is there. Where it is not, the older is waited for to the
/// end: were it given up for each newer one, a stream whose transforms come late would never be answered.
async fn take_up(
    shared: &Shared,
    tip: usize,
    newest: &mut watch::Receiver<Option<Wanted>>,
    wanted: Wanted,
) -> (Wanted, Result<Prepared, Refused>) {
    let deadline = Instant::now() + shared.settings().transform_timeout;
    let mut passed_over = false;
    loop {
        let changed = tokio::select! {
            biased;
            prepared = prepare(shared, tip, &wanted, deadline) => {
                if passed_over {
                    newest.mark_changed();
                }
                return (wanted, prepared);
            }
            changed = newest.changed() => changed,
        };
        if changed.is_err() {
            // The node is stopping.
            let prepared = prepare(shared, tip, &wanted, Instant::now()).await;
            return (wanted, prepared);
        }
        let newer = newest.borrow_and_update().clone();
        if let Some(newer) = newer
            && let Ok(prepared) = prepare(shared, tip, &newer, Instant::now()).await
        {
            return (newer, Ok(prepared));
        }
        passed_over = true;
    }
}

/// The posture to start from. After a pause the robot may stand elsewhere than it was sent.
pub(super) fn starting_posture(shared: &Shared) -> Result<Posture, Refused> {
    let now = shared.output.posture().ok_or_else(Refused::no_robot)?;
    if shared.output.idle(shared.settings().measured_timeout)
        && let Some(positions) = shared.measured.posture(shared, &now.loaded, &now.positions)
    {
        shared.output.set_posture(&now.loaded, positions.clone());
        return Ok(Posture { end: positions.clone(), positions, ..now });
    }
    Ok(now)
}

/// A target in the base link's frame, with the posture that it was related to and the frame's name.
type Prepared = (Posture, Target, String);

/// Checks the target and relates it to the robot, waiting for its frame until `deadline`.
async fn prepare(shared: &Shared, tip: usize, wanted: &Wanted, deadline: Instant) -> Result<Prepared, Refused> {
    let settings = shared.settings();
    let loaded = shared.output.posture().ok_or_else(Refused::no_robot)?.loaded;
    let pose = wanted.pose.as_ref().map_err(|sentence| Refused::invalid("pose", sentence.clone()))?;
    if wanted.damaged {
        return Err(Refused::damaged_frame());
    }
    let name = (wanted.header.frame_id.as_str(), &wanted.header.stamp);
    let frame = shared.frames.locate(&loaded, &settings.frame_prefix, name, deadline).await;
    let frame = frame.map_err(|sentence| Refused::unknown_frame(name.0, sentence))?;
    // Only now: the arm may have moved on while the frame was waited for.
    let posture = starting_posture(shared)?;
    if !Arc::ptr_eq(&posture.loaded, &loaded) {
        return Err(Refused::other_robot());
    }
    let mut target = Target { tip, ..query::target(frame.in_base(&posture) * pose, &settings) };
    if wanted.position_only {
        target = target.position_only();
    }
    Ok((posture, target, frame.name))
}
