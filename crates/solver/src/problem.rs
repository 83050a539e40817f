//! The input of a solver: targets, seed, mode and preferences.

use std::time::Duration;

use nalgebra::Isometry3;

use super::problem_error::{NumberRange, check_bounds};
use super::{Part, Preference, ProblemError};
use urdf_ik_collision::Clearance;
use urdf_ik_goals::Goal;
use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_robot::{Chain, Domain};
use urdf_ik_text::{named_values, setters};

/// Maximum errors of a target that is met: a pose has no other errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Maximum position error \[m\] over the constrained axes.
    pub position: f64,
    /// Maximum orientation error \[rad\] over the constrained axes.
    pub orientation: f64,
}

impl Default for Tolerance {
    /// 10 µm and 10 µrad.
    fn default() -> Self {
        Self { position: 1e-5, orientation: 1e-5 }
    }
}

/// The desired pose of a tip link, or of the [tool](Chain::with_tools) on it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Target {
    /// Index of the tip among [`Chain::tips`].
    pub tip: usize,
    /// Desired pose of the tip, or of the tool on it, in the base link's frame \[m\].
    pub pose: Isometry3<f64>,
    /// True for each unconstrained axis of the tip's frame: translations along x, y, z, then rotations about x, y, z.
    ///
    /// With one free rotation, the orientation error is the angle between that axis of the tip and that of the target.
    pub free_axes: [bool; 6],
    /// Largest position error \[m\] and orientation error \[rad\] with which the target is met.
    pub tolerance: Tolerance,
    /// Dimensionless weight of the squared error, relative to other targets, if they cannot all be met. Above 0;
    /// default 1.
    pub weight: f64,
}

impl Target {
    /// A target for all six axes of the tip with index `tip` among [`Chain::tips`], with the default tolerance and
    /// weight 1. `pose` is in the base link's frame \[m\]. The solver checks the numbers.
    pub fn new(tip: usize, pose: Isometry3<f64>) -> Self {
        Self { tip, pose, free_axes: [false; 6], tolerance: Tolerance::default(), weight: 1.0 }
    }

    /// The same target with all rotations free.
    pub fn position_only(mut self) -> Self {
        self.free_axes[3..].fill(true);
        self
    }

    setters! {
        with_tip(tip: usize);
        with_pose(pose: Isometry3<f64>);
        with_free_axes(free_axes: [bool; 6]);
        with_tolerance(tolerance: Tolerance);
        with_weight(weight: f64);
    }

    /// True if no position axis is free.
    pub(crate) fn full_position(&self) -> bool {
        !self.free_axes[..3].contains(&true)
    }

    /// True if no rotation is free.
    pub(crate) fn full_orientation(&self) -> bool {
        !self.free_axes[3..].contains(&true)
    }
}

/// Number of axes of all targets that are not free.
pub(crate) fn counted_axes(targets: &[Target]) -> usize {
    targets.iter().map(|target| target.free_axes.iter().filter(|free| !**free).count()).sum()
}

named_values! {
    /// Which of several solutions a search returns.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Pick("pick", "picks") {
        /// The first one. The search starts from the seed.
        #[default]
        First = "first",
        /// The one with the smallest maximum joint displacement from the seed \[rad or m\].
        Nearest = "nearest",
        /// The one with the greatest manipulability.
        MostManipulable = "most_manipulable",
    }
}

named_values! {
    /// The answer if the targets cannot be met.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Unreached("way to answer", "ways to answer") {
        /// The best positions of the attempts, without refinement. Fastest for reachability tests: targets that are
        /// provably out of reach cost no attempt.
        Stop = "stop",
        /// The closest configuration and the reason.
        #[default]
        Closest = "closest",
        /// Positions within their tolerances and the closest orientations
        /// ([`Outcome::PositionOnly`](super::Outcome::PositionOnly)), for arms with fewer than six joints. Standing
        /// goals are met as well; others yield. The same as `Closest` if a position is unreachable or all rotations
        /// are free.
        Position = "position",
    }
}

