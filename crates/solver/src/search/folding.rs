//! Chooses, among turns that are the same configuration, the one inside the limits and nearest to the seed.

use std::f64::consts::TAU;

use super::prepared_search::Search;
use super::setup::Setup;
use crate::problem::{Mode, Problem};
use urdf_ik_robot::Domain;

impl Search {
    /// Where a search lets variable `i` come to rest: on a circle at the turn that lies in its domain and nearest to the seed.
    pub fn folded(&self, i: usize, position: f64, setup: &Setup) -> f64 {
        if !self.turns[i] {
            return position;
        }
        if !setup.circles[i] {
            return position + setup.whole_turns[i];
        }
        let nearest = position - ((position - setup.start[i]) / TAU).round() * TAU + setup.whole_turns[i];
        match setup.domains[i] {
            Domain::Interval { upper, .. } if nearest > upper => nearest - TAU,
            Domain::Interval { lower, .. } if nearest < lower => nearest + TAU,
            _ => nearest,
        }
    }

    /// Brings `positions` back to where the seed is: adds the whole turns that were taken off, and for a search chooses the turn
    /// that lies in the limits and nearest to the seed.
    pub fn fold(&self, problem: &Problem, setup: &Setup, positions: &mut [f64]) {
        for (i, domain) in setup.domains.iter().enumerate() {
            if !self.turns[i] {
                continue;
            }
            let seed = domain.clamp(problem.seed[i]);
            let position = &mut positions[i];
            match problem.mode {
                Mode::Search { .. } => *position = self.folded(i, *position, setup),
                Mode::Track { max_step } => {
                    // Rounding must not carry it out of its bounds.
                    *position += setup.whole_turns[i];
                    *position = position.max(seed - max_step[i]).min(seed + max_step[i]);
                }
            }
            // A range of exactly one turn may be missed by rounding.
            *position = domain.clamp(*position);
        }
    }
}
