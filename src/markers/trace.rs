//! The past path of a tip.

use std::collections::VecDeque;

use nalgebra::Point3;

use super::messages::Colour;

/// Maximum number of points; the oldest are dropped.
const MAX_POINTS: usize = 300;
/// Red, green and blue of the latest point, 0 to 1.
const COLOUR: [f32; 3] = [0.95, 0.65, 0.1];

/// The past positions of a tip, oldest first.
#[derive(Default)]
pub(super) struct Trace(VecDeque<Point3<f64>>);

impl Trace {
    /// Adds the tip's position if it is at least `least` \[m\] from the last point.
    pub(super) fn note(&mut self, tip: Point3<f64>, least: f64) {
        if self.0.back().is_none_or(|last| (tip - last).norm() >= least) {
            if self.0.len() == MAX_POINTS {
                self.0.pop_front();
            }
            self.0.push_back(tip);
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The points \[m\], and colours that fade with age. Empty until the tip has moved.
    pub(super) fn drawn(&self) -> (Vec<Point3<f64>>, Vec<Colour>) {
        if self.0.len() < 2 {
            return Default::default();
        }
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let opacity = |index: usize| (index + 1) as f32 / self.0.len() as f32;
        let [red, green, blue] = COLOUR;
        (self.0.iter().copied().collect(), (0..self.0.len()).map(|index| [red, green, blue, opacity(index)]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_places_are_kept() {
        let mut trace = Trace::default();
        trace.note(Point3::origin(), 0.1);
        assert!(trace.drawn().0.is_empty(), "one place is no way");
        for step in 1..=2 * MAX_POINTS {
            let place = Point3::new(f64::from(u32::try_from(step).unwrap()), 0.0, 0.0);
            trace.note(place, 0.1);
            trace.note(place, 0.1);
        }
        let (points, colours) = trace.drawn();
        assert_eq!((points.len(), colours.len()), (MAX_POINTS, MAX_POINTS));
        assert_eq!(points[MAX_POINTS - 1] - points[0], Point3::new(299.0, 0.0, 0.0) - Point3::origin());
        assert!(colours[0][3] < colours[MAX_POINTS - 1][3]);
        trace.clear();
        assert!(trace.drawn().0.is_empty());
    }
}
