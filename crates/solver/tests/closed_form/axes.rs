//! Arms of six revolute joints defined by their axes, with the closed form compared with a dense search.

use std::fmt::Write;

use nalgebra::{Isometry3, Translation3, Vector3};
use urdf_ik::solver::{Mode, Pick, Problem, Solver, SolverKind, Target, Tolerance};

use crate::common::{Arm, Random, all_solutions, apart, distance, urdf};

/// Directions of six axes and a point on each \[m\], at zero positions.
#[derive(Debug, Clone, Copy)]
pub struct Axes {
    pub directions: [Vector3<f64>; 6],
    pub points: [Vector3<f64>; 6],
}

impl Axes {
    /// Axes in general position.
    pub fn skew(random: &mut Random) -> Self {
        Self {
            directions: [(); 6].map(|()| random.direction()),
            points: [(); 6].map(|()| random.direction() * random.between(0.2, 0.6)),
        }
    }

    /// The axes of joints with these twists \[rad\], lengths and offsets \[m\] and positions \[rad\] at zero (Denavit
    /// and Hartenberg 1955).
    pub fn by_parameters(rows: [[f64; 4]; 6]) -> Self {
        let mut pose = Isometry3::identity();
        let lines = rows.map(|[twist, length, offset, position]| {
            let line = (pose.rotation * Vector3::z(), pose.translation.vector);
            pose *= Isometry3::new(Vector3::z() * offset, Vector3::z() * position);
            pose *= Isometry3::new(Vector3::x() * length, Vector3::x() * twist);
            line
        });
        Self { directions: lines.map(|(direction, _)| direction), points: lines.map(|(_, point)| point) }
    }

    /// The axes of joints about their own z axes, each placed in the frame of the one before: xyz \[m\], rpy \[rad\].
    pub fn by_placements(placements: &[([f64; 3], [f64; 3]); 6]) -> Self {
        let mut pose = Isometry3::identity();
        let lines = placements.map(|([x, y, z], [roll, pitch, yaw])| {
            let rotation = nalgebra::UnitQuaternion::from_euler_angles(roll, pitch, yaw);
            pose *= Isometry3::from_parts(Translation3::new(x, y, z), rotation);
            (pose.rotation * Vector3::z(), pose.translation.vector)
        });
        Self { directions: lines.map(|(direction, _)| direction), points: lines.map(|(_, point)| point) }
    }

    /// Makes axes intersect, each at a different point.
    pub fn meet(&mut self, range: std::ops::Range<usize>, random: &mut Random) {
        let centre = self.points[range.start];
        for index in range {
            self.points[index] = centre + self.directions[index] * random.between(-0.3, 0.3);
        }
    }

    /// Makes axes parallel, some in the opposite direction.
    pub fn align(&mut self, range: std::ops::Range<usize>, random: &mut Random) {
        let direction = self.directions[range.start];
        for index in range {
            self.directions[index] = direction * if random.below(2) == 0 { 1.0 } else { -1.0 };
        }
    }

    /// Distance \[m\] between an axis and the next one.
    pub fn gap(&self, index: usize) -> f64 {
        let between = self.points[index + 1] - self.points[index];
        let across = self.directions[index].cross(&self.directions[index + 1]);
        across.try_normalize(1e-6).map_or(f64::INFINITY, |across| between.dot(&across).abs())
    }

    /// The axes from the other end.
    pub fn reversed(mut self) -> Self {
        self.directions.reverse();
        self.points.reverse();
        self
    }

    /// The arm with these axes; `limits` are those of each joint, or none.
    pub fn arm(&self, limits: Option<(f64, f64)>, random: &mut Random) -> Arm {
        let mut joints = String::new();
        let mut before = Vector3::zeros();
        for (index, (axis, point)) in self.directions.iter().zip(&self.points).enumerate() {
            let xyz = point - before;
            before = *point;
            let mut inside = format!(
                "<origin xyz='{:e} {:e} {:e}'/><axis xyz='{:e} {:e} {:e}'/>",
                xyz.x, xyz.y, xyz.z, axis.x, axis.y, axis.z
            );
            let kind = if let Some((lower, upper)) = limits {
                write!(inside, "<limit lower='{lower}' upper='{upper}'/>").unwrap();
                "revolute"
            } else {
                "continuous"
            };
            joints += &urdf::joint(
                &format!("j{}", index + 1),
                kind,
                &format!("l{index}"),
                &format!("l{}", index + 1),
                &inside,
            );
        }
        let turned = format!("<origin xyz='0.1 -0.05 0.2' rpy='{} 0.3 -1.1'/>", random.between(-2.0, 2.0));
        joints += &urdf::joint("flange", "fixed", "l6", "tip", &turned);
        Arm::from_text(&urdf::robot("l0 l1 l2 l3 l4 l5 l6 tip", &joints), "l0", &["tip"])
    }
}

pub fn closed_form(arm: &Arm) -> Solver {
    Solver::prepare(SolverKind::ClosedForm, &arm.chain).unwrap()
}

/// The pose of the tip at known positions, with a tolerance of 1e-9 m and rad.
pub fn exact(arm: &Arm, positions: &[f64]) -> Target {
    let tolerance = Tolerance { position: 1e-9, orientation: 1e-9 };
    arm.targets_at(positions)[0].with_tolerance(tolerance)
}

/// Checks every solution of the closed form by independent kinematics, and that it has all solutions of a search.
/// Returns their number.
pub fn check_all(arm: &Arm, positions: &[f64], seed: &[f64]) -> usize {
    let count = check_target(arm, &exact(arm, positions), seed, Some(positions));
    assert!(count > 0);
    count
}

/// Checks every solution for a target as [`check_all`] does; `known` positions meet it.
pub fn check_target(arm: &Arm, target: &Target, seed: &[f64], known: Option<&[f64]>) -> usize {
    let solver = closed_form(arm);
    let problem = Problem::new(std::slice::from_ref(target), seed).with_mode(Mode::Search {
        pick: Pick::First,
        attempts: 400,
        random_seed: 1,
    });
    let found = all_solutions(&solver, &problem);
    let nearest = |to: &[f64]| found.iter().map(|s| apart(&s.positions, to)).fold(f64::INFINITY, f64::min);
    for solution in &found {
        assert!(arm.chain.contains(&solution.positions), "{solution:?}");
        let (position, orientation) = distance(&arm.tip_poses(&solution.positions)[0], &target.pose);
        assert!(position < 1e-9 && orientation < 1e-9, "{position:e} {orientation:e} {solution:?}");
    }
    for (index, one) in found.iter().enumerate() {
        assert!(found[..index].iter().all(|other| apart(&one.positions, &other.positions) > 1e-5), "twice: {found:?}");
    }
    if let Some(known) = known {
        assert!(nearest(known) < 1e-5, "{:?} misses {known:?}: {found:?}", solver.method());
    }
    for solution in all_solutions(&arm.solver(), &problem) {
        let near = nearest(&solution.positions);
        assert!(near < 1e-4, "{}: a search finds {:?}, {near} from\n{found:#?}", arm.name, solution.positions);
    }
    found.len()
}
