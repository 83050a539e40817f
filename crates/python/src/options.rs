//! How a problem is solved: the keyword arguments that the solving methods share.

use std::sync::Arc;
use std::time::Duration;

use nalgebra::Isometry3;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::collision::Clearance;
use urdf_ik::robot::Chain;
use urdf_ik::solver::{Mode, Pick, Preference, Problem, SolverKind, Target, Tolerance, Unreached, free_axes_from_names};

use crate::arrays::read_positions;
use crate::poses::tip_index;
use crate::refused;
use crate::shared::{ArmData, World, WorldData};

/// The keyword arguments of a solving method, with their defaults.
pub struct Options {
    pub kind: SolverKind,
    /// A target for each tip, without its pose.
    pub targets: Vec<Target>,
    pick: Pick,
    attempts: usize,
    random_seed: u64,
    timeout: Option<Duration>,
    unreached: Unreached,
    world: Option<Arc<WorldData>>,
    posture: Option<Vec<f64>>,
    posture_weight: f64,
    limits_weight: f64,
    manipulability_weight: f64,
}

/// The arguments of a search that other methods do not have.
pub const OF_SEARCHES: [&str; 4] = ["pick", "attempts", "random_seed", "timeout"];

impl Options {
    /// Reads the keyword arguments of the method `called`, which does not have those in `without`.
    pub fn read(arm: &ArmData, given: Option<&Bound<'_, PyDict>>, called: &str, without: &[&str]) -> PyResult<Self> {
        let targets = (0..arm.chain.tips().len()).map(|tip| Target::new(tip, Isometry3::identity())).collect();
        let mut options = Self {
            kind: SolverKind::Jacobian,
            targets,
            pick: Pick::First,
            attempts: 100,
            random_seed: 0,
            timeout: None,
            unreached: Unreached::Closest,
            world: None,
            posture: None,
            posture_weight: 1.0,
            limits_weight: 0.0,
            manipulability_weight: 0.0,
        };
        for (name, value) in given.into_iter().flatten() {
            let name: String = name.extract()?;
            if without.contains(&name.as_str()) || !options.set(arm, &name, &value)? {
                return Err(PyTypeError::new_err(format!("{called}() got an unexpected keyword argument '{name}'")));
            }
        }
        Ok(options)
    }

    /// Sets one of them. Gives whether there is one of that name.
    fn set(&mut self, arm: &ArmData, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match name {
            "solver" => self.kind = value.extract::<String>()?.parse().map_err(refused)?,
            "free_axes" => self.set_free_axes(value, &arm.chain)?,
            "position_tolerance" => self.set_tolerance(value, |tolerance, value| tolerance.position = value)?,
            "orientation_tolerance" => self.set_tolerance(value, |tolerance, value| tolerance.orientation = value)?,
            "pick" => self.pick = value.extract::<String>()?.parse().map_err(refused)?,
            "attempts" => self.attempts = at_least_one(value)?,
            "random_seed" => self.random_seed = value.extract()?,
            "timeout" => self.timeout = value.extract::<Option<f64>>()?.map(seconds).transpose()?,
            "closest" => self.unreached = unreached(value)?,
            "avoid" => self.world = world(value, arm)?,
            "posture" if value.is_none() => self.posture = None,
            "posture" => self.posture = Some(read_positions(value, &arm.chain, "posture")?),
            "posture_weight" => self.posture_weight = value.extract()?,
            "limits_weight" => self.limits_weight = value.extract()?,
            "manipulability_weight" => self.manipulability_weight = value.extract()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn set_tolerance(&mut self, value: &Bound<'_, PyAny>, set: impl Fn(&mut Tolerance, f64)) -> PyResult<()> {
        let value = value.extract()?;
        self.targets.iter_mut().for_each(|target| set(&mut target.tolerance, value));
        Ok(())
    }

    /// Sets the free axes of all tips, or by a dict those of some.
    fn set_free_axes(&mut self, value: &Bound<'_, PyAny>, chain: &Chain) -> PyResult<()> {
        let Ok(by_tip) = value.cast::<PyDict>() else {
            let free_axes = free_axes(value)?;
            self.targets.iter_mut().for_each(|target| target.free_axes = free_axes);
            return Ok(());
        };
        for (tip, value) in by_tip {
            self.targets[tip_index(chain, &tip.extract::<String>()?)?].free_axes = free_axes(&value)?;
        }
        Ok(())
    }

    /// The problem of these targets, solved by a search from `seed`.
    pub fn problem<'a>(&'a self, targets: &'a [Target], seed: &'a [f64]) -> Problem<'a> {
        let Self { pick, attempts, random_seed, .. } = *self;
        Problem {
            mode: Mode::Search { pick, attempts, random_seed },
            preference: self.preference(),
            deadline: self.timeout,
            clearance: self.clearance(),
            unreached: self.unreached,
            ..Problem::new(targets, seed)
        }
    }

    /// What a redundant arm prefers.
    pub fn preference(&self) -> Preference<'_> {
        Preference {
            posture: self.posture.as_deref(),
            posture_weight: self.posture_weight,
            limits_weight: self.limits_weight,
            manipulability_weight: self.manipulability_weight,
            ..Preference::default()
        }
    }

    /// What the arm keeps clear of.
    pub fn clearance(&self) -> Option<Clearance<'_>> {
        self.world.as_deref().map(WorldData::clearance)
    }

    /// What is around the arm, if it is to be avoided.
    pub fn world(&self) -> Option<&WorldData> {
        self.world.as_deref()
    }

    /// Whether a solve takes some microseconds, or some milliseconds at most: then it is not worth letting other threads of Python run.
    pub fn is_short(&self) -> bool {
        self.world.is_none() && self.attempts <= 1000
    }
}

/// The axes that are free: one name, or several.
pub fn free_axes(value: &Bound<'_, PyAny>) -> PyResult<[bool; 6]> {
    let names: Vec<String> = match value.extract::<String>() {
        Ok(name) => vec![name],
        Err(_) if value.is_none() => Vec::new(),
        Err(_) => value.extract()?,
    };
    free_axes_from_names(names.iter().map(String::as_str)).map_err(refused)
}

/// The world that is to be avoided, which must have been made for this arm.
pub fn world(value: &Bound<'_, PyAny>, arm: &ArmData) -> PyResult<Option<Arc<WorldData>>> {
    if value.is_none() {
        return Ok(None);
    }
    let World(world) = value.cast::<World>()?.get();
    if std::ptr::eq(Arc::as_ptr(&world.arm), arm) {
        Ok(Some(Arc::clone(world)))
    } else {
        Err(refused("the world to avoid was made for another arm: make one by World(arm, …)"))
    }
}

/// What is answered where a pose is not met.
fn unreached(value: &Bound<'_, PyAny>) -> PyResult<Unreached> {
    match value.extract::<bool>() {
        Ok(true) => Ok(Unreached::Closest),
        Ok(false) => Ok(Unreached::Stop),
        Err(_) if value.extract::<&str>().is_ok_and(|text| text == Unreached::Position.name()) => Ok(Unreached::Position),
        Err(_) => Err(refused(format!("closest is {}; it must be True, False or 'position'", value.repr()?))),
    }
}

fn at_least_one(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let attempts = value.extract()?;
    if attempts == 0 {
        Err(refused("attempts is 0; at least 1 is needed, the one from the seed"))
    } else {
        Ok(attempts)
    }
}

fn seconds(timeout: f64) -> PyResult<Duration> {
    let refuse = |_| refused(format!("timeout is {timeout}; it must be a number of seconds, 0 or more, or None"));
    Duration::try_from_secs_f64(timeout).map_err(refuse)
}
