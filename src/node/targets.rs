//! The target topics: a newer target replaces an older one that is still waiting.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use byteorder::LittleEndian;
use futures::{FutureExt, StreamExt};
use nalgebra::{Isometry3, UnitQuaternion};
use r2r::QosProfile;
use r2r::WrappedTypesupport;
use r2r::geometry_msgs::msg::{PointStamped, PoseStamped};
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;
use serde::de::DeserializeOwned;
use tokio::sync::watch;
use tokio::time::Instant;

use super::output::Posture;
use super::query::{self, Effort, Follower};
use super::spin::Spinner;
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
    /// Its place among those that were left to the task.
    place: u64,
}

impl Wanted {
    /// A target pose out of its serialised message; `None` where it is not one.
    fn from_pose(raw: &[u8]) -> Option<Self> {
        let (PoseStamped { header, pose }, damaged) = read(raw, |message: &PoseStamped| &message.header)?;
        Some(Self { topic: "target_pose", header, pose: convert::pose(&pose), position_only: false, damaged, place: 0 })
    }

    /// A target point out of its serialised message; `None` where it is not one.
    fn from_point(raw: &[u8]) -> Option<Self> {
        let (PointStamped { header, point }, damaged) = read(raw, |message: &PointStamped| &message.header)?;
        let pose = convert::point(&point).map(|point| Isometry3::from_parts(point, UnitQuaternion::identity()));
        Some(Self { topic: "target_point", header, pose, position_only: true, damaged, place: 0 })
    }
}

/// A serialised stamped message, and whether its frame's name is damaged; `None` where it is no such message.
///
/// ROS 2 takes 10 µs to read one, most of which the crate cdr-encoding spares. So what it reads well is taken from there: plain
/// little-endian CDR, whose name has no NUL, at which ROS 2 would end it.
fn read<T>(raw: &[u8], header: impl Fn(&T) -> &Header) -> Option<(T, bool)>
where
    T: WrappedTypesupport + DeserializeOwned,
{
    if let [0, 1, _, _, body @ ..] = raw
        && let Ok((message, _)) = cdr_encoding::from_bytes::<T, LittleEndian>(body)
        && !header(&message).frame_id.contains('\0')
    {
        return Some((message, false));
    }
    Some((T::from_serialized_bytes(raw).ok()?, !names_a_frame(raw)))
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

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>, spinner: &mut Spinner) -> Result<(), NodeError> {
    let quality = QosProfile::default().keep_last(1);
    let quality = if shared.settings().best_effort_targets { quality.best_effort() } else { quality };
    let poses = node.subscribe_raw("~/target_pose", "geometry_msgs/msg/PoseStamped", quality.clone())?;
    let points = node.subscribe_raw("~/target_point", "geometry_msgs/msg/PointStamped", quality)?;
    let arrivals =
        futures::stream::select(poses.map(|raw| Wanted::from_pose(&raw)), points.map(|raw| Wanted::from_point(&raw)));
    let (mut intake, wanted) = Intake::new(Arc::clone(shared));
    tokio::spawn(follow(Arc::clone(shared), wanted, Arc::clone(&intake.done)));
    spinner.attend(arrivals.for_each(move |wanted| {
        intake.take_in(wanted);
        std::future::ready(())
    }));
    Ok(())
}

/// Variables of a chain whose targets may be tracked in the spin thread: some microseconds of work.
const MOST_VARIABLES: usize = 32;

/// Takes targets in as they arrive, in the spin thread. What tracking meets is answered there and then, which spares the way to
/// another thread, as long as a target itself; all others are left to the task, for a search may take its time.
struct Intake {
    shared: Arc<Shared>,
    follower: Option<Follower>,
    newest: watch::Sender<Option<Wanted>>,
    /// How many targets were left to the task.
    left: u64,
    /// The place of the one that it has answered last.
    done: Arc<AtomicU64>,
}

impl Intake {
    fn new(shared: Arc<Shared>) -> (Self, watch::Receiver<Option<Wanted>>) {
        let (newest, wanted) = watch::channel(None);
        (Self { shared, follower: None, newest, left: 0, done: Arc::default() }, wanted)
    }

    fn take_in(&mut self, wanted: Option<Wanted>) {
        self.shared.counters.arrived();
        let Some(wanted) = wanted else { return };
        // Never past one that is still at work.
        if self.done.load(Ordering::Acquire) == self.left
            && let Some(report) = self.track(&wanted)
        {
            conclude(&self.shared, &wanted, Ok(report));
            return;
        }
        self.left += 1;
        self.newest.send_replace(Some(Wanted { place: self.left, ..wanted }));
    }

    /// The status of the target, if tracking meets it at once.
    fn track(&mut self, wanted: &Wanted) -> Option<SolveStatus> {
        // Without any time to wait for a frame: there is no runtime in this thread.
        let prepared = prepare(&self.shared, wanted, Instant::now()).now_or_never()?.ok()?;
        if prepared.0.loaded.chain.variables().len() > MOST_VARIABLES {
            return None;
        }
        answer_safely(&self.shared, &mut self.follower, prepared, wanted, Effort::Track).ok()?
    }
}

