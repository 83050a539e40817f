//! The input of `urdf_ik evaluate`: a case file, or a scene file, whose cases have obstacles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use nalgebra::Isometry3;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use urdf_ik::collision::{World, world_from_json};
use urdf_ik::goals::{Goal, GoalContext};
use urdf_ik::robot::{Chain, MeshFolders, Robot};
use urdf_ik_text::names::list;

use super::Result;
use super::fk::{PoseJson, positions};
use super::input::{in_words, place, read_json};

/// Seeds of the solves of a case file.
#[derive(Clone, Copy, ValueEnum)]
pub enum CaseSeed {
    /// The middle of each joint's range
    Nominal,
    /// The random joint positions of the case file
    Random,
}

/// A case file or a scene file.
#[derive(Deserialize)]
pub struct CaseFile {
    /// Name of the robot.
    pub robot: String,
    /// Path of the robot's URDF.
    pub urdf: PathBuf,
    /// Path of the robot's SRDF, if the file names one.
    pub srdf: Option<PathBuf>,
    /// Base link of the chain.
    pub base_link: String,
    /// Tip link of the chain.
    tip_link: Option<String>,
    /// Tip links of the chain, in place of `tip_link`.
    #[serde(default)]
    tip_links: Vec<String>,
    /// `None` for a scene file, which names the joints in each case.
    joint_names: Option<Vec<String>>,
    cases: Vec<Value>,
}

/// A case of a case file.
#[derive(Deserialize)]
struct ListedCase {
    seed: Vec<f64>,
    seed_random: Vec<f64>,
    target: Option<PoseJson>,
    #[serde(default, alias = "constraints")]
    goals: Vec<Value>,
}

/// A case of a scene file.
#[derive(Deserialize)]
struct SceneCase {
    start: BTreeMap<String, f64>,
    target: PoseJson,
    obstacles: Value,
}

/// One case for the chain.
pub struct Case {
    /// Start of the solve: one position per variable of the chain \[rad or m\].
    pub seed: Vec<f64>,
    /// Pose of the tip link in the base link's frame \[m\]; `None` for a case with goals alone.
    pub target: Option<Isometry3<f64>>,
    /// Goals besides the pose.
    pub goals: Vec<Goal>,
    /// One position per joint of the robot \[rad or m\], used for joints outside the chain.
    pub rest: Vec<f64>,
    /// Obstacles around the robot.
    pub world: World,
}

/// The cases of a file for a chain.
pub struct Cases<'a> {
    file: &'a CaseFile,
    robot: &'a Robot,
    chain: &'a Chain,
    /// For each joint of the file, the index of the chain's variable; the chain's order for a scene file.
    order: Vec<usize>,
    /// The seed of a case file; `None` for a scene file.
    seed: Option<CaseSeed>,
    folders: MeshFolders,
}

impl CaseFile {
    /// Reads the file at `path`, and makes the paths in it relative to its folder.
    ///
    /// # Errors
    /// A message if the file cannot be read or is not such a file.
    pub fn read(path: &Path) -> Result<Self> {
        let mut file: Self = read_json(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        file.urdf = folder.join(&file.urdf);
        file.srdf = file.srdf.map(|srdf| folder.join(srdf));
        Ok(file)
    }

    /// The names of the tip links.
    ///
    /// # Errors
    /// A message if the file names no tip link.
    pub fn tips(&self) -> Result<Vec<&str>> {
        let tips: Vec<&str> = self.tip_link.iter().chain(&self.tip_links).map(String::as_str).collect();
        if tips.is_empty() { Err("the case file has neither tip_link nor tip_links".into()) } else { Ok(tips) }
    }
}

impl<'a> Cases<'a> {
    /// The cases of the file at `path`. `seed` selects one of the two seeds of a case file. Unknown joints of a scene
    /// file are only reported on standard error, because URDFs of the same robot differ.
    ///
    /// # Errors
    /// A message if the joints of the file are not those of the chain, or `seed` is given for a scene file.
    pub fn new(
        file: &'a CaseFile,
        path: &Path,
        robot: &'a Robot,
        chain: &'a Chain,
        seed: Option<CaseSeed>,
    ) -> Result<Self> {
        let (order, seed) = match (&file.joint_names, seed) {
            (Some(names), seed) => (order_of(names, chain)?, Some(seed.unwrap_or(CaseSeed::Nominal))),
            (None, None) => ((0..chain.variables().len()).collect(), None),
            (None, Some(_)) => {
                return Err("--seed has no meaning for a scene file, whose cases say where they start".into());
            }
        };
        let starts = file.cases.iter().filter_map(|case| case.get("start")?.as_object()).flat_map(Map::keys);
        let unknown: BTreeSet<&str> =
            starts.map(String::as_str).filter(|&joint| robot.joint_index(joint).is_none()).collect();
        if !unknown.is_empty() {
            let names = list(&unknown.into_iter().collect::<Vec<_>>());
            eprintln!("urdf_ik: {}: the robot has no joints of these names: {names}", place(path));
        }
        Ok(Self { file, robot, chain, order, seed, folders: MeshFolders::from_environment(Some(path)) })
    }

