//! Goals from outside: refusals and sentences.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use serde_json::{Value, json};

use super::{
    Drawing, ExactConfiguration, FixedFrame, Goal, GoalContext, MAX_GOALS, Middle, Region, Rows, Subject, TOLERANCE,
    distinct_names,
};
use urdf_ik_random::random::Random;
use urdf_ik_random::robots::{Axes, Recipe};
use urdf_ik_robot::{Chain, ChainPoses, Robot};

const ARM: &str = r#"<robot name="arm"> <link name="base"/> <link name="upper"/> <link name="tip"/> <link name="flange"/> <link name="finger"/>
    <joint name="lift" type="prismatic"> <parent link="base"/> <child link="upper"/> <limit lower="0" upper="1"/> </joint>
    <joint name="turn" type="revolute"> <parent link="upper"/> <child link="tip"/> <limit lower="-1" upper="1"/> </joint>
    <joint name="mount" type="fixed"> <parent link="tip"/> <child link="flange"/> </joint>
    <joint name="grip" type="prismatic"> <parent link="tip"/> <child link="finger"/> <limit lower="0" upper="1"/> </joint>
</robot>"#;

fn read(list: &[Value]) -> Result<Vec<Goal>, String> {
    let robot = Robot::from_urdf(ARM).unwrap();
    let chain = Chain::new(&robot, "base", &["tip"]).unwrap();
    let context = GoalContext { robot: &robot, chain: &chain, positions: &robot.neutral_positions(), frames: &[] };
    Goal::read_all(list, &context).map_err(|error| error.to_string())
}

#[test]
fn bad_goals_are_refused_by_name() {
    let cone = |name: &str, value: Value| {
        let mut goal =
            json!({"type": "cone", "name": "level", "axis": [0, 0, 1], "direction": [0, 0, 1], "angle": 0.1});
        goal[name] = value;
        goal
    };
    let boxed = |lower: Value, upper: Value| json!({"type": "position", "lower": lower, "upper": upper});
    let joints = |coefficients: Value| json!({"type": "joints", "coefficients": coefficients, "lower": 0});
    for (goal, expected) in [
        (json!(3), "goal 1: it must be an object"),
        (json!({"angle": 1}), "goal 1: the field 'type' is missing"),
        (json!({"type": "cube"}), "there is no goal of type 'cube'; the types are: position, distance, cone"),
        (cone("axis", json!([0, 0, 0])), "goal 1 ('level'): its 'axis' is [0.0, 0.0, 0.0]"),
        (cone("axis", json!([0, 1])), "its 'axis' is [0,1]; it must be 3 numbers"),
        (cone("angle", json!(4)), "its 'angle' is 4; it must be 0 to π rad"),
        (cone("angle", json!(-0.1)), "its 'angle' is -0.1"),
        (cone("weight", json!(0)), "its weight is 0; it must be a finite number above 0"),
        (cone("link", json!("hand")), "there is no link 'hand'; the links are: base, upper, tip, flange, finger"),
        (cone("frame", json!("flange")), "no joint of the chain moves its 'link' relative to its 'frame'"),
        (cone("link", json!("base")), "no joint of the chain moves"),
        (
            cone("colour", json!("red")),
            "the field 'colour' is unknown here; there are: type, name, weight, standing, link",
        ),
        (boxed(json!([0, 0, 1]), json!([1, 1, 0])), "no value lies between 1 and 0"),
        (boxed(json!(["a", 0, 0]), json!(null)), "its 'lower'"),
        (json!({"type": "position", "p": [1e300, 0, 0]}), "its 'p' must be three finite numbers"),
        (json!({"type": "position", "q_xyzw": [0, 0, 0, 0]}), "length 0"),
        (json!({"type": "distance", "upper": -1}), "no distance is below its 'upper' of -1"),
        (json!({"type": "orientation", "parameterization": "zyx"}), "zyx"),
        (json!({"type": "orientation", "axes": "world"}), "its 'axes' are 'world'"),
        (joints(json!({})), "its 'coefficients' name no joint"),
        (joints(json!({"lift": 1, "turn": 1})), "mix joints that rotate and joints that translate"),
        (joints(json!({"grip": 1})), "the joint 'grip' is not part of the chain"),
        (joints(json!({"wrist": 1})), "there is no joint 'wrist'"),
        (joints(json!({"lift": 0})), "a coefficient is 0"),
        (json!({"type": "center_of_mass"}), "the URDF of the robot has no masses"),
    ] {
        let refused = read(std::slice::from_ref(&goal)).unwrap_err();
        assert!(refused.contains(expected), "{goal}: {refused}");
    }
    let many = vec![json!({"type": "position"}); MAX_GOALS + 1];
    assert!(read(&many).unwrap_err().contains("there are 101; at most 100 are possible"));
    let second = [json!({"type": "position"}), json!({"type": "cone"})];
    assert!(read(&second).unwrap_err().starts_with("goal 2 ('cone'): "), "{:?}", read(&second));
}

