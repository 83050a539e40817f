//! A fail-safe motion to rest behind every step: the joints only make steps after which they can still stop clear of
//! collisions.
//!
//! At every moment there is one motion to rest from the current state, checked as a whole and stored as data. A new
//! motion replaces it only if its first step is clear and a clear motion to rest follows; otherwise the joints execute
//! the stored one. (Fraichard and Asama 2004, "Inevitable collision states - a step towards safer robots?", call the
//! states without one inevitable collision states.)

use std::ops::Range;

use super::generator::{Generator, JointState};
use super::limits::MotionLimits;
use super::motion_plan::MotionPlan;
use super::standing_goals::StandingGoals;
use super::transit_check::TransitCheck;
use urdf_ik_collision::{Clearance, KnownGaps, Near, SegmentScratch};
use urdf_ik_robot::Domain;

/// Maximum time between two configurations that are connected by a straight line for a check \[s\].
const MAX_INTERVAL: f64 = 0.01;
/// Maximum deviation of a joint from that line \[rad or m\].
const MAX_SAG: f64 = 1e-4;

/// Outcome of a step with collision checking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The motion continues, and the joints can brake after the step.
    Safe,
    /// The motion continues, and the rest of it is clear. No further checks are needed unless the surroundings change.
    ClearToTheEnd,
    /// A collision is ahead: the joints follow their fail-safe motion to rest.
    Braking,
}

/// Bounds of a motion other than the limits of the joints.
pub(super) struct Surroundings<'a> {
    /// Scene and margin of the collision check; `None` without collision checking.
    pub clearance: Option<&'a Clearance<'a>>,
    /// The standing goals that the motion must keep.
    pub standing: &'a mut StandingGoals,
}

/// State of joints and their fail-safe motion, to be transferred from one motion to another.
pub struct HandOver<'a> {
    pub(super) state: &'a JointState,
    pub(super) fail_safe: &'a FailSafe,
}

/// A motion to rest.
#[derive(Debug, Clone)]
struct StoredMotion {
    plan: MotionPlan,
    /// True if it is the shortest one: braking alone.
    is_braking: bool,
}

/// Stores the fail-safe motion and decides whether another one replaces it.
#[derive(Debug, Clone)]
pub(super) struct FailSafe {
    /// Plans the braking motions.
    pub generator: Generator,
    scratch: SegmentScratch,
    /// Distances of pairs known from earlier checks.
    gaps: KnownGaps,
    /// The fail-safe motion from the current state; `None` where the joints moved without collision checking.
    stored: Option<StoredMotion>,
    /// The pair of bodies that prevented the last rejected step; `None` if the motion was too long to check.
    pub stopped_by: Option<Near>,
}

impl FailSafe {
    /// A fail-safe without a stored motion, within the position limits `domains` \[rad or m\] and the motion limits,
    /// one entry for each variable.
    pub fn new(domains: &[Domain], limits: &MotionLimits) -> Self {
        Self {
            generator: Generator::new(domains, limits),
            scratch: SegmentScratch::default(),
            gaps: KnownGaps::default(),
            stored: None,
            stopped_by: None,
        }
    }

    /// Sets the limits of later plans: position limits `domains` \[rad or m\] and motion limits, one for each variable.
    /// The stored motion is unchanged.
    pub fn set_limits(&mut self, domains: &[Domain], limits: &MotionLimits) {
        self.generator = Generator::new(domains, limits);
    }

    /// Discards the stored motion, because the joints move without collision checking.
    pub fn forget(&mut self) {
        self.stored = None;
        self.stopped_by = None;
    }

    /// Copies the stored motion of another fail-safe for the same joints.
    pub fn take_over(&mut self, other: &Self) {
        self.stored.clone_from(&other.stored);
    }

    /// Stores a motion from the current state that is clear to its end.
    pub fn store(&mut self, plan: &MotionPlan) {
        self.stored = Some(StoredMotion { plan: plan.clone(), is_braking: false });
    }

    /// Checks a step of `step` \[s\] along the motion `wanted` from the state `now`. On [`Step::Safe`], a braking
    /// motion from the end of the step is stored. On [`Step::ClearToTheEnd`], the caller must [`store`](Self::store)
    /// the rest of `wanted`.
    pub fn check_plan(&mut self, now: &JointState, wanted: &MotionPlan, step: f64, clearance: &Clearance) -> Step {
        let mut check = self.check(step, clearance);
        let is_clear = check.is_clear(wanted, 0.0..step);
        self.stopped_by = check.straight.stopped_by;
        if !is_clear {
            return Step::Braking;
        }
        let braking = self.clear_braking_after(now, &wanted.ahead(step), step, Some(clearance));
        if braking.is_some() {
            self.stored = braking;
            return Step::Safe;
        }
        let mut check = self.check(step, clearance);
        let leads_to_rest = check.is_clear(wanted, step..wanted.time_left())
            && check.straight.may_rest(&now.positions, wanted.end(), check.gaps);
        if leads_to_rest { Step::ClearToTheEnd } else { Step::Braking }
    }

