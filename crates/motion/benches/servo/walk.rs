//! A walk along the line of a twist at full speed with the least joint motion: the distance to limits and
//! singularities, and the least time in which the joint limits allow the speed.

use nalgebra::{DVector, Isometry3, Vector6};

use crate::possible::moved;
use crate::watch::{Subject, count, small, twist_between};

/// Time between two samples \[s\].
const STEP: f64 = 0.02;
/// Singular value below which a singularity is near.
const SINGULAR: f64 = 0.05;
/// Usable fraction of the velocity bounds, and of those of acceleration and jerk.
const VELOCITY: f64 = 0.8;
const CURVATURE: f64 = 0.3;
/// Multiple of the braking distance that a joint needs before a limit, and the additional distance \[rad or m\].
const BRAKING: f64 = 2.0;
const ROOM: f64 = 0.01;

/// The result of a walk.
pub struct Walk {
    /// Distance along the line at full speed before a limit or singularity is near \[m or rad\].
    pub free_way: f64,
    /// The least time from rest to full speed \[s\].
    pub least_time: f64,
}

/// The distance and the time to brake from a velocity without acceleration.
pub fn braking(velocity: f64, [_, acceleration, jerk]: [f64; 3]) -> (f64, f64) {
    let velocity = velocity.abs();
    let time = least_time(acceleration / velocity, jerk / velocity);
    (0.5 * velocity * time, time)
}

/// The least time from rest to 1 with a maximum rate and a maximum change of the rate.
fn least_time(rate: f64, jerk: f64) -> f64 {
    if rate * rate >= jerk { 2.0 / jerk.sqrt() } else { 1.0 / rate + rate / jerk }
}

impl Walk {
    /// From a configuration along a purely linear or angular twist, for a duration in seconds.
    pub fn new(subject: &Subject, start: &[f64], twist: &Vector6<f64>, seconds: f64) -> Self {
        let places = places(subject, start, twist, count(1.5 * seconds, STEP));
        let free =
            (3..places.len()).find(|index| is_near(subject, &places[index - 3..=*index])).unwrap_or(places.len());
        if free < 4 {
            return Self { free_way: 0.0, least_time: time_to_speed(subject, &places[..places.len().min(4)]) };
        }
        let first = time_to_speed(subject, &places[..4]);
        let covered = (count(first, STEP) + 1).clamp(4, free);
        let least_time = time_to_speed(subject, &places[..covered]);
        // An unlimited line has no end.
        let ahead = if free == places.len() && free > count(1.5 * seconds, STEP) { 0.0 } else { least_time };
        Self { free_way: twist.norm() * (small(free) * STEP - ahead), least_time }
    }
}

/// The configurations at even times, as far as the walk leads.
fn places(subject: &Subject, start: &[f64], twist: &Vector6<f64>, most: usize) -> Vec<Vec<f64>> {
    let (anchor, mut places) = (subject.pose(start), vec![start.to_vec()]);
    for index in 1..=most {
        let mut here = places[index - 1].clone();
        if !reach(subject, &mut here, &moved(&anchor, twist, small(index) * STEP)) {
            break;
        }
        places.push(here);
    }
    places
}

/// Newton's method of least motion to a pose nearby.
fn reach(subject: &Subject, here: &mut [f64], pose: &Isometry3<f64>) -> bool {
    for _ in 0..6 {
        let missing = subject.scaled_twist(&twist_between(&subject.pose(here), pose, 1.0));
        if missing.norm() < 1e-9 {
            return true;
        }
        let values = subject.scaled_jacobian(here).svd(true, true);
        if values.singular_values.min() < SINGULAR {
            return false;
        }
        let Ok(step) = values.solve(&missing, 0.0) else { return false };
        here.iter_mut().zip(step.iter()).for_each(|(position, step)| *position += step);
    }
    false
}

/// Velocity, acceleration and jerk of the joints at four successive samples.
fn derivatives(places: &[Vec<f64>]) -> [DVector<f64>; 3] {
    let [a, b, c, d] = [0, 1, 2, 3].map(|index| DVector::from_column_slice(&places[index]));
    let jerk = (&d - &a - (&c - &b) * 3.0) / STEP.powi(3);
    [(&d - &a) / (3.0 * STEP), (&d - &c - &b + &a) / (2.0 * STEP * STEP), jerk]
}

/// True if a limit or singularity is near that may limit the arm.
fn is_near(subject: &Subject, places: &[Vec<f64>]) -> bool {
    let [velocity, acceleration, jerk] = derivatives(places);
    (0..subject.joints()).any(|joint| {
        let bounds = subject.bounds(joint);
        let [below, above] = subject.room(joint, places[3][joint]);
        let room = if velocity[joint] < 0.0 { below } else { above };
        velocity[joint].abs() > VELOCITY * bounds[0]
            || acceleration[joint].abs() > CURVATURE * bounds[1]
            || jerk[joint].abs() > CURVATURE * bounds[2]
            || velocity[joint] != 0.0 && room < BRAKING * braking(velocity[joint], bounds).0 + ROOM
    })
}

/// The least time from rest to the speed, including the joint accelerations for the curvature of the line.
fn time_to_speed(subject: &Subject, places: &[Vec<f64>]) -> f64 {
    let (mut rate, mut jerk) = (f64::INFINITY, f64::INFINITY);
    let windows: Vec<_> = places.windows(4).map(derivatives).collect();
    for joint in 0..subject.joints() {
        let most =
            |order: usize| windows.iter().map(|window| window[order][joint].abs()).fold(f64::MIN_POSITIVE, f64::max);
        rate = rate.min((subject.bounds(joint)[1] - most(1)) / most(0));
    }
    for joint in 0..subject.joints() {
        let most =
            |order: usize| windows.iter().map(|window| window[order][joint].abs()).fold(f64::MIN_POSITIVE, f64::max);
        let bound = subject.bounds(joint)[2];
        jerk = jerk.min((bound - most(2) - 3.0 * most(1) * rate).max(0.2 * bound) / most(0));
    }
    if windows.is_empty() { 0.0 } else { least_time(rate.max(f64::MIN_POSITIVE), jerk) }
}
