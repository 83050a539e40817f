//! An independent judge of the servo: `cargo bench --bench servo -- [WHAT…] [ROBOT…] [cases=N] [from=SEED] [give=0]`.
//!
//! WHAT is among `starts`, `slide`, `singular`, `limits`, `dropouts`, `random`, `hold60` and `tick`; all by default.
//! ROBOT is a maker's, `arm6` or `arm7`, and for `tick` also `snake32`. Only the published positions are judged, at
//! even times: the tip must be on the commanded line, and finite differences may not violate any bound. Each row has
//! its worst case, which `-- replay ROBOT CASE` prints step by step.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a measurement fails so")]

mod box_least_squares;
mod commands;
use urdf_ik_testing as common;
mod escapes;
mod hold;
mod possible;
mod singular;
mod slide;
mod starts;
mod table;
mod tick;
mod walk;
#[path = "../../tests/motion/servo_watch.rs"]
mod watch;

use std::ops::Range;

use common::measure::words;
use common::urdf::snake;
use common::{Arm, arm_with_tool, makers_arms};
use escapes::Start;
use starts::Case;
use watch::Subject;

/// The measurements, with the default number of cases per robot.
const KINDS: [(&str, u64); 8] = [
    ("tick", 32),
    ("random", 100),
    ("starts", 2000),
    ("slide", 200),
    ("singular", 200),
    ("limits", 200),
    ("dropouts", 50),
    ("hold60", 10),
];

fn main() {
    let words = words();
    if words.first().is_some_and(|word| word == "replay") {
        return replay(&words[1..]);
    }
    let kinds: Vec<&str> =
        KINDS.map(|(name, _)| name).into_iter().filter(|name| words.iter().any(|w| w == name)).collect();
    let number = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)?.parse().ok());
    let first: u64 = number("from=").unwrap_or(0);
    let arms: Vec<Arm> = arms().into_iter().filter(|arm| is_asked(arm, &words)).collect();
    let gives = !words.iter().any(|word| word == "give=0");
    let subject = |arm| if gives { Subject::new(arm) } else { Subject { give: [0.0; 2], ..Subject::new(arm) } };
    let mut failed = 0;
    for subject in arms.into_iter().map(subject) {
        for (kind, cases) in KINDS {
            if kinds.is_empty() || kinds.contains(&kind) {
                failed += measure(&subject, kind, first..first + number("cases=").unwrap_or(cases));
            }
        }
    }
    println!("\n{}", if failed == 0 { "nothing failed".to_owned() } else { format!("{failed} rows FAILED") });
}

/// True if this robot is selected.
fn is_asked(arm: &Arm, words: &[String]) -> bool {
    let is_robot = |word: &&String| !word.contains('=') && KINDS.iter().all(|(kind, _)| kind != word);
    let mut robots = words.iter().filter(is_robot).peekable();
    robots.peek().is_none() || robots.any(|robot| *robot == arm.name)
}

/// The arms of makers, two of the package, and a long one.
fn arms() -> Vec<Arm> {
    let bundled = ["arm6", "arm7"].map(arm_with_tool);
    let snake = Arm { name: LONG.to_owned(), ..Arm::from_text(&snake(32, false), "l0", &["tip"]) };
    makers_arms().into_iter().chain(bundled).chain([snake]).collect()
}

/// The arm that is only timed.
const LONG: &str = "snake32";

fn measure(subject: &Subject, kind: &str, cases: Range<u64>) -> usize {
    match kind {
        "tick" => {
            tick::measure(subject, cases);
            0
        }
        _ if subject.arm.name == LONG => 0,
        "starts" => starts::measure(subject, cases),
        "slide" => slide::measure(subject, cases),
        "random" => commands::measure_random(subject, cases),
        "singular" => escapes::measure(subject, Start::Singular, cases),
        "limits" => escapes::measure(subject, Start::Limits, cases),
        "dropouts" => commands::measure_dropouts(subject, cases),
        _ => hold::measure(subject, cases),
    }
}

/// Prints a case: KIND/SEED or KIND/SEED/INDEX of a robot.
fn replay(words: &[String]) {
    let [robot, case] = words else { return println!("say: replay ROBOT CASE") };
    let parts: Vec<&str> = case.split('/').collect();
    let Some(arm) = arms().into_iter().find(|arm| arm.name == *robot) else { return println!("there is no {robot}") };
    let subject = Subject::new(arm);
    let [kind, seed, ref index @ ..] = parts[..] else { return println!("a case is KIND/SEED or KIND/SEED/INDEX") };
    let (seed, index): (u64, usize) = (seed.parse().unwrap(), index.first().map_or(0, |index| index.parse().unwrap()));
    match kind {
        "starts" => starts::replay(&subject, &Case::new(&subject, seed)),
        "slide" => slide::replay(&subject, &Case::new(&subject, seed)),
        "singular" => escapes::replay(&subject, Start::Singular, seed, index),
        "limits" => escapes::replay(&subject, Start::Limits, seed, index),
        "dropouts" => commands::replay(&subject, &commands::dropouts(&subject, seed).0),
        "random" => commands::replay(&subject, &commands::random_run(&subject, seed, 200)),
        _ => hold::replay(&subject, seed, index),
    }
}
