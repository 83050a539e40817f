//! The topic `target_path` of each tip: the latest path is planned and followed.

use std::sync::Arc;

use r2r::WrappedTypesupport;
use r2r::geometry_msgs::msg::PoseArray;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolvePath::Request;
use tokio::sync::watch;

use super::path_motion::{MovingPath, PathOutput, PathStarted, PreparedPath};
use crate::Result;
use crate::messages::quality;
use crate::reports::Refused;
use crate::ros::{Spinner, TARGET_PATH, task, tip_namespaces};
use crate::solving::Queries;

/// A received path.
struct PathMessage {
    poses: PoseArray,
    /// True if the frame name was not valid UTF-8.
    frame_is_damaged: bool,
}

impl PathMessage {
    fn new(message: &<PoseArray as WrappedTypesupport>::CStruct) -> Self {
        let poses = PoseArray::from_native(message);
        // r2r replaces a damaged name by an empty one, which would mean the base link.
        let frame_is_damaged = poses.header.frame_id.is_empty() && message.header.frame_id.size > 0;
        Self { poses, frame_is_damaged }
    }
}

pub(super) fn serve(spinner: &mut Spinner, queries: &Arc<Queries>, output: &Arc<PathOutput>) -> Result {
    let settings = queries.arm.settings();
    for (tip, namespaces) in tip_namespaces::of_tips(&settings.tip_links)?.into_iter().enumerate() {
        let newest = watch::Sender::new(None);
        for namespace in namespaces {
            let (arm, sender) = (Arc::clone(&queries.arm), newest.clone());
            let name = TARGET_PATH.name_in(&namespace);
            spinner.on_each_native::<PoseArray>(name, quality(&settings), move |message| {
                arm.reporter.counts.lock().arrived += 1;
                sender.send_replace(Some(PathMessage::new(message)));
            })?;
        }
        task::start(execute_each(Arc::clone(queries), tip, newest, Arc::clone(output)));
    }
    Ok(())
}

/// Takes the latest path out of the channel, which would otherwise keep it: a path may be large.
fn take(newest: &watch::Sender<Option<PathMessage>>) -> Option<PathMessage> {
    let mut taken = None;
    newest.send_if_modified(|latest| {
        taken = latest.take();
        false
    });
    taken
}

/// Plans and executes each latest path of a tip.
async fn execute_each(
    queries: Arc<Queries>,
    tip: usize,
    newest: watch::Sender<Option<PathMessage>>,
    output: Arc<PathOutput>,
) {
    let Queries { arm, searches } = &*queries;
    let mut arrivals = newest.subscribe();
    // A path may be there already.
    arrivals.mark_changed();
    while arrivals.changed().await.is_ok() {
        let Some(PathMessage { poses, frame_is_damaged }) = take(&newest) else { continue };
        let header = poses.header.clone();
        let plan = async {
            if frame_is_damaged {
                return Err(Refused::damaged_frame());
            }
            let tip_link = arm.start()?.loaded.chain.tips()[tip].link.clone();
            let PoseArray { header, poses } = poses;
            let request = Request { header, poses, tip_link, ..Request::default() };
            PreparedPath::new(arm, &request).await?.plan(searches).await
        };
        let planned = match plan.await {
            // A newer path has arrived during planning: it replaces this one.
            Ok(_) if newest.borrow().is_some() => continue,
            planned => planned,
        };
        let started = match planned {
            Ok(planned) => planned.start(arm, &output).await,
            Err(refused) => Err(refused),
        };
        let report = started.map(|PathStarted { report, moving }| {
            if let Some(moving) = moving.filter(|moving| moving.driven.is_some()) {
                task::start(report_failure(Arc::clone(&queries), tip, header.clone(), moving));
            }
            report
        });
        arm.report_outcome(TARGET_PATH.short_name(), tip, header, report);
    }
}

/// Waits for the end of a path that a driver executes, and reports a failure of the driver.
async fn report_failure(queries: Arc<Queries>, tip: usize, header: Header, mut moving: MovingPath) {
    if let Err(refused) = moving.end(&queries.arm).await {
        queries.arm.report_outcome(TARGET_PATH.short_name(), tip, header, Err(refused));
    }
}
