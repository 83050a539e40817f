//! Single passes of a cycle, for teaching and for pictures.

use super::setup::Setup;
use super::{Configuration, Problem, Scratch, Skeleton};
use urdf_ik_mathematics::segments::InputError;

impl Skeleton {
    /// Forward reaching, the first pass of a cycle, from `configuration`: every point with a target is placed there,
    /// and the others follow, from the ends to the root. The root stays where the others pull it. Without orientations
    /// in `configuration`, the pass works on points alone.
    ///
    /// # Errors
    /// As [`Self::solve`], and where `configuration` does not fit this skeleton.
    pub fn reach_forward(
        &self,
        problem: &Problem,
        scratch: &mut Scratch,
        configuration: &mut Configuration,
    ) -> Result<(), InputError> {
        self.single_pass(problem, scratch, configuration, |setup, scratch| {
            setup.forward(&scratch.goals, &mut scratch.cycle.merged, &mut scratch.current);
        })
    }

    /// Backward reaching, the second pass of a cycle, from `configuration`: the root is put in its place, and every
    /// other point follows, from the root to the ends.
    ///
    /// # Errors
    /// As [`Self::reach_forward`].
    pub fn reach_backward(
        &self,
        problem: &Problem,
        scratch: &mut Scratch,
        configuration: &mut Configuration,
    ) -> Result<(), InputError> {
        self.single_pass(problem, scratch, configuration, |setup, scratch| {
            scratch.best.points.copy_from_slice(&scratch.current.points);
            let circles = problem.options.circles;
            setup.backward(&scratch.goals, circles, &scratch.best.points, &mut scratch.current);
        })
    }

    fn single_pass(
        &self,
        problem: &Problem,
        scratch: &mut Scratch,
        configuration: &mut Configuration,
        pass: impl FnOnce(&Setup, &mut Scratch),
    ) -> Result<(), InputError> {
        problem.check(self)?;
        self.check_configuration(configuration)?;
        self.check_scratch(problem, scratch)?;
        let setup = Setup::new(self, problem);
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