    /// The kind of the seeds: `nominal`, `random` or `start`.
    pub fn seed_name(&self) -> &'static str {
        match self.seed {
            Some(CaseSeed::Nominal) => "nominal",
            Some(CaseSeed::Random) => "random",
            None => "start",
        }
    }

    pub fn len(&self) -> usize {
        self.file.cases.len()
    }

    /// Reads the case with this index, from 0.
    ///
    /// # Errors
    /// A message if the case is invalid.
    pub fn read(&self, index: usize) -> Result<Case> {
        let entry = &self.file.cases[index];
        match self.seed {
            Some(seed) => self.listed(seed, typed(entry)?),
            None => self.scene(typed(entry)?),
        }
    }

    /// Reorders `positions` \[rad or m\], one per variable of the chain, to the order of the file's joints.
    pub fn in_order(&self, positions: &[f64]) -> Vec<f64> {
        self.order.iter().map(|&variable| positions[variable]).collect()
    }

    fn listed(&self, seed: CaseSeed, case: ListedCase) -> Result<Case> {
        let given = match seed {
            CaseSeed::Nominal => case.seed,
            CaseSeed::Random => case.seed_random,
        };
        if given.len() != self.order.len() {
            return Err(format!("the seed has {} entries for {} joints", given.len(), self.order.len()).into());
        }
        let mut seed = vec![0.0; given.len()];
        for (&variable, position) in self.order.iter().zip(given) {
            seed[variable] = position;
        }
        let rest = self.robot.neutral_positions();
        let context = GoalContext { robot: self.robot, chain: self.chain, positions: &rest, frames: &[] };
        let goals = Goal::read_all(&case.goals, &context)?;
        let target = case.target.map(|target| target.pose()).transpose()?;
        Ok(Case { seed, target, goals, rest, world: World::default() })
    }

    fn scene(&self, mut case: SceneCase) -> Result<Case> {
        case.start.retain(|joint, _| self.robot.joint_index(joint).is_some());
        let rest = positions(self.robot, &case.start)?;
        let world = world_from_json(&case.obstacles, &self.folders)?;
        Ok(Case {
            seed: self.chain.positions_from(&rest),
            target: Some(case.target.pose()?),
            goals: Vec::new(),
            rest,
            world,
        })
    }
}

fn typed<T: DeserializeOwned>(entry: &Value) -> Result<T> {
    T::deserialize(entry).map_err(|e| in_words(&e.to_string()).into())
}

/// For each of the file's joints, the index of the chain's variable.
fn order_of(names: &[String], chain: &Chain) -> Result<Vec<usize>> {
    let index = |name: &String| {
        let found = chain.variables().iter().position(|variable| variable.name == *name);
        found.ok_or_else(|| format!("the case file names the joint '{name}', but the chain does not have it"))
    };
    let order = names.iter().map(index).collect::<Result<Vec<_>, _>>()?;
    if let Some(twice) = (1..order.len()).find(|&at| order[..at].contains(&order[at])) {
        return Err(format!("the case file names the joint '{}' twice", names[twice]).into());
    }
    if order.len() == chain.variables().len() {
        Ok(order)
    } else {
        Err(format!("the case file names {} joints, but the chain has {}", order.len(), chain.variables().len()).into())
    }
}
