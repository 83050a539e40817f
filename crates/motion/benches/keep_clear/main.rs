//! Arms among obstacles in simulated time, under random commands and events: `cargo bench --bench keep_clear --
//! [ROBOT…] [runs=N] [seconds=N] [from=SEED]`.
//!
//! ROBOT is `arm7`, or `ur5` or `panda` with the meshes of ../shared/scenes; by default all that are available. Each
//! run draws its commands (targets smoothly and in steps, twists, jogs, paths, stops, or all in turn) and its events
//! (none, or obstacles that appear, move or are attached) from its seed. Every state is judged: see [`runs`].

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a measurement fails so")]

use urdf_ik_testing as common;
#[path = "../../tests/motion/keep_clear_runs/mod.rs"]
mod runs;

use std::time::Instant;

use common::measure::words;
use runs::{Commands, Events, PERIOD, Run, Subject};

fn main() {
    let words = words();
    let number = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)?.parse::<u32>().ok());
    let is_asked = |name: &str| words.iter().all(|word| word.contains('=')) || words.iter().any(|word| word == name);
    let (count, from) = (number("runs=").unwrap_or(100), number("from=").unwrap_or(0));
    let seconds = f64::from(number("seconds=").unwrap_or(25));
    let mut broken = 0;
    for name in ["arm7", "ur5", "panda"].into_iter().filter(|name| is_asked(name)) {
        let Some(subject) = subject(name) else { continue };
        let began = Instant::now();
        let (mut made, mut moved, mut held) = (0_u32, 0.0, 0);
        let mut least = f64::INFINITY;
        for seed in from..from + count {
            let index = seed as usize;
            let (commands, events) = (Commands::ALL[index % 7], Events::ALL[index / 7 % 4]);
            let Some(run) = Run::new(&subject, commands, events, seed.into()) else { continue };
            let judged = run.judge(seconds);
            (made, moved, held) = (made + 1, moved + judged.moved, held + judged.held);
            least = least.min(judged.least);
            if let Some(what) = judged.broken {
                broken += 1;
                println!("{name}, seed {seed}, {commands:?}, {events:?}: {what}");
            }
        }
        assert!(made > 0, "{name}: no run has a configuration to begin with");
        let per_step = began.elapsed().as_secs_f64() / (f64::from(made.max(1)) * seconds / PERIOD);
        println!(
            "{name}: {made} runs of {seconds} s, {:.1} rad a run, {held} fail-safe steps, least gap of pairs that keep clear \
             {:.3} mm, {:.0} µs a step",
            moved / f64::from(made.max(1)),
            1e3 * least,
            1e6 * per_step
        );
    }
    println!("{}", if broken == 0 { "nothing is broken".to_owned() } else { format!("{broken} runs are BROKEN") });
}

/// The robot of that name; prints a line if it is missing.
fn subject(name: &str) -> Option<Subject> {
    if name == "arm7" {
        return Some(Subject::arm7());
    }
    let folder = common::root().join("../shared/scenes").join(name);
    if !folder.is_dir() {
        println!("skipped {name}: there is no folder {}", folder.display());
        return None;
    }
    let (base, tip) = if name == "ur5" { ("base_link", "ee_link") } else { ("panda_link0", "panda_hand") };
    Some(Subject::of_scenes(name, base, tip))
}
