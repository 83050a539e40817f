//! Target messages, read out of what arrives.

use byteorder::LittleEndian;
use nalgebra::{Isometry3, UnitQuaternion};
use r2r::WrappedTypesupport;
use r2r::geometry_msgs::msg::{PointStamped, PoseStamped};
use r2r::std_msgs::msg::Header;
use serde::de::DeserializeOwned;

use super::convert;

/// A target as it arrived.
#[derive(Clone)]
pub(super) struct Wanted {
    pub topic: &'static str,
    pub header: Header,
    /// In the header's frame, or the sentence that refuses it.
    pub pose: Result<Isometry3<f64>, String>,
    pub position_only: bool,
    /// The frame's name was no valid text; the empty name that it became means something else.
    pub damaged: bool,
    /// Its place among those that were left to the task.
    pub place: u64,
}

impl Wanted {
    /// A target pose out of its serialised message; `None` where it is not one.
    pub(super) fn from_pose(raw: &[u8]) -> Option<Self> {
        let (PoseStamped { header, pose }, damaged) = read(raw, |message: &PoseStamped| &message.header)?;
        Some(Self { topic: "target_pose", header, pose: convert::pose(&pose), position_only: false, damaged, place: 0 })
    }

    /// A target point out of its serialised message; `None` where it is not one.
    pub(super) fn from_point(raw: &[u8]) -> Option<Self> {
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
pub(super) fn names_a_frame(raw: &[u8]) -> bool {
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
