//! The movable joints between a base link and one or more tip links. Fixed joints are part of the poses between them.
//!
//! A tool belongs to the chain's tip, so everything that refers to the tip follows. The node exchanges chain and solver
//! at rest, and keeps the rest of the robot, its scenes and its motion.

use std::collections::HashMap;

use nalgebra::{Isometry3, Unit, Vector3};

use super::error::check_positions;
use super::{ChainError, Domain, Joint, JointKind, Mimic, PositionsError, Robot};
use urdf_ik_mathematics::segments::MAX_COORDINATE;

/// An independent variable of a chain: the position \[rad or m\] of a joint that mimics no other.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Name of the joint.
    pub name: String,
    /// Index of the joint among [`Robot::joints`].
    pub joint: usize,
    /// Limits of the joint \[rad or m\]. Limits of joints that mimic it are ignored.
    pub domain: Domain,
    /// Part of the domain in which solvers search \[rad or m\]: see [`Robot::working_range`].
    pub working_range: Domain,
    /// True if the position is a length \[m\] rather than an angle \[rad\].
    pub prismatic: bool,
}

impl Variable {
    /// Half of the length of its domain \[rad or m\]. Infinite, so that no middle is preferred, if the domain is
    /// unbounded or a single position, or exceeds the working range.
    #[doc(hidden)]
    pub fn half_range(&self) -> f64 {
        if self.working_range == self.domain { self.domain.half_range() } else { f64::INFINITY }
    }
}

/// A movable joint of a chain, oriented away from the base link.
///
/// Its frame is relative to its parent's frame (after the motion of the parent), or to the base link's frame. A joint
/// that the chain traverses from child to parent moves in the opposite direction: its multiplier and offset are
/// negated.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainJoint {
    /// Index of the joint among [`Robot::joints`].
    pub joint: usize,
    /// Index of the preceding chain joint, which is always smaller; `None` for the base link.
    pub parent: Option<usize>,
    /// Pose of the joint's frame before its motion, in the frame of `parent` (translation \[m\]).
    pub placement: Isometry3<f64>,
    /// Axis in the joint's frame, a unit vector.
    pub axis: Unit<Vector3<f64>>,
    /// Revolute, continuous or prismatic.
    pub kind: JointKind,
    /// Index among [`Chain::variables`] of the variable that moves the joint.
    pub variable: usize,
    /// Motion along the axis per unit of the variable \[rad or m per rad or m\].
    pub multiplier: f64,
    /// Motion along the axis with the variable at 0 \[rad or m\].
    pub offset: f64,
}

/// A frame with a target: a link, or a tool attached to the link.
#[derive(Debug, Clone, PartialEq)]
pub struct Tip {
    /// Name of the link.
    pub link: String,
    /// Pose of the tip in the link's frame (translation \[m\]): the tool offset of [`Chain::with_tools`], or the
    /// identity.
    pub tool: Isometry3<f64>,
    /// Index among [`Chain::joints`] of the last joint before the tip.
    pub parent: usize,
    /// Pose of the tip in the frame of `parent` after its motion (translation \[m\]).
    pub placement: Isometry3<f64>,
    /// Indices among [`Chain::variables`] of the variables that move the tip, ascending.
    pub variables: Vec<usize>,
    /// Pose of the link in the frame of `parent`. Tools are composed with it, so that rounding does not accumulate.
    link_placement: Isometry3<f64>,
}

impl Tip {
    /// Pose of the tip for the pose `link` of its link. Both are in the same frame (translation \[m\]).
    #[must_use]
    pub fn pose_on(&self, link: &Isometry3<f64>) -> Isometry3<f64> {
        // A product with the identity may change the sign of a zero.
        if self.tool == Isometry3::identity() { *link } else { link * self.tool }
    }
}

/// A tree of joints from one base link to one or more tip links. Immutable.
///
/// Positions of a chain are slices with one entry for each of [`Chain::variables`], in rad or m. Poses are in the base
/// link's frame, with translations in m.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    base: String,
    tips: Vec<Tip>,
    joints: Vec<ChainJoint>,
    variables: Vec<Variable>,
}

