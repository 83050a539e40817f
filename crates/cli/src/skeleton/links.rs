//! Arms of two or three links in a URDF: all configurations by closed forms.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;
use urdf_ik::nalgebra::{Point3, Vector3};
use urdf_ik::robot::{Chain, Robot, without_whole_turns};
use urdf_ik::segments::InputError;
use urdf_ik::skeleton::Reason;
use urdf_ik::solver::closed_form::three_link::ThreeLinkChain;
use urdf_ik::solver::closed_form::two_link::{Freedom, PlanarChain, PlaneFreedom, Solutions, SpatialChain};

use super::answer::{AnswerOut, ConfigurationOut, Description, PointsOut, ResidualOut, timed};
use super::request::{SkeletonRequest, StartEntry};
use super::session::Session;
use crate::Result;

/// Distance below which consecutive link origins are one point \[m\].
const MIN_LINK_LENGTH: f64 = 1e-9;
/// Distance below which a position is at a limit \[rad\].
const LIMIT_TOLERANCE: f64 = 1e-9;

/// An arm of two or three links and its current configuration.
pub struct LinkedArmSession {
    robot: Robot,
    chain: Chain,
    form: LinkedArm,
    /// Indices of the links with the points as origins, from the base to the tip.
    frames: Vec<usize>,
    points: Vec<String>,
    /// Positions of the chain's variables \[rad\].
    positions: Vec<f64>,
}

/// The closed form of an arm.
enum LinkedArm {
    Planar(PlanarChain),
    Spatial(SpatialChain),
    Three(ThreeLinkChain),
}

/// The configurations for a target, their distance from it \[m\], and their self-motions.
struct LinkSolutions {
    configurations: Vec<Vec<f64>>,
    missing: f64,
    free: Vec<&'static str>,
}

impl LinkedArm {
    fn of(chain: &Chain) -> Result<Self> {
        let why = |e: &dyn ToString| format!("the URDF is no arm of two or three links: {}", e.to_string());
        Ok(match chain.joints().len() {
            2 => Self::Planar(PlanarChain::of(chain).map_err(|e| why(&e))?),
            3 => Self::Spatial(SpatialChain::of(chain).map_err(|e| why(&e))?),
            5 => Self::Three(ThreeLinkChain::of(chain).map_err(|e| why(&e))?),
            count => {
                let shapes = "two links have 2 joints, or 3 on a base that turns, and three links have 5";
                return Err(why(&format!("it has {count} movable joints; {shapes}")).into());
            }
        })
    }

    fn kind(&self) -> &'static str {
        if matches!(self, Self::Three(_)) { "three_link" } else { "two_link" }
    }

    fn solve(&self, target: &Point3<f64>, up: &Vector3<f64>) -> Result<LinkSolutions, InputError> {
        Ok(match self {
            Self::Planar(chain) => LinkSolutions::new(&chain.solve(target)?),
            Self::Spatial(chain) => LinkSolutions::new(&chain.solve(target)?),
            Self::Three(chain) => LinkSolutions::new(&chain.solve(target, up)?),
        })
    }
}

impl LinkSolutions {
    fn new<const JOINTS: usize, const MAX: usize>(solutions: &Solutions<[f64; JOINTS], MAX>) -> Self
    where
        [f64; JOINTS]: Default,
    {
        let configurations = solutions.configurations().iter().map(|positions| positions.to_vec()).collect();
        let in_plane: &[_] = match solutions.freedom {
            Freedom::None => &[],
            Freedom::Shoulder => &["shoulder"],
            Freedom::Elbow => &["elbow"],
            Freedom::AllButSum => &["shoulder against elbow"],
            Freedom::Both => &["shoulder", "elbow"],
        };
        let plane: &[_] = match solutions.plane {
            PlaneFreedom::None => &[],
            PlaneFreedom::Yaw => &["yaw"],
            PlaneFreedom::Roll => &["roll"],
            PlaneFreedom::YawAgainstShoulder => &["yaw against shoulder"],
        };
        Self { configurations, missing: solutions.missing, free: [in_plane, plane].concat() }
    }
}

impl LinkedArmSession {
    /// The session of an arm at its neutral positions.
    ///
    /// # Errors
    /// A message if the robot is not an arm of two or three links.
    pub fn new(robot: Robot) -> Result<Self> {
        let chain = Chain::with_defaults(&robot, None, &[])?;
        let form = LinkedArm::of(&chain)?;
        let positions = chain.positions_from(&robot.neutral_positions());
        let frames = distinct_links(&robot, chain.tip_names()[0]);
        let points = frames.iter().map(|link| robot.links()[*link].name.clone()).collect();
        Ok(Self { robot, chain, form, frames, points, positions })
    }

    fn rest(&self) -> Vec<f64> {
        self.chain.positions_from(&self.robot.neutral_positions())
    }

    fn pose_at(&self, positions: &[f64]) -> PointsOut {
        let mut all = self.robot.neutral_positions();
        self.chain.write_into(&self.robot, positions, &mut all);
        let poses = self.robot.link_poses(&all);
        let frames = self.frames.iter().map(|link| &poses[*link]);
        let points = frames.clone().map(|pose| pose.translation.vector.into()).collect();
        PointsOut { points, orientations: frames.map(|pose| pose.rotation.coords.into()).collect() }
    }

