//! Motion that keeps clear: it goes on only while it can still come to rest in time.

use super::clear_way::ClearWay;
use super::generator::{Generator, State, Which};
use super::joint_motion::{JointMotion, Phase, sample};
use super::trajectory::TrajectoryPoint;

/// Greatest time between two configurations of which the straight line between them is looked at \[s\].
const GREATEST_INTERVAL: f64 = 0.01;
/// How far a joint may be from that line \[rad or m\].
const GREATEST_SAG: f64 = 1e-4;

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The motion goes on, and can still come to rest in time.
    Safe,
    /// The motion goes on, and all of it that is left is clear: it need not be looked at again unless something else changes.
    ClearToTheEnd,
    /// The joints brake, because something is in the way.
    Braking,
}

impl JointMotion {
    /// Moves on by `step` seconds if that is safe, and else begins to brake, in proportion where the joints move so.
    ///
    /// Safe is a step whose way is clear, and after which either the way of braking is clear and ends where the joints may stand, or the
    /// whole motion is clear. So what stands still is never run into, and what appears within the way of braking is met
    /// as slowly as the limits allow. The ways are looked at in straight lines of 10 ms, or shorter ones, from which no joint deviates by
    /// more than 1e-4 rad or m.
    pub fn advance_if_clear(&mut self, step: f64, way: &mut ClearWay) -> Step {
        let done = if self.is_safe(step, way) {
            Step::Safe
        } else if self.is_clear_between(0.0, self.time_left(), way) {
            Step::ClearToTheEnd
        } else {
            self.brake();
            Step::Braking
        };
        self.advance(step);
        done
    }

    /// Brakes on a line where the joints move on one; stands still at once where the generator finds no way to brake.
    fn brake(&mut self) {
        if self.generator.plan_to_brake(&self.state).is_err() {
            let here = self.state.positions.clone();
            return self.place(&here);
        }
        self.generator.use_planned();
        let end = self.generator.end(&self.domains);
        self.phase = Phase::Profile { elapsed: 0.0, end, then: None };
    }

    /// Whether the way of a step is clear, and then that of braking.
    fn is_safe(&mut self, step: f64, way: &mut ClearWay) -> bool {
        if !self.is_clear_between(0.0, step, way) {
            return false;
        }
        let after = self.ahead(step);
        self.generator.plan_to_brake(&after).is_ok() && self.generator.brakes_clear(&self.state.positions, after, way)
    }

    /// Whether the way of the motion under way is clear, from one time from now to another \[s\].
    fn is_clear_between(&mut self, from: f64, to: f64, way: &mut ClearWay) -> bool {
        let intervals = self.generator.intervals(to - from);
        let mut here = self.ahead(from);
        (1..=intervals).all(|interval| {
            let there = self.ahead(from + (to - from) * f64::from(interval) / f64::from(intervals));
            let clear = here.positions == there.positions || way.is_clear(&here.positions, &there.positions);
            here = there;
            clear
        })
    }

    /// The time until the motion under way is at its end \[s\].
    fn time_left(&self) -> f64 {
        let of = |points: &[TrajectoryPoint]| points.last().map_or(0.0, |last| last.time);
        match &self.phase {
            Phase::Rest => 0.0,
            Phase::Profile { elapsed, then, .. } => {
                self.generator.duration(Which::InUse) - elapsed + then.as_deref().map_or(0.0, of)
            }
            Phase::Trajectory { points, elapsed } => of(points) - elapsed,
        }
    }

    /// The state that many seconds from now, if the motion goes on.
    fn ahead(&mut self, time: f64) -> State {
        let mut state = self.state.clone();
        match &self.phase {
            Phase::Rest => {}
            Phase::Profile { elapsed, end, then } => {
                let left = elapsed + time - self.generator.duration(Which::InUse);
                match then {
                    _ if left < 0.0 => self.generator.sample(Which::InUse, elapsed + time, &mut state),
                    None => state = State::at_rest(end),
                    Some(points) => {
                        sample(points, left, &mut state);
                    }
                }
            }
            Phase::Trajectory { points, elapsed } => {
                sample(points, elapsed + time, &mut state);
            }
        }
        state
    }
}

impl Generator {
    /// Whether the way of the planned braking from the state `here` on is clear and the joints may stand at its end, where they are at
    /// positions `now` that they may stand at.
    pub(super) fn brakes_clear(&mut self, now: &[f64], mut here: State, way: &mut ClearWay) -> bool {
        let time = self.duration(Which::Planned);
        let intervals = self.intervals(time);
        let mut there = here.clone();
        self.sample(Which::Planned, time, &mut there);
        if !way.may_stand(now, &there.positions) {
            return false;
        }
        (1..=intervals).all(|interval| {
            let after = time * f64::from(interval) / f64::from(intervals);
            self.sample(Which::Planned, after, &mut there);
            let clear = here.positions == there.positions || way.is_clear(&here.positions, &there.positions);
            std::mem::swap(&mut here, &mut there);
            clear
        })
    }

    /// In how many intervals a motion of so much `time` \[s\] is looked at.
    fn intervals(&self, time: f64) -> u32 {
        // A parabola of this acceleration is so far from its chord after such a time.
        let longest = (8.0 * GREATEST_SAG / self.greatest_acceleration()).sqrt().min(GREATEST_INTERVAL);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small whole number, or the greatest"
        )]
        let intervals = (time / longest).ceil().max(1.0) as u32;
        intervals
    }
}
