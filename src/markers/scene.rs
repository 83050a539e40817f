//! Markers of the robot: targets and tips, path, reach, joints at their limits.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3};
use r2r::visualization_msgs::msg::Marker;

use super::messages::{Colour, LINE_LIST, LINE_STRIP, SPHERE, SPHERE_LIST, axes, globe, is_drawable, joined, solid};
use super::skeleton;
use super::trace::Trace;
use crate::reports::{LatestTarget, LatestTargets, StatusColour};
use crate::robot_in_use::{Configuration, LoadedRobot};
use urdf_ik_robot::{Chain, Domain};
use urdf_ik_solver::TipReach;
use urdf_ik_text::names;

/// Length of the axes of a tip relative to the robot's size.
const TIP_AXES: f64 = 0.07;
/// Length of the axes of a target relative to the robot's size: longer than those of the tip, so that both are visible
/// when they coincide.
const TARGET_AXES: f64 = 0.12;
/// Diameter of the ball at a target relative to the robot's size.
const TARGET_BALL: f64 = 0.035;
/// Width of the lines from tip to target, of the path and of the trace, relative to the robot's size.
const THIN_LINE: f64 = 0.004;
/// Width of the lines of a reach relative to the robot's size.
const REACH_LINE: f64 = 0.002;
/// Shortest line between target and tip, and between two points of the trace, relative to the robot's size.
const MIN_MOVE: f64 = 0.002;
/// Size of a joint relative to the mean link length.
const JOINT_SIZE: f64 = 1.2;
/// Smallest and largest size of a joint relative to the robot's size.
const JOINT_SIZES: (f64, f64) = (0.03, 0.2);
/// Distance from a limit, as a fraction of the range, at which a joint counts as being at its limit.
const LIMIT_MARGIN: f64 = 1e-3;

/// Opacity of the colours of targets.
const TARGET_OPACITY: f32 = 0.8;
/// Colour of the path.
const PATH: Colour = [0.1, 0.65, 0.85, 0.9];
/// Colour of joints at a limit.
const AT_LIMIT: Colour = [1.0, 0.1, 0.1, 0.7];
/// Colour of the spheres that bound the reach of a tip.
const REACH: Colour = [0.3, 0.5, 0.9, 0.3];

/// Draws one robot, including the traces of its tips.
pub(super) struct Drawer {
    loaded: Arc<LoadedRobot>,
    /// True if the joints are drawn because the links are not visible.
    has_skeleton: bool,
    /// One for each tip.
    traces: Vec<Trace>,
    /// [`LatestTargets::cleared`] when the traces began.
    cleared: u64,
    /// Size of the robot \[m\], the reference of all other sizes.
    size: f64,
    /// Size of a joint \[m\].
    joint_size: f64,
}

impl Drawer {
    pub(super) fn new(loaded: Arc<LoadedRobot>, has_skeleton: bool) -> Self {
        let size = loaded.size();
        let joints = loaded.chain.tips().iter().map(|tip| tip.variables.len()).max().unwrap_or(1);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let mean_link = size / joints as f64;
        let (least, greatest) = JOINT_SIZES;
        let joint_size = (JOINT_SIZE * mean_link).clamp(least * size, greatest * size);
        let traces = loaded.chain.tips().iter().map(|_| Trace::default()).collect();
        Self { loaded, has_skeleton, traces, cleared: 0, size, joint_size }
    }

    /// True if it draws this robot.
    pub(super) fn is_of(&self, loaded: &Arc<LoadedRobot>) -> bool {
        Arc::ptr_eq(&self.loaded, loaded)
    }

