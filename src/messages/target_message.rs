//! Target messages in serialized form.

use byteorder::LittleEndian;
use nalgebra::{Isometry3, UnitQuaternion};
use r2r::geometry_msgs::msg::{PointStamped, PoseStamped};
use r2r::std_msgs::msg::Header;
use r2r::{QosProfile, WrappedTypesupport};
use serde::de::DeserializeOwned;

use super::convert::{self, MAX_NAME_BYTES};
use crate::reports::Fault;
use urdf_ik_parameters::{Reliability, Settings};
use urdf_ik_text::names;

/// The constrained axes of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TargetAxes {
    /// Its pose.
    Pose,
    /// Its position alone.
    Position,
    /// The axes that the tip can control, or the axes that are constrained by the settings. `kept` replaces its
    /// orientation, in the base link's frame.
    Followable { kept: Option<UnitQuaternion<f64>> },
}

/// A received target.
#[derive(Clone)]
pub(crate) struct TargetMessage {
    pub topic: &'static str,
    pub header: Header,
    /// In the header's frame, or the reason for its refusal.
    pub pose: Result<Isometry3<f64>, Fault>,
    pub axes: TargetAxes,
    /// True if the frame name was not valid UTF-8. r2r replaces it by an empty name, which would mean the base link.
    pub frame_is_damaged: bool,
    /// Its number among the targets passed to the task of the tip.
    pub number: u64,
    /// How often the targets had been discarded on its arrival.
    pub discards: u64,
}

/// Quality of service of the target topics.
pub(crate) fn quality(settings: &Settings) -> QosProfile {
    let quality = QosProfile::default().keep_last(1);
    match settings.target_reliability {
        Reliability::Reliable => quality,
        Reliability::BestEffort => quality.best_effort(),
    }
}

impl TargetMessage {
    /// Reads a target pose from its serialized message; `None` if invalid.
    pub(crate) fn from_pose(raw: &[u8]) -> Option<Self> {
        let (PoseStamped { header, pose }, frame_is_damaged) = read(raw, |message: &PoseStamped| &message.header)?;
        let (topic, header, pose, axes) = ("target_pose", bounded(header), convert::pose(&pose), TargetAxes::Pose);
        Some(Self { topic, header, pose, axes, frame_is_damaged, number: 0, discards: 0 })
    }

    /// Reads a target point from its serialized message; `None` if invalid.
    pub(crate) fn from_point(raw: &[u8]) -> Option<Self> {
        let (PointStamped { header, point }, frame_is_damaged) = read(raw, |message: &PointStamped| &message.header)?;
        let (topic, header, axes) = ("target_point", bounded(header), TargetAxes::Position);
        let pose = convert::point(&point).map(Isometry3::from);
        Some(Self { topic, header, pose, axes, frame_is_damaged, number: 0, discards: 0 })
    }
}

/// The header, whose frame name is cut to a length that no known frame has: the node keeps the latest target.
fn bounded(header: Header) -> Header {
    match names::beginning(&header.frame_id, MAX_NAME_BYTES + 1) {
        beginning if beginning.len() < header.frame_id.len() => Header { frame_id: beginning.to_owned(), ..header },
        _ => header,
    }
}

/// Reads a serialized stamped message. Also returns true if its frame name is damaged. `None` if invalid.
///
/// ROS 2 takes 10 µs to read a message; the crate cdr-encoding is much faster. It reads the messages that it decodes
/// correctly: plain little-endian CDR, and a name with a NUL at its end alone. Without it, the crate drops the last
/// character; at another NUL, ROS 2 ends the name.
pub(crate) fn read<T>(raw: &[u8], header: impl Fn(&T) -> &Header) -> Option<(T, bool)>
where
    T: WrappedTypesupport + DeserializeOwned,
{
    if let [0, 1, _, _, body @ ..] = raw
        && frame_name(raw).is_some_and(|name| name.ends_with(b"\0"))
        && let Ok((message, _)) = cdr_encoding::from_bytes::<T, LittleEndian>(body)
        && !header(&message).frame_id.contains('\0')
    {
        return Some((message, false));
    }
    // r2r replaces a name that is not valid UTF-8 by an empty string, which would silently mean the base link.
    let is_damaged = frame_name(raw).is_some_and(|name| std::str::from_utf8(name).is_err());
    Some((T::from_serialized_bytes(raw).ok()?, is_damaged))
}

/// The frame name of a serialized stamped message with its NUL.
///
/// In CDR a stamped message starts with four bytes that give the byte order. Then follow the seconds and nanoseconds
/// of the stamp, the length of the name including its NUL, and the name.
fn frame_name(raw: &[u8]) -> Option<&[u8]> {
    let (order, length) = (raw.get(1)?, raw.get(12..)?.first_chunk::<4>()?);
    let length = if order & 1 == 1 { u32::from_le_bytes(*length) } else { u32::from_be_bytes(*length) };
    raw.get(16..16_usize.saturating_add(usize::try_from(length).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point at 1, 2, 3 in the frame `name`, serialized in the byte order `order`.
    fn raw(name: &[u8], order: u8) -> Vec<u8> {
        let word = |value: u32| if order == 1 { value.to_le_bytes() } else { value.to_be_bytes() };
        let mut raw = vec![0, order, 0, 0];
        for value in [5, 6, u32::try_from(name.len()).unwrap() + 1] {
            raw.extend(word(value));
        }
        raw.extend(name);
        raw.push(0);
        // Aligned to eight bytes, counted from after the first four.
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
                let message = TargetMessage::from_point(&raw(name.as_bytes(), order)).unwrap();
                assert_eq!((message.header.frame_id.as_str(), message.frame_is_damaged), (name, false));
                assert_eq!((message.header.stamp.sec, message.header.stamp.nanosec), (5, 6));
                assert_eq!(message.pose.unwrap().translation.vector.as_slice(), [1.0, 2.0, 3.0]);
            }
        }
    }

    #[test]
    fn a_damaged_name_is_reported_and_never_means_the_base_link() {
        assert!(TargetMessage::from_point(&raw(b"wor\xffld", 1)).unwrap().frame_is_damaged);
        // ROS 2 ends a name at the first NUL.
        assert_eq!(TargetMessage::from_point(&raw(b"wor\0ld", 1)).unwrap().header.frame_id, "wor");
    }

    #[test]
    fn a_truncated_message_is_no_target() {
        let whole = raw(b"world", 1);
        for length in 0..whole.len() {
            assert!(TargetMessage::from_point(&whole[..length]).is_none(), "{length} bytes");
        }
    }

    /// A message with any one byte changed is read as ROS 2 reads it, or refused.
    #[test]
    fn a_changed_byte_is_read_as_by_ros() {
        for order in [0, 1] {
            let whole = raw(b"world", order);
            for (at, byte) in (0..whole.len()).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
                let mut changed = whole.clone();
                changed[at] = byte;
                let read = read(&changed, |message: &PointStamped| &message.header).map(|(message, _)| message);
                let by_ros = PointStamped::from_serialized_bytes(&changed).ok();
                assert_eq!(format!("{read:?}"), format!("{by_ros:?}"), "byte {at} is {byte}");
            }
        }
    }
}
