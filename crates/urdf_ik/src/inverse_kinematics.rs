//! Inverse kinematics in one call: from a URDF to joint positions, with tip links by name.

use std::path::Path;
use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use urdf_ik_robot::{Chain, ChainError, Robot, UrdfError};
use urdf_ik_solver::{Method, NotApplicable, Problem, ProblemError, Scratch, Solution, Solver, Target};
use urdf_ik_text::names;

/// A prepared inverse kinematics solver for a robot, with its scratch memory.
///
/// ```
/// use urdf_ik::InverseKinematics;
/// use urdf_ik::nalgebra::Isometry3;
/// # fn main() -> Result<(), urdf_ik::Error> {
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf");
/// let mut ik = InverseKinematics::from_urdf_file(file, &["tool0"])?;
/// let solution = ik.solve(&[("tool0", Isometry3::translation(0.3, 0.2, 0.7))])?;
/// println!("{} {:?}", solution.is_solved(), solution.positions);
/// # assert!(solution.is_solved());
/// # Ok(())
/// # }
/// ```
///
/// For tolerances, free axes, preferences, deadlines, and solving without allocation use [`Solver::solve`].
#[derive(Debug, Clone)]
pub struct InverseKinematics {
    solver: Solver,
    scratch: Scratch,
    solution: Solution,
}

