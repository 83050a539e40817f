//! The skeleton itself: a tree of segments, and the distances that its points can have.

use thiserror::Error;

use super::joint::{Joint, JointError, Limit};
use crate::segments::{
    Element, InputError, Reach, check_coordinates, check_count, check_length, check_rotation, check_total,
};
use nalgebra::Point3;

/// A segment of constant length between two points, with a joint where it begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Index of the point at which it begins: 0 is the root, k + 1 the end of segment k. Only points of segments before it in the list.
    pub parent: usize,
    /// Its length \[m\]. With 0, its two points coincide.
    pub length: f64,
    /// What rotations it may have relative to the segment before it, and from which orientation they count.
    pub joint: Joint,
}

impl Segment {
    /// A segment that rotates freely.
    #[must_use]
    pub fn new(parent: usize, length: f64) -> Self {
        Self { parent, length, joint: Joint::free() }
    }

    /// The same segment with another joint.
    #[must_use]
    pub fn with_joint(self, joint: Joint) -> Self {
        Self { joint, ..self }
    }
}

/// Why a skeleton is not valid. Segments are numbered from 0.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// A length, or the number of them, is wrong, or the orientation of a joint at rest is no rotation.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A segment begins at a point that no segment before it has.
    #[error(
        "segment {segment} begins at point {parent}; it must begin at the root, 0, or at the end of a segment before it, 1 to {segment}"
    )]
    Parent {
        /// Index of the segment.
        segment: usize,
        /// The given index of its first point.
        parent: usize,
    },
    /// The limits of a joint are not valid.
    #[error("the joint of segment {segment} is not valid: {source}")]
    Joint {
        /// Index of the segment.
        segment: usize,
        /// What is wrong with it.
        source: JointError,
    },
}

/// Segments in a tree, from the root on. See the [module](super).
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    /// Of each segment, from here on.
    pub(super) parents: Vec<usize>,
    pub(super) lengths: Vec<f64>,
    pub(super) joints: Vec<Joint>,
    /// Segments between the root and each point.
    depths: Vec<usize>,
    /// For each point, the first segment that begins there; for each segment, the next one that begins where it does.
    first_branches: Vec<Option<u32>>,
    next_branches: Vec<Option<u32>>,
    pub(super) has_hinges: bool,
    is_planar: bool,
    is_chain: bool,
}

impl Skeleton {
    /// A skeleton in space. Every segment comes after the one that it continues.
    ///
    /// # Errors
    /// [`SkeletonError`] where there is no segment, or one is not valid; it names the segment.
    pub fn new(segments: &[Segment]) -> Result<Self, SkeletonError> {
        if segments.is_empty() {
            return Err(InputError::Empty { what: "segment" }.into());
        }
        let mut depths = vec![0];
        for (index, segment) in segments.iter().enumerate() {
            let parent = segment.parent;
            let depth = depths.get(parent).ok_or(SkeletonError::Parent { segment: index, parent })?;
            depths.push(depth + 1);
            check_length(Element::of("segment", index), segment.length)?;
            check_rotation(Element::of("the rest orientation of segment", index), &segment.joint.rest)?;
            segment.joint.check().map_err(|source| SkeletonError::Joint { segment: index, source })?;
        }
        check_total(segments.iter().map(|segment| segment.length).sum())?;
        let (mut first_branches, mut next_branches) = (vec![None; segments.len() + 1], vec![None; segments.len()]);
        for (index, segment) in segments.iter().enumerate().rev() {
            next_branches[index] = first_branches[segment.parent].replace(u32::try_from(index).unwrap_or(u32::MAX));
        }
        Ok(Self {
            parents: segments.iter().map(|segment| segment.parent).collect(),
            lengths: segments.iter().map(|segment| segment.length).collect(),
            joints: segments.iter().map(|segment| segment.joint).collect(),
            depths,
            first_branches,
            next_branches,
            has_hinges: segments.iter().any(|segment| matches!(segment.joint.limit, Limit::Hinge { .. })),
            is_planar: false,
            is_chain: segments.iter().enumerate().all(|(index, segment)| index == segment.parent),
        })
    }

