//! Arms with three parallel axes. The orientation of the tip depends only on the sum of these rotations.

use nalgebra::Vector3;

use super::arm::AxisGoal;
use super::shared_steps::{OnConfiguration, SeedTurns, Skew};
use super::subproblems::{turn_between, turns_to_angle, turns_to_height};
use super::trigonometric::Quadratic;
use super::{DecomposableArm, Linear, Turn};

impl DecomposableArm {
    /// All configurations of an arm whose second, third and fourth axes are parallel.
    pub(super) fn middle_parallel(
        &self,
        last_two_meet: bool,
        goal: &AxisGoal,
        near: &SeedTurns,
        found: OnConfiguration,
    ) {
        let [h1, h2, _, _, h5, h6] = &self.axes;
        let height = self.links[..4].iter().map(|link| h2.dot(link)).sum();
        if !last_two_meet {
            self.skew_wrist(height, goal, near, found);
            return;
        }
        let firsts = turns_to_height(h1, h2, &goal.point, height);
        near.each(0, &firsts, self.slack.0, &mut |q1, free| {
            let fifths = turns_to_angle(h5, h6, h2, &q1.back().about(h1, &goal.axis));
            near.each(4, &fifths, self.slack.1, &mut |q5, also| {
                self.middle(q1, q5, free || also, goal, near, found);
            });
        });
    }

    /// With skew last axes, the fifth rotation drops out of the height of the point and the slope of the last axis.
    /// The equation of the first is quadratic in its cosine and sine.
    fn skew_wrist(&self, height: f64, goal: &AxisGoal, near: &SeedTurns, found: OnConfiguration) {
        let ([h1, h2, _, _, h5, h6], link) = (&self.axes, &self.links[4]);
        let skew = Skew::new(h5, h6, link);
        // Component of the parallel axes along a vector, as a function of the first rotation.
        let along = |v: &Vector3<f64>| {
            let middle = h1.dot(h2) * h1.dot(v);
            Linear { one: middle, cos: h2.dot(v) - middle, sin: h1.cross(h2).dot(v) }
        };
        let (rise, slope) = (along(&goal.point).plus(-height), along(&goal.axis).plus(-h2.dot(h5) * h5.dot(h6)));
        let (across, outwards) = (skew.across.dot(h2), skew.normal.dot(h2));
        let radius = Quadratic::constant(across * across + outwards * outwards);
        skew.equation(&rise, &slope, &radius).roots(&mut |q1| {
            // In the frame of the wrist, the axes rotate backwards.
            let turned = skew.turn(rise.at(q1), slope.at(q1), across, outwards).map(Turn::back);
            self.middle(q1, turned.unwrap_or_else(|| near.turn(4)), turned.is_none(), goal, near, found);
        });
    }

    /// The joints between the first and the fifth, and the last.
    fn middle(&self, q1: Turn, q5: Turn, free: bool, goal: &AxisGoal, near: &SeedTurns, found: OnConfiguration) {
        let ([h1, h2, _, _, h5, h6], [p12, p23, p34, p45, p56]) = (&self.axes, &self.links);
        let back = |v: &Vector3<f64>| q1.back().about(h1, v);
        let (axis, beside) = (back(&goal.axis), back(&goal.beside));
        let sum = turn_between(h2, &q5.about(h5, h6), &axis);
        let free = free || sum.is_none();
        let sum = sum.unwrap_or_else(|| near.turn(1).and(near.turn(2)).and(near.turn(3)));
        let q6 = self.last(&q5.back().about(h5, &sum.back().about(h2, &beside)));
        let from_fourth = sum.about(h2, &(p45 + q5.about(h5, p56)));
        let point = back(&goal.point) - p12 - from_fourth;
        self.planar(h2, [p23, p34], &point, near, 1, &mut |q2, q3, also| {
            let q4 = sum.and(q2.back()).and(q3.back());
            found([q1, q2, q3, q4, q5, q6], free || also);
        });
    }

    /// All configurations of an arm whose first three axes are parallel and whose last two intersect.
    pub(super) fn first_parallel(&self, goal: &AxisGoal, near: &SeedTurns, found: OnConfiguration) {
        let ([h1, _, _, h4, h5, h6], [p12, p23, p34, p45, _]) = (&self.axes, &self.links);
        let height = h1.dot(&(goal.point - p12 - p23 - p34));
        let fourths = turns_to_height(h4, p45, h1, height);
        near.each(3, &fourths, self.slack.0, &mut |q4, free| {
            let seen = q4.back().about(h4, h1);
            let fifths = turns_to_height(h5, h6, &seen, h1.dot(&goal.axis));
            near.each(4, &fifths, self.slack.1, &mut |q5, also| {
                let turned = q4.about(h4, &q5.about(h5, h6));
                let sum = turn_between(h1, &turned, &goal.axis);
                let free = free || also || sum.is_none();
                let sum = sum.unwrap_or_else(|| near.turn(0).and(near.turn(1)).and(near.turn(2)));
                let beside = q4.back().about(h4, &sum.back().about(h1, &goal.beside));
                let q6 = self.last(&q5.back().about(h5, &beside));
                let point = goal.point - sum.about(h1, &(p34 + q4.about(h4, p45)));
                self.planar(h1, [p12, p23], &point, near, 0, &mut |q1, q2, bent| {
                    let q3 = sum.and(q1.back()).and(q2.back());
                    found([q1, q2, q3, q4, q5, q6], free || bent);
                });
            });
        });
    }
}
