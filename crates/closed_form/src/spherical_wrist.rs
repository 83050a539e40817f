//! Arms with a spherical wrist. The first three joints position the wrist centre, the others orient the tip.

use nalgebra::Vector3;

use super::arm::AxisGoal;
use super::shared_steps::{OnConfiguration, SeedTurns, Skew};
use super::subproblems::{
    Fit, Orbit, turn_between, turns_to_angle, turns_to_distance, turns_to_height, turns_together,
};
use super::trigonometric::Quadratic;
use super::{DecomposableArm, Linear, Shoulder, Turn};

/// Called for rotations of the first three joints, and whether they represent a continuum.
type OnShoulder<'a> = &'a mut dyn FnMut([Turn; 3], bool);

impl DecomposableArm {
    /// All configurations of an arm with a spherical wrist.
    pub(super) fn spherical_wrist(
        &self,
        shoulder: Shoulder,
        goal: &AxisGoal,
        near: &SeedTurns,
        found: OnConfiguration,
    ) {
        let wrist: OnShoulder = &mut |turns, free| self.wrist(turns, free, goal, near, found);
        match shoulder {
            Shoulder::LastTwoParallel => self.last_two_parallel(goal, near, wrist),
            Shoulder::FirstTwoMeet => self.first_two_meet(goal, near, wrist),
            Shoulder::FirstTwoParallel => self.first_two_parallel(goal, near, wrist),
            Shoulder::LastTwoMeet => self.last_two_meet(goal, near, wrist),
            Shoulder::General => self.general_shoulder(goal, near, wrist),
        }
    }

    /// The first joint brings the wrist centre to the height of the arm along the parallel axes; the other two
    /// position it in their plane.
    fn last_two_parallel(&self, goal: &AxisGoal, near: &SeedTurns, found: OnShoulder) {
        let ([h1, h2, ..], [p12, p23, p34, ..]) = (&self.axes, &self.links);
        let firsts = turns_to_height(h1, h2, &goal.point, h2.dot(&(p12 + p23 + p34)));
        near.each(0, &firsts, self.slack.0, &mut |q1, free| {
            let point = q1.back().about(h1, &goal.point) - p12;
            self.planar(h2, [p23, p34], &point, near, 1, &mut |q2, q3, also| {
                found([q1, q2, q3], free || also);
            });
        });
    }

    /// The third joint sets the distance of the wrist centre from the intersection of the first two axes.
    fn first_two_meet(&self, goal: &AxisGoal, near: &SeedTurns, found: OnShoulder) {
        let ([h1, h2, h3, ..], [_, p23, p34, ..]) = (&self.axes, &self.links);
        let thirds = turns_to_distance(h3, p34, &-p23, goal.point.norm());
        near.each(2, &thirds, self.slack.0, &mut |q3, free| {
            let point = p23 + q3.about(h3, p34);
            self.together(Orbit::new(h1, &goal.point), Orbit::new(h2, &point), near, 0, &mut |q1, q2, also| {
                found([q1, q2, q3], free || also);
            });
        });
    }

    /// The third joint sets the height of the wrist centre along the parallel axes.
    fn first_two_parallel(&self, goal: &AxisGoal, near: &SeedTurns, found: OnShoulder) {
        let ([h1, _, h3, ..], [p12, p23, p34, ..]) = (&self.axes, &self.links);
        let thirds = turns_to_height(h3, p34, h1, h1.dot(&(goal.point - p12 - p23)));
        near.each(2, &thirds, self.slack.0, &mut |q3, free| {
            let point = p23 + q3.about(h3, p34);
            self.planar(h1, [p12, &point], &goal.point, near, 0, &mut |q1, q2, also| {
                found([q1, q2, q3], free || also);
            });
        });
    }

    /// The first joint sets the distance of the wrist centre from the intersection of the other two axes.
    fn last_two_meet(&self, goal: &AxisGoal, near: &SeedTurns, found: OnShoulder) {
        let ([h1, h2, h3, ..], [p12, _, p34, ..]) = (&self.axes, &self.links);
        let firsts = turns_to_distance(h1, p12, &goal.point, p34.norm());
        near.each(0, &firsts, self.slack.0, &mut |q1, free| {
            let point = q1.back().about(h1, &goal.point) - p12;
            self.together(Orbit::new(h2, &point), Orbit::new(h3, p34), near, 1, &mut |q2, q3, also| {
                found([q1, q2, q3], free || also);
            });
        });
    }

