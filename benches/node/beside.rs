//! Short queries and targets, alone and during three long queries.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures::FutureExt;
use r2r::geometry_msgs::msg::{Pose, PoseStamped};
use r2r::urdf_ik::srv::SolveIK;

use super::Fallible;
use super::client::Client;
use super::figures::Times;

/// Rounds of one block alone and one block during long queries.
const ROUNDS: usize = 5;
/// Number and duration of simultaneous long queries.
const LONG: usize = 3;
const LONG_TIME: Duration = Duration::from_secs(5);
/// Duration of a block, which ends before the long queries.
const BLOCK: Duration = Duration::from_secs(4);
/// Maximum number of attempts of a request: more than fit into the time of a long query.
const ATTEMPTS: u32 = 1_000_000;
/// Maximum duration of one wait for messages.
const PATIENCE: Duration = Duration::from_millis(20);

type Service = r2r::Client<SolveIK::Service>;

/// Latencies of one kind of block.
#[derive(Default)]
struct Samples {
    queries: Vec<Duration>,
    targets: Vec<Duration>,
}

/// Prints the latencies of short queries and of targets to the first peer of the client.
pub fn measure(client: &mut Client, path: &[Pose]) -> Fallible<()> {
    let service = client.service::<SolveIK::Service>(0, "solve_ik")?;
    let (mut alone, mut beside) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        block(client, &service, path, &mut alone)?;
        let long = SolveIK::Request { attempts: ATTEMPTS, timeout: LONG_TIME.as_secs_f64(), ..long_request(&path[0]) };
        let mut answers =
            (0..LONG).map(|_| service.request(&long).map(FutureExt::boxed_local)).collect::<Result<Vec<_>, _>>()?;
        let start = Instant::now();
        block(client, &service, path, &mut beside)?;
        while let Some(answer) = answers.last_mut() {
            client.answers(0, PATIENCE);
            if let Some(answer) = answer.now_or_never() {
                let (answer, took) = (answer?, start.elapsed());
                if took < BLOCK {
                    return Err(format!("a long query took only {took:?}: {}", answer.message).into());
                }
                answers.pop();
            }
        }
    }
    println!("Beside {LONG} long queries:");
    println!();
    println!("| | samples | p50 alone [us] | p50 beside | p99 alone | p99 beside |");
    println!("|---|---|---|---|---|---|");
    for (what, alone, beside) in [("query", alone.queries, beside.queries), ("target", alone.targets, beside.targets)] {
        let (alone, beside) = (Times::new(alone), Times::new(beside));
        let [middle, high] = [500, 990].map(|share| [alone.per_mille(share), beside.per_mille(share)]);
        println!(
            "| {what} | {} + {} | {:.0} | {:.0} | {:.0} | {:.0} |",
            alone.count(),
            beside.count(),
            middle[0],
            middle[1],
            high[0],
            high[1]
        );
    }
    println!();
    Ok(())
}

/// A query and a target in turn.
fn block(client: &mut Client, service: &Service, path: &[Pose], samples: &mut Samples) -> Fallible<()> {
    let start = Instant::now();
    for pose in path.iter().cycle() {
        if start.elapsed() >= BLOCK {
            break;
        }
        let asked = Instant::now();
        let mut answer = pin!(service.request(&request(pose))?);
        let answer = loop {
            client.answers(0, PATIENCE);
            if let Some(answer) = answer.as_mut().now_or_never() {
                break answer?;
            }
        };
        samples.queries.push(asked.elapsed());
        if !answer.success {
            return Err(format!("a short query was not solved: {}", answer.message).into());
        }
        let sent = client.senders[0].send(pose)?;
        samples.targets.push(client.answer_to(0, sent)?.received.saturating_sub(sent));
    }
    Ok(())
}

fn request(pose: &Pose) -> SolveIK::Request {
    SolveIK::Request {
        pose: PoseStamped { pose: pose.clone(), ..PoseStamped::default() },
        ..SolveIK::Request::default()
    }
}

/// A request that uses all its attempts, with the slower method.
fn long_request(pose: &Pose) -> SolveIK::Request {
    SolveIK::Request { pick: "most_manipulable".into(), solver: "fabrik".into(), ..request(pose) }
}
