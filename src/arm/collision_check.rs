//! Looks at straight ways of the joints for what the arm avoids, and says what stands in the way.

use std::sync::Arc;

use crate::reports::status::bodies;
use crate::reports::{Report, Verdict};
use crate::surroundings::{Avoidance, NotReady};
use urdf_ik_collision::{Near, Scene, SegmentScratch};
use urdf_ik_motion::{ClearWay, JointMotion, Step};

/// How far beyond the margin two bodies may be apart for a status to name them \[m\].
const NEAR: f64 = 0.05;

/// Looks at ways, in memory that is kept.
#[derive(Default)]
pub(crate) struct CollisionCheck {
    scratch: SegmentScratch,
    /// What came too near at last; `None` where a way was too long to look at.
    found: Option<Near>,
    /// What the last step of a motion was looked at for.
    seen: Option<Avoidance>,
}

/// Two bodies that are near each other; without names where none are.
#[derive(Default)]
struct Nearest {
    bodies: Vec<String>,
    /// \[m\].
    distance: f64,
}

/// What stands in the way of the arm.
pub(crate) struct Obstruction {
    /// The two bodies that would come too near, where that begins.
    nearest: Nearest,
    sentence: String,
}

impl CollisionCheck {
    /// The fraction of the straight way from one configuration of the chain's variables to another that is clear.
    pub(crate) fn clear_fraction(&mut self, avoidance: &Avoidance, from: &[f64], to: &[f64]) -> f64 {
        self.look(avoidance, |way| way.fraction(from, to))
    }

    /// The fraction of the straight way that joints, which may have begun to move along it, can go on along.
    pub(crate) fn fraction_ahead(&mut self, avoidance: &Avoidance, from: &[f64], to: &[f64], has_begun: bool) -> f64 {
        self.look(avoidance, |way| way.fraction_ahead(from, to, has_begun))
    }

    /// Moves on by `step` seconds, or follows the way to rest that the joints hold. Tells whether the motion goes on.
    pub(crate) fn advance(&mut self, avoidance: &Avoidance, motion: &mut JointMotion, step: f64) -> bool {
        let is_the_same =
            |seen: &Avoidance| Arc::ptr_eq(&seen.scene, &avoidance.scene) && avoidance.margin <= seen.margin;
        if !self.seen.as_ref().is_some_and(is_the_same) {
            motion.look_again();
            self.seen = Some(avoidance.clone());
        }
        let done = motion.advance_if_clear(step, &avoidance.clearance());
        self.found = motion.stopped_by().copied();
        done != Step::Braking
    }

    fn look<T>(&mut self, avoidance: &Avoidance, look: impl FnOnce(&mut ClearWay) -> T) -> T {
        let mut way = ClearWay::new(avoidance.clearance(), &mut self.scratch);
        let seen = look(&mut way);
        self.found = way.stopped_by;
        seen
    }

    /// What stood in the way at the last look, which was not clear.
    pub(crate) fn obstruction(&self, avoidance: &Avoidance) -> Obstruction {
        let pair = self.found.as_ref().and_then(|near| Some((near, avoidance.scene.pairs().nth(near.pair)?)));
        match pair {
            Some((near, [first, second])) => Obstruction {
                nearest: nearest(&avoidance.scene, near),
                sentence: format!("{first} would come within {:.4} m of {second}{}", near.distance, loss(avoidance)),
            },
            None => Obstruction { nearest: Nearest::default(), sentence: "the way is too long to be looked at".into() },
        }
    }

    /// Puts into `report` which two bodies are nearest to each other at `positions` of the chain's variables, where any are near.
    pub(crate) fn report_nearest(&mut self, report: &mut Report, avoidance: &Avoidance, positions: &[f64]) {
        let scratch = &mut self.scratch.scene;
        avoidance.scene.find_near(positions, avoidance.margin + NEAR, scratch);
        if let Some(near) = scratch.nearest() {
            nearest(&avoidance.scene, near).put_into(report);
        }
    }
}

impl Nearest {
    fn put_into(&self, report: &mut Report) {
        report.status.nearest.clone_from(&self.bodies);
        report.status.nearest_distance = self.distance;
    }
}

impl Obstruction {
    /// What the arm has to avoid is not known.
    pub(crate) fn unknown(reason: &NotReady) -> Self {
        Self { nearest: Nearest::default(), sentence: reason.to_string() }
    }

    /// That the arm stops before it, as a sentence.
    pub(crate) fn message(&self) -> String {
        format!("the arm stops before a collision: {}", self.sentence)
    }

    /// Puts into the `report` of a target that the arm stops before it.
    pub(crate) fn put_into(&self, report: &mut Report) {
        report.verdict = Verdict::Collision;
        report.status.message = self.message();
        self.nearest.put_into(report);
        report.status.limiting_joints.clear();
    }
}

/// What the sentence of an obstruction says where the margin is wider than the parameter.
fn loss(avoidance: &Avoidance) -> String {
    if avoidance.clearance_loss > 0.0 {
        format!(", and is measured {:.4} m nearer than commanded", avoidance.clearance_loss)
    } else {
        String::new()
    }
}

fn nearest(scene: &Scene, near: &Near) -> Nearest {
    Nearest { bodies: bodies(scene, near.pair), distance: near.distance }
}
