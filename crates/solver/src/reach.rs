//! Proofs that a target is out of reach, from link lengths and strokes.

use nalgebra::{Point3, Vector3};

use super::Target;
use urdf_ik_mathematics::segments::Reach;
use urdf_ik_robot::{Chain, ChainJoint, Domain, JointKind, Variable};

/// Bounds on the distances of one tip from the chain's first joint \[m\]. Joint limits may narrow them further.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TipReach {
    /// Position of the first joint in the base link's frame \[m\].
    pub centre: Point3<f64>,
    /// Bounds on the distance of the tip's origin from `centre` \[m\].
    pub tip: Reach,
    /// Bounds on that distance \[m\] with every joint in its [working range](urdf_ik_robot::Robot::working_range).
    pub working: Reach,
    /// Bounds on the distance of the last joint's origin from `centre` \[m\]. A full target pose determines this
    /// origin.
    pub last_joint: Reach,
    /// Size of the arm \[m\]: the sum of its link lengths and of the strokes of its prismatic joints. Each stroke
    /// counts at most as much as all links together, so that a long gantry does not dominate the arm on it, and at
    /// most 1 m if all link lengths are zero.
    pub extent: f64,
}

/// Shortest and longest distance between the ends of a link, over all positions of the joint before it \[m\].
#[derive(Clone, Copy)]
struct Segment {
    shortest: f64,
    longest: f64,
    /// Length without the stroke of a prismatic joint, and the stroke \[m\].
    link: f64,
    stroke: f64,
}

impl Segment {
    /// The segment from the frame of `joint` before its motion to the point `end` in its frame after it, with its
    /// variable in `range`.
    fn new(joint: &ChainJoint, range: Domain, end: &Vector3<f64>) -> Self {
        if joint.kind != JointKind::Prismatic {
            return Self { shortest: end.norm(), longest: end.norm(), link: end.norm(), stroke: 0.0 };
        }
        let Domain::Interval { lower, upper } = range else {
            return Self { shortest: 0.0, longest: f64::INFINITY, link: end.norm(), stroke: f64::INFINITY };
        };
        let ends = [lower, upper].map(|position| joint.multiplier * position + joint.offset);
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let length = |along: f64| (joint.axis.into_inner() * along + end).norm();
        // Not `clamp`: it panics where an overflow near the largest numbers has made a bound NaN.
        let nearest = (-joint.axis.dot(end)).max(low).min(high);
        let longest = length(low).max(length(high));
        Self { shortest: length(nearest), longest, link: end.norm(), stroke: high - low }
    }
}

/// The reach of a chain of segments. If one is longer than all others together, the end cannot return to the start.
fn reach_of(segments: &[Segment]) -> Reach {
    let outer: f64 = segments.iter().map(|segment| segment.longest).sum();
    let inner = segments.iter().map(|segment| segment.shortest - (outer - segment.longest)).fold(0.0, f64::max);
    Reach { inner, outer }
}

/// True if a distance is provably out of reach by more than `slack` \[m\], with a margin for rounding.
fn excludes(reach: &Reach, distance: f64, slack: f64) -> bool {
    reach.gap(distance) > slack + 1e-9 * (1.0 + reach.outer)
}

impl TipReach {
    /// Bounds for the tip of `chain` with index `tip` among [`Chain::tips`].
    ///
    /// # Panics
    /// If `tip` is not an index of [`Chain::tips`].
    pub fn new(chain: &Chain, tip: usize) -> Self {
        let tip = &chain.tips()[tip];
        let joints = chain.joints();
        // Each joint and the end of its link.
        let (mut joint, mut links) = (tip.parent, Vec::new());
        while let Some(parent) = joints[joint].parent {
            links.push((parent, joints[joint].placement.translation.vector));
            joint = parent;
        }
        let centre = Point3::from(joints[joint].placement.translation.vector);
        let segments = |end: Vector3<f64>, range: fn(&Variable) -> Domain| -> Vec<Segment> {
            let range = |joint: usize| range(&chain.variables()[joints[joint].variable]);
            let links = links.iter().copied().chain([(tip.parent, end)]);
            links.map(|(joint, end)| Segment::new(&joints[joint], range(joint), &end)).collect()
        };
        let end = tip.placement.translation.vector;
        let whole = segments(end, |variable| variable.domain);
        let working = reach_of(&segments(end, |variable| variable.working_range));
        let last_joint = reach_of(&segments(Vector3::zeros(), |variable| variable.domain));
        let links: f64 = whole.iter().map(|segment| segment.link).sum();
        let most = if links > 0.0 { links } else { 1.0 };
        let extent = links + whole.iter().map(|segment| segment.stroke.min(most)).sum::<f64>();
        Self { centre, tip: reach_of(&whole), working, last_joint, extent }
    }

    /// If the target is provably out of reach, its distance \[m\] and the bounds that exclude it.
    pub(super) fn refutes(&self, chain: &Chain, target: &Target) -> Option<(f64, Reach)> {
        if !target.full_position() {
            return None;
        }
        let from_centre = |point: Point3<f64>| (point - self.centre).norm();
        let distance = from_centre(target.pose.translation.vector.into());
        if excludes(&self.tip, distance, target.tolerance.position) {
            return Some((distance, self.tip));
        }
        if !target.full_orientation() {
            return None;
        }
        let placement = &chain.tips()[target.tip].placement;
        let last = target.pose * placement.inverse();
        let distance = from_centre(last.translation.vector.into());
        let slack = target.tolerance.position + target.tolerance.orientation * placement.translation.vector.norm();
        excludes(&self.last_joint, distance, slack).then_some((distance, self.last_joint))
    }
}
