//! Random paths of all kinds: limits of velocity, acceleration and jerk, deviations, and the gain from free axes and
//! rounded corners.

use std::time::Instant;

use nalgebra::{Isometry3, Vector3};
use urdf_ik::motion::{
    FollowOptions, Followed, MotionLimits, Path, PathOptions, PathProblem, Timing, Trajectory, follow,
};
use urdf_ik::robot::Domain;
use urdf_ik::solver::{Solver, Target};

use crate::common::{self, Arm, Random, Share, distance};

/// Number of paths of each robot. More of them: URDF_IK_PATHS=1000.
const PATHS: u32 = 12;

/// The input of a plan.
#[derive(Clone)]
struct Case {
    poses: Vec<Isometry3<f64>>,
    path: Path,
    seed: Vec<f64>,
    timing: Timing,
}

/// The result of a plan.
struct Planned {
    followed: Followed,
    trajectory: Trajectory,
    /// Seconds that planning took.
    time: f64,
}

fn plan(arm: &Arm, solver: &Solver, limits: &MotionLimits, case: &Case, free: &[usize]) -> Planned {
    let mut target = Target::new(0, Isometry3::identity());
    for axis in free {
        target.free_axes[*axis] = true;
    }
    let Case { path, seed, timing, .. } = case;
    let problem = PathProblem::new(path, &target, seed, limits);
    let began = Instant::now();
    let followed = follow(solver, &problem, &FollowOptions::default()).unwrap();
    let trajectory = Trajectory::new(&arm.chain, &problem, &followed, timing).unwrap();
    Planned { followed, trajectory, time: began.elapsed().as_secs_f64() }
}

impl Planned {
    fn duration(&self) -> f64 {
        self.trajectory.points.last().unwrap().time
    }

    /// Maximum velocity, acceleration and jerk relative to their limits, by finite differences of the positions. The
    /// motion is at rest before and after.
    fn rates(&self, limits: &MotionLimits, period: f64) -> [f64; 3] {
        let (points, mut greatest) = (&self.trajectory.points, [0.0_f64; 3]);
        for variable in 0..limits.velocities.len() {
            let mut positions: Vec<f64> = points.iter().map(|point| point.positions[variable]).collect();
            let [first, last] = [positions[0], positions[positions.len() - 1]];
            positions.splice(0..0, [first; 3]);
            positions.extend([last; 3]);
            let limits = [limits.velocities[variable], limits.accelerations[variable], limits.jerks[variable]];
            for (greatest, limit) in greatest.iter_mut().zip(limits) {
                positions = positions.windows(2).map(|pair| (pair[1] - pair[0]) / period).collect();
                *greatest = positions.iter().fold(*greatest, |most, rate| most.max(rate.abs() / limit));
            }
        }
        greatest
    }

    /// Sign changes of the joint accelerations.
    fn sign_changes(&self) -> usize {
        let points = &self.trajectory.points;
        let of = |variable: usize| {
            let all = points.iter().map(|point| point.accelerations[variable]).filter(|a| a.abs() > 1e-3);
            let signs: Vec<bool> = all.map(|a| a > 0.0).collect();
            signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
        };
        (0..points[0].positions.len()).map(of).sum()
    }
}

/// A path through some waypoints near the tip, from a configuration that may have a joint at its limit.
fn case(random: &mut Random, arm: &Arm, index: u32) -> Case {
    let mut seed = random.positions(&arm.chain);
    if index % 4 == 3 {
        let joint = index as usize / 4 % seed.len();
        if let Domain::Interval { lower, upper } = arm.chain.variables()[joint].domain {
            seed[joint] = if index % 8 == 3 { lower } else { upper };
        }
    }
    let start = arm.tip_poses(&seed)[0];
    let mut poses = vec![start];
    for _ in 0..=index % 3 {
        let at = poses[poses.len() - 1].translation.vector + random.direction() * random.between(0.05, 0.3);
        let turn =
            if index.is_multiple_of(2) { Vector3::zeros() } else { random.direction() * random.between(0.0, 0.6) };
        poses.push(Isometry3::from_parts(at.into(), start.rotation * Isometry3::rotation(turn).rotation));
    }
    let blend_radius = [0.0, 0.02, 0.05][index as usize % 3];
    let speed = [0.02, 0.1, 0.5, 3.0][random.below(4)];
    let path = Path::new(&poses, PathOptions::default().with_blend_radius(blend_radius)).unwrap();
    Case {
        poses,
        path,
        seed,
        timing: Timing::default().with_speed(speed).with_acceleration(4.0 * speed).with_period(0.01),
    }
}