/// Whether a solve tracks the seed's branch or searches all branches.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Mode<'a> {
    /// Track the seed's branch of solutions: a single attempt with bounded steps.
    ///
    /// A solution is connected to the seed by a joint motion whose tips follow the interpolation from their poses at
    /// the seed to the targets, along straight lines and about constant axes. This continuation decides the branch
    /// and the full revolutions of each joint. If the continuation ends early, the targets are not met, and the
    /// positions are a local minimum of the error near its end. [`Reason::JointLimits`](super::Reason::JointLimits)
    /// reports that joint limits ended it. With [goals](Problem::goals), the attempt alone decides.
    Track {
        /// Largest step of each variable from the seed \[rad or m\], one entry per variable; ∞ leaves a variable
        /// unbounded.
        max_step: &'a [f64],
    },
    /// Search all branches: from the seed, then from other starting points.
    Search {
        /// Which of several solutions to return.
        pick: Pick,
        /// Largest number of starting points, including the seed. Solutions that are in collision or rejected by
        /// [`Problem::accepts`] are not counted, up to 16 times this number.
        attempts: usize,
        /// Seed of the pseudorandom starting points that follow those of the precomputed table.
        random_seed: u64,
    },
}

impl Mode<'_> {
    /// [`Mode::Search`] for the first solution, with 100 attempts.
    pub fn search() -> Self {
        Self::Search { pick: Pick::First, attempts: 100, random_seed: 0 }
    }
}

/// Lower and upper bounds of the positions \[rad or m\]. −∞ or ∞ leaves a side unbounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds<'a> {
    /// Lower bounds \[rad or m\], one entry per variable.
    pub lower: &'a [f64],
    /// Upper bounds \[rad or m\], one entry per variable.
    pub upper: &'a [f64],
}

impl Bounds<'_> {
    /// The part of `limits` within the bounds of the variable with that index.
    pub(super) fn within(&self, index: usize, limits: Domain) -> Domain {
        let ([least, greatest], lower, upper) = (limits.ends(), self.lower[index], self.upper[index]);
        if limits == Domain::Circle && [lower, upper] == limits.ends() {
            return limits;
        }
        Domain::Interval { lower: lower.max(least), upper: upper.min(greatest) }
    }
}

/// Returns true if a configuration is acceptable: one position per variable \[rad or m\].
pub type Acceptance<'a> = &'a (dyn Fn(&[f64]) -> bool + Sync);

/// Returns true to end the search now, for example after Ctrl-C.
pub type Interruption<'a> = &'a (dyn Fn() -> bool + Sync);

/// Returns the cost of a configuration, in any unit. The configuration has one position per variable \[rad or m\].
pub type Cost<'a> = &'a (dyn Fn(&[f64]) -> f64 + Sync);

/// An inverse kinematics problem. [`Solver::solve`](super::Solver::solve) checks it.
///
/// ```
/// use nalgebra::Isometry3;
/// use urdf_ik_solver::{Problem, Target, Unreached};
/// let (targets, seed) = ([Target::new(0, Isometry3::translation(0.3, 0.2, 0.5))], [0.0; 6]);
/// let problem = Problem::new(&targets, &seed).with_unreached(Unreached::Stop);
/// assert!(problem.clearance.is_none());
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct Problem<'a> {
    /// Desired poses: at most one per tip. Tips without a target are free.
    pub targets: &'a [Target],
    /// Goals besides poses, at the level of the targets. At least one target or goal is needed. Closed forms choose
    /// among their solutions, and FABRIK leaves goals to its Newton steps. In tracking, goals skip the continuation:
    /// see [`Mode::Track`]. Without a preference, the freedom that goals leave then keeps joints off their limits.
    pub goals: &'a [Goal],
    /// Initial positions \[rad or m\], one entry per variable. They are clamped to the joint limits.
    pub seed: &'a [f64],
    /// Tracking or search.
    pub mode: Mode<'a>,
    /// Bounds of the variables \[rad or m\] in addition to their limits; `None` for the limits alone. Equal bounds lock
    /// a variable. Bounds apply to positions without wrapping: bounds of ±0.1 rad around the seed exclude the same
    /// angle one revolution away.
    pub bounds: Option<Bounds<'a>>,
    /// Null-space tasks for redundant chains and free axes.
    pub preference: Preference<'a>,
    /// Time limit. After it, the search ends with the best positions so far. It is a safeguard: usually the number of
    /// attempts limits the search.
    pub deadline: Option<Duration>,
    /// Called before every attempt except the first few. If it returns true, the search ends as at the deadline.
    pub interruption: Option<Interruption<'a>>,
    /// Collision checking: scene and margin \[m\]; `None` to ignore collisions.
    ///
    /// In tracking, the distance of each pair stays above the margin, or above its distance at the seed if that is
    /// smaller, with up to 1 mm less on the straight joint motion from the seed to the solution. The seed is always
    /// allowed. At an obstacle the arm slides along it or stops, by damped least squares for every method and without
    /// preferences. The scratch allocates when a clearance is first used.
    pub clearance: Option<Clearance<'a>>,
    /// Called for every collision-free configuration that meets the targets, with the positions \[rad or m\] that would
    /// be returned. If it returns false, the search continues. Rejected configurations do not count as attempts, up to
    /// 16 times their number; with a deadline the search then continues until the deadline.
    /// [`Solver::solve_on`](super::Solver::solve_on) and batches call it from several threads.
    pub accepts: Option<Acceptance<'a>>,
    /// Cost of an accepted configuration, in any unit. A search then returns the configuration of least cost instead
    /// of the pick, and ignores preferences. Configurations of infinite or NaN cost are rejected. Tracking returns its
    /// only configuration, regardless of a finite cost.
    pub cost: Option<Cost<'a>>,
    /// The answer if the targets cannot be met.
    pub unreached: Unreached,
}

