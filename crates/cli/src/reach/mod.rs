//! `urdf_ik reach`: the fraction of orientations that a tip link reaches in each voxel.

mod count;
mod grid;
mod map;
mod orientations;
mod ply;
mod slices;

use std::io::Write;
use std::iter::successors;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use nalgebra::{Isometry3, Point3};
use serde_json::{Value, json};
use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::{Mode, Pick, Problem, Solver, Target, Unreached};

use self::grid::VoxelGrid;
use self::map::ReachMap;
use self::slices::Slices;
use super::Result;
use super::input::read_start;
use super::options::{FreeAxes, MethodOptions, RobotArguments, ToleranceOptions};
use super::output::{OutputFile, write_line};
use super::progress;

/// Greatest number of orientations.
const MAX_ORIENTATIONS: usize = 100_000;
/// Greatest number of attempts over all poses: some hours.
const MAX_ATTEMPTS: f64 = 1e10;

#[derive(Args)]
pub struct ReachArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Edge of a voxel [m]
    #[arg(long, value_name = "M", default_value_t = 0.05, allow_negative_numbers = true)]
    voxel: f64,
    /// Number of orientations at each voxel, spread evenly
    #[arg(long, value_name = "N", default_value = "50")]
    orientations: NonZeroUsize,
    #[command(flatten)]
    free_axes: FreeAxes,
    #[command(flatten)]
    tolerance: ToleranceOptions,
    #[command(flatten)]
    method: MethodOptions,
    /// Greatest number of starting points for each pose, the seed included
    #[arg(long, value_name = "N", default_value = "16")]
    attempts: NonZeroUsize,
    /// Selects the starting points after those near the seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    random_seed: u64,
    /// Joint positions from which each search starts: joint=position,…, or YAML or JSON, or the path of such a
    /// file; joints that are not named start at 0, or in the middle of their range where 0 is outside [default: the
    /// middle of each range]
    #[arg(long, value_name = "POSITIONS")]
    seed: Option<String>,
    /// Draw a vertical and a horizontal cut through the reach
    #[arg(long, value_name = "FILE.svg", value_parser = OutputFile::svg)]
    slices: Option<OutputFile>,
    /// Write the reachable voxels as a point cloud
    #[arg(long, value_name = "FILE.ply", value_parser = OutputFile::ply)]
    ply: Option<OutputFile>,
}

/// Maps the reach. Prints a summary as JSON.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &ReachArguments, out: &mut impl Write) -> Result {
    let robot = arguments.robot.file.robot()?;
    let chain = Arc::new(arguments.robot.chain(&robot)?);
    let [tip] = chain.tips() else { return Err("reach takes one --tip".into()) };
    let solver = Solver::prepare(arguments.method.method()?, &chain)?;
    let seed = read_start(arguments.seed.as_deref(), &robot, &chain)?;
    let grid = VoxelGrid::new(arguments.voxel, &solver.reach()[0])?;
    arguments.check_size(&grid)?;
    let (attempts, random_seed) = (arguments.attempts.get(), arguments.random_seed);
    let (free_axes, tolerance) = (arguments.free_axes.mask()?, arguments.tolerance.tolerance());
    let target = Target::new(0, Isometry3::identity()).with_free_axes(free_axes).with_tolerance(tolerance);
    let targets = [target];
    let problem = Problem::new(&targets, &seed)
        .with_mode(Mode::Search { pick: Pick::First, attempts, random_seed })
        .with_unreached(Unreached::Stop);
    let orientations = orientations::spread(arguments.orientations.get());
    let start = Instant::now();
    let bar = progress::bar("solving", grid.voxels.len() * orientations.len());
    let counts = count::count(&solver, &problem, &grid, &orientations, &|poses| bar.inc(poses as u64))?;
    drop(bar);
    let seconds = start.elapsed().as_secs_f64();
    let (base, tip) = (chain.base().to_owned(), tip.link.clone());
    let map = ReachMap { base, tip, grid, orientations: orientations.len(), counts };
    if let Some(file) = &arguments.ply {
        file.write(ply::text(&map)?)?;
    }
    if let Some(file) = &arguments.slices {
        let svg = Slices { map: &map, centre: solver.reach()[0].centre, arm: &arm(&robot, &chain, &seed) }.svg()?;
        file.write(svg)?;
    }
    write_line(out, &report(&map, attempts, seconds))
}

fn report(map: &ReachMap, attempts: usize, seconds: f64) -> Value {
    let summary = map.summary();
    json!({
        "base": map.base,
        "tip": map.tip,
        "voxel": map.grid.voxel,
        "orientations": map.orientations,
        "attempts": attempts,
        "voxels": map.grid.voxels.len(),
        "reachable_voxels": summary.voxels,
        "mean_fraction": summary.mean_fraction,
        "volume": summary.volume,
        "seconds": seconds,
    })
}

/// The positions of the joints from the base link to the tip \[m\], in the base link's frame.
fn arm(robot: &Robot, chain: &Chain, positions: &[f64]) -> Vec<Point3<f64>> {
    let mut all = vec![0.0; robot.joints().len()];
    chain.write_into(robot, positions, &mut all);
    let poses = robot.link_poses(&all);
    let pose = |link: &str| robot.link_index(link).map_or_else(Isometry3::identity, |index| poses[index]);
    let to_base = pose(chain.base()).inverse();
    let parents = successors(Some(chain.tips()[0].parent), |&index| chain.joints()[index].parent);
    let joints = parents.map(|index| poses[robot.joints()[chain.joints()[index].joint].child]);
    let origins = [pose(&chain.tips()[0].link)].into_iter().chain(joints);
    let points = origins.map(|pose| (to_base * pose).translation.vector.into());
    points.chain([Point3::origin()]).collect()
}

impl ReachArguments {
    /// Refuses computations of days or beyond the memory.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn check_size(&self, grid: &VoxelGrid) -> Result {
        let (orientations, attempts) = (self.orientations.get(), self.attempts.get());
        if orientations > MAX_ORIENTATIONS {
            return Err(format!("--orientations is {orientations}; the most is {MAX_ORIENTATIONS}").into());
        }
        let all = grid.voxels.len() as f64 * orientations as f64 * attempts as f64;
        if all > MAX_ATTEMPTS {
            return Err(format!(
                "{} voxels with {orientations} orientations of {attempts} attempts each make {all:.1e} attempts; the most is {MAX_ATTEMPTS:e}: \
                 take a larger --voxel, fewer --orientations or fewer --attempts",
                grid.voxels.len()
            )
            .into());
        }
        Ok(())
    }
}
