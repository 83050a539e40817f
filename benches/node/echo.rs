//! Bare r2r nodes for comparison: they answer each target at once with a joint state and a status of the same size as
//! the node's. Both follow r2r's own examples.

use std::time::Duration;

use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;
use futures::{Stream, StreamExt};
use r2r::QosProfile;
use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::sensor_msgs::msg::JointState;
use r2r::urdf_ik::msg::SolveStatus;
use r2r::urdf_ik::srv::SolveIK;

use super::Fallible;

/// Argument that makes this program [`in_a_task`].
pub const TASK: &str = "echo-in-a-task";
/// Argument that makes this program [`in_the_loop`].
pub const LOOP: &str = "echo-in-the-loop";
/// Argument that makes this program [`in_a_service`].
pub const SERVICE: &str = "echo-in-a-service";
/// Duration of one spin.
const PERIOD: Duration = Duration::from_millis(100);

/// Answers in a tokio task, while a separate thread spins the node.
pub fn in_a_task() -> Fallible<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (mut node, answers) = create()?;
    runtime.spawn(answers);
    loop {
        node.spin_once(PERIOD);
    }
}

/// Answers in the thread that spins the node.
pub fn in_the_loop() -> Fallible<()> {
    let mut pool = LocalPool::new();
    let (mut node, answers) = create()?;
    pool.spawner().spawn_local(answers)?;
    loop {
        node.spin_once(PERIOD);
        pool.run_until_stalled();
    }
}

/// Answers queries with empty responses in the thread that spins the node: the reference of `make soak`.
pub fn in_a_service() -> Fallible<()> {
    let mut pool = LocalPool::new();
    let mut node = r2r::Node::create(r2r::Context::create()?, "echo", "")?;
    let requests = node.create_service::<SolveIK::Service>("~/solve_ik", QosProfile::services_default())?;
    pool.spawner().spawn_local(requests.for_each(|request| {
        if let Err(error) = request.respond(SolveIK::Response::default()) {
            eprintln!("the echo could not answer: {error}");
        }
        std::future::ready(())
    }))?;
    loop {
        node.spin_once(PERIOD);
        pool.run_until_stalled();
    }
}

/// The node, and a future that answers its targets while it is polled.
fn create() -> Fallible<(r2r::Node, impl Future<Output = ()> + Send)> {
    let mut node = r2r::Node::create(r2r::Context::create()?, "echo", "")?;
    let targets = node.subscribe("~/target_pose", QosProfile::default().keep_last(1))?;
    let states = node.create_publisher("~/joint_states", QosProfile::default().keep_last(10))?;
    let statuses = node.create_publisher("~/status", QosProfile::default().keep_last(10))?;
    let answers = answer(targets, states, statuses, Stamps(node.get_ros_clock()));
    Ok((node, answers))
}

/// The node's clock.
struct Stamps(std::sync::Arc<std::sync::Mutex<r2r::Clock>>);

impl Stamps {
    fn now(&self) -> Time {
        let now = self.0.lock().map(|mut clock| clock.get_now().unwrap_or_default()).unwrap_or_default();
        r2r::Clock::to_builtin_time(&now)
    }
}

async fn answer(
    mut targets: impl Stream<Item = PoseStamped> + Unpin,
    states: r2r::Publisher<JointState>,
    statuses: r2r::Publisher<SolveStatus>,
    stamps: Stamps,
) {
    let joints =
        ["shoulder_pan", "shoulder_lift", "upper_arm_roll", "elbow", "forearm_roll", "wrist_pitch", "wrist_roll"];
    let mut state = JointState {
        name: joints.map(|joint| format!("{joint}_joint")).to_vec(),
        position: vec![0.0; joints.len()],
        ..JointState::default()
    };
    let mut status = SolveStatus {
        message: "solved: 1.234e-16 m and 1.234e-16 rad off".into(),
        tip_link: "tool0".into(),
        solver: "jacobian".into(),
        ..SolveStatus::default()
    };
    while let Some(target) = targets.next().await {
        state.header.stamp = stamps.now();
        state.position[0] = target.pose.position.x;
        status.joint_state_stamp = state.header.stamp.clone();
        status.header = target.header;
        if let Err(error) = states.publish(&state).and_then(|()| statuses.publish(&status)) {
            eprintln!("the echo could not answer: {error}");
        }
    }
}
