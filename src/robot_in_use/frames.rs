//! Frames of targets: links by the robot's kinematics, all others by TF.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use nalgebra::{Isometry3, Translation3};
use r2r::QosProfile;
use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::TransformStamped;
use r2r::std_msgs::msg::Header;
use r2r::tf2_msgs::msg::TFMessage;
use tokio::sync::watch;
use tokio::time::Instant;
use transforms::Registry;
use transforms::errors::RegistryError;
use transforms::geometry::{Quaternion, Transform, Vector3};
use transforms::time::{Stamp, Timestamp};

use super::configuration::Configuration;
use super::description::LoadedRobot;
use crate::Result;
use crate::messages::MAX_NAME_BYTES;
use crate::reports::{Fault, Refused, Warnings, fault};
use crate::ros::{Clock, Lock, Spinner, TF, TF_STATIC};
use urdf_ik_mathematics::spatial::rotation_from;
use urdf_ik_parameters::Settings;
use urdf_ik_text::names::{self, short};

/// History of transforms, as in tf2.
const TRANSFORM_HISTORY: Duration = Duration::from_secs(10);
/// Queue depth of the transform topics, as in tf2.
const QUEUE_DEPTH: usize = 100;
/// Maximum number of frames between a frame and the robot: a deeper tree is a cycle or a mistake.
const MAX_DEPTH: usize = 1000;
/// Maximum number of known frames: bounds the memory that a publisher can fill.
const MAX_FRAMES: usize = 10_000;

/// The frames known from TF.
pub(crate) struct Frames {
    tree: Lock<FrameTree>,
    /// Counts messages, to wake tasks that wait for a transform.
    arrivals: watch::Sender<u64>,
}

struct FrameTree {
    registry: Registry,
    /// Parent of each frame; true if the transform is static.
    parents: HashMap<String, (String, bool)>,
    /// Why the last transform of a frame was refused, reported while the frame has none.
    refusals: HashMap<String, Fault>,
    /// ROS time of the last transform's arrival.
    now: Duration,
}

/// A frame, fixed to a link of the robot.
pub(crate) struct LocatedFrame {
    /// The frame's name, as echoed in statuses.
    pub name: String,
    /// Index of the link.
    pub link: usize,
    /// Pose of the frame in the link's frame.
    pub in_link: Isometry3<f64>,
}

impl LocatedFrame {
    /// The frame `name` of the link with index `link`.
    pub(crate) fn of_link(name: String, link: usize) -> Self {
        Self { name, link, in_link: Isometry3::identity() }
    }

    /// Pose of the frame in the root link's frame, with the robot's links at `poses`.
    pub(crate) fn in_root(&self, poses: &[Isometry3<f64>]) -> Isometry3<f64> {
        poses[self.link] * self.in_link
    }

    /// Pose of the frame in the base link's frame at `configuration`.
    pub(crate) fn in_base(&self, configuration: &Configuration) -> Isometry3<f64> {
        let robot = &configuration.loaded.robot;
        let base = robot.link_index(configuration.loaded.chain.base()).unwrap_or(robot.root());
        if self.link == base {
            return self.in_link;
        }
        let poses = robot.link_poses(&configuration.positions);
        poses[base].inv_mul(&self.in_root(&poses))
    }
}

impl Frames {
    pub(crate) fn new() -> Self {
        let tree = FrameTree {
            registry: Registry::with_max_age(TRANSFORM_HISTORY),
            parents: HashMap::new(),
            refusals: HashMap::new(),
            now: Duration::ZERO,
        };
        Self { tree: Lock::new(tree), arrivals: watch::Sender::new(0) }
    }

    /// As [`Frames::locate`], with the parameter `transform_timeout`.
    pub(crate) async fn of_request(
        &self,
        loaded: &LoadedRobot,
        settings: &Settings,
        header: &Header,
    ) -> Result<LocatedFrame, Refused> {
        let deadline = Instant::now() + settings.transform_timeout;
        self.locate(loaded, &settings.frame_prefix, header, deadline).await
    }

    /// Relates the frame of a header to a link of the robot. An empty name means the base link, a link name means that
    /// link. Other frames are looked up in TF at the stamp (zero: the latest), up to the first link of the robot.
    /// Waits until `deadline`.
    ///
    /// # Errors
    /// [`Refused`] with the name of the frame.
    pub(crate) async fn locate(
        &self,
        loaded: &LoadedRobot,
        prefix: &str,
        header: &Header,
        deadline: Instant,
    ) -> Result<LocatedFrame, Refused> {
        let mut arrivals = self.arrivals.subscribe();
        loop {
            arrivals.borrow_and_update();
            let found = self.find(loaded, prefix, header);
            // Without waiting it makes no timer: some callers have no runtime.
            let wait = found.is_err() && Instant::now() < deadline;
            if !(wait && matches!(tokio::time::timeout_at(deadline, arrivals.changed()).await, Ok(Ok(())))) {
                return found;
            }
        }
    }

