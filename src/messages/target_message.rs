//! Target messages, read from their serialised form.

use byteorder::LittleEndian;
use nalgebra::{Isometry3, UnitQuaternion};
use r2r::geometry_msgs::msg::{PointStamped, PoseStamped};
use r2r::std_msgs::msg::Header;
use r2r::{QosProfile, WrappedTypesupport};
use serde::de::DeserializeOwned;

use super::convert;
use crate::reports::Fault;
use urdf_ik_parameters::{Reliability, Settings};

/// The axes of its tip in which a target counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TargetAxes {
    /// Its pose.
    Pose,
    /// Its position alone.
    Position,
    /// Its pose in the axes that the tip can follow; those of the settings where they free some. With `kept` it has this orientation in
    /// the base link's frame instead of its own.
    Followable { kept: Option<UnitQuaternion<f64>> },
}

/// A target as it arrived.
#[derive(Clone)]
pub(crate) struct TargetMessage {
    pub topic: &'static str,
    pub header: Header,
    /// In the header's frame, or the sentence that refuses it.
    pub pose: Result<Isometry3<f64>, Fault>,
    pub axes: TargetAxes,
    /// Whether the name of the frame was not valid UTF-8. r2r makes an empty name of it, which would mean the base link.
    pub frame_is_damaged: bool,
    /// Its number among the targets that were left to the task of the tip.
    pub number: u64,
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
    /// Reads a target pose from its serialised message; `None` where it is not one.
    pub(crate) fn from_pose(raw: &[u8]) -> Option<Self> {
        let (PoseStamped { header, pose }, frame_is_damaged) = read(raw, |message: &PoseStamped| &message.header)?;
        let (topic, pose, axes) = ("target_pose", convert::pose(&pose), TargetAxes::Pose);
        Some(Self { topic, header, pose, axes, frame_is_damaged, number: 0 })
    }

    /// Reads a target point from its serialised message; `None` where it is not one.
    pub(crate) fn from_point(raw: &[u8]) -> Option<Self> {
        let (PointStamped { header, point }, frame_is_damaged) = read(raw, |message: &PointStamped| &message.header)?;
        let pose = convert::point(&point).map(Isometry3::from);
        Some(Self { topic: "target_point", header, pose, axes: TargetAxes::Position, frame_is_damaged, number: 0 })
    }
}

/// Reads a serialised stamped message. Also says whether the name of its frame is damaged. `None` where it is no such message.
///
/// ROS 2 takes 10 µs to read a message, and the crate cdr-encoding is much faster. So that crate reads what it reads correctly: plain
/// little-endian CDR, and a name without NUL. ROS 2 would end the name at the NUL.
pub(crate) fn read<T>(raw: &[u8], header: impl Fn(&T) -> &Header) -> Option<(T, bool)>
where
    T: WrappedTypesupport + DeserializeOwned,
{
    if let [0, 1, _, _, body @ ..] = raw
        && let Ok((message, _)) = cdr_encoding::from_bytes::<T, LittleEndian>(body)
        && !header(&message).frame_id.contains('\0')
    {
        return Some((message, false));
    }
    Some((T::from_serialized_bytes(raw).ok()?, !has_valid_frame(raw)))
}

/// Whether the name of the frame of a serialised stamped message is valid UTF-8. r2r makes an empty string of any other name, which
/// would silently mean the base link.
///
/// In CDR a stamped message begins with four bytes that give the byte order. Then come the seconds and nanoseconds of the stamp, the
/// length of the name with its closing NUL, and the name.
pub(crate) fn has_valid_frame(raw: &[u8]) -> bool {
    let (Some(&order), Some(length)) = (raw.get(1), raw.get(12..).and_then(<[u8]>::first_chunk::<4>)) else {
        return true;
    };
    let length = if order & 1 == 1 { u32::from_le_bytes(*length) } else { u32::from_be_bytes(*length) };
    let length = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(1);
    raw.get(16..16_usize.saturating_add(length)).is_none_or(|name| std::str::from_utf8(name).is_ok())
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
        // ROS 2 ends a name at the first NUL, and its strings cannot hold one.
        assert_eq!(TargetMessage::from_point(&raw(b"wor\0ld", 1)).unwrap().header.frame_id, "wor");
    }

    #[test]
    fn a_truncated_message_is_no_target() {
        let whole = raw(b"world", 1);
        for length in 0..whole.len() {
            assert!(TargetMessage::from_point(&whole[..length]).is_none(), "{length} bytes");
        }
    }
}
