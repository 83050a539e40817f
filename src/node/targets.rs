//! The target topics: a newer target replaces an older one that is still waiting.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use futures::StreamExt;
use nalgebra::{Isometry3, UnitQuaternion};
use r2r::QosProfile;
use r2r::WrappedTypesupport;
use r2r::geometry_msgs::msg::{PointStamped, PoseStamped};
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;
use tokio::sync::watch;
use tokio::time::Instant;

use super::output::Posture;
use super::query::{self, Follower};
use super::status::{self, Refused, outcome};
use super::{NodeError, Shared, convert};
use crate::parameters::OnUnreachable;
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
fn names_a_frame(raw: &[u8]) -> bool {
    let (Some(&order), Some(length)) = (raw.get(1), raw.get(12..).and_then(<[u8]>::first_chunk::<4>)) else {
        return true;
    };
    let length = if order & 1 == 1 { u32::from_le_bytes(*length) } else { u32::from_be_bytes(*length) };
    let length = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(1);
    raw.get(16..16_usize.saturating_add(length)).is_none_or(|name| std::str::from_utf8(name).is_ok())
}

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let newest = watch::Sender::new(None);
    let quality = QosProfile::default().keep_last(1);
    let quality = if shared.settings().best_effort_targets { quality.best_effort() } else { quality };
    let poses = node.subscribe_raw("~/target_pose", "geometry_msgs/msg/PoseStamped", quality.clone())?;
    let points = node.subscribe_raw("~/target_point", "geometry_msgs/msg/PointStamped", quality)?;
    let wanted = newest.subscribe();
    let arrivals =
        futures::stream::select(poses.map(|raw| Wanted::from_pose(&raw)), points.map(|raw| Wanted::from_point(&raw)));
    let counting = Arc::clone(shared);
    tokio::spawn(arrivals.for_each(move |wanted| {
        counting.counters.arrived();
        if wanted.is_some() {
            newest.send_replace(wanted);
        }
        std::future::ready(())
    }));
    tokio::spawn(follow(Arc::clone(shared), wanted));
    Ok(())
}

/// Takes up the newest target whenever there is one.
async fn follow(shared: Arc<Shared>, mut newest: watch::Receiver<Option<Wanted>>) {
    let mut follower: Option<Follower> = None;
    while newest.changed().await.is_ok() {
        let Some(wanted) = newest.borrow_and_update().clone() else { continue };
        let (wanted, prepared) = take_up(&shared, &mut newest, wanted).await;
        let answered = prepared.and_then(|(posture, target, frame)| {
            let header = Header { frame_id: frame, ..wanted.header.clone() };
            let work = AssertUnwindSafe(|| answer(&shared, &mut follower, (&posture, &target), header));
            // A fault of a solver must not end the task that serves all targets.
            panic::catch_unwind(work).unwrap_or_else(|_| {
                follower = None;
                Err(Refused::invalid("solver", "the solver failed on this target".into()))
            })
        });
        let report = match answered {
            Ok(report) => {
                shared.complaints.well(wanted.topic);
                report
            }
            Err(refused) => refuse(&shared, &wanted, refused),
        };
        shared.counters.answered(&report);
        shared.output.reporter.report(&report);
    }
}

/// What can be answered, once `wanted` has found its frame or given up on it.
///
/// A newer target takes its place at once where that one's own frame is there. Where it is not, the older is waited for to the
/// end: were it given up for each newer one, a stream whose transforms come late would never be answered.
async fn take_up(
    shared: &Shared,
    newest: &mut watch::Receiver<Option<Wanted>>,
    wanted: Wanted,
) -> (Wanted, Result<Prepared, Refused>) {
    let deadline = Instant::now() + shared.settings().transform_timeout;
    let mut passed_over = false;
    loop {
        let changed = tokio::select! {
            biased;
            prepared = prepare(shared, &wanted, deadline) => {
                if passed_over {
                    newest.mark_changed();
                }
                return (wanted, prepared);
            }
            changed = newest.changed() => changed,
        };
        if changed.is_err() {
            // The node is stopping.
            let prepared = prepare(shared, &wanted, Instant::now()).await;
            return (wanted, prepared);
        }
        let newer = newest.borrow_and_update().clone();
        if let Some(newer) = newer
            && let Ok(prepared) = prepare(shared, &newer, Instant::now()).await
        {
            return (newer, Ok(prepared));
        }
        passed_over = true;
    }
}

