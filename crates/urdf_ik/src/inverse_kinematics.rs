//! Inverse kinematics in one call: from a URDF to joint positions, with tips by name.

use std::path::Path;
use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use urdf_ik_robot::{Chain, ChainError, Robot, UrdfError};
use urdf_ik_solver::{Method, NotApplicable, Problem, ProblemError, Scratch, Solution, Solver, Target};
use urdf_ik_text::names;

/// A robot's inverse kinematics, ready to be asked. It owns what a [`Solver`] works in.
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
/// [`Solver::solve`] is the form beneath: it allocates nothing and takes tolerances, free axes, preferences and deadlines.
#[derive(Debug, Clone)]
pub struct InverseKinematics {
    solver: Solver,
    scratch: Scratch,
    solution: Solution,
}

/// Why there is no inverse kinematics, or no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The URDF cannot be read.
    #[error(transparent)]
    Urdf(#[from] UrdfError),
    /// The robot has no chain to these tip links.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The method cannot serve the chain.
    #[error(transparent)]
    NotApplicable(#[from] NotApplicable),
    /// A target is for a link that is none of the tips.
    #[error("there is no tip link '{}'; the tip links are: {}", names::short(tip), names::list(tips))]
    UnknownTip {
        /// The link asked for.
        tip: String,
        /// The tip links.
        tips: Vec<String>,
    },
    /// A target or a seed makes no sense for the chain.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl InverseKinematics {
    /// Reads a URDF file and prepares the chain from its root link to the links `tips`. Without a tip it is the robot's
    /// only moving leaf link.
    ///
    /// # Errors
    /// [`Error::Urdf`], [`Error::Chain`] or [`Error::NotApplicable`], each a sentence that names what is wrong.
    pub fn from_urdf_file(path: impl AsRef<Path>, tips: &[&str]) -> Result<Self, Error> {
        Self::of_robot(&Robot::from_urdf_file(path)?, tips)
    }

    /// Reads the text of a URDF and prepares the chain from its root link to the links `tips`.
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

    /// Takes a solver that has been prepared, with whatever base link and method.
    pub fn new(solver: Solver) -> Self {
        Self { scratch: solver.scratch(), solution: solver.solution(), solver }
    }

    /// Names of the joints in the order of [`Solution::positions`].
    pub fn joint_names(&self) -> Vec<&str> {
        self.solver.chain().variable_names()
    }

    /// Finds joint positions \[rad or m\] that bring each named tip link to its pose in the base link's frame. The search starts in
    /// the middle of the joint ranges.
    ///
    /// Where the poses cannot be met, [`Solution::is_solved`] is false and the positions are the nearest that were found.
    ///
    /// # Errors
    /// [`Error::UnknownTip`], and [`Error::Problem`] for poses that are none or two for one tip.
    pub fn solve(&mut self, targets: &[(&str, Isometry3<f64>)]) -> Result<&Solution, Error> {
        let seed = self.solver.chain().nominal_positions();
        self.solve_from(&seed, targets)
    }

    /// Finds joint positions for the poses of tip links by a search that starts from `seed` \[rad or m\], the joints in the order of
    /// [`joint_names`](Self::joint_names): near positions are preferred to far ones.
    ///
    /// # Errors
    /// As [`InverseKinematics::solve`], and [`Error::Problem`] for a seed of another length or that is not finite.
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
        // From a solution the search stays where it is.
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
