//! A thousand steering commands per second: latency of the first joint state after a command, regularity of the
//! stamps, and CPU cost.
//!
//! Twists of the tip and velocities of joints replace each other. Which of them a joint state follows
//! is in its status.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use r2r::QosProfile;
use r2r::geometry_msgs::msg::{Twist, TwistStamped, Vector3};
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::ServoStatus;

use super::client::{now, since_epoch};
use super::figures::Times;
use super::peer::Peer;
use super::{Fallible, URDF};

/// Period of the commands.
const PERIOD: Duration = Duration::from_millis(1);
/// Consecutive commands of one kind.
const TURN: u32 = 50;
/// Commands before the measurement.
const WARM_UP: u32 = 3000;
/// Time limit for the start of the node.
const PATIENCE: Duration = Duration::from_secs(20);

/// Publishes commands and receives the joint states.
struct Hand {
    node: r2r::Node,
    twists: r2r::Publisher<TwistStamped>,
    jogs: r2r::Publisher<JointState>,
    states: BoxStream<'static, JointState>,
    statuses: BoxStream<'static, ServoStatus>,
    /// Arrival time of each joint state, by its stamp.
    arrived: BTreeMap<Duration, Duration>,
    /// For each status: the stamp of its joint state, and whether it follows a twist.
    heard: Vec<(Duration, bool)>,
}

impl Hand {
    fn new(name: &str) -> Fallible<Self> {
        let mut node = r2r::Node::create(r2r::Context::create()?, "bench_hand", "")?;
        let quality = QosProfile::default().keep_last(1000);
        Ok(Self {
            twists: node.create_publisher(&format!("{name}/target_twist"), quality.clone())?,
            jogs: node.create_publisher(&format!("{name}/joint_jog"), quality.clone())?,
            states: node.subscribe(&format!("{name}/joint_states"), quality.clone())?.boxed(),
            statuses: node.subscribe(&format!("{name}/servo_status"), quality)?.boxed(),
            node,
            arrived: BTreeMap::new(),
            heard: Vec::new(),
        })
    }

    /// Sends a command, which changes its direction every second, and returns its send time.
    fn send(&self, turn: u32, twists: bool) -> Fallible<Duration> {
        let sign = if (turn / 1000).is_multiple_of(2) { 1.0 } else { -1.0 };
        let now = now();
        let header = Header { stamp: r2r::Clock::to_builtin_time(&now), frame_id: String::new() };
        if twists {
            let linear = Vector3 { z: 0.05 * sign, ..Vector3::default() };
            self.twists.publish(&TwistStamped { header, twist: Twist { linear, ..Twist::default() } })?;
        } else {
            let (name, velocity) = (vec!["upper_arm_roll_joint".into()], vec![0.1 * sign]);
            self.jogs.publish(&JointState { header, name, velocity, ..JointState::default() })?;
        }
        Ok(now)
    }

    fn listen(&mut self, patience: Duration) {
        self.node.spin_once(patience);
        let now = now();
        while let Some(Some(state)) = self.states.next().now_or_never() {
            self.arrived.insert(since_epoch(&state.header.stamp), now);
        }
        while let Some(Some(status)) = self.statuses.next().now_or_never() {
            self.heard.push((since_epoch(&status.header.stamp), !status.tip_links.is_empty()));
        }
    }

    fn wait(&mut self) -> Fallible<()> {
        let start = Instant::now();
        while self.heard.is_empty() {
            if start.elapsed() > PATIENCE {
                return Err(format!("the node has not moved within {} s", PATIENCE.as_secs()).into());
            }
            self.send(0, true)?;
            self.listen(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Sends this many commands; returns the send times of those that replace the other kind, and whether they are
    /// twists.
    fn steer(&mut self, commands: u32) -> Fallible<Vec<(Duration, bool)>> {
        let mut taking_over = Vec::new();
        let start = Instant::now();
        for turn in 0..commands {
            while start.elapsed() < PERIOD * turn {
                self.listen((PERIOD * turn).saturating_sub(start.elapsed()));
            }
            let twists = (turn / TURN).is_multiple_of(2);
            let sent = self.send(turn, twists)?;
            if turn % TURN == 0 {
                taking_over.push((sent, twists));
            }
        }
        Ok(taking_over)
    }
}

/// Steers for this many seconds, and prints the results.
pub fn measure(seconds: u32) -> Fallible<()> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_urdf_ik_node"));
    command.args(["--ros-args", "-p"]).arg(format!("urdf_file:={URDF}")).args(["-p", "publish_rate:=1000.0"]);
    // Set explicitly, so that the figures do not depend on the defaults [rad/s², rad/s³].
    command.args(["-p", "default_acceleration:=5.0", "-p", "default_jerk:=50.0"]);
    let peer = Peer::start("urdf_ik_node", command)?;
    let mut hand = Hand::new(&peer.node)?;
    hand.wait()?;
    hand.steer(WARM_UP)?;
    hand.heard.clear();
    hand.arrived.clear();
    let (before, start) = (peer.usage()?, Instant::now());
    let taking_over = hand.steer(1000 * seconds)?;
    let (after, elapsed) = (peer.usage()?, start.elapsed());
    hand.listen(Duration::from_millis(100));
    println!("\n1000 steering commands a second for {seconds} s, with a publish_rate of 1000 Hz:\n");
    report(&hand, &taking_over);
    super::stream::report_usage(&before, &after, elapsed);
    Ok(())
}

fn report(hand: &Hand, taking_over: &[(Duration, bool)]) {
    let follows = |(sent, twists): &(Duration, bool)| {
        let (stamp, _) = hand.heard.iter().find(|(stamp, follows)| stamp > sent && follows == twists)?;
        hand.arrived.get(stamp)?.checked_sub(*sent)
    };
    let latencies: Vec<Duration> = taking_over.iter().filter_map(follows).collect();
    println!("- {} of {} commands that take over are followed", latencies.len(), taking_over.len());
    let stamps: Vec<Duration> = hand.arrived.keys().copied().collect();
    let steps = stamps.windows(2).filter_map(|pair| pair[1].checked_sub(pair[0])).collect();
    for (what, times) in [
        ("the first joint state that follows a command arrives", Times::new(latencies)),
        ("time from one stamp to the next", Times::new(steps)),
    ] {
        let [least, middle, high, higher, greatest] = [1, 500, 990, 999, 1000].map(|share| times.per_mille(share));
        println!(
            "- {what} [us]: p0.1 {least:.0}, p50 {middle:.0}, p99 {high:.0}, p99.9 {higher:.0}, greatest {greatest:.0}"
        );
    }
}