    /// All markers of the robot at `now` with its `latest` targets.
    pub(super) fn markers(&mut self, now: &Configuration, latest: &LatestTargets) -> Vec<Marker> {
        let loaded = Arc::clone(&self.loaded);
        let (robot, chain) = (&loaded.robot, &loaded.chain);
        let root_in_base = now.root_in_base();
        let poses: Vec<_> = robot.link_poses(&now.positions).iter().map(|pose| root_in_base * pose).collect();
        if self.cleared != latest.cleared {
            self.cleared = latest.cleared;
            self.traces.iter_mut().for_each(Trace::clear);
        }
        let mut markers = Vec::new();
        for (tip, reach) in loaded.solver.reach().iter().enumerate() {
            let carrier = &chain.tips()[tip];
            let target = latest.targets.iter().find(|target| target.tip_link == carrier.link);
            if let Some(link) = robot.link_index(&carrier.link) {
                markers.extend(self.markers_of_tip(tip, &carrier.pose_on(&poses[link]), target, reach));
            }
        }
        markers.push(self.strip("path".into(), 0, latest.path.clone(), &[PATH]));
        let at_limits = joints_at_limits(chain, &now.positions);
        let at_limits = at_limits.map(|joint| poses[robot.joints()[joint].child].translation.vector.into());
        markers.push(joined("limits".into(), 0, SPHERE_LIST, self.joint_size, at_limits, &[AT_LIMIT]));
        if self.has_skeleton {
            markers.extend(skeleton::markers(robot, &poses, self.size, self.joint_size));
        }
        markers.retain(is_drawable);
        markers
    }

    /// The markers of one tip.
    fn markers_of_tip(
        &mut self,
        tip: usize,
        pose: &Isometry3<f64>,
        target: Option<&LatestTarget>,
        reach: &TipReach,
    ) -> Vec<Marker> {
        let namespace = |what| self.namespace(tip, what);
        let (id, at) = (first_id(tip), Point3::from(pose.translation.vector));
        let globe = |id, radius| {
            joined(namespace("reach"), id, LINE_LIST, REACH_LINE * self.size, globe(reach.centre, radius), &[REACH])
        };
        let mut markers = vec![
            axes(namespace("tip"), id, &[*pose], TIP_AXES * self.size),
            globe(id, reach.working.outer),
            globe(id + 1, reach.working.inner),
        ];
        if let Some((target, frame)) = target.and_then(|target| Some((target, target.pose?))) {
            let [red, green, blue] = StatusColour::of(target.outcome).rgb();
            let (centre, colour) = (frame.translation, [red, green, blue, TARGET_OPACITY]);
            let ball = [TARGET_BALL * self.size; 3];
            markers.push(solid(namespace("target"), id + 1, SPHERE, ball, &centre.into(), colour));
            if target.has_orientation {
                markers.push(axes(namespace("target"), id, &[frame], TARGET_AXES * self.size));
            }
            let centre = Point3::from(centre.vector);
            if (at - centre).norm() > MIN_MOVE * self.size {
                markers.push(self.strip(namespace("difference"), id, vec![at, centre], &[colour]));
            }
        }
        let trace_namespace = namespace("trace");
        self.traces[tip].note(at, MIN_MOVE * self.size);
        let (trace, fading) = self.traces[tip].drawn();
        markers.push(self.strip(trace_namespace, id, trace, &fading));
        markers
    }

    /// The namespace of markers of a tip, with its name if there are several.
    fn namespace(&self, tip: usize, what: &str) -> String {
        match self.loaded.chain.tips() {
            [_] => what.to_owned(),
            tips => format!("{}/{what}", names::short(&tips[tip].link)),
        }
    }

    fn strip(&self, namespace: String, id: i32, points: Vec<Point3<f64>>, colours: &[Colour]) -> Marker {
        joined(namespace, id, LINE_STRIP, THIN_LINE * self.size, points, colours)
    }
}

/// The first of two ids of a tip in each namespace: truncated names may be equal.
fn first_id(tip: usize) -> i32 {
    i32::try_from(2 * tip).unwrap_or(i32::MAX - 1)
}

/// The joints of the chain at a limit, with the joints that mimic them. `positions` has one entry for each joint of
/// the robot.
fn joints_at_limits<'a>(chain: &'a Chain, positions: &'a [f64]) -> impl Iterator<Item = usize> + 'a {
    let is_at_limit = |variable: usize| match chain.variables()[variable].domain {
        Domain::Interval { lower, upper } => {
            let position = positions[chain.variables()[variable].joint];
            (position - lower).min(upper - position) <= LIMIT_MARGIN * (upper - lower)
        }
        Domain::Circle => false,
    };
    chain.joints().iter().filter(move |joint| is_at_limit(joint.variable)).map(|joint| joint.joint)
}