/// The posture to start from. After a pause the robot may stand elsewhere than it was sent.
fn starting_posture(shared: &Shared) -> Result<Posture, Refused> {
    let now = shared.output.posture().ok_or_else(Refused::no_robot)?;
    if shared.output.idle(shared.settings().measured_timeout)
        && let Some(positions) = shared.measured.posture(shared, &now.loaded, &now.positions)
    {
        shared.output.set_posture(&now.loaded, positions.clone());
        return Ok(Posture { positions, ..now });
    }
    Ok(now)
}

/// A target in the base link's frame, with the posture that it was related to and the frame's name.
type Prepared = (Posture, Target, String);

/// Checks the target and relates it to the robot, waiting for its frame until `deadline`.
async fn prepare(shared: &Shared, wanted: &Wanted, deadline: Instant) -> Result<Prepared, Refused> {
    let settings = shared.settings();
    let loaded = shared.output.posture().ok_or_else(Refused::no_robot)?.loaded;
    let pose = wanted.pose.as_ref().map_err(|sentence| Refused::invalid("pose", sentence.clone()))?;
    if wanted.damaged {
        return Err(Refused::unknown_frame("not UTF-8", "the target's frame_id is not valid UTF-8".into()));
    }
    let name = (wanted.header.frame_id.as_str(), &wanted.header.stamp);
    let frame = shared.frames.locate(&loaded, &settings.frame_prefix, name, deadline).await;
    let frame = frame.map_err(|sentence| Refused::unknown_frame(name.0, sentence))?;
    // Only now: the arm may have moved on while the frame was waited for.
    let posture = starting_posture(shared)?;
    if !Arc::ptr_eq(&posture.loaded, &loaded) {
        return Err(Refused::other_robot());
    }
    let mut target = query::target(frame.in_base(&posture) * pose, &settings);
    if wanted.position_only {
        target = target.position_only();
    }
    Ok((posture, target, frame.name))
}

/// Solves, moves, and says what came of it.
fn answer(
    shared: &Shared,
    follower: &mut Option<Follower>,
    (posture, target): (&Posture, &Target),
    header: Header,
) -> Result<SolveStatus, Refused> {
    let settings = shared.settings();
    let loaded = &posture.loaded;
    let follower = match follower {
        Some(known) if Arc::ptr_eq(&known.loaded, loaded) => known,
        other => other.insert(Follower::new(Arc::clone(loaded))),
    };
    let seed = loaded.chain.positions_from(&posture.positions);
    let (solver, solution) = follower.follow(target, &seed, &settings)?;
    let mut report = status::of_solution(&solver, target, solution, header);
    if !solution.solved() && settings.on_unreachable == OnUnreachable::Hold {
        report.message = format!("{}; the arm stays where it is", report.message);
        follower.measure(&mut report, target, &seed)?;
        report.joint_state_stamp = shared.output.hold();
        return Ok(report);
    }
    let moved =
        shared.output.move_to(loaded, &solution.positions, (settings.max_joint_step, settings.publish_period), &report);
    let moved = moved.ok_or_else(Refused::other_robot)?;
    if !moved.arrived {
        follower.measure(&mut report, target, &moved.positions)?;
        report.outcome = outcome::STEP_LIMITED;
        report.message = "on its way: max_joint_step does not get there at once".into();
    }
    report.joint_state_stamp = moved.stamp;
    Ok(report)
}

/// The status of a target that was refused, told once in the log.
fn refuse(shared: &Shared, wanted: &Wanted, refused: Refused) -> SolveStatus {
    shared.complaints.complain(wanted.topic, &refused.kind, &refused.sentence);
    let tip = shared.output.posture().map(|now| now.loaded.chain.tips()[0].link.clone());
    refused.status(wanted.header.clone(), tip.unwrap_or_default())
}
