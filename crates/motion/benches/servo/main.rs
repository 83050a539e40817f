//! An independent judge of the servo: `cargo bench --bench servo -- [WHAT…] [ROBOT…] [cases=N] [from=SEED] [rate=HZ]
//! [slack=0] [limits=derived]`.
//!
//! WHAT is among [`LINES`], [`HANDS`], [`SHORT`] and [`BUNDLED`]; all by default. ROBOT is a maker's, `arm6`, `arm7`,
//! an arm of four or five joints (`so101`, `arm5`, `scara`, `palletiser`, `open_manipulator`), or a case file `.json`,
//! and for `tick` and `time` also `snake32`. `limits=derived` has the default limits of the node instead of
//! 5 rad/s² and 50 rad/s³.
//!
//! Only the published positions are judged, at even times. On lines, the tip must be on the commanded line, and finite
//! differences may not violate any bound; each row has its worst case, which `-- replay ROBOT CASE` prints step by
//! step. Under hands the tip must never stop where motion is feasible, and figures of a whole robot have thresholds. A
//! failed row makes the bench exit with an error.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a measurement fails so")]

mod bounds;
mod box_least_squares;
mod coast;
mod commands;
use urdf_ik_testing as common;
mod escapes;
mod hands;
mod held;
mod hold;
mod lag;
mod level;
mod lone_joint;
mod noise;
mod person;
mod poses;
mod possible;
mod rounding;
mod singular;
mod slide;
mod starts;
mod table;
mod tick;
mod time;
mod tip_motion;
mod turns;
mod walk;
mod wall;
#[path = "../../tests/motion/servo_watch.rs"]
mod watch;
mod zeros;

use std::path::Path;
use std::process::ExitCode;

use common::measure::words;
use common::urdf::{open_manipulator, snake};
use common::{Arm, arm_of_cases, arm_with_tool, makers_arms, short_arms};
use escapes::Start;
use starts::Case;
use tip_motion::Scope;
use urdf_ik::motion::{JointLimit, JointLimits, MotionLimits};
use watch::Subject;

/// The measurements of lines and of rest, with the default number of cases per robot. Arms with fewer than six joints
/// take part only if they are named.
const LINES: [(&str, u64); 10] = [
    ("tick", 32),
    ("random", 100),
    ("starts", 2000),
    ("slide", 200),
    ("singular", 200),
    ("limits", 200),
    ("dropouts", 50),
    ("hold60", 10),
    ("coast", 100),
    ("zeros", 1),
];
/// The measurements of hands and of arbitrary streams. Of the arms with fewer than six joints the SO-101 takes part.
const HANDS: [(&str, u64); 9] = [
    ("hands", 100),
    ("noise", 40),
    ("rounding", 100),
    ("person", 4),
    ("poses", 16),
    ("lag", 100),
    ("level", 8),
    ("bounds", 1000),
    ("time", 8),
];
/// The measurements of arms with fewer than six joints.
const SHORT: [(&str, u64); 2] = [("held", 60), ("turns", 60)];
/// The measurements of the bundled arms.
const BUNDLED: [(&str, u64); 1] = [("wall", 40)];
/// The default period of commands, and that of replays \[s\].
const PERIOD: f64 = 0.01;
/// The arm that is only timed.
const LONG: &str = "snake32";

fn main() -> ExitCode {
    let words = words();
    if words.first().is_some_and(|word| word == "replay") {
        replay(&words[1..]);
        return ExitCode::SUCCESS;
    }
    let kinds = || LINES.into_iter().chain(HANDS).chain(SHORT).chain(BUNDLED);
    let is_kind = |word: &str| kinds().any(|(kind, _)| kind == word);
    let asked: Vec<&String> = words.iter().filter(|word| is_kind(word)).collect();
    let robots: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.contains('=') && !is_kind(word)).collect();
    let number = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)?.parse::<u32>().ok());
    let (first, period) =
        (number("from=").unwrap_or(0).into(), number("rate=").map_or(PERIOD, |rate| 1.0 / f64::from(rate)));
    let mut failed = 0;
    for subject in arms(&robots).into_iter().map(|arm| subject(arm, &words)) {
        for (kind, cases) in kinds().filter(|(kind, _)| asked.is_empty() || asked.iter().any(|word| word == kind)) {
            if is_meant(&subject, kind, &robots) {
                let cases = number("cases=").map_or(cases, u64::from);
                failed += measure(&subject, kind, &Scope { seeds: first..first + cases, period });
            }
        }
    }
    println!("\n{}", if failed == 0 { "nothing failed".to_owned() } else { format!("{failed} rows FAILED") });
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The robots of these names and case files, or all.
fn arms(names: &[&str]) -> Vec<Arm> {
    let bundled = ["arm6", "arm7"].map(arm_with_tool);
    let named = |name: &str, arm: Arm| Arm { name: name.to_owned(), ..arm };
    let small = named("open_manipulator", Arm::from_text(&open_manipulator(), "base", &["tip"]));
    let snake = named(LONG, Arm::from_text(&snake(32, false), "l0", &["tip"]));
    let all = makers_arms().into_iter().chain(bundled).chain(short_arms()).chain([small, snake]);
    let is_file = |path: &&Path| path.extension().is_some_and(|extension| extension == "json");
    let files = names.iter().map(Path::new).filter(is_file).map(arm_of_cases);
    all.filter(|arm| names.is_empty() || names.contains(&arm.name.as_str())).chain(files).collect()
}

