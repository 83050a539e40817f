//! The skeleton itself: a tree of segments, and the reach of its points.

use nalgebra::Point3;

use super::{Joint, Limit};
use urdf_ik_mathematics::segments::{
    InputError, InputErrorKind, Reach, check_any, check_coordinates, check_count, check_length, check_rotation,
    check_total, require,
};

/// A segment of constant length between two points, with a joint at its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Index of the start point: 0 is the root, k + 1 the end of segment k, which must precede this segment in the
    /// list.
    pub parent: usize,
    /// Length \[m\], at least 0.
    pub length: f64,
    /// The joint between the preceding segment and this one.
    pub joint: Joint,
}

impl Segment {
    /// A segment that rotates freely. `length` is in \[m\] and is validated by [`Skeleton::new`].
    pub fn new(parent: usize, length: f64) -> Self {
        Self { parent, length, joint: Joint::free() }
    }

    /// The segment with another joint.
    #[must_use]
    pub fn with_joint(self, joint: Joint) -> Self {
        Self { joint, ..self }
    }
}

/// An immutable tree of segments. See the [crate](crate) documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    /// One entry for each segment.
    pub(super) parents: Vec<usize>,
    pub(super) lengths: Vec<f64>,
    pub(super) joints: Vec<Joint>,
    /// For each point, the segments that start there.
    pub(super) branches: Vec<Vec<usize>>,
    is_planar: bool,
    /// For each point, the range of its possible distances from the root.
    reaches: Vec<Reach>,
}

impl Skeleton {
    /// A skeleton in space. Each segment must come after its parent.
    ///
    /// # Errors
    /// [`InputError`] if there are no segments, a segment is invalid, or the total length is too large.
    pub fn new(segments: &[Segment]) -> Result<Self, InputError> {
        check_any("segment", segments.len())?;
        let mut branches = vec![Vec::new(); segments.len() + 1];
        for (index, Segment { parent, length, joint }) in segments.iter().enumerate() {
            require(*parent <= index, || {
                let before = format!("the root, 0, or at the end of a segment before it, 1 to {index}");
                InputErrorKind::Model(format!("segment {index} begins at point {parent}; it must begin at {before}"))
            })?;
            branches[*parent].push(index);
            check_length(("segment", index), *length)?;
            check_rotation(("the rest orientation of segment", index), &joint.rest)?;
            in_segment(index, joint.check())?;
        }
        check_total(segments.iter().map(|segment| segment.length).sum())?;
        let mut reaches = vec![Reach::default()];
        for segment in segments {
            reaches.push(reaches[segment.parent].then(segment.length));
        }
        Ok(Self {
            parents: segments.iter().map(|segment| segment.parent).collect(),
            lengths: segments.iter().map(|segment| segment.length).collect(),
            joints: segments.iter().map(|segment| segment.joint).collect(),
            branches,
            is_planar: false,
            reaches,
        })
    }

    /// A skeleton in the xy plane: all points have z = 0, and segments rotate about z only.
    ///
    /// # Errors
    /// [`InputError`] as for [`Self::new`], and if a joint leaves the plane.
    pub fn in_plane(segments: &[Segment]) -> Result<Self, InputError> {
        let skeleton = Self::new(segments)?;
        for (segment, joint) in skeleton.joints.iter().enumerate() {
            in_segment(segment, joint.check_in_plane())?;
        }
        Ok(Self { is_planar: true, ..skeleton })
    }

    /// A chain in space with free joints and segments of `lengths` \[m\], from the root to the end.
    ///
    /// # Errors
    /// [`InputError`] as for [`Self::new`].
    pub fn chain(lengths: &[f64]) -> Result<Self, InputError> {
        let segments: Vec<_> =
            lengths.iter().enumerate().map(|(parent, &length)| Segment::new(parent, length)).collect();
        Self::new(&segments)
    }

    /// A chain in space with free joints and segments between successive `points`, n + 1 entries \[m\] from the root to
    /// the end.
    ///
    /// # Errors
    /// [`InputError`] as for [`Self::new`], and if a coordinate is not finite or too large.
    pub fn chain_through(points: &[Point3<f64>]) -> Result<Self, InputError> {
        for (index, point) in points.iter().enumerate() {
            check_coordinates(("point", index), point.coords.as_slice())?;
        }
        let lengths: Vec<_> = points.windows(2).map(|ends| (ends[1] - ends[0]).norm()).collect();
        Self::chain(&lengths)
    }

    /// Number of segments, n. There are n + 1 points: the root and the end of each segment.
    pub fn segment_count(&self) -> usize {
        self.lengths.len()
    }

    /// The segment with index `segment`; `None` if there is none.
    pub fn segment(&self, segment: usize) -> Option<Segment> {
        let (parent, length) = (*self.parents.get(segment)?, *self.lengths.get(segment)?);
        Some(Segment { parent, length, joint: *self.joints.get(segment)? })
    }

    /// True if the skeleton is restricted to the xy plane.
    pub fn is_planar(&self) -> bool {
        self.is_planar
    }

    /// True if no joint has limits.
    pub fn is_free(&self) -> bool {
        self.joints.iter().all(|joint| joint.limit == Limit::Free)
    }

    /// True if the segments form a single chain without branches.
    pub fn is_chain(&self) -> bool {
        self.parents.iter().enumerate().all(|(segment, &parent)| segment == parent)
    }

    /// Sum of all segment lengths \[m\].
    pub fn total_length(&self) -> f64 {
        self.lengths.iter().sum()
    }

    /// The range of possible distances \[m\] between points `a` and `b`, ignoring joint limits; `None` if a point does
    /// not exist.
    pub fn reach(&self, a: usize, b: usize) -> Option<Reach> {
        let last = self.segment_count();
        (a <= last && b <= last).then(|| self.reach_between(a, b))
    }

    /// [`Self::reach`] of existing points.
    pub(super) fn reach_between(&self, mut a: usize, mut b: usize) -> Reach {
        if a == 0 || b == 0 {
            return self.reaches[a.max(b)];
        }
        let mut reach = Reach::default();
        while a != b {
            // Segments come after their parents, so the later point is not between the other and the root.
            let later = if a > b { &mut a } else { &mut b };
            let segment = *later - 1;
            reach = reach.then(self.lengths[segment]);
            *later = self.parents[segment];
        }
        reach
    }

    pub(super) fn check_count(&self, what: &'static str, found: usize, more: usize) -> Result<(), InputError> {
        check_count(what, found, self.segment_count() + more)
    }
}

/// Prefixes an error with its segment.
fn in_segment(segment: usize, checked: Result<(), InputError>) -> Result<(), InputError> {
    checked.map_err(|error| InputError::model(format!("the joint of segment {segment} is not valid: {error}")))
}
