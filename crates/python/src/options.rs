//! The keyword arguments that the solving methods share.
//!
//! Short solves keep the interpreter lock: a thread that releases it waits up to 5 ms for its return while others
//! compute. Longer solves release it.

use std::sync::Arc;
use std::time::Duration;

use nalgebra::Isometry3;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::collision::Clearance;
use urdf_ik::goals::Goal;
use urdf_ik::robot::Chain;
use urdf_ik::solver::{
    JointBounds, Mode, Pick, Preference, Problem, SolverKind, Target, Tolerance, Unreached, free_axes_from_names,
};

use crate::arguments::{StringOrList, parsed, read, shown};
use crate::arrays::read_positions;
use crate::goals::{GOALS, GoalLists};
use crate::joint_options::{joint_bounds, move_weights};
use crate::poses::tip_index;
use crate::refused;
use crate::shared::{ArmData, PyWorld, WorldData};

/// The keyword arguments of a solving method, with their defaults.
#[derive(Default)]
pub struct SolveOptions {
    pub kind: SolverKind,
    /// A template for the target of each tip, in the chain's order; its pose is to be replaced.
    pub targets: Vec<Target>,
    /// Goals besides the poses of the tips.
    pub goals: GoalLists,
    pick: Pick,
    attempts: usize,
    random_seed: u64,
    timeout: Option<Duration>,
    unreached: Unreached,
    world: Option<Arc<WorldData>>,
    posture: Option<Vec<f64>>,
    /// The weights alone.
    preference: Preference<'static>,
    bounds: Option<JointBounds>,
    move_weights: Option<Vec<f64>>,
}

/// Names of the options that apply to searches only.
pub const SEARCH_OPTIONS: [&str; 4] = ["pick", "attempts", "random_seed", "timeout"];

impl SolveOptions {
    /// Reads the keyword arguments of the method `called`. It does not accept the options in `without`. Also returns
    /// the arm, with the tool if one is among the arguments.
    ///
    /// # Errors
    /// A `TypeError` for an unexpected keyword, and a `urdfik.Error` for an invalid value.
    pub fn read(
        arm: &Arc<ArmData>,
        given: Option<&Bound<'_, PyDict>>,
        called: &str,
        without: &[&str],
    ) -> PyResult<(Arc<ArmData>, Self)> {
        let tool = given.map(|given| given.get_item("tool")).transpose()?.flatten();
        let arm = match tool.filter(|tool| !tool.is_none()) {
            Some(tool) => arm.with_tool(&tool)?,
            None => Arc::clone(arm),
        };
        let targets = (0..arm.chain.tips().len()).map(|tip| Target::new(tip, Isometry3::identity())).collect();
        let preference = Preference { posture_weight: 1.0, ..Preference::default() };
        let mut options = Self { targets, attempts: 100, preference, ..Self::default() };
        for (name, value) in given.into_iter().flatten() {
            let name: String = read(&name, "the name of an argument")?;
            if without.contains(&name.as_str()) || !options.set(&arm, &name, &value)? {
                return Err(PyTypeError::new_err(format!("{called}() got an unexpected keyword argument '{name}'")));
            }
        }
        options.read_goals(&arm, given)?;
        Ok((arm, options))
    }

