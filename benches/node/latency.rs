//! Latency between the publication of a target and the arrival of its joint state.

use std::time::Duration;

use r2r::geometry_msgs::msg::Pose;

use super::Fallible;
use super::client::{Client, pace};
use super::figures::Times;
use super::peer::Peer;

/// Rounds in which each peer has one block.
const ROUNDS: usize = 40;
/// Measured targets of a block.
const BLOCK: u32 = 200;
/// Earlier targets, which warm up caches and memory.
const WARM_UP: u32 = 20;
/// Period of the targets.
const PERIOD: Duration = Duration::from_millis(1);

/// Prints the latencies of all peers; the first is compared with the others.
pub fn measure(client: &mut Client, peers: &[Peer], path: &[Pose]) -> Fallible<()> {
    let mut samples = vec![Vec::new(); peers.len()];
    let mut poses: Vec<_> = peers.iter().map(|_| path.iter().cycle()).collect();
    for peer in peers {
        peer.pause()?;
    }
    for _ in 0..ROUNDS {
        for (index, peer) in peers.iter().enumerate() {
            peer.resume()?;
            pace(PERIOD, WARM_UP + BLOCK, |turn| {
                let pose = poses[index].next().ok_or("the path is empty")?;
                let sent = client.senders[index].send(pose)?;
                let answer = client.answer_to(index, sent)?;
                if turn >= WARM_UP {
                    samples[index].push(answer.received.saturating_sub(sent));
                }
                Ok(())
            })?;
            peer.pause()?;
        }
    }
    for peer in peers {
        peer.resume()?;
    }
    let times: Vec<Times> = samples.into_iter().map(Times::new).collect();
    println!("Latency from target to joint state, {} targets each [us]:", times[0].count());
    println!();
    println!("| | p50 | p99 | node over this, p50 | p99 |");
    println!("|---|---|---|---|---|");
    for (peer, own) in peers.iter().zip(&times) {
        let [(middle, least), (high, most)] =
            [500, 990].map(|share| (own.per_mille(share), times[0].per_mille(share) / own.per_mille(share)));
        println!("| {} | {middle:.0} | {high:.0} | {least:.2} | {most:.2} |", peer.name);
    }
    println!();
    Ok(())
}
