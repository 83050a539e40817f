//! Following a path: small pieces, each solved from the last.

use thiserror::Error;

use super::path::Path;
use super::refine::refine;
use super::stop::{Stop, StopReason};
use crate::robot::{Chain, ChainPoses};
use crate::solver::{
    Mode, Outcome, Pick, Problem, ProblemError, Reason, Residual, Scratch, Solution, Solver, Target, Tolerance,
};

/// How much closer than the target's tolerance the solver is asked to come: what is left of it would show in velocities.
const CLOSER: f64 = 1e-3;
/// Share of the deviation allowed that even joint motion between knots may use: the smooth curve through them needs room too.
const ROOM: f64 = 0.5;
/// A piece whose deviation is below this share of what is allowed lets the next be twice as long.
const EASY: f64 = 0.1;
/// Points of a piece at which the deviation is measured, ends apart.
const POINTS: u8 = 7;
/// Pieces of one path at most.
const MOST_PIECES: usize = 1_000_000;
/// Starting points of the search for where the path starts, and for what lies beyond where it stops.
const ATTEMPTS: usize = 100;

/// How a path is followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FollowOptions {
    /// How far the tip may be from the path where joints go evenly between two solved postures.
    pub deviation: Tolerance,
    /// Length of a piece at most \[m\].
    pub longest_piece: f64,
    /// Length below which a piece is not halved \[m\].
    pub shortest_piece: f64,
    /// How far a joint may move in one piece \[rad or m\]; more is a jump.
    pub largest_joint_step: f64,
}

impl Default for FollowOptions {
    /// 0.1 mm and 1 mrad; pieces of 1 cm to 0.1 mm; 0.1 rad.
    fn default() -> Self {
        let deviation = Tolerance { position: 1e-4, orientation: 1e-3 };
        Self { deviation, longest_piece: 0.01, shortest_piece: 1e-4, largest_joint_step: 0.1 }
    }
}

/// Why a path cannot be followed at all.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FollowError {
    /// Tip, seed, tolerance or axes make no sense for the chain.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// An option that is not a finite number above 0.
    #[error("the {option} is {value}; it must be a finite number above 0")]
    Option {
        /// Which one.
        option: &'static str,
        /// What was given.
        value: f64,
    },
}

/// A posture on a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Knot {
    /// Length of the path before it \[m\].
    pub length: f64,
    /// Positions of the chain's variables \[rad or m\], inside their limits.
    pub positions: Vec<f64>,
}

/// What became of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Postures in the order of the path; none where its start cannot be reached.
    pub knots: Vec<Knot>,
    /// Indices of the knots at corners, where the tip has to come to rest.
    pub rests: Vec<usize>,
    /// Share of the path's length that is achieved. 1 exactly where the last pose is reached.
    pub fraction: f64,
    /// Where and why it ended before that.
    pub stop: Option<Stop>,
    /// Largest distance of the tip from the path's pose at the same length, where joints go evenly between knots, over the axes that
    /// count.
    pub deviation: Residual,
}

impl Followed {
    /// Indices of the first and last knot of each smooth stretch between two rests.
    pub(super) fn stretches(&self) -> impl Iterator<Item = (usize, usize)> {
        let ends = self.rests.iter().copied().chain(self.knots.len().checked_sub(1));
        let mut start = 0;
        ends.map(move |end| (std::mem::replace(&mut start, end), end)).filter(|(start, end)| start < end)
    }
}

/// Follows `path` with one tip: the method of resolved motion with pieces that are halved where the Jacobian's linear approximation is
/// poor (Taylor 1979, "Planning and execution of straight line manipulator trajectories").
///
/// `target` says which tip, which axes count and how near counts as there; its pose is not used. A `seed` that stands at the start of
/// the path is where it begins; else it is the posture reached from the seed on its branch, else the nearest that a search finds.
/// The same input gives the same answer.
///
/// # Errors
/// [`FollowError`] for a seed, a target or options without meaning. A path that cannot be followed to its end is no error:
/// [`Followed::stop`] says why.
pub fn follow(
    solver: &Solver,
    target: &Target,
    path: &Path,
    seed: &[f64],
    options: &FollowOptions,
) -> Result<Followed, FollowError> {
    options.check()?;
    let mut walk = Walk::new(solver, target, path, options);
    let Some(start) = walk.start(seed)? else {
        let stop = walk.stop(0.0, 0.0, seed)?;
        let (knots, rests) = (Vec::new(), Vec::new());
        return Ok(Followed { knots, rests, fraction: 0.0, stop: Some(stop), deviation: Residual::default() });
    };
    let mut followed = Followed {
        deviation: walk.residual(0.0, &start),
        knots: vec![Knot { length: 0.0, positions: start }],
        rests: Vec::new(),
        fraction: 1.0,
        stop: None,
    };
    followed.stop = walk.go(&mut followed)?;
    refine(&mut walk, &mut followed)?;
    if followed.stop.is_some() {
        let achieved = followed.knots.last().map_or(0.0, |knot| knot.length);
        followed.fraction = (achieved / path.length()).min(1.0 - f64::EPSILON);
    }
    Ok(followed)
}