#[test]
fn equal_names_become_distinct() {
    let list = [json!({"type": "position"}), json!({"type": "position"}), json!({"type": "position", "name": "box"})];
    let names: Vec<String> = read(&list).unwrap().iter().map(|goal| goal.name().to_owned()).collect();
    assert_eq!(names, ["position", "position 2", "box"]);
    assert_eq!(distinct_names(&list), names);
}

#[test]
fn the_sentence_tells_by_how_much() {
    let goal = &read(&[json!({"type": "position", "name": "box"})]).unwrap()[0];
    assert_eq!(goal.sentence(TOLERANCE), "goal 'box' is met");
    assert_eq!(goal.sentence(0.02), "goal 'box' is violated: the point is outside the box by 2.000e-2 m");
}

#[test]
fn aims_are_in_the_middle_of_bounds() {
    let position =
        json!({"type": "position", "point": [0, 0, 0.5], "p": [1, 2, 3], "lower": [-1, -1, -1], "upper": [1, 1, 2]});
    let orientation = json!({"type": "orientation", "q_xyzw": [0, 0, 1, 0], "lower": [-1, -1, -1], "upper": [1, 1, 1]});
    let (mut moving, mut open) = (position.clone(), orientation.clone());
    (moving["frame"], open["upper"]) = (json!("upper"), json!([1, 1, null]));
    let goals = read(&[position, orientation, moving, open]).unwrap();
    let aims: Vec<_> = goals.iter().map(Goal::aim).collect();
    let aim = aims[0].unwrap();
    assert_eq!(aim.at, Middle::Position(Vector3::new(1.0, 2.0, 3.5)));
    assert_eq!((aim.place.joint, aim.place.offset.translation.vector), (Some(1), Vector3::new(0.0, 0.0, 0.5)));
    let Middle::Orientation(rotation) = aims[1].unwrap().at else { panic!("{:?}", aims[1]) };
    assert!((rotation * Vector3::x() + Vector3::x()).norm() < 1e-15);
    let moving = aims[2].unwrap();
    assert_eq!((aim.frame, moving.frame, moving.at), (None, Some(0), aim.at));
    assert_eq!(aims[3], None);
}

#[test]
fn masses_at_one_joint_are_one_body() {
    let mass = |value: f64, x: f64| format!("<inertial> <origin xyz='{x} 0 0'/> <mass value='{value}'/> </inertial>");
    let text = ARM
        .replace("<link name=\"upper\"/>", &format!("<link name='upper'> {} </link>", mass(1.0, 1.0)))
        .replace("<link name=\"flange\"/>", &format!("<link name='flange'> {} </link>", mass(3.0, 2.0)))
        .replace("<link name=\"finger\"/>", &format!("<link name='finger'> {} </link>", mass(-1.0, 2.0)));
    let robot = Robot::from_urdf(&text).unwrap();
    assert!(robot.warnings().iter().any(|warning| warning.contains("finger")), "{:?}", robot.warnings());
    let chain = Chain::new(&robot, "base", &["tip"]).unwrap();
    let context = GoalContext { robot: &robot, chain: &chain, positions: &robot.neutral_positions(), frames: &[] };
    // At zero: (1·1 + 3·2) / 4 = 1.75 along x.
    let goal = json!({"type": "center_of_mass", "p": [1.75, 0, 0], "lower": [0, 0, 0], "upper": [0, 0, 0]});
    let goal = Goal::read(&goal, &context).unwrap();
    assert_eq!(goal.places().unwrap().joints().collect::<Vec<_>>(), [Some(0), Some(1), None]);
    let mut poses = ChainPoses::new(&chain);
    for (positions, expected) in [([0.0, 0.0], 0.0), ([0.5, 0.0], 0.5)] {
        chain.forward_kinematics(&positions, &mut poses);
        let at = ExactConfiguration { positions: &positions, poses: &poses };
        let violation = goal.violation(&at, &mut Rows::default());
        assert!((violation - expected).abs() < 1e-12, "{violation}");
    }
}

