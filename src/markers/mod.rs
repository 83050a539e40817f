//! The topic `markers`: what RViz draws beside the robot.
//!
//! Nothing is computed without a subscriber. The robot's state is copied and drawn in a task of its own, so that no joint state waits for
//! a drawing.

mod messages;
mod missing_meshes;
mod obstacles;
mod scene;
mod skeleton;
mod trace;

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::visualization_msgs::msg::{Marker, MarkerArray};
use r2r::{Node, QosProfile};

use crate::Result;
use crate::arm::Arm;
use crate::robot_in_use::Configuration;
use crate::ros::{MARKERS, Publisher, task};
use scene::Drawer;

/// Time after which all is drawn anew: RViz forgets what a person hides, and shows it again only where it comes again.
const REPEAT: Duration = Duration::from_secs(1);

pub(crate) fn serve(node: &mut Node, arm: &Arc<Arm>) -> Result {
    let publisher = Publisher::<MarkerArray>::new(node, MARKERS, QosProfile::default().keep_last(10))?;
    let arm = Arc::clone(arm);
    task::start(async move {
        let mut drawing = Drawing::default();
        loop {
            let begun = Instant::now();
            match publisher.subscribers() {
                0 => drawing = Drawing::default(),
                subscribers => {
                    let message = drawing.next(&arm, subscribers).await;
                    if !message.markers.is_empty() {
                        publisher.publish(&message);
                    }
                }
            }
            task::rest(begun, task::DRAWING_PERIOD).await;
        }
    });
    Ok(())
}

/// The obstacles and attached parts, and the nearest pair of bodies if it is nearer than twice the margin.
fn around(arm: &Arm, now: &Configuration) -> Vec<Marker> {
    let known = arm.surroundings.known();
    // The robot is just being replaced.
    if !known.is_of(&now.loaded) {
        return Vec::new();
    }
    let mut markers = obstacles::markers(&known, now);
    if let Some(scene) = arm.surroundings.scene_now(&now.loaded, &now.positions) {
        let near = now.near_pairs(&scene, 2.0 * arm.settings().collision_margin);
        markers.extend(near.first().map(|near| obstacles::nearest(near, now)));
    }
    markers.retain(messages::is_drawable);
    markers
}

/// What the subscribers have been sent, and what comes next.
#[derive(Default)]
struct Drawing {
    /// `None` before a robot is known.
    drawer: Option<Drawer>,
    /// What has been sent, and in which frame.
    markers: Vec<Marker>,
    frame: String,
    /// How many received all of it, and when.
    subscribers: usize,
    all_sent: Option<Instant>,
}

impl Drawing {
    /// What to send now: all where somebody is new or `REPEAT` has passed, else what has changed.
    async fn next(&mut self, arm: &Arm, subscribers: usize) -> MarkerArray {
        let Ok(now) = arm.configuration() else { return MarkerArray::default() };
        let frame = now.loaded.base_frame(&arm.settings());
        let drawer = match self.drawer.take().filter(|drawer| drawer.is_of(&now.loaded)) {
            Some(drawer) => drawer,
            None => Drawer::new(Arc::clone(&now.loaded), missing_meshes::are_missed(arm, &now.loaded).await),
        };
        let mut markers = self.drawer.insert(drawer).markers(&now, &arm.reporter.latest.now());
        markers.extend(around(arm, &now));
        let is_current = self.all_sent.is_some_and(|sent| sent.elapsed() < REPEAT)
            && subscribers <= self.subscribers
            && frame == self.frame;
        let message = if is_current {
            messages::changes(&frame, &self.markers, &markers)
        } else {
            self.all_sent = Some(Instant::now());
            messages::all(&frame, &markers)
        };
        (self.markers, self.frame, self.subscribers) = (markers, frame, subscribers);
        message
    }
}