/// Statistics of the paths that the arm can follow to their ends.
#[derive(Default)]
struct Observed {
    complete: usize,
    /// Durations with one and with three free axes, relative to none.
    freed: Vec<f64>,
    /// Sign changes of joint accelerations with no, one and three free axes.
    sign_changes: [usize; 3],
    /// Durations with rounded corners, relative to stops.
    rounded: Vec<f64>,
    /// Seconds that planning took.
    planning: Vec<f64>,
}

impl Planned {
    /// Checks the properties of every path.
    fn check(&self, arm: &Arm, limits: &MotionLimits, case: &Case, what: &str) {
        let rates = self.rates(limits, case.timing.period);
        assert!(rates.iter().all(|rate| *rate < 1.02), "{what}: {rates:?}");
        let (deviation, allowed) = (self.followed.deviation, FollowOptions::default().deviation);
        assert!(
            deviation.position <= allowed.position && deviation.orientation <= allowed.orientation,
            "{what}: {deviation:?}"
        );
        assert!(self.trajectory.points.iter().all(|point| arm.chain.contains(&point.positions)), "{what}");
    }
}

fn observe(observed: &mut Observed, arm: &Arm, (solver, limits): (&Solver, &MotionLimits), case: &Case, what: &str) {
    let planned = [&[][..], &[5], &[3, 4, 5]].map(|free| plan(arm, solver, limits, case, free));
    for (free, planned) in planned.iter().enumerate() {
        planned.check(arm, limits, case, &format!("{what}, axes freed: {free}"));
        observed.planning.push(planned.time);
    }
    let [full, freed @ ..] = &planned;
    if planned.iter().any(|planned| planned.followed.fraction < 1.0) {
        return;
    }
    observed.complete += 1;
    for point in &full.trajectory.points {
        let apart = distance(&arm.tip_poses(&point.positions)[0], &case.path.pose_at(point.length));
        let deviation = full.trajectory.deviation;
        assert!(
            apart.0 <= deviation.position + 1e-9 && apart.1 <= deviation.orientation + 1e-7,
            "{what}: {apart:?} {deviation:?}"
        );
    }
    observed.freed.extend(freed.iter().map(|freed| freed.duration() / full.duration()));
    for (changes, planned) in observed.sign_changes.iter_mut().zip(&planned) {
        *changes += planned.sign_changes();
    }
    let sharp = Path::new(&case.poses, PathOptions::default()).unwrap();
    if sharp.rests().len() > case.path.rests().len() {
        let stopping = plan(arm, solver, limits, &Case { path: sharp, ..case.clone() }, &[]);
        if stopping.followed.fraction == 1.0 {
            observed.rounded.push(full.duration() / stopping.duration());
        }
    }
}

#[test]
fn paths_of_all_kinds_keep_their_limits_and_freedom_makes_them_faster() {
    let paths = std::env::var("URDF_IK_PATHS").map_or(PATHS, |count| count.parse().unwrap());
    let mut observed = Observed::default();
    for arm in common::arms_named(&["arm7", "panda", "ur5", "gen3"]) {
        let mut random = Random::new(5);
        let limits = arm.limits();
        let solver = arm.solver();
        for index in 0..paths {
            let case = case(&mut random, &arm, index);
            observe(&mut observed, &arm, (&solver, &limits), &case, &format!("{} {index}", arm.name));
        }
    }
    let Observed { complete, mut freed, sign_changes, rounded, mut planning } = observed;
    freed.sort_by(f64::total_cmp);
    planning.sort_by(f64::total_cmp);
    let slowest = rounded.iter().copied().fold(0.0, f64::max);
    println!("{complete} paths to the end, sign changes {sign_changes:?} with 0, 1 and 3 free axes");
    println!("rounded corners: {} paths, the slowest {slowest:.4} of the time with stops", rounded.len());
    println!(
        "free axes: {:.3} of the time with none in the middle, {:?} the slowest",
        freed[freed.len() / 2],
        freed.last()
    );
    let ms = |part: usize| 1e3 * planning[(planning.len() - 1) * part / 100];
    println!("planning: {:.1} ms in the middle, 99 % under {:.1} ms, all under {:.1} ms", ms(50), ms(99), ms(100));
    assert!(complete > 5 && rounded.len() > 2);
    assert!(slowest < 1.02);
    assert!(sign_changes[1] <= sign_changes[0] && sign_changes[2] <= sign_changes[0]);
    // The least motion is rarely slower than others.
    let slower = freed.iter().filter(|ratio| **ratio > 1.05).count();
    println!("{slower} of {} with free axes are slower by more than 5 %", freed.len());
    Share { failed: slower, of: freed.len() }.assert_at_most(0.01, "paths with free axes that are slower");
}
