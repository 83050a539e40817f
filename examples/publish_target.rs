//! Moves the tool along a circle: targets at 50 Hz, with the outcome of each. The same as `publish_target.py`, with
//! r2r.

use std::error::Error;
use std::f64::consts::TAU;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures::StreamExt;
use r2r::QosProfile;
use r2r::geometry_msgs::msg::{Point, Pose, PoseStamped, Quaternion};
use r2r::urdf_ik::msg::SolveStatus;

const PERIOD: Duration = Duration::from_millis(20);
/// Time of one round.
const DURATION: Duration = Duration::from_secs(10);
/// Targets per round.
const ANSWERS: usize = 500;
/// In the frame of the base link \[m\].
const CENTRE: [f64; 3] = [0.45, 0.0, 0.4];
const RADIUS: f64 = 0.1;

/// The target at `phase`, from 0 to 1.
fn circle(phase: f64) -> PoseStamped {
    let (sine, cosine) = (TAU * phase).sin_cos();
    let position = Point { x: CENTRE[0], y: CENTRE[1] + RADIUS * sine, z: CENTRE[2] + RADIUS * cosine };
    // The tool points down.
    let orientation = Quaternion { x: 1.0, y: 0.0, z: 0.0, w: 0.0 };
    // A header without frame_id means the base link.
    PoseStamped { pose: Pose { position, orientation }, ..PoseStamped::default() }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut node = r2r::Node::create(r2r::Context::create()?, "circle", "")?;
    let targets = node.create_publisher::<PoseStamped>("urdf_ik/target_pose", QosProfile::default().keep_last(1))?;
    let statuses = node.subscribe::<SolveStatus>("urdf_ik/status", QosProfile::default())?;
    let is_found = targets.wait_for_inter_process_subscribers()?;
    let stop = Arc::new(AtomicBool::new(false));
    let is_stopped = Arc::clone(&stop);
    let spinning = tokio::task::spawn_blocking(move || {
        while !is_stopped.load(Ordering::Relaxed) {
            node.spin_once(Duration::from_millis(10));
        }
    });
    is_found.await?;

    let counted = statuses.take(ANSWERS).filter(|status| ready(status.outcome == SolveStatus::SOLVED as u8)).count();
    tokio::pin!(counted);
    let start = Instant::now();
    let mut timer = tokio::time::interval(PERIOD);
    let reached = loop {
        tokio::select! {
            reached = &mut counted => break reached,
            _ = timer.tick() => targets.publish(&circle(start.elapsed().as_secs_f64() / DURATION.as_secs_f64()))?,
        }
    };
    println!("{reached} of {ANSWERS} targets reached");
    // The node must be dropped before the process ends.
    stop.store(true, Ordering::Relaxed);
    Ok(spinning.await?)
}
