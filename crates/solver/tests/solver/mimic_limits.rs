//! Robots whose mimic joints have limits of their own, often invalid: only those of the masters count.

use urdf_ik::robot::Domain;
use urdf_ik::solver::{Problem, SolverKind};

use crate::common::{
    self, Arm, Random,
    urdf::{fixed, joint, robot, six_joints},
};

/// Number of targets of each robot and solver.
const TARGETS: usize = 500;

/// A joint within limits, with further elements `inside`.
fn limited(names: [&str; 4], axis: &str, limits: [f64; 2], inside: &str) -> String {
    let [name, kind, parent, child] = names;
    let [lower, upper] = limits;
    let limit = format!("<axis xyz='{axis}'/><limit lower='{lower}' upper='{upper}' effort='1' velocity='1'/>");
    joint(name, kind, parent, child, &(limit + inside))
}

/// A desktop arm whose parallelograms keep the hand level, as a Dobot Magician: both followers have 0..6.28 and
/// the multiplier -1.
fn parallel_arm() -> Arm {
    let follower = |master: &str, xyz: &str| format!("<origin xyz='{xyz}'/><mimic joint='{master}' multiplier='-1'/>");
    let joints = limited(["pan", "revolute", "base", "turret"], "0 0 1", [-2.2, 2.2], "")
        + &limited(["rear", "revolute", "turret", "upper"], "0 1 0", [0.0, 1.48], "<origin xyz='0 0 0.138'/>")
        + &limited(["level", "revolute", "upper", "elbow"], "0 1 0", [0.0, 6.2], &follower("rear", "0 0 0.135"))
        + &limited(["front", "revolute", "elbow", "fore"], "0 1 0", [-0.17, 1.57], "")
        + &limited(["hand", "revolute", "fore", "wrist"], "0 1 0", [0.0, 6.2], &follower("front", "0.147 0 0"))
        + &fixed("end", "wrist", "tip", "0.06 0 -0.06");
    Arm::from_text(&robot("base turret upper elbow fore wrist tip", &joints), "base", &["tip"])
}

/// A palletiser: its balance cylinder, outside the chain, follows the second joint beyond its own limits.
fn palletiser() -> Arm {
    let cylinder = "<origin xyz='-0.3 0 0.4'/><mimic joint='lift' multiplier='0.2' offset='0.05'/>";
    let joints = limited(["pan", "revolute", "base", "turret"], "0 0 1", [-3.0, 3.0], "")
        + &limited(["lift", "revolute", "turret", "upper"], "0 1 0", [-0.7, 1.5], "<origin xyz='0.2 0 0.5'/>")
        + &limited(["cylinder", "prismatic", "turret", "rod"], "1 0 0", [0.0, 0.1], cylinder)
        + &limited(["elbow", "revolute", "upper", "fore"], "0 1 0", [-0.3, 2.0], "<origin xyz='0 0 0.9'/>")
        + &limited(["roll", "revolute", "fore", "flange"], "1 0 0", [-6.0, 6.0], "<origin xyz='1 0 0'/>")
        + &fixed("end", "flange", "tip", "0.2 0 0");
    Arm::from_text(&robot("base turret upper rod fore flange tip", &joints), "base", &["tip"])
}

/// Six joints within ±2.5 rad, with `more` joints to the links `x` and `y`.
fn six_with(more: &str, tip: &str) -> Arm {
    let text = six_joints(Some(2.5)).replace("</robot>", &format!("<link name='x'/><link name='y'/>{more}</robot>"));
    Arm::from_text(&text, "base", &[tip])
}

/// Fingers locked at 0 by the URDF: one of them mimics the other, and the chain ends at it.
fn locked_fingers() -> Arm {
    let follows = "<origin xyz='0 0.02 0.1'/><mimic joint='finger' multiplier='-1'/>";
    let joints = limited(["finger", "prismatic", "tip", "x"], "0 1 0", [0.0, 0.04], "<origin xyz='0 0.02 0.1'/>")
        + &limited(["mirror", "prismatic", "tip", "y"], "0 1 0", [0.0, 0.0], follows);
    six_with(&joints, "y")
}

/// Decoration that follows joints of the arm: from 2 rad on, and in limits that are reversed.
fn decorated() -> Arm {
    let joints = limited(["crown", "revolute", "base", "x"], "0 0 1", [2.0, 3.0], "<mimic joint='lift'/>")
        + &limited(["collar", "revolute", "base", "y"], "0 0 1", [3.0, -3.0], "<mimic joint='pan' multiplier='9'/>");
    six_with(&joints, "tip")
}

/// Small robots of users, if the shared files are available.
fn robots_of_users() -> Vec<Arm> {
    let file = |name: &str| common::root().join("../shared/cases/users").join(name);
    let arms = [("mimic_outside.urdf", "base"), ("wide.urdf", "b")].into_iter().filter_map(|(name, base)| {
        let text = std::fs::read_to_string(file(name)).ok()?;
        Some(Arm { name: name.to_owned(), ..Arm::from_text(&text, base, &["tip"]) })
    });
    arms.collect()
}

/// Number of solved poses out of those of random positions.
fn met(arm: &Arm, kind: SolverKind) -> usize {
    let solver = arm.solver().with_method(kind).unwrap();
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let (mut random, nominal) = (Random::new(1), arm.chain.nominal_positions());
    let mut is_met = |()| {
        let targets = arm.targets_at(&random.positions(&arm.chain));
        solver.solve(&Problem::new(&targets, &nominal), &mut scratch, &mut solution).unwrap();
        let (position, orientation) = arm.errors(&targets, &solution);
        solution.is_solved() && position <= 1e-5 && orientation <= 1e-5
    };
    (0..TARGETS).filter(|_| is_met(())).count()
}

#[test]
fn every_reachable_pose_is_met_by_every_solver_that_fits() {
    let arms = [parallel_arm(), palletiser(), locked_fingers(), decorated()].into_iter().chain(robots_of_users());
    for arm in arms {
        let fits = |kind: &SolverKind| arm.solver().with_method(*kind).is_ok();
        let kinds: Vec<SolverKind> = SolverKind::ALL.into_iter().filter(fits).collect();
        assert!(kinds.len() > 1, "{}: {kinds:?}", arm.name);
        for kind in kinds {
            assert_eq!(met(&arm, kind), TARGETS, "{kind}: {}, {:?}", arm.name, arm.robot.joints()[0].name);
        }
    }
}

#[test]
fn the_range_is_that_of_the_master_and_followers_beyond_theirs_are_named() {
    let lift = |arm: &Arm, index: usize| arm.chain.variables()[index].domain;
    for (arm, index, ends, beyond) in [
        (parallel_arm(), 1, [0.0, 1.48], vec!["level", "hand"]),
        (palletiser(), 1, [-0.7, 1.5], vec!["cylinder"]),
        (locked_fingers(), 6, [0.0, 0.04], vec!["mirror"]),
        (decorated(), 1, [-2.5, 2.5], vec!["crown", "collar"]),
    ] {
        assert_eq!(lift(&arm, index), Domain::Interval { lower: ends[0], upper: ends[1] });
        let message = arm.robot.followers_beyond_limits().unwrap();
        assert!(message.ends_with(&format!(": {}", beyond.join(", "))), "{message}");
    }
    // Joints within their limits are not named.
    assert!(common::load("two_arms.urdf").followers_beyond_limits().is_none());
}