/// True if the region contains the subject with this tolerance \[m or rad\].
fn contains(drawing: &Drawing, tolerance: f64) -> bool {
    let within = |value: f64, [lower, upper]: [f64; 2]| value >= lower - tolerance && value <= upper + tolerance;
    match (&drawing.region, drawing.subject) {
        (Region::Box { pose, lower, upper }, Subject::Point(point)) => {
            let at = pose.inverse_transform_point(&point);
            (0..3).all(|axis| within(at[axis], [lower[axis], upper[axis]]))
        }
        (Region::Shell { centre, radii }, Subject::Point(point)) => within((point - centre).norm(), *radii),
        (Region::Tube { pose, radii }, Subject::Point(point)) => {
            within(pose.inverse_transform_point(&point).xy().coords.norm(), *radii)
        }
        (Region::Cone { apex, direction, angle }, Subject::Point(seen)) => {
            (seen - apex).angle(direction) <= angle + tolerance
        }
        (Region::Cone { direction, angle, .. }, Subject::Direction(axis)) => axis.angle(direction) <= angle + tolerance,
        (Region::Axes(wanted), Subject::Axes(link)) => wanted.rotation.angle_to(&link.rotation) <= tolerance,
        (region, subject) => panic!("{region:?} does not bound {subject:?}"),
    }
}

/// Goals with a drawing, relative to a fixed or a moving frame, that random configurations meet or violate.
fn drawn_goals(random: &mut Random, [link, frame]: [&str; 2]) -> Vec<Value> {
    let mut vector = || random.vector(0.5).as_slice().to_vec();
    let turn = [0.5, -0.5, 0.5, 0.5];
    let direction = vec![0.6, 0.0, -0.8];
    vec![
        json!({"type": "position", "link": link, "frame": frame, "p": vector(), "q_xyzw": turn, "point": vector(),
               "lower": [-1, null, -0.5], "upper": [0.5, 0.4, null]}),
        json!({"type": "distance", "link": link, "frame": frame, "point": vector(), "p": vector(), "lower": 0.2, "upper": 1}),
        json!({"type": "distance", "link": link, "p": vector(), "direction": direction, "upper": 0.8}),
        json!({"type": "cone", "link": link, "frame": frame, "axis": direction, "direction": vector(), "angle": 1.5}),
        json!({"type": "gaze", "link": link, "frame": frame, "axis": direction, "point": vector(), "p": vector(), "angle": 1.5}),
        json!({"type": "orientation", "link": link, "frame": frame, "q_xyzw": turn, "lower": [0, 0, 0], "upper": [0, 0, 0]}),
    ]
}

