//! Keeps the joints on ways that are clear, and from which they can come to rest clear of collisions.
//!
//! At every moment the joints hold one way to rest from where they are. It was looked at as a whole, and it is kept as data. What is new
//! takes its place only where its first step is clear, and so is a way to rest after it; else the joints follow the way that they hold.

use std::fmt;
use std::ops::Range;

use super::clear_way::ClearWay;
use super::generator::{Generator, State};
use super::limits::MotionLimits;
use super::way::Way;
use urdf_ik_collision::{Clearance, KnownGaps, Near, SegmentScratch};
use urdf_ik_robot::Domain;

/// Greatest time between two configurations of which the straight line between them is looked at \[s\].
const MAX_INTERVAL: f64 = 0.01;
/// How far a joint may be from that line \[rad or m\].
const MAX_SAG: f64 = 1e-4;

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The motion goes on, and the joints can brake after the step.
    Safe,
    /// The motion goes on, and all of it that is left is clear: it need not be looked at again unless something else changes.
    ClearToTheEnd,
    /// Something is in the way: the joints follow the way to rest that they hold.
    Braking,
}

/// Joints that one motion hands over to another: their state, and the way to rest that they hold.
pub struct HandOver<'a> {
    pub(super) state: &'a State,
    pub(super) keeper: &'a Keeper,
}

/// A way to rest.
#[derive(Clone)]
struct Held {
    way: Way,
    /// Whether it is the shortest one, by braking alone.
    is_braking: bool,
}

/// Holds a way to rest, and decides whether something else takes its place.
#[derive(Clone)]
pub(super) struct Keeper {
    pub generator: Generator,
    scratch: SegmentScratch,
    /// What the last looks have told of the pairs.
    gaps: KnownGaps,
    /// From where the joints are; `None` where they moved without regard to collisions.
    held: Option<Held>,
    /// What was in the way of the last step that was not allowed; `None` where a way was too long to look at.
    pub stopped_by: Option<Near>,
}

impl Keeper {
    pub fn new(domains: &[Domain], limits: &MotionLimits) -> Self {
        Self {
            generator: Generator::new(domains, limits),
            scratch: SegmentScratch::default(),
            gaps: KnownGaps::default(),
            held: None,
            stopped_by: None,
        }
    }

    /// Uses other limits from the next plan on. The way that is held stays.
    pub fn set_limits(&mut self, domains: &[Domain], limits: &MotionLimits) {
        self.generator = Generator::new(domains, limits);
    }

    /// Forgets the way that is held, because the joints move without regard to collisions.
    pub fn forget(&mut self) {
        self.held = None;
        self.stopped_by = None;
    }

    /// Goes on with the way that another one holds for the same joints.
    pub fn take_over(&mut self, other: &Self) {
        self.held.clone_from(&other.held);
    }

    /// Holds a way from where the joints are that is clear to its end.
    pub fn hold(&mut self, way: &Way) {
        self.held = Some(Held { way: way.clone(), is_braking: false });
    }

    /// Decides about a step of `step` seconds on the way `wanted` from the state `now`. After [`Step::Safe`] braking after the step is held;
    /// after [`Step::ClearToTheEnd`] the caller has to [`hold`](Self::hold) the way wanted from then on.
    pub fn check_way(&mut self, now: &State, wanted: &Way, step: f64, clearance: &Clearance) -> Step {
        let mut look = self.look(step, clearance);
        let is_clear = look.is_clear(wanted, 0.0..step);
        self.stopped_by = look.way.stopped_by;
        if !is_clear {
            return Step::Braking;
        }
        if self.can_brake_after(now, &wanted.ahead(step), step, clearance) {
            return Step::Safe;
        }
        let mut look = self.look(step, clearance);
        let leads_to_rest = look.is_clear(wanted, step..wanted.time_left())
            && look.way.may_stand(&now.positions, wanted.end(), look.gaps);
        if leads_to_rest { Step::ClearToTheEnd } else { Step::Braking }
    }

    /// Decides about a step of `step` seconds straight from the state `now` to the state `next`. Where it is allowed, a way to rest after it
    /// is held.
    pub fn check_state(&mut self, now: &State, next: &State, step: f64, clearance: &Clearance) -> bool {
        let mut look = self.look(step, clearance);
        let is_clear = now.positions == next.positions || look.is_clear_between(&[&now.positions, &next.positions]);
        self.stopped_by = look.way.stopped_by;
        is_clear && self.can_brake_after(now, next, step, clearance)
    }

