//! The problem that a solver is given: targets, seed, mode and preferences.

use std::time::Duration;

use nalgebra::Isometry3;

use super::problem_error::{check_bounds, check_positions, check_steps};
use super::{Preference, ProblemError};
use urdf_ik_collision::Clearance;
use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_robot::{Chain, Domain};
use urdf_ik_text::named_values;

/// The largest errors with which a target counts as met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Largest position error \[m\], over the position axes that count.
    pub position: f64,
    /// Largest orientation error \[rad\], over the orientation axes that count.
    pub orientation: f64,
}

impl Default for Tolerance {
    /// 10 µm and 10 µrad.
    fn default() -> Self {
        Self { position: 1e-5, orientation: 1e-5 }
    }
}

/// The desired pose of a tip: of a tip link, or of the [tool](Chain::with_tools) on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Index of the tip among [`Chain::tips`].
    pub tip: usize,
    /// Pose of the tip in the base link's frame.
    pub pose: Isometry3<f64>,
    /// Axes of the tip's frame that need not match: translations along x, y, z, then rotations about x, y, z.
    ///
    /// With one rotation free, the orientation error is the angle between that axis of the tip and of the target.
    pub free_axes: [bool; 6],
    /// Largest errors with which the target counts as met.
    pub tolerance: Tolerance,
    /// Weight of its squared error against that of other targets, where not all can be met.
    pub weight: f64,
}

impl Target {
    /// A full pose in the base link's frame for the tip with index `tip`, at the default tolerance.
    pub fn new(tip: usize, pose: Isometry3<f64>) -> Self {
        Self { tip, pose, free_axes: [false; 6], tolerance: Tolerance::default(), weight: 1.0 }
    }

    /// The target with free orientation.
    #[must_use]
    pub fn position_only(mut self) -> Self {
        self.free_axes[3..].fill(true);
        self
    }

    /// Whether all three axes of position count.
    pub(crate) fn full_position(&self) -> bool {
        !self.free_axes[..3].contains(&true)
    }

    /// Whether all three axes of orientation count.
    pub(crate) fn full_orientation(&self) -> bool {
        !self.free_axes[3..].contains(&true)
    }
}

/// Number of axes of all targets that count.
pub(crate) fn counted_axes(targets: &[Target]) -> usize {
    targets.iter().map(|target| target.free_axes.iter().filter(|free| !**free).count()).sum()
}

named_values! {
    /// Which of several solutions the solver returns.
    #[derive(Default)]
    pub enum Pick("pick", "picks") {
        /// The one found first. The search starts from the seed.
        #[default]
        First = "first",
        /// Of all that are found, the one whose largest joint move from the seed is smallest.
        Nearest = "nearest",
        /// Of all that are found, the one with the greatest manipulability.
        MostManipulable = "most_manipulable",
    }
}

named_values! {
    /// What a solver answers where the targets cannot be met.
    #[derive(Default)]
    pub enum Unreached("way to answer", "ways to answer") {
        /// The best positions of the attempts, as they are. To know only whether targets are met, this spares most of the time of
        /// those that are not: no attempt is made where a target is certainly out of reach.
        Stop = "stop",
        /// The closest configuration, and the reason.
        #[default]
        Closest = "closest",
        /// Every position exactly, within its tolerance, and the orientations as closely as possible
        /// ([`Outcome::PositionOnly`](super::Outcome::PositionOnly)): for arms of fewer than six joints. As `Closest` where a position
        /// cannot be reached, or no orientation counts.
        Position = "position",
    }
}

/// How the solver searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode<'a> {
    /// Follow the seed's branch of solutions: one attempt, in which each variable has a largest step from the seed.
    ///
    /// A solution is connected to the seed by a joint motion whose tips follow the interpolated poses, from those at the seed to the targets
    /// along straight lines and about constant axes. That decides the branch and the whole turns of each joint. Where it ends before
    /// the targets, they are not met: [`Reason::JointLimits`](super::Reason::JointLimits) tells that limits are why, and the positions are
    /// those of a local minimum to which short steps lead from there.
    Track {
        /// Largest step of each variable \[rad or m\]; infinite for no bound.
        max_step: &'a [f64],
    },
    /// Find any solution: start from the seed, then from other starting points.
    Search {
        /// Which of the solutions that are found to return.
        pick: Pick,
        /// Largest number of starting points, including the seed. With a clearance, those that meet the targets but do not keep clear do not
        /// count, up to 16 times as many.
        attempts: usize,
        /// Changes the starting points that follow those from the table of configurations that the solver has prepared.
        random_seed: u64,
    },
}

impl Mode<'_> {
    /// [`Mode::Search`] for the first solution, with 100 attempts.
    pub fn search() -> Self {
        Self::Search { pick: Pick::First, attempts: 100, random_seed: 0 }
    }
}

/// The least and the greatest position of each variable \[rad or m\]; infinite for no bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds<'a> {
    /// Least positions, one entry for each variable.
    pub lower: &'a [f64],
    /// Greatest positions, one entry for each variable.
    pub upper: &'a [f64],
}

