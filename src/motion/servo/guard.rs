//! Keeps the joints from ways on which they could not come to rest before a collision.

use std::fmt;

use crate::collision::{Clearance, Near, SegmentScratch};
use crate::motion::clear_way::ClearWay;
use crate::motion::generator::{Generator, State, Which};
use crate::motion::limits::MotionLimits;
use crate::robot::Domain;

/// Looks at each step before it is made.
pub struct Guard {
    generator: Generator,
    scratch: SegmentScratch,
    /// What was in the way of the last step.
    pub stopped_by: Option<Near>,
}

impl Guard {
    pub fn new(domains: &[Domain], limits: &MotionLimits) -> Self {
        Self { generator: Generator::new(domains, limits), scratch: SegmentScratch::default(), stopped_by: None }
    }

    /// Lets a step of `period` seconds from one state to the `next` be, where its way is clear and so is that of braking after it. Otherwise
    /// the next state is one of braking now; the joints stand at once where no way to brake is found.
    pub fn check(&mut self, clearance: &Clearance, from: &State, next: &mut State, period: f64) {
        let mut way = ClearWay::new(*clearance, &mut self.scratch);
        let moves = from.positions != next.positions;
        let is_safe = !moves
            || way.is_clear(&from.positions, &next.positions)
                && self.generator.plan_to_brake(next).is_ok()
                && self.generator.brakes_clear(&from.positions, next.clone(), &mut way);
        self.stopped_by = if is_safe { None } else { way.stopped_by };
        if is_safe {
            return;
        }
        *next = from.clone();
        if self.generator.plan_to_brake(from).is_ok() {
            let time = self.generator.duration(Which::Planned).min(period);
            self.generator.sample(Which::Planned, time, next);
        } else {
            *next = State::at_rest(&from.positions);
        }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}
