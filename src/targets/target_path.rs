//! The topic `target_path` of each tip: the latest path is planned and followed.

use std::sync::Arc;

use futures::StreamExt;
use r2r::WrappedTypesupport;
use r2r::geometry_msgs::msg::PoseArray;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolvePath::Request;
use tokio::sync::watch;

use super::path_motion::{MovingPath, PathOutput, PathStarted, PreparedPath};
use crate::Result;
use crate::messages::{has_valid_frame, quality};
use crate::reports::Refused;
use crate::ros::{Spinner, TARGET_PATH, task, tip_namespaces};
use crate::solving::Queries;

/// A received path.
#[derive(Clone)]
struct PathMessage {
    poses: PoseArray,
    /// True if the frame name was not valid UTF-8.
    frame_is_damaged: bool,
}

pub(super) fn serve(spinner: &mut Spinner, queries: &Arc<Queries>, output: &Arc<PathOutput>) -> Result {
    let settings = queries.arm.settings();
    for (tip, namespaces) in tip_namespaces::of_tips(&settings.tip_links)?.into_iter().enumerate() {
        let sender = watch::Sender::new(None);
        let newest = sender.subscribe();
        let mut arrivals = futures::stream::SelectAll::new();
        for namespace in namespaces {
            let quality = quality(&settings);
            arrivals.push(spinner.subscribe_raw(TARGET_PATH, &TARGET_PATH.name_in(&namespace), quality)?.boxed());
        }
        let arm = Arc::clone(&queries.arm);
        task::start(arrivals.for_each(move |raw| {
            arm.reporter.counts.lock().arrived += 1;
            if let Ok(poses) = PoseArray::from_serialized_bytes(&raw) {
                sender.send_replace(Some(PathMessage { poses, frame_is_damaged: !has_valid_frame(&raw) }));
            }
            std::future::ready(())
        }));
        task::start(execute_each(Arc::clone(queries), tip, newest, Arc::clone(output)));
    }
    Ok(())
}

/// Plans and executes each latest path of a tip.
async fn execute_each(
    queries: Arc<Queries>,
    tip: usize,
    mut newest: watch::Receiver<Option<PathMessage>>,
    output: Arc<PathOutput>,
) {
    let Queries { arm, searches } = &*queries;
    while newest.changed().await.is_ok() {
        let Some(PathMessage { poses, frame_is_damaged }) = newest.borrow_and_update().clone() else { continue };
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
            Ok(_) if newest.has_changed().unwrap_or(true) => continue,
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