/// A robot with the options of the command line.
fn subject(arm: Arm, words: &[String]) -> Subject {
    let mut subject = Subject::new(arm);
    let is_set = |option: &str| words.iter().any(|word| word == option);
    if is_set("slack=0") {
        subject.slack = [0.0; 2];
    }
    if is_set("limits=derived") {
        let Arm { robot, chain, .. } = &subject.arm;
        subject.limits = MotionLimits::new(robot, chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
    }
    subject
}

/// True if a robot takes part in a measurement.
fn is_meant(subject: &Subject, kind: &str, robots: &[&str]) -> bool {
    let (is_among, is_short) =
        (|kinds: &[(&str, u64)]| kinds.iter().any(|(name, _)| *name == kind), subject.joints() < 6);
    match subject.arm.name.as_str() {
        LONG => ["tick", "time"].contains(&kind),
        name if is_among(&BUNDLED) => ["arm6", "arm7"].contains(&name),
        _ if is_among(&SHORT) => is_short,
        name => !is_short || !robots.is_empty() || is_among(&HANDS) && name == "so101",
    }
}

/// Returns the number of rows that failed.
fn measure(subject: &Subject, kind: &str, scope: &Scope) -> usize {
    let seeds = scope.seeds.clone();
    match kind {
        "tick" => {
            tick::measure(subject, seeds);
            0
        }
        "starts" => starts::measure(subject, seeds),
        "slide" => slide::measure(subject, seeds),
        "random" => commands::measure_random(subject, seeds),
        "singular" => escapes::measure(subject, Start::Singular, seeds),
        "limits" => escapes::measure(subject, Start::Limits, seeds),
        "dropouts" => commands::measure_dropouts(subject, seeds),
        "hold60" => hold::measure(subject, seeds),
        "hands" => hands::measure(subject, scope),
        "noise" => noise::measure(subject, scope),
        "rounding" => rounding::measure(subject, scope),
        "person" => person::measure(subject, scope),
        "poses" => poses::measure(subject, scope),
        "lag" => lag::measure(subject, scope),
        "level" => level::measure(subject, scope),
        "bounds" => bounds::measure(subject, seeds),
        "coast" => coast::measure(subject, scope),
        "zeros" => zeros::measure(subject, scope),
        "held" => held::measure(subject, scope),
        "turns" => turns::measure(subject, scope),
        "wall" => wall::measure(subject, scope),
        _ => time::measure(subject, seeds),
    }
}

/// Prints a case: KIND/SEED or KIND/SEED/INDEX of a robot.
fn replay(words: &[String]) {
    let [robot, case, ..] = words else { return println!("say: replay ROBOT CASE") };
    let parts: Vec<&str> = case.split('/').collect();
    let Some(arm) = arms(&[robot]).pop() else { return println!("there is no {robot}") };
    let subject = subject(arm, &words[2..]);
    let [kind, seed, ref index @ ..] = parts[..] else { return println!("a case is KIND/SEED or KIND/SEED/INDEX") };
    let (seed, index): (u64, usize) = (seed.parse().unwrap(), index.first().map_or(0, |index| index.parse().unwrap()));
    match kind {
        "starts" => starts::replay(&subject, &Case::new(&subject, seed)),
        "slide" => slide::replay(&subject, &Case::new(&subject, seed)),
        "singular" => escapes::replay(&subject, Start::Singular, seed, index),
        "limits" => escapes::replay(&subject, Start::Limits, seed, index),
        "hands" => hands::replay(&subject, seed, PERIOD),
        "bounds" => bounds::replay(&subject, seed),
        "poses" => poses::replay(&subject, seed, PERIOD),
        "coast" => coast::replay(&subject, seed, PERIOD),
        "zeros" => zeros::replay(&subject, usize::try_from(seed).unwrap(), PERIOD),
        "held" => held::replay(&subject, seed, PERIOD),
        "turns" => turns::replay(&subject, seed, PERIOD),
        "wall" => wall::replay(&subject, seed, PERIOD),
        "dropouts" => commands::replay(&subject, &commands::dropouts(&subject, seed).0),
        "random" => commands::replay(&subject, &commands::random_run(&subject, seed, 200)),
        _ => hold::replay(&subject, seed, index),
    }
}
