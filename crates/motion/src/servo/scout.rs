//! What comes next: a look at a configuration a little farther on, so that a motion slows down in time for it.

use super::contacts::Contacts;
use super::resolve::{Resolver, Wish};

/// How far ahead it is \[s\].
const TIME: f64 = 0.15;

/// Looks ahead.
#[derive(Debug, Clone)]
pub struct Scout {
    resolver: Resolver,
    positions: Vec<f64>,
    contacts: Contacts,
}

impl Scout {
    pub fn new(resolver: &Resolver) -> Self {
        Self { resolver: resolver.clone(), positions: vec![0.0; resolver.limits.len()], contacts: Contacts::default() }
    }

    /// How much the motion found by `resolver` at `positions` has to slow down, so that the joints can go over to the one that the same
    /// wish will need a little later; and the variable that needs it. Limits, singularities and the curvature of the motion count.
    pub fn foresight(&mut self, resolver: &Resolver, positions: &[f64], wish: &Wish) -> (f64, Option<usize>) {
        let limits = &resolver.limits;
        for (i, limits) in limits.iter().enumerate() {
            self.positions[i] = limits.domain.clamp(positions[i] + TIME * resolver.velocities[i]);
        }
        self.resolver.look_at(&self.positions);
        self.resolver.resolve(&self.positions, wish, &self.contacts);
        let (mut foresight, mut variable) = (1.0, None);
        for (i, limits) in limits.iter().enumerate() {
            let needed = (self.resolver.velocities[i] - resolver.velocities[i]).abs() / TIME;
            // At half the speed the joints have twice the time for half the change.
            let scale = (limits.acceleration / needed).sqrt();
            if scale < foresight {
                (foresight, variable) = (scale, Some(i));
            }
        }
        (foresight, variable)
    }
}
