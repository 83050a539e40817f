//! The target topics of each tip: a newer target replaces an older one that is still waiting.

use std::sync::Arc;

use futures::StreamExt;
use nalgebra::{Isometry3, UnitQuaternion};
use r2r::QosProfile;
use r2r::WrappedTypesupport;
use r2r::geometry_msgs::msg::{PointStamped, PoseStamped};
use r2r::std_msgs::msg::Header;
use tokio::sync::watch;
use tokio::time::Instant;

use super::answers::Fresh;
use super::drive::Posture;
use super::status::Refused;
use super::{NodeError, Shared, convert, query, tips};
use crate::parameters::Settings;
use crate::solver::Target;

/// A target as it arrived.
#[derive(Clone)]
struct Wanted {
    topic: &'static str,
    header: Header,
    /// In the header's frame, or the sentence that refuses it.
    pose: Result<Isometry3<f64>, String>,
    position_only: bool,
    /// The frame's name was no valid text; the empty name that it became means something else.
    damaged: bool,
}

impl Wanted {
    /// A target pose out of its serialised message; `None` where it is not one.
    fn from_pose(raw: &[u8]) -> Option<Self> {
        let PoseStamped { header, pose } = PoseStamped::from_serialized_bytes(raw).ok()?;
        let damaged = !names_a_frame(raw);
        Some(Self { topic: "target_pose", header, pose: convert::pose(&pose), position_only: false, damaged })
    }

    /// A target point out of its serialised message; `None` where it is not one.
    fn from_point(raw: &[u8]) -> Option<Self> {
        let PointStamped { header, point } = PointStamped::from_serialized_bytes(raw).ok()?;
        let pose = convert::point(&point).map(|point| Isometry3::from_parts(point, UnitQuaternion::identity()));
        Some(Self { topic: "target_point", header, pose, position_only: true, damaged: !names_a_frame(raw) })
    }
}

/// Whether the frame of a serialised stamped message is valid UTF-8. r2r makes an empty string of any other, which would
/// silently mean the base link.
///
/// In CDR a stamped message begins with four bytes that tell the byte order, then seconds and nanoseconds of the stamp, then the
/// length of the frame's name with its closing NUL, then the name.
pub(super) fn names_a_frame(raw: &[u8]) -> bool {
    let (Some(&order), Some(length)) = (raw.get(1), raw.get(12..).and_then(<[u8]>::first_chunk::<4>)) else {
        return true;
    };
    let length = if order & 1 == 1 { u32::from_le_bytes(*length) } else { u32::from_be_bytes(*length) };
    let length = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(1);
    raw.get(16..16_usize.saturating_add(length)).is_none_or(|name| std::str::from_utf8(name).is_ok())
}

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let settings = shared.settings();
    let quality = quality(&settings);
    for (tip, scopes) in tips::scopes(&settings.tip_links)?.into_iter().enumerate() {
        let newest = watch::Sender::new(None);
        let wanted = newest.subscribe();
        let mut arrivals = futures::stream::SelectAll::new();
        for scope in scopes {
            let (pose, point) = (format!("{scope}target_pose"), format!("{scope}target_point"));
            let poses = node.subscribe_raw(&pose, "geometry_msgs/msg/PoseStamped", quality.clone())?;
            let points = node.subscribe_raw(&point, "geometry_msgs/msg/PointStamped", quality.clone())?;
            arrivals.push(poses.map(|raw| Wanted::from_pose(&raw)).boxed());
            arrivals.push(points.map(|raw| Wanted::from_point(&raw)).boxed());
        }
        let counting = Arc::clone(shared);
        tokio::spawn(arrivals.for_each(move |wanted| {
            counting.counters.arrived();
            if wanted.is_some() {
                newest.send_replace(wanted);
            }
            std::future::ready(())
        }));
        tokio::spawn(follow(Arc::clone(shared), tip, wanted));
    }
    Ok(())
}

/// Quality of service of the target topics.
pub(super) fn quality(settings: &Settings) -> QosProfile {
    let quality = QosProfile::default().keep_last(1);
    if settings.best_effort_targets { quality.best_effort() } else { quality }
}

/// Takes up the newest target of a tip whenever there is one.
async fn follow(shared: Arc<Shared>, tip: usize, mut newest: watch::Receiver<Option<Wanted>>) {
    while newest.changed().await.is_ok() {
        let Some(wanted) = newest.borrow_and_update().clone() else { continue };
        let (wanted, prepared) = take_up(&shared, tip, &mut newest, wanted).await;
        match prepared {
            Ok((posture, target, frame)) => {
                let header = Header { frame_id: frame, ..wanted.header };
                let fresh = Fresh { topic: wanted.topic, loaded: posture.loaded, target, header };
                shared.answers.answer(&shared, fresh).await;
            }
            Err(refused) => shared.refuse(wanted.topic, tip, wanted.header, refused),
        }
    }
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
