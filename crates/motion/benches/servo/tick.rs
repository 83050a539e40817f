//! Duration of a step of the servo.

use std::hint::black_box;

use urdf_ik::solver::{Mode, Problem, Target};
use urdf_ik_testing::measure::Times;

use crate::starts::{Case, servo};
use crate::watch::{Subject, moved_positions};

const PERIOD: f64 = 0.001;

/// Prints the median and the 99th percentile of a step, of a tracked solve, and their ratio.
pub fn measure(subject: &Subject, seeds: std::ops::Range<u64>) {
    let (mut steps, mut solves) = (Times::default(), Times::default());
    for seed in seeds {
        let case = Case::new(subject, seed);
        let mut servo = servo(subject, &case.start);
        for _ in 0..1000 {
            steps.add(|| case.input().apply(&mut servo, PERIOD));
        }
        track(subject, &case.start, &mut solves);
    }
    let [step, solve] = [steps, solves].map(|times| [50, 99, 100].map(|percent| times.percentile(percent)));
    println!(
        "{:9} a step of the servo: median {:.1} µs, p99 {:.1} µs, max {:.1} µs; a tracked solve: median {:.1} µs, p99 {:.1} µs; \
         ratio {:.1}",
        subject.arm.name,
        step[0],
        step[1],
        step[2],
        solve[0],
        solve[1],
        step[0] / solve[0]
    );
}

/// Solves for poses slightly displaced.
fn track(subject: &Subject, start: &[f64], times: &mut Times) {
    let (mut scratch, mut solution) = (subject.solver.scratch(), subject.solver.solution());
    let most = vec![0.1; start.len()];
    for step in 0..20_u32 {
        let on = moved_positions(subject, start, 1e-3 * (1.0 + f64::from(step)));
        let targets = [Target::new(0, subject.pose(&on))];
        let problem = Problem::new(&targets, start).with_mode(Mode::Track { max_step: &most });
        let solved = times.add(|| subject.solver.solve(black_box(&problem), &mut scratch, &mut solution));
        assert!(solved.is_ok(), "a track is refused");
    }
}
