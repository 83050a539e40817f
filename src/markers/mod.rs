//! The topic `markers`: additional displays for RViz.
//!
//! Nothing is computed without a subscriber. A separate task copies the robot's state and draws it, so that joint
//! states are not delayed.
//!
//! Markers are output only. A separate task copies the state and publishes the markers while there is a subscriber. It
//! repeats all of them each second, because RViz drops hidden markers and loses them on a reset.

mod goals;
mod messages;
mod missing_meshes;
mod obstacles;
mod regions;
mod scene;
mod skeleton;
mod trace;
mod workspace;

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::QosProfile;
use r2r::visualization_msgs::msg::{Marker, MarkerArray};

use crate::Result;
use crate::arm::Arm;
use crate::robot_in_use::Configuration;
use crate::ros::{MARKERS, OBSTACLES, Publisher, Spinner, task};
use crate::solving::GoalView;
use regions::DrawingSpace;
use scene::Drawer;

/// Period after which everything is sent again: RViz forgets hidden markers until they are sent again.
const REPEAT: Duration = Duration::from_secs(1);

pub(crate) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>) -> Result {
    let publisher = Publisher::<MarkerArray>::new(spinner, MARKERS, QosProfile::default().keep_last(10))?;
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

/// The obstacles and attached parts, and the nearest pair of bodies within twice the margin.
fn around(arm: &Arm, now: &Configuration) -> Vec<Marker> {
    let environment = arm.surroundings.environment();
    // The robot is just being replaced.
    if !environment.is_of(&now.loaded) {
        return Vec::new();
    }
    let mut markers = obstacles::markers(&environment, now).unwrap_or_else(|fault| {
        let sentence = format!("the obstacles are not drawn: {fault}");
        arm.reporter.warnings.warn_once(OBSTACLES.short_name(), &sentence, &sentence);
        Vec::new()
    });
    if let Some(scene) = arm.surroundings.scene_now(&now.loaded, &now.positions) {
        let near = now.near_pairs(&scene, 2.0 * arm.settings().collision_margin);
        markers.extend(near.first().map(|near| obstacles::nearest(near, now)));
    }
    markers.retain(messages::is_drawable);
    markers
}

/// The workspace and the standing goals.
fn regions(arm: &Arm, now: &Configuration) -> impl Iterator<Item = Marker> {
    let space = DrawingSpace { reach: now.loaded.solver.reach(), size: now.loaded.size() };
    let settings = arm.settings();
    let goals = goals::markers(&GoalView::all(arm, now, &settings), space);
    let workspace = workspace::marker(&settings.servo.workspace, space);
    goals.into_iter().chain([workspace]).filter(messages::is_drawable)
}

/// The markers sent to the subscribers.
#[derive(Default)]
struct Drawing {
    /// `None` before a robot is environment.
    drawer: Option<Drawer>,
    /// The markers sent, and their frame.
    markers: Vec<Marker>,
    frame: String,
    /// Number of subscribers that received all of them, and the time.
    subscribers: usize,
    all_sent: Option<Instant>,
}

impl Drawing {
    /// The next message: everything for a new subscriber or after `REPEAT`, otherwise the changes.
    async fn next(&mut self, arm: &Arm, subscribers: usize) -> MarkerArray {
        let Ok(now) = arm.configuration() else { return MarkerArray::default() };
        let frame = now.loaded.base_frame(&arm.settings());
        let drawer = match self.drawer.take().filter(|drawer| drawer.is_of(&now.loaded)) {
            Some(drawer) => drawer,
            None => Drawer::new(Arc::clone(&now.loaded), missing_meshes::are_missed(arm, &now.loaded).await),
        };
        let latest = arm.reporter.latest.lock().clone();
        let mut markers = self.drawer.insert(drawer).markers(&now, &latest);
        markers.extend(around(arm, &now));
        markers.extend(regions(arm, &now));
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