/// Reason for which a solver could not be prepared, or a problem was rejected.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The URDF is unreadable or invalid.
    #[error(transparent)]
    Urdf(#[from] UrdfError),
    /// The robot has no chain to the requested tip links.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The solver method does not apply to the chain.
    #[error(transparent)]
    NotApplicable(#[from] NotApplicable),
    /// A target names a link that is not one of the tip links.
    #[error("there is no tip link '{}'; the tip links are: {}", names::short(tip), names::list(tips))]
    UnknownTip {
        /// The unknown link.
        tip: String,
        /// The names of the tip links.
        tips: Vec<String>,
    },
    /// A target or the seed is invalid for the chain.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl InverseKinematics {
    /// Reads a URDF file and prepares the chain from its root link to the tip links `tips`; without tips, to the
    /// robot's only movable leaf link.
    ///
    /// # Errors
    /// [`Error::Urdf`] if the file cannot be read, [`Error::Chain`] if no such chain exists, [`Error::NotApplicable`]
    /// if the solver does not apply to it.
    pub fn from_urdf_file(path: impl AsRef<Path>, tips: &[&str]) -> Result<Self, Error> {
        Self::of_robot(&Robot::from_urdf_file(path)?, tips)
    }

    /// Reads the text of a URDF and prepares the chain from its root link to the tip links `tips`.
    ///
    /// # Errors
    /// As [`InverseKinematics::from_urdf_file`].
    pub fn from_urdf(text: &str, tips: &[&str]) -> Result<Self, Error> {
        Self::of_robot(&Robot::from_urdf(text)?, tips)
    }

    fn of_robot(robot: &Robot, tips: &[&str]) -> Result<Self, Error> {
        let chain = Arc::new(Chain::with_defaults(robot, None, tips)?);
        Ok(Self::new(Solver::prepare(Method::default(), &chain)?))
    }

    /// Wraps a prepared solver, with any base link and method.
    pub fn new(solver: Solver) -> Self {
        Self { scratch: solver.scratch(), solution: solver.solution(), solver }
    }

    /// Names of the joints, in the order of [`Solution::positions`].
    pub fn joint_names(&self) -> Vec<&str> {
        self.solver.chain().variable_names()
    }

    /// Finds joint positions \[rad or m\] at which each named tip link has its pose (base link's frame \[m\]). The
    /// search starts in the middle of the joint ranges.
    ///
    /// If the poses cannot be met, [`Solution::is_solved`] is false and the positions are the closest found.
    ///
    /// # Errors
    /// [`Error::UnknownTip`] if a link is not a tip link; [`Error::Problem`] if there are no targets, a pose is not
    /// finite, or a tip has two targets.
    pub fn solve(&mut self, targets: &[(&str, Isometry3<f64>)]) -> Result<&Solution, Error> {
        let seed = self.solver.chain().nominal_positions();
        self.solve_from(&seed, targets)
    }

    /// As [`solve`](Self::solve), but the search starts from `seed` \[rad or m\], one entry per joint in the order of
    /// [`joint_names`](Self::joint_names). Solutions near the seed are preferred.
    ///
    /// ```
    /// use urdf_ik::InverseKinematics;
    /// use urdf_ik::nalgebra::Isometry3;
    /// # fn main() -> Result<(), urdf_ik::Error> {
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf");
    /// let mut ik = InverseKinematics::from_urdf_file(file, &["tool0"])?;
    /// let first = ik.solve(&[("tool0", Isometry3::translation(0.3, 0.2, 0.7))])?.positions.clone();
    /// let next = ik.solve_from(&first, &[("tool0", Isometry3::translation(0.3, 0.2, 0.71))])?;
    /// assert!(next.is_solved());
    /// assert!(next.positions.iter().zip(&first).all(|(next, first)| (next - first).abs() < 0.2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`InverseKinematics::solve`], and [`Error::Problem`] for a seed that has another length or is not finite.
    pub fn solve_from(&mut self, seed: &[f64], targets: &[(&str, Isometry3<f64>)]) -> Result<&Solution, Error> {
        let targets: Vec<Target> =
            targets.iter().map(|(tip, pose)| self.target(tip, *pose)).collect::<Result<_, _>>()?;
        self.solver.solve(&Problem::new(&targets, seed), &mut self.scratch, &mut self.solution)?;
        Ok(&self.solution)
    }

    fn target(&self, tip: &str, pose: Isometry3<f64>) -> Result<Target, Error> {
        let chain = self.solver.chain();
        let tips = || chain.tip_names().into_iter().map(str::to_owned).collect();
        let index = chain.tip_index(tip).ok_or_else(|| Error::UnknownTip { tip: tip.to_owned(), tips: tips() })?;
        Ok(Target::new(index, pose))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use urdf_ik_robot::ChainPoses;

    fn arm(tips: &[&str]) -> InverseKinematics {
        InverseKinematics::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"), tips).unwrap()
    }

    #[test]
    fn a_solution_brings_the_named_tip_to_its_pose() {
        let mut ik = arm(&[]);
        let pose = Isometry3::translation(0.3, 0.2, 0.7);
        let solution = ik.solve(&[("tool0", pose)]).unwrap().clone();
        assert!(solution.is_solved());
        let chain = ik.solver.chain();
        let mut poses = ChainPoses::new(chain);
        chain.forward_kinematics(&solution.positions, &mut poses);
        assert!((poses.tips()[0].translation.vector - pose.translation.vector).norm() <= 1e-5);
        assert_eq!(ik.joint_names().len(), solution.positions.len());
        // A solution used as seed is returned unchanged.
        assert_eq!(ik.solve_from(&solution.positions, &[("tool0", pose)]).unwrap().positions, solution.positions);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let mut ik = arm(&["tool0"]);
        let error = |result: Result<&Solution, Error>| result.unwrap_err().to_string();
        let pose = Isometry3::identity();
        assert_eq!(error(ik.solve(&[("hand", pose)])), "there is no tip link 'hand'; the tip links are: tool0");
        assert_eq!(error(ik.solve(&[])), "the problem has no target");
        assert!(error(ik.solve(&[("tool0", Isometry3::translation(f64::NAN, 0.0, 0.0))])).contains("'tool0'"));
        assert!(error(ik.solve_from(&[0.0], &[("tool0", pose)])).contains("the seed has 1 entries"));
        assert!(InverseKinematics::from_urdf("<robot", &[]).is_err());
    }
}