    /// As [`Frames::locate`], without waiting.
    pub(crate) fn find(&self, loaded: &LoadedRobot, prefix: &str, header: &Header) -> Result<LocatedFrame, Refused> {
        let Header { stamp, frame_id } = header;
        let base = format!("{prefix}{}", loaded.chain.base());
        let name = if frame_id.is_empty() { base.as_str() } else { frame_name(frame_id) };
        let robot = &loaded.robot;
        let link_of = |frame: &str| frame.strip_prefix(prefix).and_then(|link| robot.link_index(link));
        let root = format!("{prefix}{}", robot.links()[robot.root()].name);
        let (link, in_link) = self.tree.lock().find(name, stamp, link_of, &root).map_err(|reason| {
            let sentence = format!("frame '{}' cannot be related to the robot: {reason}", short(name));
            Refused::unknown_frame(frame_id, sentence)
        })?;
        Ok(LocatedFrame { name: name.to_owned(), link, in_link })
    }
}

impl FrameTree {
    /// The first link of the robot above the frame `name`, and the pose of the frame in that link's frame.
    fn find(
        &self,
        name: &str,
        stamp: &Time,
        link_of: impl Fn(&str) -> Option<usize>,
        root: &str,
    ) -> Result<(usize, Isometry3<f64>), Fault> {
        let anchor = self.path(name).find(|frame| link_of(frame).is_some()).unwrap_or(root);
        let link = link_of(anchor).ok_or_else(|| fault!("the robot has no link '{}'", short(anchor)))?;
        if anchor == name {
            return Ok((link, Isometry3::identity()));
        }
        let sentence = |e: RegistryError| match [name, anchor].into_iter().find(|frame| !self.has(frame)) {
            Some(unknown) => {
                let missing = || fault!("no transform of '{}' has come on /tf or /tf_static", short(unknown));
                self.refusals.get(unknown).cloned().unwrap_or_else(missing)
            }
            None => Fault::new(names::sentence(&e.to_string())),
        };
        let time = match timestamp(stamp) {
            Some(time) => time,
            None => self.registry.latest_common_time(anchor, name).map_err(sentence)?.at().unwrap_or(Timestamp::zero()),
        };
        let found = self.registry.get_transform(anchor, name, time).map_err(sentence)?;
        let (t, r) = (found.translation(), found.rotation());
        let rotation = rotation_from([r.x, r.y, r.z, r.w])?;
        Ok((link, Isometry3::from_parts(Translation3::new(t.x, t.y, t.z), rotation)))
    }

    /// Adds one transform; remembers the reason of a refusal.
    ///
    /// # Errors
    /// [`Fault`] about a refused transform.
    fn take(&mut self, message: &TransformStamped, fixed: bool) -> Result<(), Fault> {
        let child = frame_name(&message.child_frame_id);
        let taken = self.insert(message, fixed);
        match &taken {
            Ok(()) => drop(self.refusals.remove(child)),
            Err(sentence) if self.refusals.len() < MAX_FRAMES && child.len() <= MAX_NAME_BYTES => {
                self.refusals.insert(child.to_owned(), sentence.clone());
            }
            Err(_) => {}
        }
        taken
    }

    /// Adds one transform. A frame may change its parent, or change from static to moving.
    fn insert(&mut self, message: &TransformStamped, fixed: bool) -> Result<(), Fault> {
        let [parent, child] =
            [&message.header.frame_id, &message.child_frame_id].map(|name| frame_name(name).to_owned());
        let (t, q) = (&message.transform.translation, &message.transform.rotation);
        let refuse = |reason: String| {
            let reason = names::sentence(&reason);
            fault!("the transform from '{}' to '{}' is refused: {reason}", short(&parent), short(&child))
        };
        let rotation = rotation_from([q.x, q.y, q.z, q.w]).map_err(|e| refuse(e.to_string()))?;
        let stamp = if fixed {
            Stamp::Static
        } else {
            Stamp::At(timestamp(&message.header.stamp).unwrap_or(Timestamp::zero()))
        };
        let translation = Vector3::new(t.x, t.y, t.z);
        let rotation = Quaternion::from_wxyz(rotation.w, rotation.i, rotation.j, rotation.k);
        let transform = Transform::new(&parent, &child, translation, rotation, stamp);
        let transform = transform.map_err(|e| refuse(e.to_string()))?;
        if !self.parents.contains_key(&child) && self.parents.len() >= MAX_FRAMES {
            return Err(refuse(format!("there are {MAX_FRAMES} frames already")));
        }
        if parent.len().max(child.len()) > MAX_NAME_BYTES {
            return Err(refuse(format!("a name may have {MAX_NAME_BYTES} bytes")));
        }
        // Checked before anything is removed: a lost static transform is never sent again.
        if self.path(&parent).any(|frame| frame == child) {
            return Err(refuse("it would close a cycle".into()));
        }
        let entry = (parent.clone(), fixed);
        if self.parents.get(&child).is_some_and(|known| *known != entry) {
            self.registry.remove_frame(&child);
        }
        self.registry.add_transform(transform).map_err(|e| refuse(e.to_string()))?;
        self.parents.insert(child, entry);
        Ok(())
    }