impl Chain {
    /// The chain of `robot` from the link `base` to the links `tips`. The base need not be an ancestor of a tip.
    ///
    /// # Errors
    /// [`ChainError`] if `tips` is empty, a link does not exist, a tip is repeated or does not move, a joint in the
    /// chain is floating or planar or has a zero axis, or the lower limit of a joint is above the upper one.
    pub fn new(robot: &Robot, base: &str, tips: &[&str]) -> Result<Self, ChainError> {
        let link = |name: &str| {
            robot.link_index(name).ok_or_else(|| ChainError::UnknownLink {
                robot: robot.name().to_owned(),
                link: name.to_owned(),
                links: robot.links().iter().map(|link| link.name.clone()).collect(),
            })
        };
        let mut builder = Builder {
            robot,
            base: link(base)?,
            joints: Vec::new(),
            variables: Vec::new(),
            known: HashMap::new(),
            moved: HashMap::new(),
        };
        let mut built: Vec<Tip> = Vec::with_capacity(tips.len());
        for name in tips {
            if built.iter().any(|tip| tip.link == *name) {
                return Err(ChainError::TipTwice { link: (*name).to_owned() });
            }
            built.push(builder.tip(link(name)?)?);
        }
        if built.is_empty() {
            let leaves = robot.leaves().into_iter().map(str::to_owned).collect();
            return Err(ChainError::TipNeeded { leaves });
        }
        let Builder { joints, variables, .. } = builder;
        Ok(Self { base: base.to_owned(), tips: built, joints, variables })
    }