impl Bounds<'_> {
    /// The part of `limits` that is within the bounds of the variable of that index.
    pub(super) fn within(&self, index: usize, limits: Domain) -> Domain {
        let ([least, greatest], lower, upper) = (limits.ends(), self.lower[index], self.upper[index]);
        if limits == Domain::Circle && [lower, upper] == limits.ends() {
            return limits;
        }
        Domain::Interval { lower: lower.max(least), upper: upper.min(greatest) }
    }
}

/// Tells whether a configuration \[rad or m\] will do.
pub type Acceptance<'a> = &'a (dyn Fn(&[f64]) -> bool + Sync);

/// Tells whether a search is to end now, for example after Ctrl-C.
pub type Interruption<'a> = &'a (dyn Fn() -> bool + Sync);

/// Tells what a configuration \[rad or m\] costs.
pub type Cost<'a> = &'a (dyn Fn(&[f64]) -> f64 + Sync);

/// One problem for a solver.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// Desired poses of the tips: at least one, and at most one for each tip. Tips without a target are free.
    pub targets: &'a [Target],
    /// Positions to start from, one entry for each variable \[rad or m\]. Positions outside the limits are moved to the limits.
    pub seed: &'a [f64],
    /// How the solver searches.
    pub mode: Mode<'a>,
    /// Bounds of the variables in this problem, besides their limits; `None`: the limits alone. A variable with equal
    /// bounds is locked. Bounds are for positions as they stand, even where a whole turn more is the same
    /// configuration: bounds 0.1 rad below the seed and 0.1 rad above it allow no other turn.
    pub bounds: Option<Bounds<'a>>,
    /// Preferences for the null space.
    pub preference: Preference<'a>,
    /// Time after which the search ends with the best positions so far. It is a safeguard: the number of attempts is the budget.
    pub deadline: Option<Duration>,
    /// Asked between the attempts after the first few; on true the search ends as at a deadline.
    pub interruption: Option<Interruption<'a>>,
    /// What the solution has to keep clear of; `None`: collisions do not count.
    ///
    /// In tracking every pair keeps the margin, or where it is nearer at the seed, the distance that it has there; on the straight motion
    /// from the seed to the solution it comes nearer than that by no more than 1 mm. The seed is always allowed. Where something is in the
    /// way, the arm slides along it or stands, by damped least squares whatever the method, and preferences do not count. Scratch grows
    /// when a clearance is first given.
    pub clearance: Option<Clearance<'a>>,
    /// Asked of every configuration that meets the targets and keeps clear, as it would be handed out \[rad or m\]: where the answer is no,
    /// the search goes on to others. Those that are refused do not count among the attempts, up to 16 times as many, and with a deadline
    /// the search goes on until that. Several threads ask at once in [`Solver::solve_on`](super::Solver::solve_on) and in batches.
    pub accepts: Option<Acceptance<'a>>,
    /// What a configuration costs that meets the targets, keeps clear and is accepted. In a search the least cost of
    /// all attempts takes the place of the pick, and preferences do not count. A configuration whose cost is infinite
    /// or not a number is not taken. Tracking finds one configuration, whatever it costs.
    pub cost: Option<Cost<'a>>,
    /// The answer to targets that cannot be met.
    pub unreached: Unreached,
}

impl<'a> Problem<'a> {
    /// A search for the first solution from `seed`, or for the closest configuration, without preference, deadline or
    /// interruption.
    pub fn new(targets: &'a [Target], seed: &'a [f64]) -> Self {
        Self {
            targets,
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

    /// Checks that the problem is valid for `chain`.
    pub(super) fn check(&self, chain: &Chain) -> Result<(), ProblemError> {
        if self.targets.is_empty() {
            return Err(ProblemError::NoTarget);
        }
        for (index, target) in self.targets.iter().enumerate() {
            let tips = chain.tips().len();
            let tip = chain.tips().get(target.tip);
            let tip = tip.ok_or(ProblemError::UnknownTip { target: index, tip: target.tip, tips })?;
            if self.targets[..index].iter().any(|other| other.tip == target.tip) {
                return Err(ProblemError::TipTwice { tip: tip.link.clone() });
            }
            target.check(&tip.link)?;
        }
        check_positions(chain, "seed", self.seed)?;
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
            check_steps(chain, "max_step", max_step)?;
        }
        Ok(())
    }
}

impl Target {
    fn check(&self, tip: &str) -> Result<(), ProblemError> {
        let finite = self.pose.translation.vector.iter().chain(self.pose.rotation.coords.iter()).all(|v| v.is_finite());
        if !finite {
            return Err(ProblemError::TargetNotFinite { tip: tip.to_owned() });
        }
        let distance = self.pose.translation.vector.amax();
        if distance > MAX_COORDINATE {
            return Err(ProblemError::TargetTooFar { tip: tip.to_owned(), distance });
        }
        if !self.free_axes.contains(&false) {
            return Err(ProblemError::NothingAsked { tip: tip.to_owned() });
        }
        if !(self.weight.is_finite() && self.weight > 0.0) {
            return Err(ProblemError::Weight { tip: tip.to_owned(), value: self.weight });
        }
        for (which, value) in [("position", self.tolerance.position), ("orientation", self.tolerance.orientation)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ProblemError::Tolerance { which, value });
            }
        }
        Ok(())
    }
}
