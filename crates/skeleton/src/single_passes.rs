//! Single passes of a cycle, for teaching and figures.

use super::setup::SkeletonSetup;
use super::{Skeleton, SkeletonConfiguration, SkeletonProblem, SkeletonScratch};
use urdf_ik_mathematics::segments::InputError;

impl Skeleton {
    /// The forward pass of a cycle, applied to `configuration`: points with targets move to their targets, and the
    /// others follow from the ends to the root, which is displaced. Without orientations, the pass works on points
    /// only.
    ///
    /// # Errors
    /// [`InputError`] as for [`Self::solve`], and if `configuration` does not fit this skeleton.
    pub fn reach_forward(
        &self,
        problem: &SkeletonProblem,
        scratch: &mut SkeletonScratch,
        configuration: &mut SkeletonConfiguration,
    ) -> Result<(), InputError> {
        self.single_pass(problem, scratch, configuration, |setup, scratch| {
            setup.forward(&scratch.goals, &mut scratch.cycle.merged, &mut scratch.current);
        })
    }

    /// The backward pass of a cycle, applied to `configuration`: the root returns to its position, and the other
    /// points follow from the root to the ends.
    ///
    /// # Errors
    /// [`InputError`] as for [`Self::reach_forward`].
    pub fn reach_backward(
        &self,
        problem: &SkeletonProblem,
        scratch: &mut SkeletonScratch,
        configuration: &mut SkeletonConfiguration,
    ) -> Result<(), InputError> {
        self.single_pass(problem, scratch, configuration, |setup, scratch| {
            scratch.best.points.copy_from_slice(&scratch.current.points);
            let circles = problem.options.circles;
            setup.backward(&scratch.goals, circles, &scratch.best.points, &mut scratch.current);
        })
    }

    fn single_pass(
        &self,
        problem: &SkeletonProblem,
        scratch: &mut SkeletonScratch,
        configuration: &mut SkeletonConfiguration,
        pass: impl FnOnce(&SkeletonSetup, &mut SkeletonScratch),
    ) -> Result<(), InputError> {
        problem.check(self)?;
        self.check_configuration(configuration)?;
        self.check_scratch(problem, scratch)?;
        let setup = SkeletonSetup::new(self, problem);
        scratch.prepare(&setup);
        scratch.set_kind(!configuration.orientations.is_empty());
        scratch.current.points.copy_from_slice(&configuration.points);
        if !configuration.orientations.is_empty() {
            self.turn_into(&configuration.orientations, &mut scratch.current);
        }
        pass(&setup, scratch);
        configuration.points.copy_from_slice(&scratch.current.points);
        configuration.orientations.copy_from_slice(&scratch.current.orientations);
        Ok(())
    }
}