    /// Names of the default tip links: the leaf links that move relative to both the root link and `base`, or all
    /// leaves if none moves. Frames fixed to the foot of an arm, common in industrial robots, are thus excluded.
    pub fn default_tips<'r>(robot: &'r Robot, base: Option<&str>) -> Vec<&'r str> {
        let body = |link: &str| robot.link_index(link).map(|link| robot.rigid_body(link));
        let still = [Some(robot.root()), base.and_then(body)];
        let leaves = robot.leaves();
        let moving: Vec<&str> = leaves.iter().copied().filter(|leaf| !still.contains(&body(leaf))).collect();
        if moving.is_empty() { leaves } else { moving }
    }

    /// The chain from `base` (`None`: the robot's root link) to `tips` (empty: the only one of
    /// [`Chain::default_tips`]).
    ///
    /// ```
    /// use urdf_ik_robot::{Chain, Robot};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
    /// let chain = Chain::with_defaults(&robot, None, &[])?;
    /// assert_eq!((chain.tips().len(), chain.variables().len()), (1, 7));
    /// for variable in chain.variables() {
    ///     let [lower, upper] = variable.domain.ends();
    ///     println!("{}: {lower} to {upper} rad", variable.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ChainError::TipNeeded`] if no tip is named and there is not exactly one default. Otherwise the errors of
    /// [`Chain::new`].
    pub fn with_defaults(robot: &Robot, base: Option<&str>, tips: &[&str]) -> Result<Self, ChainError> {
        let leaves = if tips.is_empty() { Self::default_tips(robot, base) } else { Vec::new() };
        let base = base.unwrap_or_else(|| robot.links()[robot.root()].name.as_str());
        match leaves.as_slice() {
            [] => Self::new(robot, base, tips),
            [leaf] => Self::new(robot, base, &[leaf]),
            _ => Err(ChainError::TipNeeded { leaves: leaves.into_iter().map(str::to_owned).collect() }),
        }
    }

    /// A copy of the chain with other tools, one per tip. A tool is the pose of the tip in the tip link's frame
    /// (translation \[m\]); forward kinematics, Jacobians, targets and twists then refer to it. The identity reproduces
    /// the chain without a tool bit for bit.
    ///
    /// # Errors
    /// [`ChainError::ToolCount`] if the number of poses differs from the number of tips, and [`ChainError::Tool`] for a
    /// pose that is not finite or has a coordinate beyond 1e9 m.
    pub fn with_tools(&self, tools: &[Isometry3<f64>]) -> Result<Self, ChainError> {
        if tools.len() != self.tips.len() {
            return Err(ChainError::ToolCount { tools: tools.len(), tips: self.tips.len() });
        }
        let mut chain = self.clone();
        for (tip, tool) in chain.tips.iter_mut().zip(tools) {
            // Written so that NaN fails.
            let is_finite = tool.rotation.coords.iter().all(|entry| entry.is_finite());
            if !(is_finite && tool.translation.vector.iter().all(|length| length.abs() <= MAX_COORDINATE)) {
                return Err(ChainError::Tool { tip: tip.link.clone() });
            }
            tip.tool = *tool;
            tip.placement = tip.pose_on(&tip.link_placement);
        }
        Ok(chain)
    }

    /// The tool offset of each tip in its link's frame (translation \[m\]), in the order of [`Chain::tips`].
    pub fn tools(&self) -> Vec<Isometry3<f64>> {
        self.tips.iter().map(|tip| tip.tool).collect()
    }

    /// Checks that `positions` has one finite entry for each of the chain's variables \[rad or m\].
    ///
    /// # Errors
    /// [`PositionsError`] for a wrong number of entries, or the first that is not finite.
    pub fn check_positions(&self, positions: &[f64]) -> Result<(), PositionsError> {
        check_positions(self.variables.iter().map(|variable| &variable.name), positions)
    }

    /// Name of the base link. All poses of the chain are in its frame.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The tips, in the order in which they were named.
    pub fn tips(&self) -> &[Tip] {
        &self.tips
    }

    /// Names of the tip links, in the order of [`Chain::tips`].
    pub fn tip_names(&self) -> Vec<&str> {
        self.tips.iter().map(|tip| tip.link.as_str()).collect()
    }

    /// The movable joints of the chain, each after its parent.
    pub fn joints(&self) -> &[ChainJoint] {
        &self.joints
    }

    /// The variables, in the order of their joints from the base link.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The domain of each variable \[rad or m\], in the order of [`Chain::variables`].
    pub fn domains(&self) -> Vec<Domain> {
        self.variables.iter().map(|variable| variable.domain).collect()
    }

    /// True if a variable moves `joint` (an index of [`Robot::joints`]), directly or by a mimic rule. The joint need
    /// not be part of the chain.
    pub fn moves(&self, robot: &Robot, joint: usize) -> bool {
        let master = robot.joints()[joint].rule(joint).master;
        self.variables.iter().any(|variable| variable.joint == master)
    }

    /// Names of the variables, in the order of [`Chain::variables`].
    pub fn variable_names(&self) -> Vec<&str> {
        self.variables.iter().map(|variable| variable.name.as_str()).collect()
    }

    /// Index of the tip on the link named `link`; `None` if there is no such tip.
    pub fn tip_index(&self, link: &str) -> Option<usize> {
        self.tips.iter().position(|tip| tip.link == link)
    }

    /// True if `positions` has one finite entry for each variable \[rad or m\], within its domain.
    pub fn contains(&self, positions: &[f64]) -> bool {
        positions.len() == self.variables.len()
            && self.variables.iter().zip(positions).all(|(variable, position)| variable.domain.contains(*position))
    }

    /// Positions inside the limits \[rad or m\], one per variable: the middle of each working range, or 0 for a circle.
    pub fn nominal_positions(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.working_range.middle()).collect()
    }

    /// Extracts the chain's positions \[rad or m\], one per variable, from `robot_positions` \[rad or m\], one per
    /// joint of the robot.
    pub fn positions_from(&self, robot_positions: &[f64]) -> Vec<f64> {
        self.variables.iter().map(|variable| robot_positions[variable.joint]).collect()
    }

    /// Writes the chain's `positions` \[rad or m\], one per variable, into `robot_positions` \[rad or m\], one per
    /// joint of the robot, and then sets all mimic joints of the robot there.
    pub fn write_into(&self, robot: &Robot, positions: &[f64], robot_positions: &mut [f64]) {
        for (variable, position) in self.variables.iter().zip(positions) {
            robot_positions[variable.joint] = *position;
        }
        robot.apply_mimic(robot_positions);
    }
}