    /// The state after `step` seconds on the way that is held from the state `now`. It is replaced by braking, where that is clear or the
    /// way that is held no longer is. Without a clearance nothing is looked at.
    pub fn follow(&mut self, now: &State, step: f64, clearance: Option<&Clearance>) -> State {
        let held = self.held.take().unwrap_or_else(|| self.brake(now));
        let mut held = match clearance {
            Some(clearance) if !held.is_braking => self.shortened(held, now, step, clearance),
            _ => held,
        };
        let next = held.way.advance(step);
        self.held = Some(held);
        next
    }

    /// The way that is held.
    pub fn held(&self) -> Option<&Way> {
        self.held.as_ref().map(|held| &held.way)
    }

    /// Braking from the state `now` where it is clear or the way that is `held` is not; else that way.
    fn shortened(&mut self, held: Held, now: &State, step: f64, clearance: &Clearance) -> Held {
        let braking = self.brake(now);
        let mut look = self.look(step, clearance);
        let is_better =
            look.leads_to_rest(&now.positions, &braking.way) || !look.leads_to_rest(&now.positions, &held.way);
        if is_better { braking } else { held }
    }

    /// Whether the joints can brake clear of everything from the state `next`, which they come to from `now`. The way is held then.
    fn can_brake_after(&mut self, now: &State, next: &State, step: f64, clearance: &Clearance) -> bool {
        let Ok(braking) = self.generator.plan_to_brake(next) else { return false };
        let way = Way::along(braking);
        let mut look = self.look(step, clearance);
        let is_clear = look.leads_to_rest(&now.positions, &way);
        self.stopped_by = look.way.stopped_by;
        if is_clear {
            self.held = Some(Held { way, is_braking: true });
        }
        is_clear
    }

    /// Braking from a state. The joints stand at once where the generator finds no way to brake.
    fn brake(&mut self, now: &State) -> Held {
        let braking = self.generator.plan_to_brake(now);
        Held { way: braking.map_or_else(|_| Way::rest(&now.positions), Way::along), is_braking: true }
    }

    fn look<'a>(&'a mut self, step: f64, clearance: &Clearance<'a>) -> Look<'a> {
        let interval = self.interval(step);
        Look { way: ClearWay::new(*clearance, &mut self.scratch), gaps: &mut self.gaps, interval }
    }

    /// The time between two configurations of which the straight line between them is looked at: an equal part of a step, or several steps
    /// where these are short, so that states at the end of a step are looked at. Simulated time may stand still.
    fn interval(&self, step: f64) -> f64 {
        // A parabola of this acceleration is so far from its chord after such a time.
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

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Keeper").field("stopped_by", &self.stopped_by).finish_non_exhaustive()
    }
}

/// Looks along ways, in straight lines.
struct Look<'a> {
    way: ClearWay<'a>,
    gaps: &'a mut KnownGaps,
    /// The time between two corners \[s\].
    interval: f64,
}

impl Look<'_> {
    /// Whether all of a way is clear, and the joints may stand at its end, where they are at positions `now` that they may stand at.
    fn leads_to_rest(&mut self, now: &[f64], way: &Way) -> bool {
        self.is_clear(way, 0.0..way.time_left()) && self.way.may_stand(now, way.end(), self.gaps)
    }

    /// Whether a way is clear between two times from now \[s\].
    fn is_clear(&mut self, way: &Way, times: Range<f64>) -> bool {
        let mut states = vec![way.ahead(times.start)];
        let mut time = times.start;
        while time < times.end {
            time = (time + self.interval).min(times.end);
            states.push(way.ahead(time));
        }
        let mut corners: Vec<&[f64]> = states.iter().map(|state| &*state.positions).collect();
        corners.dedup();
        self.is_clear_between(&corners)
    }

    /// Whether the straight lines between corners are clear. Joints that stand are where they may be.
    fn is_clear_between(&mut self, corners: &[&[f64]]) -> bool {
        corners.len() < 2 || self.way.is_clear(corners, self.gaps)
    }
}