/// Takes up the newest target whenever there is one.
async fn follow(shared: Arc<Shared>, mut newest: watch::Receiver<Option<Wanted>>, done: Arc<AtomicU64>) {
    let mut follower: Option<Follower> = None;
    while newest.changed().await.is_ok() {
        let Some(wanted) = newest.borrow_and_update().clone() else { continue };
        let (wanted, prepared) = take_up(&shared, &mut newest, wanted).await;
        let answered = prepared
            .and_then(|prepared| answer_safely(&shared, &mut follower, prepared, &wanted, Effort::Search))
            .and_then(|report| report.ok_or_else(failed));
        conclude(&shared, &wanted, answered);
        done.store(wanted.place, Ordering::Release);
    }
}

/// Publishes what came of a target.
fn conclude(shared: &Shared, wanted: &Wanted, answered: Result<SolveStatus, Refused>) {
    let report = match answered {
        Ok(report) => {
            shared.complaints.well(wanted.topic);
            report
        }
        Err(refused) => refuse(shared, wanted, refused),
    };
    shared.counters.answered(&report);
    shared.output.reporter.report(&report);
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

/// [`answer`], where a fault of a solver does not end the task or thread that serves all targets.
fn answer_safely(
    shared: &Shared,
    follower: &mut Option<Follower>,
    (posture, target, frame): Prepared,
    wanted: &Wanted,
    effort: Effort,
) -> Result<Option<SolveStatus>, Refused> {
    let header = Header { frame_id: frame, ..wanted.header.clone() };
    let work = AssertUnwindSafe(|| answer(shared, follower, (&posture, &target), header, effort));
    panic::catch_unwind(work).unwrap_or_else(|_| {
        *follower = None;
        Err(failed())
    })
}

fn failed() -> Refused {
    Refused::invalid("solver", "the solver failed on this target".into())
}

/// Solves, moves, and says what came of it; `None` where the effort was not enough.
fn answer(
    shared: &Shared,
    follower: &mut Option<Follower>,
    (posture, target): (&Posture, &Target),
    header: Header,
    effort: Effort,
) -> Result<Option<SolveStatus>, Refused> {
    let settings = shared.settings();
    let loaded = &posture.loaded;
    let follower = match follower {
        Some(known) if Arc::ptr_eq(&known.loaded, loaded) => known,
        other => other.insert(Follower::new(Arc::clone(loaded))),
    };
    let seed = loaded.chain.positions_from(&posture.positions);
    let (solver, solution) = follower.follow(target, &seed, &settings, effort)?;
    if effort == Effort::Track && !solution.solved() {
        return Ok(None);
    }
    let mut report = status::of_solution(&solver, target, solution, header);
    if !solution.solved() && settings.on_unreachable == OnUnreachable::Hold {
        report.message = format!("{}; the arm stays where it is", report.message);
        follower.measure(&mut report, target, &seed)?;
        report.joint_state_stamp = shared.output.hold();
        return Ok(Some(report));
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
    Ok(Some(report))
}

/// The status of a target that was refused, told once in the log.
fn refuse(shared: &Shared, wanted: &Wanted, refused: Refused) -> SolveStatus {
    shared.complaints.complain(wanted.topic, &refused.kind, &refused.sentence);
    let tip = shared.output.posture().map(|now| now.loaded.chain.tips()[0].link.clone());
    refused.status(wanted.header.clone(), tip.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point at 1, 2, 3 in the frame `name`, serialised in the byte order that `order` names.
    fn raw(name: &[u8], order: u8) -> Vec<u8> {
        let word = |value: u32| if order == 1 { value.to_le_bytes() } else { value.to_be_bytes() };
        let mut raw = vec![0, order, 0, 0];
        for value in [5, 6, u32::try_from(name.len()).unwrap() + 1] {
            raw.extend(word(value));
        }
        raw.extend(name);
        raw.push(0);
        // Aligned to eight bytes, counted from behind the first four.
        raw.resize((raw.len() - 4).next_multiple_of(8) + 4, 0);
        for value in [1.0_f64, 2.0, 3.0] {
            raw.extend(if order == 1 { value.to_le_bytes() } else { value.to_be_bytes() });
        }
        raw
    }

    #[test]
    fn both_byte_orders_are_read() {
        for name in ["", "world", "längs"] {
            for order in [0, 1] {
                let wanted = Wanted::from_point(&raw(name.as_bytes(), order)).unwrap();
                assert_eq!((wanted.header.frame_id.as_str(), wanted.damaged), (name, false));
                assert_eq!((wanted.header.stamp.sec, wanted.header.stamp.nanosec), (5, 6));
                assert_eq!(wanted.pose.unwrap().translation.vector.as_slice(), [1.0, 2.0, 3.0]);
            }
        }
    }

    #[test]
    fn damaged_names_are_told_and_never_taken_for_the_base_link() {
        assert!(Wanted::from_point(&raw(b"wor\xffld", 1)).unwrap().damaged);
        // ROS 2 ends a name at the first NUL, and its strings cannot hold one.
        assert_eq!(Wanted::from_point(&raw(b"wor\0ld", 1)).unwrap().header.frame_id, "wor");
    }

    #[test]
    fn what_is_cut_short_is_no_target() {
        let whole = raw(b"world", 1);
        for length in 0..whole.len() {
            assert!(Wanted::from_point(&whole[..length]).is_none(), "{length} bytes");
        }
    }
}