struct Builder<'a> {
    robot: &'a Robot,
    base: usize,
    joints: Vec<ChainJoint>,
    variables: Vec<Variable>,
    /// Robot joint → chain joint. Paths to several tips share their first joints.
    known: HashMap<usize, usize>,
    /// Robot joint → its variable.
    moved: HashMap<usize, usize>,
}

impl Builder<'_> {
    fn tip(&mut self, link: usize) -> Result<Tip, ChainError> {
        let robot = self.robot;
        let mut parent = None;
        let mut placement = Isometry3::identity();
        let [up, down] = robot.joints_between([self.base, link]);
        // In the order of the path from the base link; `upwards` is from child to parent.
        let path = up.iter().map(|joint| (*joint, true)).chain(down.iter().rev().map(|joint| (*joint, false)));
        for (index, upwards) in path {
            let joint = &robot.joints()[index];
            if !upwards {
                placement *= joint.origin;
            }
            if joint.kind.has_position() {
                let at = match self.known.get(&index) {
                    Some(&at) => at,
                    None => self.add(index, parent, placement, upwards)?,
                };
                parent = Some(at);
                placement = Isometry3::identity();
            } else if joint.lacks_axis {
                return Err(ChainError::ZeroAxis { joint: joint.name.clone() });
            } else if joint.kind != JointKind::Fixed {
                return Err(ChainError::NotOneAxis {
                    joint: joint.name.clone(),
                    kind: joint.kind.name(),
                    base: self.link_name(self.base),
                    tip: self.link_name(link),
                });
            }
            if upwards {
                placement *= joint.origin.inverse();
            }
        }
        let parent =
            parent.ok_or_else(|| ChainError::Empty { base: self.link_name(self.base), tip: self.link_name(link) })?;
        let variables = self.variables_above(parent);
        let (link, tool) = (self.link_name(link), Isometry3::identity());
        Ok(Tip { link, tool, parent, placement, variables, link_placement: placement })
    }

    /// Adds a movable joint and gives its index in the chain.
    fn add(
        &mut self,
        index: usize,
        parent: Option<usize>,
        placement: Isometry3<f64>,
        upwards: bool,
    ) -> Result<usize, ChainError> {
        let joint = &self.robot.joints()[index];
        let Mimic { master, multiplier, offset } = joint.rule(index);
        let sign = if upwards { -1.0 } else { 1.0 };
        let variable = match self.moved.get(&master) {
            Some(&variable) => variable,
            None => self.add_variable(master)?,
        };
        self.joints.push(ChainJoint {
            joint: index,
            parent,
            placement,
            axis: joint.axis,
            kind: joint.kind,
            variable,
            multiplier: sign * multiplier,
            offset: sign * offset,
        });
        self.known.insert(index, self.joints.len() - 1);
        Ok(self.joints.len() - 1)
    }

    fn add_variable(&mut self, index: usize) -> Result<usize, ChainError> {
        let joint: &Joint = &self.robot.joints()[index];
        if let Some((lower, upper)) = joint.reversed_limits() {
            return Err(ChainError::LimitsReversed { joint: joint.name.clone(), lower, upper });
        }
        let (domain, working_range) = (self.robot.domain(index), self.robot.working_range(index));
        let prismatic = joint.kind == JointKind::Prismatic;
        self.variables.push(Variable { name: joint.name.clone(), joint: index, domain, working_range, prismatic });
        self.moved.insert(index, self.variables.len() - 1);
        Ok(self.variables.len() - 1)
    }

    fn variables_above(&self, joint: usize) -> Vec<usize> {
        let above = std::iter::successors(Some(joint), |&joint| self.joints[joint].parent);
        let mut variables: Vec<usize> = above.map(|joint| self.joints[joint].variable).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    fn link_name(&self, link: usize) -> String {
        self.robot.links()[link].name.clone()
    }
}
