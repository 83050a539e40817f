//! Collision checks of straight joint-space motions, and the obstruction that they report.

use std::fmt::Display;
use std::sync::Arc;

use crate::reports::status::bodies;
use crate::reports::{Report, TargetOutcome};
use crate::surroundings::Avoidance;
use urdf_ik_collision::{Near, SegmentScratch};
use urdf_ik_motion::{JointMotion, Step, TransitCheck};

/// Distance beyond the margin within which a status names the nearest bodies \[m\].
const NEAR: f64 = 0.05;

/// Collision checks of motions, with reusable memory.
#[derive(Default)]
pub(crate) struct CollisionCheck {
    scratch: SegmentScratch,
    /// The pair that stopped the last checked motion; `None` if the motion was too long to check.
    found: Option<Near>,
    /// The avoidance with which the last step of a motion was checked.
    seen: Option<Avoidance>,
}

/// An obstacle or link in the way of the arm.
pub(crate) struct Obstruction {
    /// The two bodies at their first violation of the margin; no names if there are none.
    bodies: Vec<String>,
    /// \[m\].
    distance: f64,
    sentence: String,
}

impl CollisionCheck {
    /// The collision-free fraction of the straight motion between two configurations of the chain's variables.
    pub(crate) fn clear_fraction(&mut self, avoidance: &Avoidance, from: &[f64], to: &[f64]) -> f64 {
        self.look(avoidance, |way| way.fraction(from, to))
    }

    /// The collision-free fraction of the straight motion `from` → `to` from the current state on; the joints may
    /// already move along it.
    pub(crate) fn fraction_ahead(&mut self, avoidance: &Avoidance, from: &[f64], to: &[f64], has_begun: bool) -> f64 {
        self.look(avoidance, |way| way.fraction_ahead(from, to, has_begun))
    }

    /// Advances the motion by `step` seconds, or along its verified stopping motion. True unless the arm brakes.
    pub(crate) fn advance(&mut self, avoidance: &Avoidance, motion: &mut JointMotion, step: f64) -> bool {
        let is_the_same =
            |seen: &Avoidance| Arc::ptr_eq(&seen.scene, &avoidance.scene) && avoidance.margin <= seen.margin;
        if !self.seen.as_ref().is_some_and(is_the_same) {
            motion.recheck();
            self.seen = Some(avoidance.clone());
        }
        let done = motion.advance_if_clear(step, &avoidance.clearance());
        self.found = motion.stopped_by().copied();
        done != Step::Braking
    }

    fn look<T>(&mut self, avoidance: &Avoidance, look: impl FnOnce(&mut TransitCheck) -> T) -> T {
        let mut way = TransitCheck::new(avoidance.clearance(), &mut self.scratch);
        let seen = look(&mut way);
        self.found = way.stopped_by;
        seen
    }

    /// The obstruction found by the last check, which failed.
    pub(crate) fn obstruction(&self, avoidance: &Avoidance) -> Obstruction {
        let pair = self.found.as_ref().and_then(|near| Some((near, avoidance.scene.pairs().nth(near.pair)?)));
        match pair {
            Some((near, [first, second])) => Obstruction {
                bodies: bodies(&avoidance.scene, near.pair),
                distance: near.distance,
                sentence: format!("{first} would come within {:.4} m of {second}{}", near.distance, loss(avoidance)),
            },
            None => Obstruction::unknown(&"the motion is too long to be checked"),
        }
    }

    /// Reports the nearest two bodies at `positions` of the chain's variables, if any are close.
    pub(crate) fn report_nearest(&mut self, report: &mut Report, avoidance: &Avoidance, positions: &[f64]) {
        let scratch = &mut self.scratch.scene;
        avoidance.scene.find_near(positions, avoidance.margin + NEAR, scratch);
        if let Some(near) = scratch.nearest() {
            report.set_nearest(bodies(&avoidance.scene, near.pair), near.distance);
        }
    }
}

impl Obstruction {
    /// Unknown bodies.
    pub(crate) fn unknown(reason: &impl Display) -> Self {
        Self { bodies: Vec::new(), distance: 0.0, sentence: reason.to_string() }
    }

    /// The sentence for statuses.
    pub(crate) fn message(&self) -> String {
        format!("the arm stops before a collision: {}", self.sentence)
    }

    /// Changes the `report` of a target: the arm stops before this obstruction.
    pub(crate) fn put_into(&self, report: &mut Report) {
        report.outcome = TargetOutcome::Collision;
        report.status.message = self.message();
        report.set_nearest(self.bodies.clone(), self.distance);
        report.status.limiting_joints.clear();
    }
}

/// The sentence's note on a margin that is widened because the measured arm has less clearance than the command.
fn loss(avoidance: &Avoidance) -> String {
    if avoidance.clearance_loss > 0.0 {
        format!(", and is measured {:.4} m nearer than commanded", avoidance.clearance_loss)
    } else {
        String::new()
    }
}