    /// Rotations of two consecutive joints that take `point`, rotated by the inner one, to `goal`, rotated by the
    /// outer one.
    fn together(
        &self,
        goal: Orbit,
        point: Orbit,
        near: &SeedTurns,
        joint: usize,
        found: &mut dyn FnMut(Turn, Turn, bool),
    ) {
        let pairs = turns_together(goal, point);
        if !pairs.within(self.slack.0) {
            return;
        }
        if pairs.fit != Fit::Free {
            pairs.as_slice().iter().for_each(|(back, turn)| found(back.back(), *turn, false));
        } else if turn_between(goal.axis, goal.point, goal.point).is_none() {
            let turn = turn_between(point.axis, point.point, goal.point).unwrap_or_else(|| near.turn(joint + 1));
            found(near.turn(joint), turn, true);
        } else {
            let turned = near.turn(joint + 1).about(point.axis, point.point);
            let turn = turn_between(goal.axis, &turned, goal.point).unwrap_or_else(|| near.turn(joint));
            found(turn, near.turn(joint + 1), true);
        }
    }

    /// With skew first axes, the second rotation drops out of distance and height of the wrist centre. The equation
    /// of the third is quadratic in its cosine and sine.
    fn general_shoulder(&self, goal: &AxisGoal, near: &SeedTurns, found: OnShoulder) {
        let ([h1, h2, h3, ..], [p12, p23, p34, ..]) = (&self.axes, &self.links);
        let skew = Skew::new(h2, h1, p12);
        // Component of the wrist centre along a vector, as a function of the third rotation.
        let along = |v: &Vector3<f64>| {
            let middle = h3.dot(p34) * h3.dot(v);
            Linear { one: p23.dot(v) + middle, cos: p34.dot(v) - middle, sin: h3.cross(p34).dot(v) }
        };
        let square = along(p23).scaled(2.0).plus(p34.norm_squared() - p23.norm_squared());
        let distance = square.scaled(-0.5).plus(0.5 * (goal.point.norm_squared() - p12.norm_squared()));
        let height = along(h2).scaled(-h1.dot(h2)).plus(h1.dot(&goal.point));
        let (across, outwards) = (along(&skew.across), along(&skew.normal));
        let radius = across.squared().and(1.0, &outwards.squared());
        skew.equation(&distance, &height, &radius).roots(&mut |q3| {
            let (distance, height) = (distance.at(q3), height.at(q3));
            let turned = skew.turn(distance, height, across.at(q3), outwards.at(q3));
            let q2 = turned.unwrap_or_else(|| near.turn(1));
            let point = p12 + q2.about(h2, &(p23 + q3.about(h3, p34)));
            let q1 = turn_between(h1, &point, &goal.point);
            found([q1.unwrap_or_else(|| near.turn(0)), q2, q3], q1.is_none() || turned.is_none());
        });
    }

    /// The last three joints, given the first three.
    fn wrist(&self, first: [Turn; 3], free: bool, goal: &AxisGoal, near: &SeedTurns, found: OnConfiguration) {
        let [h1, h2, h3, h4, h5, h6] = &self.axes;
        let [q1, q2, q3] = first;
        let back = |v: &Vector3<f64>| {
            let v = q2.back().about(h2, &q1.back().about(h1, v));
            q3.back().about(h3, &v)
        };
        let (axis, beside) = (back(&goal.axis), back(&goal.beside));
        let fifths = turns_to_angle(h5, h6, h4, &axis);
        if !fifths.within(self.slack.1) {
            return;
        }
        for q5 in fifths.as_slice() {
            let turned = q5.about(h5, h6);
            let fourth = turn_between(h4, &turned, &axis);
            let straight = fourth.is_none();
            let mut q4 = fourth.unwrap_or_else(|| near.turn(3));
            let last = |q4: Turn| self.last(&q5.back().about(h5, &q4.back().about(h4, &beside)));
            let mut q6 = last(q4);
            if straight {
                // The fourth and the sixth axis coincide: both joints share the rotation.
                let half = 0.5 * q6.and(near.turn(5).back()).angle() * h4.dot(&turned).signum();
                q4 = q4.and(Turn::new(half));
                q6 = last(q4);
            }
            found([q1, q2, q3, q4, *q5, q6], free || straight);
        }
    }
}

impl Skew {
    /// The equation left after eliminating the intermediate rotation from a distance and a height.
    pub(super) fn equation(&self, distance: &Linear, height: &Linear, radius: &Quadratic) -> Quadratic {
        let (length, sine) = (self.length, self.sine);
        let squares = distance.scaled(sine).squared().and(length * length, &height.squared());
        squares.and(-(length * sine).powi(2), radius)
    }
}
