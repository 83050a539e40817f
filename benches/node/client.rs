//! The client: sends targets to the nodes under measurement and receives their answers.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::{Point, Pose, PoseStamped};
use r2r::sensor_msgs::msg::JointState;
use r2r::shape_msgs::msg::SolidPrimitive;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::{Obstacle, ObstacleChange, SolveStatus};
use r2r::urdf_ik::srv::ChangeObstacles;
use r2r::{QosProfile, WrappedServiceTypeSupport};

use super::Fallible;
use super::peer::Peer;

/// Deep enough to lose nothing while this process waits for a processor.
const DEPTH: usize = 1000;
/// Time limit for the start of the nodes \[s\].
const PATIENCE: Duration = Duration::from_secs(20);
/// Number of joint states stored until their statuses arrive.
const KEPT: usize = 100;

/// An answered target. Times since the epoch.
pub struct Answer {
    /// Stamp of the target.
    pub target: Duration,
    /// Stamp of its joint state.
    pub solved: Duration,
    /// Arrival time of the joint state.
    pub received: Duration,
    /// The outcome in the status.
    pub outcome: u8,
}

/// Sends targets to one node.
pub struct Sender(r2r::Publisher<PoseStamped>);

impl Sender {
    /// Sends a target now, which is its stamp: time since the epoch.
    pub fn send(&self, pose: &Pose) -> Fallible<Duration> {
        let now = now();
        let header = Header { stamp: r2r::Clock::to_builtin_time(&now), frame_id: String::new() };
        self.0.publish(&PoseStamped { header, pose: pose.clone() })?;
        Ok(now)
    }
}

/// Receives the messages of one node.
struct Listener {
    states: BoxStream<'static, JointState>,
    statuses: BoxStream<'static, SolveStatus>,
    /// Stamps and arrival times of the last joint states.
    arrived: VecDeque<(Duration, Duration)>,
    /// Positions of all joint states.
    positions: Vec<Vec<f64>>,
    /// Statuses whose joint state has not arrived yet.
    waiting: VecDeque<SolveStatus>,
}

/// A node that communicates with all peers.
pub struct Client {
    node: r2r::Node,
    /// One for each peer.
    pub senders: Vec<Sender>,
    listeners: Vec<Listener>,
    /// Full ROS names of the peers.
    names: Vec<String>,
}

impl Client {
    /// Waits until each peer has answered a target at `pose`.
    pub fn new(peers: &[Peer], pose: &Pose) -> Fallible<Self> {
        let mut node = r2r::Node::create(r2r::Context::create()?, "bench_client", "")?;
        let quality = QosProfile::default().keep_last(DEPTH);
        let (mut senders, mut listeners) = (Vec::new(), Vec::new());
        for Peer { node: name, .. } in peers {
            senders.push(Sender(node.create_publisher(&format!("{name}/target_pose"), quality.clone())?));
            listeners.push(Listener {
                states: node.subscribe(&format!("{name}/joint_states"), quality.clone())?.boxed(),
                statuses: node.subscribe(&format!("{name}/status"), quality.clone())?.boxed(),
                arrived: VecDeque::new(),
                positions: Vec::new(),
                waiting: VecDeque::new(),
            });
        }
        let names = peers.iter().map(|peer| peer.node.clone()).collect();
        let mut client = Self { node, senders, listeners, names };
        for (index, peer) in peers.iter().enumerate() {
            client.wait_for(index, &peer.node, pose)?;
        }
        Ok(client)
    }