    fn configuration(&self, positions: &[f64]) -> ConfigurationOut {
        ConfigurationOut {
            points: self.pose_at(positions).points,
            positions: self.by_name(positions),
            allowed: self.chain.contains(positions),
        }
    }

    fn by_name(&self, positions: &[f64]) -> BTreeMap<String, f64> {
        let names = self.chain.variable_names().into_iter().map(str::to_owned);
        names.zip(positions.iter().copied()).collect()
    }

    /// Wraps each position by full revolutions to the one within its limits nearest to `before`.
    fn wrapped(&self, mut positions: Vec<f64>, before: &[f64]) -> Vec<f64> {
        for ((position, variable), before) in positions.iter_mut().zip(self.chain.variables()).zip(before) {
            let domain = &variable.domain;
            *position = domain.turn_near(*position, domain.clamp(*before), LIMIT_TOLERANCE).unwrap_or(*position);
        }
        positions
    }
}

impl Session for LinkedArmSession {
    fn description(&self) -> Description {
        let rest = self.pose_at(&self.rest());
        let shape = |ends: &[[f64; 3]]| ((Point3::from(ends[1]) - Point3::from(ends[0])).norm(), "hinge", Value::Null);
        let shapes: Vec<_> = rest.points.windows(2).map(shape).collect();
        Description::of_arm(self.robot.name(), self.form.kind(), &self.points, rest, shapes.into_iter())
    }

    fn urdf(&self) -> Result<String> {
        Err("the model is a URDF already, so --urdf-out has nothing to write; give that file to the node".into())
    }

    fn answer(&mut self, request: &SkeletonRequest) -> Result<AnswerOut> {
        let is_three = matches!(self.form, LinkedArm::Three(_));
        let kind = format!("a model of the kind {}", self.form.kind());
        request.check(&kind, if is_three { "up tolerance" } else { "tolerance" })?;
        let tolerance = request.options.0.options(&request.seed)?.tolerance;
        let before = match request.seed {
            StartEntry::Previous => self.positions.clone(),
            StartEntry::Rest => self.rest(),
            StartEntry::Given(_) => return Err("--seed has no meaning for arms with a closed form".into()),
        };
        let target = request.only_target(&self.points)?;
        let up = request.up.map_or_else(Vector3::z, Vector3::from);
        let (LinkSolutions { configurations, missing, free }, microseconds) =
            timed(|| self.form.solve(&target.position.into(), &up))?;
        let configurations: Vec<_> = configurations.into_iter().map(|found| self.wrapped(found, &before)).collect();
        let breaks = |positions: &Vec<f64>| !self.chain.contains(positions);
        let rank = |positions: &Vec<f64>| (breaks(positions), apart(positions, &before));
        let nearer = |a: &&Vec<f64>, b: &&Vec<f64>| rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal);
        let nearest = configurations.iter().min_by(nearer);
        self.positions = nearest.cloned().unwrap_or(before);
        let pose = self.pose_at(&self.positions);
        let is_reached = missing <= tolerance;
        let solved = is_reached && self.chain.contains(&self.positions);
        let reason = if is_reached { Reason::Limits.to_string() } else { format!("out of reach by {missing:.6} m") };
        let [wrist, tip] = last_link(&pose.points);
        let residual = ResidualOut {
            point: target.point.clone(),
            distance: (tip - Point3::from(target.position)).norm(),
            angle: if is_three { (tip - wrist).angle(&up) } else { 0.0 },
            solved,
            reason: (!solved).then_some(reason),
            // A closed form finds all configurations.
            is_certain: !solved,
        };
        Ok(AnswerOut {
            pose,
            residuals: vec![residual],
            is_solved: solved,
            microseconds,
            positions: Some(self.by_name(&self.positions)),
            configurations: Some(configurations.iter().map(|positions| self.configuration(positions)).collect()),
            free: Some(free),
            ..AnswerOut::default()
        })
    }
}

/// The links from the root to `tip` with distinct origins.
fn distinct_links(robot: &Robot, tip: &str) -> Vec<usize> {
    let parent = |link: &usize| robot.links()[*link].parent_joint.map(|joint| robot.joints()[joint].parent);
    let mut way: Vec<usize> = std::iter::successors(robot.link_index(tip), parent).collect();
    way.reverse();
    let poses = robot.link_poses(&robot.neutral_positions());
    way.dedup_by(|link, before| {
        (poses[*link].translation.vector - poses[*before].translation.vector).norm() < MIN_LINK_LENGTH
    });
    way
}

/// The ends of the last link.
fn last_link(points: &[[f64; 3]]) -> [Point3<f64>; 2] {
    let last = points.len() - 1;
    [points[last.saturating_sub(1)], points[last]].map(Point3::from)
}

/// The largest wrapped difference of two configurations over all joints \[rad\].
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let turn = |(a, b): (&f64, &f64)| without_whole_turns(a - b).abs();
    a.iter().zip(b).map(turn).fold(0.0, f64::max)
}
