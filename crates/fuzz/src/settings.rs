//! Texts of YAML: joint limits, values of parameters, goals and skeletons.

use std::collections::HashSet;
use std::sync::LazyLock;

use nalgebra::Point3;
use urdf_ik::goals::{ExactConfiguration, Goal, GoalContext, Rows};
use urdf_ik::motion::{JointLimits, MotionLimits};
use urdf_ik::parameters::{Refusal, Settings, Value, Values, read_goals};
use urdf_ik::robot::ChainPoses;
use urdf_ik::skeleton::file::{Model, NamedArm, NamedSkeleton};
use urdf_ik_testing::{Arm, Random, arm_with_tool};

use crate::check_message;

static ARM: LazyLock<Arm> = LazyLock::new(|| arm_with_tool("arm7"));

pub fn joint_limits(bytes: &[u8]) {
    let Arm { robot, chain, .. } = &*ARM;
    match JointLimits::from_yaml(&String::from_utf8_lossy(bytes), robot) {
        Ok(limits) => {
            let limits = MotionLimits::new(robot, chain, &limits).or(&urdf_ik_testing::LIMITS);
            assert!(format!("{limits:?}").len() > 10);
        }
        Err(error) => check_message(&error.to_string()),
    }
}

/// The first line names a parameter, the others are its text.
pub fn parameters(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Some((name, text)) = text.split_once('\n') else { return };
    let mut values = Values::default();
    let set = values.set(name, Value::Text(text.to_owned().into())).map(|_| ());
    if let Err(refusal) = set.and_then(|()| use_settings(&values)) {
        check_message(&refusal.to_string());
    }
}

/// Reads settings for a robot.
fn use_settings(values: &Values) -> Result<(), Refusal> {
    let settings = Settings::new(values, None)?;
    let Arm { robot, chain, .. } = &*ARM;
    settings.initial_positions(robot)?;
    settings.posture_positions(robot)?;
    settings.tools(chain)?;
    settings.servo_goals(&[], chain)?;
    Ok(())
}

pub fn goals(bytes: &[u8]) {
    let Arm { robot, chain, .. } = &*ARM;
    let context = GoalContext { robot, chain, positions: &robot.neutral_positions(), frames: &[] };
    match read_goals(&String::from_utf8_lossy(bytes), &context) {
        Ok(goals) => goals.iter().for_each(|goal| check_goal(goal, &mut Random::from_bytes(bytes))),
        Err(error) => check_message(&error.to_string()),
    }
}

fn check_goal(goal: &Goal, random: &mut Random) {
    let positions = random.positions(&ARM.chain);
    let mut poses = ChainPoses::new(&ARM.chain);
    ARM.chain.forward_kinematics(&positions, &mut poses);
    let violation = goal.violation(&ExactConfiguration { positions: &positions, poses: &poses }, &mut Rows::default());
    assert!(violation >= 0.0, "{goal:?} has {violation}");
    check_message(&goal.sentence(violation));
}

pub fn skeleton(bytes: &[u8]) {
    match Model::from_yaml(&String::from_utf8_lossy(bytes)) {
        Ok(model) => check_model(&model),
        Err(error) => check_message(&error.to_string()),
    }
}

/// Checks that a model has finite, uniquely named points.
fn check_model(model: &Model) {
    let (names, points) = match model {
        Model::Skeleton(NamedSkeleton { skeleton, points, ends, rest, .. }) => {
            assert!(ends.iter().all(|end| *end <= skeleton.segment_count()), "{model:?}");
            assert!(skeleton.violation(rest).unwrap().is_finite(), "{model:?}");
            (points, rest.points.clone())
        }
        Model::PitchYaw(NamedArm { arm, points, .. }) => {
            let mut places = vec![Point3::origin(); points.len()];
            arm.forward_kinematics(&vec![0.0; arm.variables()], &mut places).unwrap();
            (points, places)
        }
    };
    let different: HashSet<&String> = names.iter().collect();
    assert_eq!((different.len(), names.len()), (points.len(), points.len()), "{model:?}");
    assert!(points.iter().flat_map(|point| point.iter()).all(|x| x.is_finite()), "{model:?}");
}