impl<'a> Problem<'a> {
    /// A search from `seed` \[rad or m\], one entry per variable, for the first solution or the closest configuration,
    /// without bounds, preference, deadline, clearance or cost.
    pub fn new(targets: &'a [Target], seed: &'a [f64]) -> Self {
        Self {
            targets,
            goals: &[],
            seed,
            mode: Mode::search(),
            bounds: None,
            preference: Preference::default(),
            deadline: None,
            interruption: None,
            clearance: None,
            accepts: None,
            cost: None,
            unreached: Unreached::Closest,
        }
    }

    setters! {
        with_goals(goals: &'a [Goal]);
        with_mode(mode: Mode<'a>);
        with_bounds(bounds: Option<Bounds<'a>>);
        with_preference(preference: Preference<'a>);
        with_deadline(deadline: Option<Duration>);
        with_interruption(interruption: Option<Interruption<'a>>);
        with_clearance(clearance: Option<Clearance<'a>>);
        with_accepts(accepts: Option<Acceptance<'a>>);
        with_cost(cost: Option<Cost<'a>>);
        with_unreached(unreached: Unreached);
    }

    /// True for a part that is a standing goal.
    pub(crate) fn is_standing(&self, part: Part) -> bool {
        matches!(part, Part::Goal(goal) if self.goals[goal].is_standing())
    }

    /// Checks that the problem is valid for `chain`.
    pub(super) fn check(&self, chain: &Chain) -> Result<(), ProblemError> {
        if self.targets.is_empty() && self.goals.is_empty() {
            return Err(ProblemError::NoTarget);
        }
        for (index, target) in self.targets.iter().enumerate() {
            let tips = chain.tips().len();
            let tip = chain.tips().get(target.tip);
            let tip = tip.ok_or(ProblemError::UnknownTip { target: index, tip: target.tip, tips })?;
            if self.targets[..index].iter().any(|other| other.tip == target.tip) {
                return Err(ProblemError::TipTwice(tip.link.clone()));
            }
            target.check(&tip.link)?;
        }
        NumberRange::FINITE.check_list(chain, ["seed"; 2], self.seed)?;
        if let Some(Clearance { scene, margin }) = self.clearance {
            if !(margin.is_finite() && margin >= 0.0) {
                return Err(ProblemError::Margin { value: margin });
            }
            let (variables, expected) = (scene.variables(), chain.variables().len());
            if variables != expected {
                return Err(ProblemError::OtherScene { variables, expected });
            }
        }
        self.preference.check(chain)?;
        if let Some(bounds) = self.bounds {
            check_bounds(chain, bounds)?;
        }
        if let Mode::Track { max_step } = self.mode {
            NumberRange::STEP.check_list(chain, ["max_step", "largest step"], max_step)?;
        }
        Ok(())
    }
}

impl Target {
    fn check(&self, tip: &str) -> Result<(), ProblemError> {
        let finite = self.pose.translation.vector.iter().chain(self.pose.rotation.coords.iter()).all(|v| v.is_finite());
        if !finite {
            return Err(ProblemError::TargetNotFinite(tip.to_owned()));
        }
        let distance = self.pose.translation.vector.amax();
        if distance > MAX_COORDINATE {
            return Err(ProblemError::TargetTooFar { tip: tip.to_owned(), distance });
        }
        if !self.free_axes.contains(&false) {
            return Err(ProblemError::NothingAsked(tip.to_owned()));
        }
        NumberRange::POSITIVE.check(self.weight, || format!("weight of the target of '{tip}'"))?;
        let Tolerance { position, orientation } = self.tolerance;
        let mut tolerances = [("position", position), ("orientation", orientation)].into_iter();
        tolerances.try_for_each(|(which, value)| NumberRange::POSITIVE.check(value, || format!("{which} tolerance")))
    }
}
