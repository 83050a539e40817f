//! The displayed handles, and the update from one drawing to the next.

use std::collections::BTreeMap;
use std::time::Instant;

use nalgebra::Isometry3;
use r2r::visualization_msgs::msg::InteractiveMarkerUpdate;

use super::handles::{Handle, Handles, RobotHandles};
use super::marker::{self, Appearance};
use crate::arm::Arm;
use crate::messages::TargetAxes;
use crate::robot_in_use::Configuration;
use crate::solving::GoalView;
use urdf_ik_goals::Grip;
use urdf_ik_robot::ChainPoses;

/// Size of a handle as a fraction of that of the arm.
const SIZE: f64 = 0.2;
/// Size of a handle that moves a goal, and of one that turns it, as a fraction of that of the robot. The rings of an
/// orientation surround the handle of the tip, which is often at the same place.
const GOAL_SIZES: [f64; 2] = [0.1, 0.26];
/// Size of a handle of an arm without extent \[m\].
const DEFAULT_SIZE: f64 = 0.2;
/// Smallest and largest size of a handle \[m\].
const BOUNDS: (f64, f64) = (1e-3, 1e3);

/// A displayed handle.
pub(super) struct HandleView {
    /// The tip link, or the display name of a goal.
    pub name: String,
    pub appearance: Appearance,
    /// In the frame of the appearance.
    pub pose: Isometry3<f64>,
    /// True if a client may display it at another pose.
    is_displaced: bool,
}

/// All handles in their current state.
pub(super) fn draw(arm: &Arm, handles: &Handles) -> Vec<HandleView> {
    let Ok(now) = arm.configuration() else { return Vec::new() };
    let (settings, latest) = (arm.settings(), arm.reporter.latest.lock().clone());
    let poses = tip_poses(&now);
    let draw_tip = |(tip, handle): (usize, &mut Handle)| {
        let name = now.loaded.chain.tips()[tip].link.clone();
        let newest = latest.targets.iter().find(|target| target.tip_link == name);
        let (colour, text) = marker::colour_and_text(newest, handle.notice.as_deref());
        let appearance = Appearance {
            frame: now.loaded.base_frame(&settings),
            title: if poses.tips().len() > 1 { name.clone() } else { String::new() },
            size: size(&now, tip),
            colour,
            text,
            menu: Some(settings.solver),
            axes: handle.axes,
            moves: true,
        };
        let pose = handle.holder.pose(Instant::now()).unwrap_or(poses.tips()[tip]);
        HandleView { name, appearance, pose, is_displaced: std::mem::take(&mut handle.is_displaced) }
    };
    let mut drawn: Vec<HandleView> =
        handles.of(&now.loaded, |all| all.tips.iter_mut().enumerate().map(draw_tip).collect());
    drawn.extend(draw_goals(arm, &now, handles));
    drawn
}

/// The handles of the standing goals that people can move.
fn draw_goals(arm: &Arm, now: &Configuration, handles: &Handles) -> Vec<HandleView> {
    let (views, frame) = (GoalView::all(arm, now, &arm.settings()), now.loaded.base_frame(&arm.settings()));
    let poses: BTreeMap<String, (&GoalView, Isometry3<f64>)> =
        views.iter().filter_map(|view| Some((view.display_name(), (view, view.grip_pose()?)))).collect();
    handles.of(&now.loaded, |RobotHandles { goals, .. }| {
        goals.retain(|name, _| poses.contains_key(name));
        let draw_goal = |(name, (view, pose)): (&String, &(&GoalView, Isometry3<f64>))| {
            let state = goals.get_mut(name);
            let held_at = state.as_ref().and_then(|state| state.holder.pose(Instant::now()));
            let notice = state.as_ref().and_then(|state| state.notice.clone());
            let turns = view.grip().is_some_and(Grip::turns);
            let (colour, text) = marker::colour_and_text_of_goal(!view.is_met(), notice.as_deref());
            let appearance = Appearance {
                frame: frame.clone(),
                title: String::new(),
                size: (GOAL_SIZES[usize::from(turns)] * now.loaded.size()).clamp(BOUNDS.0, BOUNDS.1),
                colour,
                text,
                menu: None,
                axes: if turns { TargetAxes::Followable { kept: None } } else { TargetAxes::Position },
                moves: !turns,
            };
            let pose = held_at.unwrap_or(*pose);
            let is_displaced = state.is_some_and(|state| std::mem::take(&mut state.is_displaced));
            HandleView { name: name.clone(), appearance, pose, is_displaced }
        };
        poses.iter().map(draw_goal).collect()
    })
}