impl FollowOptions {
    fn check(&self) -> Result<(), FollowError> {
        for (option, value) in [
            ("position deviation", self.deviation.position),
            ("orientation deviation", self.deviation.orientation),
            ("longest piece", self.longest_piece),
            ("shortest piece", self.shortest_piece),
            ("largest joint step", self.largest_joint_step),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(FollowError::Option { option, value });
            }
        }
        Ok(())
    }
}

/// What following a path works in.
pub(super) struct Walk<'a> {
    solver: &'a Solver,
    pub(super) chain: &'a Chain,
    pub(super) target: &'a Target,
    pub(super) path: &'a Path,
    pub(super) options: &'a FollowOptions,
    scratch: Scratch,
    pub(super) solution: Solution,
    poses: ChainPoses,
    between: Vec<f64>,
    steps: Vec<f64>,
}

/// What became of one piece.
enum Piece {
    /// Its end is in the solution.
    Fits(Residual),
    /// The end was not reached from its start.
    Missed,
    /// The end was reached, but not straight.
    Crooked(Residual),
}

impl<'a> Walk<'a> {
    fn new(solver: &'a Solver, target: &'a Target, path: &'a Path, options: &'a FollowOptions) -> Self {
        let chain = solver.chain();
        let variables = chain.variables().len();
        Self {
            solver,
            chain,
            target,
            path,
            options,
            scratch: solver.scratch(),
            solution: solver.solution(),
            poses: ChainPoses::new(chain),
            between: vec![0.0; variables],
            steps: vec![options.largest_joint_step; variables],
        }
    }

    /// Solves for the pose at `length`; tells whether it is met.
    fn solve(&mut self, length: f64, seed: &[f64], mode: Mode) -> Result<bool, ProblemError> {
        let tolerance = self.target.tolerance;
        let closer = Tolerance { position: CLOSER * tolerance.position, orientation: CLOSER * tolerance.orientation };
        let pose = self.path.pose_at(length);
        let targets = [Target { pose, tolerance: closer, ..*self.target }];
        let problem = Problem { mode, ..Problem::new(&targets, seed) };
        self.solver.solve(&problem, &mut self.scratch, &mut self.solution)?;
        Ok(self.solution.residuals.iter().all(|residual| share(residual, &tolerance) <= 1.0))
    }

    /// Solves within the largest joint step.
    pub(super) fn track(&mut self, length: f64, seed: &[f64]) -> Result<bool, ProblemError> {
        let steps = std::mem::take(&mut self.steps);
        let met = self.solve(length, seed, Mode::Track { max_step: &steps });
        self.steps = steps;
        met
    }

    fn search(&mut self, length: f64, seed: &[f64]) -> Result<bool, ProblemError> {
        let mode = Mode::Search { pick: Pick::Nearest, attempts: ATTEMPTS, random_seed: 0 };
        self.solve(length, seed, mode)
    }

    /// The posture in which the path starts.
    fn start(&mut self, seed: &[f64]) -> Result<Option<Vec<f64>>, ProblemError> {
        let unbounded = vec![f64::INFINITY; self.steps.len()];
        let tracked = self.solve(0.0, seed, Mode::Track { max_step: &unbounded })?;
        if self.chain.contains(seed) && share(&self.residual(0.0, seed), &self.target.tolerance) <= 1.0 {
            return Ok(Some(seed.to_vec()));
        }
        Ok((tracked || self.search(0.0, seed)?).then(|| self.solution.positions.clone()))
    }

    /// How far the tip at `positions` is from the pose at `length`.
    pub(super) fn residual(&mut self, length: f64, positions: &[f64]) -> Residual {
        self.chain.forward_kinematics(positions, &mut self.poses);
        let pose = self.path.pose_at(length);
        Target { pose, ..*self.target }.residual(&self.poses.tips()[self.target.tip])
    }

