//! The running node: `make bench-node [SECONDS=60]`.
//!
//! First its latency, from a target's departure to the arrival of its joint state, against bare r2r nodes that answer
//! with the same messages without solving (`echo.rs`). They alternate in short blocks, in which the others are
//! stopped, so that other work on the machine affects all of them equally. Then short queries and targets, alone and
//! beside long queries. Then a stream of 1000 targets per second on a smooth path: how many are solved, their age
//! when they are solved, and the processor time and memory of the node. Then such a stream through a ball, and past
//! it: also how near the arm comes. At last a thousand steering commands per second.

mod beside;
mod client;
mod echo;
mod figures;
mod latency;
mod obstacle;
mod path;
mod peer;
mod steering;
mod stream;

use std::env;
use std::error::Error;
use std::process::Command;

use client::Client;
use peer::Peer;

type Fallible<T> = Result<T, Box<dyn Error>>;

const URDF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/urdf/arm7.urdf");
/// Default duration of the stream \[s\].
const SECONDS: u32 = 60;

fn main() -> Fallible<()> {
    // Cargo marks a benchmark run by this argument.
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.first().map(String::as_str) {
        Some(echo::TASK) => echo::in_a_task(),
        Some(echo::LOOP) => echo::in_the_loop(),
        Some(echo::SERVICE) => echo::in_a_service(),
        Some(seconds) => measure(seconds.parse().map_err(|_| format!("'{seconds}' is not a whole number of seconds"))?),
        None => measure(SECONDS),
    }
}

fn measure(seconds: u32) -> Fallible<()> {
    let mut node = Command::new(env!("CARGO_BIN_EXE_urdf_ik_node"));
    node.args(["--ros-args", "-p"]).arg(format!("urdf_file:={URDF}"));
    let mut peers = vec![Peer::start("urdf_ik_node", node)?];
    for (name, word) in [("echo in a task", echo::TASK), ("echo in the spin loop", echo::LOOP)] {
        let mut command = Command::new(env::current_exe()?);
        command.args([word, "--ros-args"]);
        peers.push(Peer::start(name, command)?);
    }
    let path = path::of_poses(URDF)?;
    let mut client = Client::new(&peers, &path[0])?;
    latency::measure(&mut client, &peers, &path)?;
    peers.truncate(1);
    beside::measure(&mut client, &path)?;
    println!("1000 targets a second for {seconds} s:");
    stream::measure(client, &peers[0], &path, seconds)?;
    drop(peers);
    obstacle::measure(seconds)?;
    steering::measure(seconds)
}