/// Poses of the tips in the base link's frame.
pub(super) fn tip_poses(now: &Configuration) -> ChainPoses {
    let chain = &now.loaded.chain;
    chain.poses_at(&chain.positions_from(&now.positions))
}

fn size(now: &Configuration, tip: usize) -> f64 {
    let extent = now.loaded.solver.reach()[tip].extent;
    if extent > 0.0 { (SIZE * extent).clamp(BOUNDS.0, BOUNDS.1) } else { DEFAULT_SIZE }
}

/// The update from one drawing to the next; `None` if nothing changed. With `whole` all markers are sent completely.
pub(super) fn update(before: &[HandleView], now: &[HandleView], whole: bool) -> Option<InteractiveMarkerUpdate> {
    let mut update = InteractiveMarkerUpdate {
        type_: InteractiveMarkerUpdate::UPDATE as u8,
        erases: before.iter().map(|old| &old.name).filter(|name| of(now, name).is_none()).cloned().collect(),
        ..InteractiveMarkerUpdate::default()
    };
    for new in now {
        match of(before, &new.name).filter(|old| !whole && old.appearance == new.appearance) {
            None => update.markers.push(marker::whole(&new.name, &new.appearance, &new.pose)),
            Some(old) if new.is_displaced || old.pose != new.pose => {
                update.poses.push(marker::moved(&new.name, &new.appearance, &new.pose));
            }
            Some(_) => {}
        }
    }
    let is_empty = update.markers.is_empty() && update.poses.is_empty() && update.erases.is_empty();
    (!is_empty).then_some(update)
}

fn of<'a>(drawing: &'a [HandleView], name: &str) -> Option<&'a HandleView> {
    drawing.iter().find(|drawn| drawn.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::report::StatusColour;
    use urdf_ik_solver::SolverKind;

    fn drawn(name: &str, x: f64, colour: StatusColour) -> HandleView {
        let appearance = Appearance {
            frame: "base".into(),
            title: String::new(),
            size: 0.2,
            colour,
            text: String::new(),
            menu: Some(SolverKind::Jacobian),
            axes: TargetAxes::Followable { kept: None },
            moves: true,
        };
        HandleView { name: name.into(), appearance, pose: Isometry3::translation(x, 0.0, 0.0), is_displaced: false }
    }

    fn names(before: &[HandleView], now: &[HandleView], whole: bool) -> [String; 3] {
        let update = update(before, now, whole).unwrap_or_default();
        let markers: Vec<_> = update.markers.into_iter().map(|marker| marker.name).collect();
        let poses: Vec<_> = update.poses.into_iter().map(|pose| pose.name).collect();
        [markers.join(" "), poses.join(" "), update.erases.join(" ")]
    }

    #[test]
    fn an_update_has_what_has_changed_and_no_more() {
        let before = [
            drawn("still", 0.0, StatusColour::Neutral),
            drawn("moves", 0.0, StatusColour::Neutral),
            drawn("gone", 0.0, StatusColour::Neutral),
        ];
        let now = [
            drawn("still", 0.0, StatusColour::Neutral),
            drawn("moves", 1.0, StatusColour::Neutral),
            drawn("new", 0.0, StatusColour::Neutral),
        ];
        assert_eq!(names(&before, &now, false), ["new", "moves", "gone"]);
        assert_eq!(names(&before, &now, true), ["still moves new", "", "gone"]);
        assert!(update(&now, &now, false).is_none());
        let recoloured = [drawn("still", 0.0, StatusColour::Reached)];
        assert_eq!(names(&before[..1], &recoloured, false), ["still", "", ""]);
        let displaced = [HandleView { is_displaced: true, ..drawn("still", 0.0, StatusColour::Neutral) }];
        assert_eq!(names(&before[..1], &displaced, false), ["", "still", ""]);
    }

    #[test]
    fn the_controls_of_a_marker_have_names_of_their_own_and_unit_quaternions() {
        let mut drawn = drawn("tool0", 0.0, StatusColour::OutOfReach);
        drawn.appearance.text = "out of reach".into();
        let all = TargetAxes::Followable { kept: None };
        for (axes, moves, count) in [(all, true, 8), (TargetAxes::Position, true, 5), (all, false, 5)] {
            (drawn.appearance.axes, drawn.appearance.moves) = (axes, moves);
            let controls = marker::whole("tool0", &drawn.appearance, &drawn.pose).controls;
            let names: std::collections::HashSet<&str> = controls.iter().map(|control| control.name.as_str()).collect();
            assert_eq!((controls.len(), names.len()), (count, count));
            for control in &controls {
                let q = &control.orientation;
                assert!((q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0).abs() < 1e-15, "{}", control.name);
            }
        }
    }
}
