//! The sweep of the arm angle: at which of its values, and which ways round, an arm moves least from the seed.
//!
//! Shoulder and wrist turn over independently of each other. At every value on a grid the largest moves of their joints are found
//! either way, eight values side by side. Limits that are passed count as a move of several times as much, so that a narrow way
//! between limits is still a minimum of the grid. Where a shoulder or a wrist comes near its singularity, its joints turn far within
//! a little of the arm angle: there the grid is finer.

use std::f64::consts::PI;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};
use nalgebra::Isometry3;

use super::arm_angle::{ArmAngle, Bend, ShoulderToWrist};
use super::descent::{Descent, Least};
use super::joint_ranges::{JointRanges, LIMIT_WEIGHT};
use super::single::{LANES, at};
use super::spherical_joint::{Entries, SphericalJoint};
use super::starts::{Grid, GridPlace, GridStarts};
use crate::search::SearchScratch;
use urdf_ik_closed_form::{Linear, Turn};

/// Values of the arm angle around the circle.
const CIRCLE_VALUES: usize = 56;
/// Values of the arm angle where a spherical joint is near its singularity.
const SINGULARITY_VALUES: usize = 16;
/// By how much a start may be better than the grid lets expect \[rad\].
const GRID_ERROR: f64 = 0.05;
/// The joint of the elbow.
const ELBOW_JOINT: usize = 3;

/// An arm with a spherical shoulder and a spherical wrist, and the values of its arm angle.
#[derive(Debug, Clone)]
pub(super) struct ArmAngleSearch {
    pub arm: ArmAngle,
    around: Grid<CIRCLE_VALUES>,
    /// Tangents of evenly spaced angles.
    across: [f64; SINGULARITY_VALUES],
}

impl<const N: usize> Grid<N> {
    /// What it costs to bring the joints of a shoulder or a wrist to where they make up its rotation, the one way round and the other.
    fn costs(&self, level: Level, ranges: &JointRanges, joint: &SphericalJoint, entries: &Entries) -> [[f32; N]; 2] {
        let ([mut costs, mut over], Entries { end, start }) = ([[0.0; N]; 2], entries);
        dispatch!(level, simd => for from in (0..N).step_by(LANES) {
            let eight = from..from + LANES;
            let cos = f32x8::from_slice(simd, &self.cos[eight.clone()]);
            let sin = f32x8::from_slice(simd, &self.sin[eight.clone()]);
            let end = [at(&end[0], cos, sin), at(&end[1], cos, sin), at(&end[2], cos, sin)];
            let start = [at(&start[0], cos, sin), at(&start[1], cos, sin)];
            let both = joint.costs(ranges, end, start);
            both[0].store_slice(&mut costs[eight.clone()]);
            both[1].store_slice(&mut over[eight]);
        });
        [costs, over]
    }
}

impl ArmAngleSearch {
    pub fn new(arm: ArmAngle) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a grid is small")]
        let share = |index: usize| (index as f64 + 0.5) / SINGULARITY_VALUES as f64 - 0.5;
        Self { arm, around: Grid::around(), across: std::array::from_fn(|index| (PI * share(index)).tan()) }
    }

    /// The configuration with the least largest move that is found for a pose of the tip, which `descent` leads to.
    pub fn least(&self, pose: &Isometry3<f64>, descent: &Descent, scratch: &mut SearchScratch) -> Option<Least> {
        let reach = self.arm.shoulder_to_wrist(pose)?;
        let configuration = |place: &GridPlace| {
            let bend = reach.bends().nth(place.way / 4)?;
            let over = [place.way & 2 != 0, place.way & 1 != 0];
            Some(self.arm.configuration(&reach, bend, Turn::new(place.value), over, &descent.ranges.seed))
        };
        self.starts(&reach, descent).descend(descent, GRID_ERROR, &configuration, scratch)
    }

    fn starts(&self, reach: &ShoulderToWrist, descent: &Descent) -> GridStarts {
        let mut starts = GridStarts::none();
        for (index, bend) in reach.bends().enumerate() {
            self.keep_minima(&self.around, descent, bend, 4 * index, &mut starts);
            for (centre, width) in [&bend.shoulder, &bend.wrist].into_iter().flat_map(singularities) {
                let finer = Grid::new(self.across.map(|tangent| centre + width * tangent));
                self.keep_minima(&finer, descent, bend, 4 * index, &mut starts);
            }
        }
        starts
    }

    /// Keeps the minima of a grid, for each of the four ways to turn over shoulder and wrist, from number `way` on.
    fn keep_minima<const N: usize>(
        &self,
        grid: &Grid<N>,
        descent: &Descent,
        bend: &Bend,
        way: usize,
        starts: &mut GridStarts,
    ) {
        let (level, ranges, [shoulder, wrist]) =
            (descent.search.kernel.level, descent.ranges, self.arm.spherical_joints());
        let shoulders = grid.costs(level, ranges, shoulder, &bend.shoulder);
        let wrists = grid.costs(level, ranges, wrist, &bend.wrist);
        let (_, of_elbow) = ranges.step(ELBOW_JOINT, bend.turn.angle(), LIMIT_WEIGHT);
        for over in 0..4 {
            let (one, other) = (&shoulders[over / 2], &wrists[over % 2]);
            let costs = std::array::from_fn(|index| one[index].max(other[index]));
            starts.keep_minima(&grid.values, &costs, way + over, of_elbow);
        }
    }
}

/// The arm angles at which the first and the last axis of a spherical joint come nearest to one line \[rad\], and how much of the arm
/// angle turns its joints by 45° there, where that is less than the grid shows.
fn singularities(entries: &Entries) -> impl Iterator<Item = (f64, f64)> {
    let Linear { one, cos, sin } = entries.end[0];
    let (amplitude, centre) = (cos.hypot(sin), sin.atan2(cos));
    let near = [(one + amplitude, centre), (one - amplitude, centre + PI)];
    near.into_iter().filter_map(move |(cosine, centre)| {
        // Both axes then go about the line from shoulder to wrist alike.
        let width = ((1.0 - cosine * cosine).max(0.0) / amplitude).sqrt();
        (width < Grid::<CIRCLE_VALUES>::SPACING).then_some((centre, width))
    })
}
