//! Where a search along a free joint starts: the best places of a grid.

use super::descent::{Descent, Least};
use super::joint_ranges::{LOOSE_LIMIT_WEIGHT, STRICT_LIMIT_WEIGHT, Seven};
use super::single::single;
use crate::search::SearchScratch;
use urdf_ik_closed_form::Turn;
use urdf_ik_mathematics::best::make_room;

/// A minimum is seen by two values to either side of it.
pub(super) const NEIGHBOURS: usize = 2;
/// The most starts that are kept.
const MAX_STARTS: usize = 16;

/// Values of an angle \[rad\], in order.
#[derive(Debug, Clone)]
pub(super) struct Grid<const N: usize> {
    pub values: [f64; N],
    pub single: [f32; N],
    pub cos: [f32; N],
    pub sin: [f32; N],
}

impl<const N: usize> Grid<N> {
    /// From one value to the next around the circle \[rad\].
    #[expect(clippy::cast_precision_loss, reason = "a grid is small")]
    pub const SPACING: f64 = std::f64::consts::TAU / (N - 2 * NEIGHBOURS) as f64;

    pub fn new(values: [f64; N]) -> Self {
        let turns = values.map(Turn::new);
        let (cos, sin) = (turns.map(|turn| single(turn.cos)), turns.map(|turn| single(turn.sin)));
        Self { values, single: values.map(single), cos, sin }
    }

    /// Values all around the circle, and some more, so that every value has neighbours.
    pub fn around() -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a grid is small")]
        Self::new(std::array::from_fn(|index| Self::SPACING * index as f64))
    }
}

/// A place from which a search starts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Start<T> {
    /// What is expected there: the largest move from the seed \[rad\], or what else is to be small.
    pub cost: f64,
    pub at: T,
}

/// The best starts, the least cost first.
pub(super) struct Starts<T, const N: usize> {
    entries: [Start<T>; N],
    count: usize,
}

impl<T: Copy + Default, const N: usize> Starts<T, N> {
    pub fn none() -> Self {
        Self { entries: [Start::default(); N], count: 0 }
    }

    pub fn as_slice(&self) -> &[Start<T>] {
        &self.entries[..self.count]
    }

    pub fn keep(&mut self, start: Start<T>) {
        if let Some(place) = make_room(&mut self.entries, &mut self.count, |kept| kept.cost <= start.cost) {
            *place = start;
        }
    }
}

/// A value of an angle \[rad\], and the number of the way to reach the pose there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GridPlace {
    pub value: f64,
    pub way: usize,
}

/// Minima of a grid.
pub(super) type GridStarts = Starts<GridPlace, MAX_STARTS>;

impl GridStarts {
    /// Keeps the minima of the costs of a way at `values`. Nowhere is the cost less than `least`.
    pub fn keep_minima<const N: usize>(&mut self, values: &[f64; N], costs: &[f32; N], way: usize, least: f64) {
        for (index, near) in costs.windows(2 * NEIGHBOURS + 1).enumerate() {
            let [beyond, before, here, after, farther] = *near else { continue };
            if here <= before && here < after {
                let places = std::array::from_fn(|i| values[index + i]);
                let (value, cost) = between(&places, &[beyond, before, here, after, farther].map(f64::from));
                self.keep(Start { cost: cost.max(least), at: GridPlace { value, way } });
            }
        }
    }

    /// Goes down from each of them, at its configuration, as long as it can be the best: no more than `better` \[rad\] below what the
    /// grid lets expect.
    pub fn descend(
        &self,
        descent: &Descent,
        better: f64,
        configuration: &dyn Fn(&GridPlace) -> Option<Seven>,
        scratch: &mut SearchScratch,
    ) -> Option<Least> {
        let mut best: Option<Least> = None;
        for start in self.as_slice() {
            if best.is_some_and(|best| start.cost > best.largest + better) {
                break;
            }
            let Some(configuration) = configuration(&start.at) else { continue };
            let [near, strict] =
                [LOOSE_LIMIT_WEIGHT, STRICT_LIMIT_WEIGHT].map(|beyond| descent.ranges.moves(&configuration, beyond));
            descent.go_down(&near, &mut best, scratch);
            if strict != near {
                descent.go_down(&strict, &mut best, scratch);
            }
        }
        best
    }
}

/// Where a function is least next to the middle one of five places, and what it is there, if it goes down to a kink on straight
/// lines: no more than it is, where it is convex.
fn between(places: &[f64; 5], values: &[f64; 5]) -> (f64, f64) {
    // The line through the middle and the place before, and that through the two places on the other side.
    let kink = |before: usize, after: usize, beyond: usize| {
        let slope = |a: usize, b: usize| (values[b] - values[a]) / (places[b] - places[a]);
        let (falling, rising) = (slope(before, 2), slope(after, beyond));
        let wide = places[after] - places[2];
        let from_middle = (values[after] - values[2] - rising * wide) / (falling - rising);
        let along = if from_middle.is_finite() { from_middle.abs().min(wide.abs()).copysign(wide) } else { 0.0 };
        let along = if from_middle * wide > 0.0 { along } else { 0.0 };
        (places[2] + along, values[2] + falling * along)
    };
    let (left, right) = (kink(3, 1, 0), kink(1, 3, 4));
    if left.1 < right.1 { left } else { right }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kink_between_straight_lines_is_found() {
        for kink in [-0.9, -0.4, 0.0, 0.3, 0.8] {
            let places = [-2.0, -1.0, 0.0, 1.5, 2.5];
            let values =
                places.map(|place: f64| if place < kink { 2.0 - (place - kink) } else { 2.0 + 3.0 * (place - kink) });
            let (place, value) = between(&places, &values);
            // On the other side of the middle the lines go on upwards.
            assert!((place - kink).abs() < 1e-12 && (value - 2.0).abs() < 1e-12, "{kink}: {place} {value}");
        }
    }

    #[test]
    fn all_that_is_known_of_a_flat_cost_is_the_cost() {
        let (place, value) = between(&[0.0, 1.0, 2.0, 3.0, 4.0], &[1.0; 5]);
        assert!((1.0..=3.0).contains(&place) && value == 1.0, "{place} {value}");
    }

    #[test]
    fn the_least_minima_are_kept_in_order() {
        let grid = Grid::<56>::around();
        let costs = grid.values.map(|value| single((3.0 * value).sin() + 0.1 * value));
        let mut starts = GridStarts::none();
        starts.keep_minima(&grid.values, &costs, 3, -0.9);
        let kept = starts.as_slice();
        assert!(kept.len() == 3 && kept.is_sorted_by_key(|start| start.cost), "{kept:?}");
        assert!(kept.iter().all(|start| start.cost >= -0.9 && start.at.way == 3), "{kept:?}");
    }
}