    /// Goes on from the first knot, as far as it goes.
    fn go(&mut self, followed: &mut Followed) -> Result<Option<Stop>, ProblemError> {
        let (mut here, mut at) = (followed.knots[0].positions.clone(), 0.0);
        let mut piece = self.options.longest_piece;
        while at < self.path.length() {
            let end = self.path.boundary_after(at);
            // No stub shall be left before the end.
            let left = end - at;
            let next = if left <= piece { end } else { at + piece.min(0.5 * left) };
            match self.try_piece(at, next, &here)? {
                Piece::Fits(deviation) if followed.knots.len() <= MOST_PIECES => {
                    followed.deviation = larger(followed.deviation, deviation);
                    here.clone_from(&self.solution.positions);
                    followed.knots.push(Knot { length: next, positions: here.clone() });
                    if self.path.rests().contains(&next) {
                        followed.rests.push(followed.knots.len() - 1);
                    }
                    if share(&deviation, &self.options.deviation) < EASY {
                        piece = (2.0 * piece).min(self.options.longest_piece);
                    }
                    at = next;
                }
                Piece::Fits(_) => return Ok(Some(self.stopped(at, StopReason::TooManyPieces { pieces: MOST_PIECES }))),
                _ if 0.5 * (next - at) >= self.options.shortest_piece => piece = 0.5 * (next - at),
                Piece::Missed => return self.stop(at, next, &here).map(Some),
                Piece::Crooked(deviation) => {
                    let reason = StopReason::PieceTooShort { length: next - at, deviation };
                    return Ok(Some(self.stopped(at, reason)));
                }
            }
        }
        Ok(None)
    }

    fn try_piece(&mut self, at: f64, next: f64, here: &[f64]) -> Result<Piece, ProblemError> {
        if !self.track(next, here)? {
            return Ok(Piece::Missed);
        }
        let there = std::mem::take(&mut self.solution.positions);
        let deviation = self.solution.residuals.first().copied().unwrap_or_default();
        let deviation = larger(deviation, self.even_deviation((at, here), (next, &there)));
        self.solution.positions = there;
        let fits = share(&deviation, &self.options.deviation) <= ROOM;
        Ok(if fits { Piece::Fits(deviation) } else { Piece::Crooked(deviation) })
    }

    /// How far the tip strays where joints go evenly between two postures.
    pub(super) fn even_deviation(&mut self, (at, here): (f64, &[f64]), (next, there): (f64, &[f64])) -> Residual {
        let mut between = std::mem::take(&mut self.between);
        let mut deviation = Residual::default();
        for point in 1..=POINTS {
            let part = f64::from(point) / f64::from(POINTS + 1);
            for (between, (here, there)) in between.iter_mut().zip(here.iter().zip(there)) {
                *between = here + part * (there - here);
            }
            deviation = larger(deviation, self.residual(at + part * (next - at), &between));
        }
        self.between = between;
        deviation
    }

    fn stopped(&self, length: f64, reason: StopReason) -> Stop {
        let waypoint = self.path.waypoint_after(length);
        Stop { length, of: self.path.length(), pose: self.path.pose_at(length), waypoint, reason }
    }

    /// Why the path stops at `length`: the pose at `next` is not reached from `here`. A last solve has said how; a search
    /// tells whether there is another posture for it.
    fn stop(&mut self, length: f64, next: f64, here: &[f64]) -> Result<Stop, ProblemError> {
        let mut tracked = self.solution.clone();
        // At the edge of its reach only the end of the section is out of it for certain.
        let end = self.path.boundary_after(length);
        if !self.track(end, here)? && matches!(self.solution.outcome, Outcome::Closest(Reason::OutOfReach { .. })) {
            tracked.outcome = self.solution.outcome;
        }
        let elsewhere = if self.search(next, here)? { Some(&self.solution.positions[..]) } else { None };
        let reason = StopReason::new(self.chain, &tracked, elsewhere, here);
        Ok(self.stopped(length, reason))
    }
}

/// The larger of its shares of what is allowed.
pub(super) fn share(residual: &Residual, allowed: &Tolerance) -> f64 {
    (residual.position / allowed.position).max(residual.orientation / allowed.orientation)
}

/// The larger of both, position and orientation each.
pub(super) fn larger(a: Residual, b: Residual) -> Residual {
    Residual { position: a.position.max(b.position), orientation: a.orientation.max(b.orientation) }
}
