//! Random problems of all robots and options, each answer judged by independent kinematics:
//! `cargo bench -p urdf_ik_fuzz --bench solves -- [PROBLEMS] [FIRST BLOCK] [THREADS]`.
//!
//! Each problem has its number as the seed. Threads take blocks of 1000. A run continues where another one ended: the
//! last line names the next block. A block has 20 problems of random robots; the others are shared evenly by the
//! listed robots. `src/problem/question.rs` has the shares of the options.

#![allow(missing_docs, reason = "a bench")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a bench fails so")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use urdf_ik_fuzz::problem::{Solves, of_random_robot};
use urdf_ik_testing::Random;

const BLOCK: u64 = 1000;
const RANDOM_ROBOTS: u64 = 20;
/// Blocks between two lines of progress.
const PROGRESS: u64 = 100;

/// Problems and solved problems of each kind, and the number of failures.
#[derive(Default)]
struct Tally {
    kinds: BTreeMap<String, [u64; 2]>,
    failures: u64,
}

fn main() {
    // cargo adds --bench.
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let problems = numbers.first().copied().unwrap_or(100_000);
    let first = numbers.get(1).copied().unwrap_or(0);
    let threads = numbers.get(2).copied().unwrap_or(2);
    let (begun, end, next) = (Instant::now(), first + problems.div_ceil(BLOCK), AtomicU64::new(first));
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut solves = Solves::default();
                loop {
                    let block = next.fetch_add(1, Ordering::Relaxed);
                    if block >= end {
                        return;
                    }
                    run(block, &mut solves, &tally);
                    if (block + 1).is_multiple_of(PROGRESS) {
                        let failures = tally.lock().unwrap().failures;
                        println!("block {block}, {:.0} s, {failures} failures", begun.elapsed().as_secs_f64());
                    }
                }
            });
        }
    });
    report(&tally.into_inner().unwrap(), begun.elapsed().as_secs_f64(), end);
}

/// Solves the problems of a block. A panic names the seed.
fn run(block: u64, solves: &mut Solves, tally: &Mutex<Tally>) {
    let mut found = Tally::default();
    for problem in 0..BLOCK {
        let seed = block * BLOCK + problem;
        let mut random = Random::new(seed);
        let answer = catch_unwind(AssertUnwindSafe(|| {
            if problem < RANDOM_ROBOTS {
                ("random robots".to_owned(), of_random_robot(&mut random))
            } else {
                solves.run(&mut random)
            }
        }));
        let Ok((kind, is_solved)) = answer else {
            println!("FAILURE: the problem of seed {seed}");
            found.failures += 1;
            continue;
        };
        let [all, solved] = found.kinds.entry(kind).or_default();
        *all += 1;
        *solved += u64::from(is_solved);
    }
    let mut tally = tally.lock().unwrap();
    tally.failures += found.failures;
    for (kind, counts) in found.kinds {
        let sum = tally.kinds.entry(kind).or_default();
        *sum = [sum[0] + counts[0], sum[1] + counts[1]];
    }
}

fn report(tally: &Tally, seconds: f64, next: u64) {
    for (kind, [all, solved]) in &tally.kinds {
        println!("{all:10}  {solved:10} solved  {kind}");
    }
    let [all, solved] = tally.kinds.values().fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
    println!("{all} problems, {solved} solved, {} failures, {seconds:.0} s; the next block is {next}", tally.failures);
    assert_eq!(tally.failures, 0);
}