#[test]
fn drawings_contain_what_goals_allow() {
    let mut random = Random::new(7);
    let (mut met, mut violated) = (0, 0);
    for _ in 0..40 {
        let (chain, text) = Recipe::plain(Axes::Any, 6).make(&mut random);
        let robot = Robot::from_urdf(&text).unwrap();
        let context = GoalContext { robot: &robot, chain: &chain, positions: &robot.neutral_positions(), frames: &[] };
        let moving = &robot.links()[random.below(robot.links().len())].name;
        for frame in [chain.base(), moving] {
            let positions: Vec<f64> = chain.variables().iter().map(|_| random.between(-1.0, 1.0)).collect();
            let mut poses = ChainPoses::new(&chain);
            chain.forward_kinematics(&positions, &mut poses);
            let at = ExactConfiguration { positions: &positions, poses: &poses };
            let goals = drawn_goals(&mut random, [&chain.tips()[0].link, frame]);
            for goal in goals.iter().filter_map(|goal| Goal::read(goal, &context).ok()) {
                let (drawing, violation) =
                    (goal.kind().drawing(&at).unwrap(), goal.violation(&at, &mut Rows::default()));
                assert!(contains(&drawing, violation + 1e-9), "{goal:?}: {drawing:?} {violation}");
                assert!(violation < 1e-9 || !contains(&drawing, 0.5 * violation), "{goal:?}: {drawing:?} {violation}");
                *if violation > 0.0 { &mut violated } else { &mut met } += 1;
            }
        }
    }
    assert!(met > 60 && violated > 60, "{met} {violated}");
}

#[test]
fn handles_change_values_in_fixed_frames() {
    let robot = Robot::from_urdf(ARM).unwrap();
    let chain = Chain::new(&robot, "base", &["tip"]).unwrap();
    let [turn, wanted] = [Vector3::z(), Vector3::x()].map(|axis| UnitQuaternion::new(axis * 2.0 * 0.6_f64.asin()));
    let frames = [FixedFrame {
        name: "turned".to_owned(),
        pose: Isometry3::from_parts(Point3::new(1.0, 0.0, 0.0).into(), turn),
    }];
    let context = GoalContext { robot: &robot, chain: &chain, positions: &robot.neutral_positions(), frames: &frames };
    let (positions, mut poses) = ([0.3, 0.2], ChainPoses::new(&chain));
    chain.forward_kinematics(&positions, &mut poses);
    let at = ExactConfiguration { positions: &positions, poses: &poses };
    let grip = |goal: &Value| Goal::read(goal, &context).unwrap().kind().drawing(&at).unwrap().grip;
    let place = grip(&json!({"type": "position", "p": [1, 2, 3]})).unwrap();
    assert_eq!((place.field, place.pose(0.2)), ("p", Isometry3::translation(1.0, 2.0, 3.0)));
    assert_eq!(place.numbers_for(&Isometry3::translation(0.0, 1.0, 0.0)).unwrap(), [0.0, 1.0, 0.0]);
    let direction = grip(&json!({"type": "cone", "axis": [0, 0, 1], "direction": [0, 2, 0], "angle": 0.1})).unwrap();
    let apex: Point3<f64> = poses.tips()[0].translation.vector.into();
    let handle = |place: Point3<f64>| Isometry3::from(place);
    assert_eq!((direction.field, direction.pose(0.2)), ("direction", handle(apex + Vector3::y() * 0.2)));
    assert_eq!(direction.numbers_for(&handle(apex - Vector3::x() * 3.0)).unwrap(), [-1.0, 0.0, 0.0]);
    assert_eq!(direction.numbers_for(&handle(apex)), None);
    let orientation = grip(&json!({"type": "orientation", "q_xyzw": [0.6, 0, 0, 0.8], "frame": "turned"})).unwrap();
    let turned = orientation.pose(0.2);
    assert!(orientation.field == "q_xyzw" && turned.rotation.angle_to(&(turn * wanted)) < 1e-12);
    assert!((turned.translation.vector - apex.coords).norm() < 1e-12);
    let numbers = orientation.numbers_for(&(turned * UnitQuaternion::new(Vector3::y()))).unwrap();
    let expected = wanted * UnitQuaternion::new(Vector3::y());
    assert!(numbers.iter().zip(expected.coords.iter()).all(|(number, entry)| (number - entry).abs() < 1e-12));
    assert_eq!(grip(&json!({"type": "orientation", "link": "tip", "frame": "upper"})), None);
    assert_eq!(grip(&json!({"type": "position", "link": "tip", "frame": "upper"})), None);
}