    /// Sends a target repeatedly until it is answered.
    fn wait_for(&mut self, peer: usize, name: &str, pose: &Pose) -> Fallible<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if self.senders[peer].0.get_inter_process_subscription_count()? > 0 {
                self.senders[peer].send(pose)?;
            }
            if !self.answers(peer, Duration::from_millis(50)).is_empty() {
                return Ok(());
            }
        }
        Err(format!("{name} has not answered within {} s", PATIENCE.as_secs()).into())
    }

    /// A client of the service `name` of a peer, whose node must be urdf_ik; waits for the service.
    pub fn service<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        peer: usize,
        name: &str,
    ) -> Fallible<r2r::Client<S>> {
        let quality = QosProfile::services_default().keep_last(DEPTH);
        let service = self.node.create_client::<S>(&format!("{}/{name}", self.names[peer]), quality)?;
        let mut available = r2r::Node::is_available(&service)?.boxed_local();
        while (&mut available).now_or_never().is_none() {
            self.node.spin_once(Duration::from_millis(20));
        }
        Ok(service)
    }

    /// Adds a ball to the obstacles of a peer, whose node must be urdf_ik.
    pub fn add_ball(&mut self, peer: usize, [x, y, z]: [f64; 3], radius: f64) -> Fallible<()> {
        let service = self.service::<ChangeObstacles::Service>(peer, "change_obstacles")?;
        let pose = Pose { position: Point { x, y, z }, ..Pose::default() };
        let sphere = SolidPrimitive {
            type_: SolidPrimitive::SPHERE as u8,
            dimensions: vec![radius],
            ..SolidPrimitive::default()
        };
        let obstacle = Obstacle { id: "ball".into(), pose, primitives: vec![sphere], ..Obstacle::default() };
        let change = ObstacleChange { change: "add".into(), obstacle, ..ObstacleChange::default() };
        let mut answer = service.request(&ChangeObstacles::Request { changes: vec![change] })?.boxed_local();
        loop {
            self.node.spin_once(Duration::from_millis(20));
            match (&mut answer).now_or_never() {
                None => {}
                Some(answer) => {
                    let answer = answer?;
                    return if answer.success { Ok(()) } else { Err(answer.message.into()) };
                }
            }
        }
    }

    /// The positions of all joint states of a peer so far.
    pub fn positions(&self, peer: usize) -> Vec<Vec<f64>> {
        self.listeners[peer].positions.clone()
    }

    /// The received answers of a peer, after waiting until something arrives from any peer, or for `patience` at most.
    pub fn answers(&mut self, peer: usize, patience: Duration) -> Vec<Answer> {
        self.node.spin_once(patience);
        let now = now();
        for listener in &mut self.listeners {
            listener.take_in(now);
        }
        self.listeners[peer].answers()
    }

    /// Waits for the answer to the target with this stamp.
    pub fn answer_to(&mut self, peer: usize, target: Duration) -> Fallible<Answer> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let answers = self.answers(peer, PATIENCE);
            if let Some(answer) = answers.into_iter().find(|answer| answer.target == target) {
                return Ok(answer);
            }
        }
        Err("a target was not answered".into())
    }
}

impl Listener {
    fn take_in(&mut self, now: Duration) {
        while let Some(Some(state)) = self.states.next().now_or_never() {
            self.arrived.push_front((since_epoch(&state.header.stamp), now));
            self.positions.push(state.position);
        }
        self.arrived.truncate(KEPT);
        while let Some(Some(status)) = self.statuses.next().now_or_never() {
            self.waiting.push_back(status);
        }
    }

    /// The statuses whose joint states have arrived.
    fn answers(&mut self) -> Vec<Answer> {
        let mut answers = Vec::new();
        while let Some(status) = self.waiting.front() {
            let solved = since_epoch(&status.joint_state_stamp);
            let Some(&(_, received)) = self.arrived.iter().find(|(stamp, _)| *stamp == solved) else { break };
            let target = since_epoch(&status.header.stamp);
            answers.push(Answer { target, solved, received, outcome: status.outcome });
            self.waiting.pop_front();
        }
        answers
    }
}

/// Time since the epoch, as on the nodes' clocks.
pub fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

pub fn since_epoch(stamp: &Time) -> Duration {
    Duration::new(u64::try_from(stamp.sec).unwrap_or_default(), stamp.nanosec)
}

/// Calls `action` with 0, 1, 2 … once per period, `times` times.
pub fn pace(period: Duration, times: u32, mut action: impl FnMut(u32) -> Fallible<()>) -> Fallible<()> {
    let start = Instant::now();
    for turn in 0..times {
        thread::sleep((period * turn).saturating_sub(start.elapsed()));
        action(turn)?;
    }
    Ok(())
}