    /// Sets one option; false if none has this name.
    fn set(&mut self, arm: &ArmData, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (chain, given) = (&arm.chain, Some(value).filter(|value| !value.is_none()));
        match name {
            "solver" => self.kind = parsed(&read::<String>(value, name)?, name)?,
            "free_axes" => self.set_free_axes(value, chain)?,
            "position_tolerance" => self.set_tolerance(read(value, name)?, |tolerance| &mut tolerance.position),
            "orientation_tolerance" => self.set_tolerance(read(value, name)?, |tolerance| &mut tolerance.orientation),
            "pick" => self.pick = parsed(&read::<String>(value, name)?, name)?,
            "attempts" => self.attempts = at_least_one(read(value, name)?)?,
            "random_seed" => self.random_seed = read(value, name)?,
            "timeout" => self.timeout = given.map(|value| seconds(read(value, name)?)).transpose()?,
            "closest" => self.unreached = unreached(value)?,
            "avoid" => self.world = given.map(|value| world(value, arm)).transpose()?,
            "posture" => self.posture = given.map(|value| read_positions(value, chain, name)).transpose()?,
            "posture_weight" => self.preference.posture_weight = read(value, name)?,
            "limits_weight" => self.preference.limits_weight = read(value, name)?,
            "manipulability_weight" => self.preference.manipulability_weight = read(value, name)?,
            "bounds" => self.bounds = given.map(|value| joint_bounds(value, chain)).transpose()?,
            "move_weights" => self.move_weights = given.map(|value| move_weights(value, chain)).transpose()?,
            // The arm has it already: see `read`.
            "tool" => {}
            // These refer to the world: see `read`.
            name if GOALS.contains(&name) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads the goals.
    fn read_goals(&mut self, arm: &ArmData, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let Some(given) = given else { return Ok(()) };
        let mut present = GOALS.iter().filter_map(|name| {
            let value = given.get_item(name).ok()??;
            (!value.is_none()).then_some((*name, value))
        });
        let Some((name, value)) = present.next() else { return Ok(()) };
        if present.next().is_some() {
            return Err(refused("constraints is another name of goals; give one of them"));
        }
        self.goals = GoalLists::read(&value, name, arm, self.world.as_deref())?;
        Ok(())
    }

    fn set_tolerance(&mut self, value: f64, part: impl Fn(&mut Tolerance) -> &mut f64) {
        self.targets.iter_mut().for_each(|target| *part(&mut target.tolerance) = value);
    }

    /// Sets the free axes of all tips, or of those in a dict.
    fn set_free_axes(&mut self, value: &Bound<'_, PyAny>, chain: &Chain) -> PyResult<()> {
        let Ok(by_tip) = value.cast::<PyDict>() else {
            let free_axes = free_axes(value)?;
            self.targets.iter_mut().for_each(|target| target.free_axes = free_axes);
            return Ok(());
        };
        for (tip, value) in by_tip {
            let tip: String = read(&tip, "a tip of free_axes")?;
            self.targets[tip_index(chain, &tip)?].free_axes = free_axes(&value)?;
        }
        Ok(())
    }

    /// A search problem for these targets and goals. `seed` has one position per variable of the chain \[rad or m\].
    pub fn problem<'a>(&'a self, targets: &'a [Target], goals: &'a [Goal], seed: &'a [f64]) -> Problem<'a> {
        let Self { pick, attempts, random_seed, .. } = *self;
        Problem::new(targets, seed)
            .with_goals(goals)
            .with_mode(Mode::Search { pick, attempts, random_seed })
            .with_preference(self.preference())
            .with_deadline(self.timeout)
            .with_clearance(self.clearance())
            .with_unreached(self.unreached)
            .with_bounds(self.bounds.as_ref().map(JointBounds::as_bounds))
    }

    /// The null-space tasks, with a posture of one position per variable \[rad or m\].
    pub fn preference(&self) -> Preference<'_> {
        Preference { posture: self.posture.as_deref(), move_weights: self.move_weights.as_deref(), ..self.preference }
    }

    /// The scene and the margin \[m\] of collision avoidance, if any.
    pub fn clearance(&self) -> Option<Clearance<'_>> {
        self.world.as_deref().map(WorldData::clearance)
    }

    /// True if a solve takes at most milliseconds. Such solves do not release the interpreter lock.
    pub fn is_short(&self) -> bool {
        self.world.is_none() && self.attempts <= 1000
    }
}

/// Free axes from one name or a list of names: true for each free one, in the order x, y, z, rx, ry, rz.
///
/// # Errors
/// A `urdfik.Error` if the argument has another form or names an unknown axis.
pub fn free_axes(value: &Bound<'_, PyAny>) -> PyResult<[bool; 6]> {
    let names = if value.is_none() { StringOrList::Several(Vec::new()) } else { read(value, "free_axes")? };
    free_axes_from_names(names.as_strs()).map_err(|e| refused(format!("free_axes: {e}")))
}

/// The world to avoid, from the argument `avoid`. It must belong to this arm or to one with the same links.
///
/// # Errors
/// A `urdfik.Error` if it is not a world, or belongs to another arm.
pub fn world(value: &Bound<'_, PyAny>, arm: &ArmData) -> PyResult<Arc<WorldData>> {
    let world = read::<Bound<PyWorld>>(value, "avoid")?;
    let PyWorld(world) = world.get();
    if world.arm.has_the_links_of(arm) {
        Ok(Arc::clone(world))
    } else {
        Err(refused("avoid is a World of another arm: make one by World(arm, …)"))
    }
}

/// The answer to an unmet pose.
fn unreached(value: &Bound<'_, PyAny>) -> PyResult<Unreached> {
    match value.extract::<bool>() {
        Ok(true) => Ok(Unreached::Closest),
        Ok(false) => Ok(Unreached::Stop),
        Err(_) if value.extract::<&str>().is_ok_and(|text| text == Unreached::Position.name()) => {
            Ok(Unreached::Position)
        }
        Err(_) => Err(refused(format!("closest is {}; it must be True, False or 'position'", shown(value)))),
    }
}

fn at_least_one(attempts: usize) -> PyResult<usize> {
    if attempts == 0 {
        return Err(refused("attempts is 0; at least 1 is needed, the one from the seed"));
    }
    Ok(attempts)
}

fn seconds(timeout: f64) -> PyResult<Duration> {
    let refuse = |_| refused(format!("timeout is {timeout}; it must be a number of seconds, 0 or more, or None"));
    Duration::try_from_secs_f64(timeout).map_err(refuse)
}