    /// True if a straight step of `step` \[s\] from the state `now` to the state `next` is clear, the joints can brake
    /// afterwards, and no standing goal is violated on the way. If so, that braking motion is stored.
    pub fn check_state(&mut self, now: &JointState, next: &JointState, step: f64, surroundings: Surroundings) -> bool {
        let Surroundings { clearance, standing } = surroundings;
        (self.stopped_by, standing.crossed) = (None, None);
        if let Some(clearance) = clearance
            && now.positions != next.positions
        {
            let mut check = self.check(step, clearance);
            let is_clear = check.is_clear_between(&[&now.positions, &next.positions]);
            self.stopped_by = check.straight.stopped_by;
            if !is_clear {
                return false;
            }
        }
        let Some(braking) = self.clear_braking_after(now, next, step, clearance) else { return false };
        if standing.has_lengths() {
            let states = braking.plan.states(0.0..braking.plan.time_left(), self.interval(step));
            if !standing.keeps(&now.positions, states.iter().map(|state| &*state.positions)) {
                return false;
            }
        }
        self.stored = Some(braking);
        true
    }

    /// The state after `step` \[s\] of the fail-safe motion from the state `now`. Immediate braking replaces the stored
    /// motion if braking is clear, or if the stored motion is no longer clear. Nothing is checked without a clearance.
    pub fn follow(&mut self, now: &JointState, step: f64, clearance: Option<&Clearance>) -> JointState {
        let mut stored = self.stored.take().unwrap_or_else(|| self.brake(now));
        if let Some(clearance) = clearance
            && !stored.is_braking
        {
            let braking = self.brake(now);
            let mut check = self.check(step, clearance);
            if check.leads_to_rest(&now.positions, &braking.plan) || !check.leads_to_rest(&now.positions, &stored.plan)
            {
                stored = braking;
            }
        }
        let next = stored.plan.advance(step);
        self.stored = Some(stored);
        next
    }

    /// The stored motion; `None` if there is none.
    pub fn stored(&self) -> Option<&MotionPlan> {
        self.stored.as_ref().map(|stored| &stored.plan)
    }

    /// The braking motion from the state `next`, which the joints reach from `now`; `None` if it is not clear.
    fn clear_braking_after(
        &mut self,
        now: &JointState,
        next: &JointState,
        step: f64,
        clearance: Option<&Clearance>,
    ) -> Option<StoredMotion> {
        // Along a wall, only joints that stop together keep clear of it.
        [false, true].into_iter().find_map(|together| {
            let generator = &mut self.generator;
            let plan = if together { generator.plan_to_rest_together(next) } else { generator.plan_to_brake(next) };
            let plan = MotionPlan::along(plan.ok()?);
            let is_clear = clearance.is_none_or(|clearance| {
                let mut check = self.check(step, clearance);
                let is_clear = check.leads_to_rest(&now.positions, &plan);
                self.stopped_by = check.straight.stopped_by;
                is_clear
            });
            is_clear.then_some(StoredMotion { plan, is_braking: true })
        })
    }

    /// Braking from a state. If the generator finds no motion, the joints stop at once.
    fn brake(&mut self, now: &JointState) -> StoredMotion {
        let braking = self.generator.plan_to_brake(now);
        let plan = braking.map_or_else(|_| MotionPlan::at_rest(&now.positions), MotionPlan::along);
        StoredMotion { plan, is_braking: true }
    }

    fn check<'a>(&'a mut self, step: f64, clearance: &Clearance<'a>) -> PlanCheck<'a> {
        let interval = self.interval(step);
        PlanCheck { straight: TransitCheck::new(*clearance, &mut self.scratch), gaps: &mut self.gaps, interval }
    }

    /// Time between two checked configurations: an equal part of a step, or several steps where these are short, so
    /// that states at the ends of steps are checked. `step` may be 0 in simulated time.
    fn interval(&self, step: f64) -> f64 {
        // Sagitta of a parabola with this acceleration over this time.
        let longest = (8.0 * MAX_SAG / self.generator.max_acceleration()).sqrt().min(MAX_INTERVAL);
        let steps = (longest / step).floor();
        if !steps.is_finite() {
            longest
        } else if steps >= 1.0 {
            steps * step
        } else {
            step / (step / longest).ceil()
        }
    }
}

/// Checks motions by polylines in joint space.
struct PlanCheck<'a> {
    straight: TransitCheck<'a>,
    gaps: &'a mut KnownGaps,
    /// Time between two corners \[s\].
    interval: f64,
}

impl PlanCheck<'_> {
    /// True if a whole motion is clear and may end at rest, for joints at positions `now`.
    fn leads_to_rest(&mut self, now: &[f64], plan: &MotionPlan) -> bool {
        self.is_clear(plan, 0.0..plan.time_left()) && self.straight.may_rest(now, plan.end(), self.gaps)
    }

    /// True if a motion is clear between two times from now \[s\].
    fn is_clear(&mut self, plan: &MotionPlan, times: Range<f64>) -> bool {
        let states = plan.states(times, self.interval);
        let mut corners: Vec<&[f64]> = states.iter().map(|state| &*state.positions).collect();
        corners.dedup();
        self.is_clear_between(&corners)
    }

    /// True if the straight lines between corners are clear. Joints at rest need no check.
    fn is_clear_between(&mut self, corners: &[&[f64]]) -> bool {
        corners.len() < 2 || self.straight.is_clear(corners, self.gaps)
    }
}