    /// True if a transform from or to the frame `name` is known.
    fn has(&self, name: &str) -> bool {
        self.parents.contains_key(name) || self.parents.values().any(|(parent, _)| parent == name)
    }

    /// The frame `name` and its ancestors.
    fn path<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let parent = |name: &&'a str| self.parents.get(*name).map(|(parent, _)| parent.as_str());
        std::iter::successors(Some(name), parent).take(MAX_DEPTH)
    }

    /// Sets the time. After a jump back, dynamic transforms are removed: they would be in the future.
    fn note_time(&mut self, now: Duration) {
        if now < self.now {
            for (child, _) in self.parents.extract_if(|_, (_, fixed)| !*fixed) {
                self.registry.remove_frame(&child);
            }
        }
        self.now = now;
    }
}

/// The name of a frame without the leading slash of ROS 1.
fn frame_name(text: &str) -> &str {
    text.strip_prefix('/').unwrap_or(text)
}

/// A stamp as a time of TF; `None` for zero, which means the latest, and for times before the epoch.
fn timestamp(stamp: &Time) -> Option<Timestamp> {
    let seconds = u64::try_from(stamp.sec).ok()?;
    let nanoseconds = seconds * 1_000_000_000 + u64::from(stamp.nanosec);
    (nanoseconds > 0).then(|| Timestamp::from_nanos(nanoseconds))
}

/// Subscribes to TF.
pub(crate) fn serve(spinner: &mut Spinner, frames: &Arc<Frames>, clock: &Clock, warnings: &Arc<Warnings>) -> Result {
    let quality = QosProfile::default().keep_last(QUEUE_DEPTH);
    for (topic, quality, fixed) in [(TF, quality.clone(), false), (TF_STATIC, quality.transient_local(), true)] {
        let (frames, clock, warnings) = (Arc::clone(frames), clock.clone(), Arc::clone(warnings));
        spinner.on_each_in_task(topic, quality, move |message: TFMessage| {
            let mut tree = frames.tree.lock();
            tree.note_time(clock.now());
            for transform in &message.transforms {
                if let Err(sentence) = tree.take(transform, fixed) {
                    warnings.warn_once("tf", &short(&transform.child_frame_id), &sentence);
                }
            }
            drop(tree);
            frames.arrivals.send_modify(|count| *count += 1);
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(tree: &mut FrameTree, parent: &str, child: &str) -> Result<(), Fault> {
        let mut message = TransformStamped { child_frame_id: child.into(), ..TransformStamped::default() };
        message.header.frame_id = parent.into();
        message.transform.rotation.w = 1.0;
        tree.insert(&message, true)
    }

    #[test]
    fn invented_frames_do_not_fill_the_memory() {
        let frames = Frames::new();
        let mut tree = frames.tree.lock();
        for number in 0..MAX_FRAMES {
            insert(&mut tree, "world", &format!("frame{number}")).unwrap();
        }
        assert!(insert(&mut tree, "world", "another").unwrap_err().contains("10000 frames"));
        insert(&mut tree, "map", "frame0").unwrap();
        let name = "x".repeat(1_000_000);
        assert!(insert(&mut tree, &name, "frame0").unwrap_err().len() < 1500);
    }

    #[test]
    fn a_frame_whose_transform_is_refused_has_a_reason() {
        let frames = Frames::new();
        let mut tree = frames.tree.lock();
        let link_of = |frame: &str| (frame == "base").then_some(0);
        let reason = |tree: &FrameTree| tree.find("camera", &Time::default(), link_of, "base").unwrap_err();
        assert!(reason(&tree).contains("no transform of 'camera' has come"), "{}", reason(&tree));
        let mut message = TransformStamped { child_frame_id: "/camera".into(), ..TransformStamped::default() };
        message.header.frame_id = "base".into();
        message.transform.rotation.w = 0.5;
        tree.take(&message, true).unwrap_err();
        assert!(reason(&tree).contains("quaternion"), "{}", reason(&tree));
    }
}
