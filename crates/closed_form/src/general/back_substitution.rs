//! The eliminated joint angles, given the others.

use nalgebra::{Isometry3, Vector3};

use crate::{JOINTS, Line, Turn};

/// The configuration \[rad\] for the third, fourth and fifth rotation if the last link must move by `motion`.
pub(super) fn configuration(axes: &[Line; JOINTS], motion: &Isometry3<f64>, turns: [Turn; 3]) -> [f64; JOINTS] {
    let [first, second, third, fourth, fifth, sixth] = axes;
    let carried = |line: &Line| line.turned(turns[2], fifth).turned(turns[1], fourth).turned(turns[0], third);
    let (line, goal) = (carried(sixth), sixth.moved(motion));
    let q2 = second_turn([first, second], &goal, &line);
    let q1 = first_turn(first, &goal, &line.turned(q2, second));
    // The last rotation follows from directions perpendicular to the last axis.
    let beside = sixth.direction.cross(&Vector3::ith(sixth.direction.iamin(), 1.0)).normalize();
    let turned = |direction: Vector3<f64>| {
        let line = carried(&Line { direction, ..*sixth });
        line.turned(q2, second).turned(q1, first).direction
    };
    let to = motion.rotation * beside;
    let q6 = Turn::towards(turned(beside).dot(&to), turned(sixth.direction.cross(&beside)).dot(&to));
    [q1, q2, turns[0], turns[1], turns[2], q6].map(Turn::angle)
}

/// Rotation of the second joint, given the desired line of the last axis (`goal`) and the line that results from the
/// later joints. Five products that do not depend on the first joint are linear in its cosine and sine; least
/// squares, because some may be constant.
fn second_turn([first, second]: [&Line; 2], goal: &Line, line: &Line) -> Turn {
    let (h1, h2) = (first.direction, second.direction);
    // Relative to a point of the first axis.
    let (between, to) = (second.point - first.point, goal.point - first.point);
    let (p, l) = (line.point - second.point, line.direction);
    // Dot product of `factor` with a rotated vector.
    let wave = |factor: &Vector3<f64>, vector: &Vector3<f64>| {
        let middle = h2 * h2.dot(vector);
        [factor.dot(&middle), factor.dot(&(vector - middle)), factor.dot(&h2.cross(vector))]
    };
    let (moment, other) = (wave(&h1, &p.cross(&l)), wave(&h1.cross(&between), &l));
    let squares = to.norm_squared() - between.norm_squared() - p.norm_squared();
    let conditions = [
        (wave(&h1, &l), h1.dot(&goal.direction)),
        (wave(&h1, &p), h1.dot(&(to - between))),
        (wave(&between, &p), 0.5 * squares),
        (wave(&between, &l), to.dot(&goal.direction) - p.dot(&l)),
        (std::array::from_fn(|i| moment[i] + other[i]), h1.dot(&to.cross(&goal.direction))),
    ];
    let (mut cc, mut cs, mut ss, mut c, mut s) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for ([one, cos, sin], value) in conditions {
        (cc, cs, ss) = (cc + cos * cos, cs + cos * sin, ss + sin * sin);
        (c, s) = (c + cos * (value - one), s + sin * (value - one));
    }
    Turn::towards(ss * c - cs * s, cc * s - cs * c)
}

/// Rotation of the first joint that takes a line to the goal.
fn first_turn(first: &Line, goal: &Line, line: &Line) -> Turn {
    let across = |v: &Vector3<f64>| first.direction.cross(v);
    let (point, to) = (across(&(line.point - first.point)), across(&(goal.point - first.point)));
    let (direction, towards) = (across(&line.direction), across(&goal.direction));
    let sine = point.cross(&to) + direction.cross(&towards);
    Turn::towards(point.dot(&to) + direction.dot(&towards), sine.dot(&first.direction))
}
