//! A thousand targets per second.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use r2r::geometry_msgs::msg::Pose;
use r2r::urdf_ik::msg::SolveStatus;

use super::Fallible;
use super::client::{Answer, Client, pace};
use super::figures::Times;
use super::peer::{Peer, Usage};

/// Period of the targets.
const PERIOD: Duration = Duration::from_millis(1);
/// Targets before the measurement, during which the node allocates its memory.
const WARM_UP: u32 = 3000;
/// Time limit for the last answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// Streams targets to the first peer of the client, for `seconds` seconds, and prints the results. Returns the
/// positions of all joint states.
pub fn measure(mut client: Client, peer: &Peer, path: &[Pose], seconds: u32) -> Fallible<Vec<Vec<f64>>> {
    let run = |client: &mut Client, targets: u32| run(client, path, targets);
    run(&mut client, WARM_UP)?;
    let (before, start) = (peer.usage()?, Instant::now());
    let (sent, answers) = run(&mut client, 1000 * seconds)?;
    let (after, elapsed) = (peer.usage()?, start.elapsed());
    println!();
    report(&sent, &answers);
    report_usage(&before, &after, elapsed);
    Ok(client.positions(0))
}

/// Sends `targets` targets from a separate thread, and returns their stamps and the answers.
fn run(client: &mut Client, path: &[Pose], targets: u32) -> Fallible<(Vec<Duration>, Vec<Answer>)> {
    let sender = client.senders.remove(0);
    let poses = path.iter().cycle();
    thread::scope(|scope| {
        let sending = scope.spawn(move || {
            let (mut poses, mut sent) = (poses, Vec::new());
            let done = pace(PERIOD, targets, |_| {
                sent.extend(poses.next().map(|pose| sender.send(pose)).transpose()?);
                Ok(())
            });
            done.map(|()| (sender, sent)).map_err(|error| error.to_string())
        });
        let mut answers = Vec::new();
        while !sending.is_finished() {
            answers.extend(client.answers(0, Duration::from_millis(20)));
        }
        let (sender, sent) = sending.join().map_err(|_| "the sender has panicked")??;
        client.senders.insert(0, sender);
        let end = Instant::now();
        while end.elapsed() < PATIENCE && answers.last().map(|answer| answer.target) != sent.last().copied() {
            answers.extend(client.answers(0, Duration::from_millis(20)));
        }
        // An arm that takes several steps to a target answers again on arrival.
        let mut answered = BTreeSet::new();
        answers.retain(|answer| answered.insert(answer.target));
        Ok((sent, answers))
    })
}

fn report(sent: &[Duration], answers: &[Answer]) {
    // A newer target may replace a waiting one, but none of those after the last answer were replaced: they are lost.
    let last = answers.iter().map(|answer| answer.target).max().unwrap_or_default();
    let lost = sent.iter().filter(|target| **target > last).count();
    let solved = answers.iter().filter(|answer| answer.outcome == SolveStatus::SOLVED as u8).count();
    let in_order = answers.is_sorted_by(|one, next| one.target < next.target);
    println!(
        "- {} sent, {} answered ({solved} solved), {} replaced by newer ones, {lost} lost",
        sent.len(),
        answers.len(),
        sent.len().saturating_sub(answers.len() + lost)
    );
    println!("- answered in the order in which they were sent: {in_order}");
    let age = |end: fn(&Answer) -> Duration| {
        Times::new(answers.iter().map(|answer| end(answer).saturating_sub(answer.target)).collect())
    };
    for (what, times) in
        [("solved", age(|answer| answer.solved)), ("the joint state arrives", age(|answer| answer.received))]
    {
        let [middle, high, higher, greatest] = [500, 990, 999, 1000].map(|share| times.per_mille(share));
        println!("- age when {what} [us]: p50 {middle:.0}, p99 {high:.0}, p99.9 {higher:.0}, greatest {greatest:.0}");
    }
}

pub fn report_usage(before: &Usage, after: &Usage, elapsed: Duration) {
    let share = after.processor.saturating_sub(before.processor).as_secs_f64() / elapsed.as_secs_f64();
    println!("- processor: {:.1} % of one core", 100.0 * share);
    println!("- memory: {} KiB before, {} KiB after", before.resident, after.resident);
}