    /// A skeleton in the plane of x and y. All its points, targets and seeds have z = 0, and its segments turn about z alone.
    ///
    /// # Errors
    /// As [`Self::new`], and where a joint leaves the plane.
    pub fn in_plane(segments: &[Segment]) -> Result<Self, SkeletonError> {
        let skeleton = Self::new(segments)?;
        for (segment, joint) in skeleton.joints.iter().enumerate() {
            joint.check_in_plane().map_err(|source| SkeletonError::Joint { segment, source })?;
        }
        Ok(Self { is_planar: true, ..skeleton })
    }

    /// A chain in space: segments of `lengths` \[m\] in a row that rotate freely.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn chain(lengths: &[f64]) -> Result<Self, SkeletonError> {
        let segments: Vec<_> =
            lengths.iter().enumerate().map(|(parent, &length)| Segment::new(parent, length)).collect();
        Self::new(&segments)
    }

    /// A chain of free segments between successive `points` (n + 1 entries \[m\]).
    ///
    /// # Errors
    /// As [`Self::new`], and where a coordinate is not finite or too large.
    pub fn chain_through(points: &[Point3<f64>]) -> Result<Self, SkeletonError> {
        for (index, point) in points.iter().enumerate() {
            check_coordinates(Element::of("point", index), point.coords.as_slice())?;
        }
        let lengths: Vec<_> = points.windows(2).map(|ends| (ends[1] - ends[0]).norm()).collect();
        Self::chain(&lengths)
    }

    /// Number of segments, n. There are n + 1 points: the root, and the end of each segment.
    #[must_use]
    pub fn segment_count(&self) -> usize {
        self.lengths.len()
    }

    /// The segment of index `segment`, if there is one.
    #[must_use]
    pub fn segment(&self, segment: usize) -> Option<Segment> {
        let (parent, length) = (*self.parents.get(segment)?, *self.lengths.get(segment)?);
        Some(Segment { parent, length, joint: *self.joints.get(segment)? })
    }

    /// Whether it lies in the plane of x and y.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        self.is_planar
    }

    /// Whether no joint has limits.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.joints.iter().all(|joint| joint.limit == Limit::Free)
    }

    /// Whether the segments are in one row, without branches.
    #[must_use]
    pub fn is_chain(&self) -> bool {
        self.is_chain
    }

    /// Sum of the lengths of all segments \[m\].
    #[must_use]
    pub fn total_length(&self) -> f64 {
        self.lengths.iter().sum()
    }

    /// The segments that begin at a point.
    pub(super) fn branches(&self, point: usize) -> impl Iterator<Item = usize> {
        let next = |branch: &usize| self.next_branches[*branch].map(|next| next as usize);
        std::iter::successors(self.first_branches[point].map(|first| first as usize), next)
    }

    /// The distances that two points can have from each other, by the lengths of the segments between them and without regard to limits. `None`
    /// where there is no such point.
    #[must_use]
    pub fn reach(&self, a: usize, b: usize) -> Option<Reach> {
        let points = self.depths.len();
        (a < points && b < points).then(|| self.reach_between(a, b))
    }

    /// [`Self::reach`] of points that exist.
    pub(super) fn reach_between(&self, mut a: usize, mut b: usize) -> Reach {
        let mut reach = Reach::default();
        while a != b {
            let deeper = if self.depths[a] >= self.depths[b] { &mut a } else { &mut b };
            // The deeper of two different points is not the root.
            let segment = deeper.saturating_sub(1);
            reach = reach.then(self.lengths[segment]);
            *deeper = self.parents[segment];
        }
        reach
    }

    pub(super) fn check_count(&self, what: &'static str, found: usize, more: usize) -> Result<(), InputError> {
        check_count(what, found, self.segment_count() + more)
    }
}
