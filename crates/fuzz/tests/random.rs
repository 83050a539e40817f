//! Every fuzz target with its corpus and random mutations of it.
//!
//! `TARGET=urdf ROUNDS=100000 cargo test -p urdf_ik_fuzz` runs one target longer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use urdf_ik_fuzz::mutation::mutate;
use urdf_ik_fuzz::{TARGETS, Target};
use urdf_ik_testing::{Random, root};

#[test]
fn no_input_breaks_a_promise() {
    let wanted = std::env::var("TARGET").ok();
    let rounds: Option<usize> = std::env::var("ROUNDS").ok().map(|rounds| rounds.parse().unwrap());
    let chosen: Vec<&Target> = match &wanted {
        Some(name) => vec![Target::named(name)],
        None => TARGETS.iter().collect(),
    };
    for target in chosen {
        let begun = Instant::now();
        run(target, rounds.unwrap_or(target.rounds));
        println!("{}: {:.1} s", target.name, begun.elapsed().as_secs_f64());
    }
}

/// The inputs of the corpus, and mutations of them.
fn run(target: &Target, rounds: usize) {
    let corpus = target.corpus();
    assert!(!corpus.is_empty(), "{} has no corpus", target.name);
    for input in &corpus {
        run_input(target, input);
    }
    let mut random = Random::new(1);
    for round in 0..rounds {
        let mut input = corpus[round % corpus.len()].clone();
        for _ in 0..=random.below(3) {
            mutate(&mut input, &corpus, target.words, &mut random);
        }
        run_input(target, &input);
    }
}

/// Runs an input, which becomes a file if it fails.
fn run_input(target: &Target, input: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        let file = root().join("target/fuzz").join(format!("{}.failed", target.name));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, input).unwrap();
        println!("{}: the failing input is {}", target.name, file.display());
        resume_unwind(panic);
    }
}
