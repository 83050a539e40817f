//! Streams of poses with and without null-space tasks: `cargo bench --bench streams`, for some arms only
//! with `-- ARM …`.
//!
//! For each arm, 30 streams of 200 poses along smooth curves of the joints, and as many along lines from end to end
//! of their ranges, 100 a second: how many of the streams have a step of a joint above 0.2 rad, how many targets took
//! a search and how many were not met, and in how many of the rests after the streams the arm did not arrive at the
//! optimum that self-motions reach. The arms are those of the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a measurement fails so")]

use urdf_ik_testing as common;

use common::joint_curves::{Follower, PERIOD, curve, line, velocities};
use common::measure::words;
use common::{Arm, Random, all_arms, load};
use urdf_ik::solver::Preference;

const STREAMS: usize = 30;
const SEED: u64 = 28;

fn main() {
    let mut arms = all_arms();
    arms.push(Arm::new("fetch8", load("fetch.urdf"), "base_link", &["gripper_link"]));
    let named = words();
    arms.retain(|arm| named.is_empty() || named.contains(&arm.name));
    println!(
        "{STREAMS} streams each      shape  task            jumps  searched  unmet | not at rest in time  largest step"
    );
    for arm in &arms {
        let posture = arm.chain.nominal_positions();
        let velocities = velocities(arm);
        let max_step: Vec<f64> = velocities.iter().map(|velocity| velocity * PERIOD).collect();
        let none = Preference { posture: Some(&posture), max_step: Some(&max_step), ..Preference::default() };
        for (task, preference) in [
            ("none", none),
            ("limits", Preference { limits_weight: 1.0, ..none }),
            ("manipulability", Preference { manipulability_weight: 1.0, ..none }),
            ("posture", Preference { posture_weight: 1.0, ..none }),
            ("all", Preference { limits_weight: 1.0, manipulability_weight: 1.0, posture_weight: 1.0, ..none }),
        ] {
            measure(arm, &Streams { task, shape: "curves", configurations: curve }, preference, &velocities);
            measure(arm, &Streams { task, shape: "lines", configurations: line }, preference, &velocities);
        }
    }
}

struct Streams<'a> {
    task: &'a str,
    shape: &'a str,
    configurations: fn(&Arm, &mut Random) -> Vec<Vec<f64>>,
}

fn measure(arm: &Arm, streams: &Streams, preference: Preference, velocities: &[f64]) {
    let Streams { task, shape, configurations } = *streams;
    let mut random = Random::new(SEED);
    let (mut jumps, mut searched, mut unmet, mut late, mut largest) = (0, 0, 0, 0, 0.0_f64);
    for _ in 0..STREAMS {
        let configurations = configurations(arm, &mut random);
        let mut follower = Follower::new(arm, preference, &configurations[0]);
        let course = follower.follow(&configurations);
        jumps += usize::from(course.jumps());
        searched += course.searched;
        unmet += course.unmet;
        if task != "none" {
            let rest = follower.rest(configurations.last().unwrap(), velocities);
            unmet += rest.stream.unmet;
            late += usize::from(!rest.arrives());
            largest = largest.max(rest.stream.largest_step);
            if !rest.arrives() && std::env::args().any(|argument| argument == "--late") {
                println!("{rest:?}");
            }
        }
    }
    println!("{:22} {shape:6} {task:15} {jumps:5} {searched:9} {unmet:6} | {late:5} {largest:25.3}", arm.name);
}
