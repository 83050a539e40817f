//! The commands `solve`, `evaluate` and `collisions` among obstacles.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{self, Arm, Random};
use crate::shell::{Run, fails, file, parse, run, succeeds, text_of, urdf};

/// A planar arm of two boxes with two elbow configurations, and a flap outside the chain to the tip.
const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.25 0 0"/><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0.25 0 0"/><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>
  <link name="tip"/>
  <link name="flap"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
  <joint name="shoulder" type="continuous"><axis xyz="0 0 1"/><parent link="base"/><child link="upper"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/><parent link="upper"/><child link="lower"/></joint>
  <joint name="hand" type="fixed"><origin xyz="0.4 0 0"/><parent link="lower"/><child link="tip"/></joint>
  <joint name="hinge" type="continuous"><axis xyz="0 0 1"/><parent link="base"/><child link="flap"/></joint>
</robot>"#;

/// A box that blocks the elbow above the line to the tip at (0.6, 0).
fn above() -> Value {
    json!({"id": "above", "type": "sphere", "radius": 0.1, "p": [0.3, 0.25, 0]})
}

/// A cylinder below that line.
fn below() -> Value {
    json!({"id": "below", "type": "cylinder", "radius": 0.1, "length": 1, "p": [0.3, -0.25, 0]})
}

/// `solve` for the tip at (0.6, 0) with obstacles from a file of that name, from a seed whose elbow is above the line.
fn solve(name: &str, obstacles: &Value, more: &[&str]) -> Run {
    let arm = text_of(&file(&format!("{name}.urdf"), ARM));
    let list = text_of(&file(&format!("{name}.json"), &obstacles.to_string()));
    let seed = ["--seed", "shoulder=0.7,elbow=-1.5,hinge=3", "--tip", "tip", "--position", "0.6", "0", "0"];
    run(&[&["solve", "--urdf", &arm, "--obstacles", &list], &seed[..], more].concat())
}

fn angle(answer: &Value, joint: &str) -> f64 {
    answer["positions"][joint].as_f64().unwrap()
}

#[test]
fn solve_keeps_clear_of_obstacles() {
    let nothing = parse(&solve("nothing", &json!([]), &[]).out);
    assert!(nothing["solved"] == true && angle(&nothing, "shoulder") > 0.2, "{nothing}");
    let around = solve("around", &json!([above()]), &["--margin", "0.02"]);
    let answer = parse(&around.out);
    assert_eq!((around.code, around.err.as_str(), &answer["solved"]), (0, "", &json!(true)));
    assert!(angle(&answer, "shoulder") < -0.2, "{answer}");
    assert!(answer["nearest"]["distance"].as_f64().unwrap() >= 0.02, "{answer}");
    let between = solve("between", &json!([above(), below()]), &[]);
    let answer = parse(&between.out);
    assert_eq!((between.code, &answer["solved"]), (1, &json!(false)));
    let all = parse(&solve("all", &json!([above()]), &["--all"]).out);
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert!(angle(&all[0], "shoulder") < -0.2, "{all}");
}

/// The answer without its time and the order of obstacles.
#[test]
fn the_order_of_obstacles_does_not_matter() {
    let far = json!({"id": "a", "type": "box", "size": [1, 1, 1], "p": [2, 2, 0]});
    let [one, other] = [json!([far, above()]), json!([above(), far])].map(|list| {
        let mut answer = parse(&solve("order", &list, &[]).out);
        answer.as_object_mut().unwrap().remove("time_us");
        answer
    });
    assert_eq!(one, other);
}

/// Joints outside the chain are at their positions in the seed, and margins count.
#[test]
fn joints_outside_the_chain_stand_where_the_seed_has_them() {
    let arm = text_of(&file("flap.urdf", ARM));
    let asked =
        ["solve", "--avoid-collisions", "--urdf", &arm, "--tip", "tip", "--position", "0.6", "0", "0", "--seed"];
    let away = parse(&run(&[&asked[..], &["shoulder=0.7,elbow=-1.5,hinge=3"]].concat()).out);
    assert!(away["solved"] == true && angle(&away, "shoulder") > 0.2, "{away}");
    // The flap blocks the lower link.
    let there = run(&[&asked[..], &["shoulder=0.7,elbow=-1.5,hinge=0"]].concat());
    assert_eq!((there.code, &parse(&there.out)["solved"]), (1, &json!(false)));
}

#[test]
fn contacts_that_no_solution_can_part_are_named_once() {
    let table = json!({"id": "table", "type": "box", "size": [0.3, 0.3, 0.1], "p": [0, 0, -0.13]});
    let on_table = solve("table", &json!([table]), &["--all"]);
    assert_eq!(on_table.code, 0, "{}", on_table.err);
    let words = "these touch and do not count, because the chain moves neither: link 'base' and obstacle 'table'\n";
    assert!(on_table.err.ends_with(words) && on_table.err.lines().count() == 1, "{}", on_table.err);
}

#[test]
fn bad_obstacles_and_margins_are_refused() {
    let arm = text_of(&file("refused.urdf", ARM));
    let target = ["solve", "--urdf", &arm, "--tip", "tip", "--position", "0.6", "0", "0"];
    let solve = |more: &[&str], words: &[&str]| fails(&[&target[..], more].concat(), words);
    let list = |name: &str, text: &str| text_of(&file(name, text));
    solve(&["--obstacles", "/no.json"], &["/no.json", "there is no such file"]);
    solve(&["--obstacles", "/dev/zero"], &["/dev/zero", "it is a device"]);
    let no_number = list("nan.json", "[{\"id\": \"a\", \"type\": \"sphere\",\n \"radius\": NaN, \"p\": [0, 0, 0]}]");
    solve(&["--obstacles", &no_number], &["nan.json", "line 2", "give a finite number"]);
    let negative = list("sphere.json", r#"[{"id": "ball", "type": "sphere", "radius": -1, "p": [0, 0, 0]}]"#);
    solve(&["--obstacles", &negative], &["sphere.json: obstacle 'ball': a sphere has a size of -1 m"]);
    let none = list("none.json", "[]");
    solve(&["--obstacles", &none, "--margin", "nan"], &["--margin is NaN; it must be a finite number, 0 or more"]);
    solve(&["--avoid-collisions", "--margin", "-1"], &["--margin is -1.0"]);
    solve(&["--margin", "0.1"], &["--avoid-collisions", "--obstacles"]);
    solve(&["--srdf", "arm.srdf"], &["--avoid-collisions", "--obstacles"]);
    let other = list("stranger.srdf", r#"<robot name="b"><disable_collisions link1="x" link2="y"/></robot>"#);
    solve(&["--avoid-collisions", "--srdf", &other], &["stranger.srdf", "of another robot"]);
    let bare = list("bare.urdf", &common::urdf::planar(0.5, 0.4));
    let nothing_to_avoid = ["solve", "--urdf", &bare, "--position", "0.6", "0", "0", "--avoid-collisions"];
    fails(&nothing_to_avoid, &["no link of the robot has a collision shape"]);
    let positions = list("any.json", "[{}]");
    let distances = ["collisions", "--urdf", &arm, "--positions", &positions, "--obstacles", &negative];
    fails(&distances, &["sphere.json: obstacle 'ball'"]);
}

#[test]
fn collisions_counts_obstacles() {
    let arm = text_of(&file("counted.urdf", ARM));
    let positions = text_of(&file("counted_at.json", r#"[{"hinge": 3.141592653589793}]"#));
    let ball = json!([{"id": "ball", "type": "sphere", "radius": 0.1, "p": [1.05, 0, 0]}]);
    let ball = text_of(&file("counted.json", &ball.to_string()));
    let asked = ["collisions", "--urdf", &arm, "--positions", &positions, "--obstacles", &ball];
    let least = parse(&succeeds(&asked));
    assert_eq!((&least[0]["links"], &least[0]["obstacle"]), (&json!(["lower"]), &json!("ball")));
    // The lower link ends at 0.9, the ball begins at 0.95.
    assert!((least[0]["distance"].as_f64().unwrap() - 0.05).abs() < 1e-9, "{least}");
    let all = parse(&succeeds(&[&asked[..], &["--all"]].concat()));
    let obstacles = all[0].as_array().unwrap().iter().filter(|two| two["obstacle"] == "ball");
    // Contacts of the fixed base do not count.
    let links: Vec<_> = obstacles.map(|two| two["links"][0].as_str().unwrap()).collect();
    assert_eq!(links, ["upper", "lower", "flap"]);
}

/// A scene file of a bundled arm whose links have shapes: the same target without obstacles, with one at the elbow of
/// that solution, and with one around the target.
fn scenes(arm: &Arm) -> Value {
    let mut random = Random::new(11);
    let (start, source) = (random.positions(&arm.chain), random.positions(&arm.chain));
    let named: serde_json::Map<_, _> =
        arm.chain.variables().iter().zip(start).map(|(variable, at)| (variable.name.clone(), json!(at))).collect();
    let pose = arm.tip_poses(&source)[0];
    let at = pose.translation.vector.as_slice();
    let target = json!({"p": at, "q_xyzw": pose.rotation.coords.as_slice()});
    let case = |obstacles: Value| json!({"scenario": "test", "start": named, "target": target, "obstacles": obstacles});
    let around = json!([{"id": "block", "type": "box", "size": [0.2, 0.2, 0.2], "p": at, "q_xyzw": [0, 0, 0, 1]}]);
    json!({"robot": arm.name, "urdf": "scene_arm.urdf", "base_link": "base_link", "tip_link": "tool0",
           "cases": [case(json!([])), case(json!([])), case(around)]})
}

/// The report and the solutions of `evaluate` on these cases.
fn evaluate(name: &str, scenes: &Value, more: &[&str]) -> (Value, Value) {
    let path = text_of(&file(&format!("{name}.json"), &scenes.to_string()));
    let solutions = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}_solutions.json"));
    let arguments = ["evaluate", "--cases", &path, "--solutions", &text_of(&solutions)];
    (parse(&succeeds(&[&arguments[..], more].concat())), common::read_json(&solutions))
}

/// The smallest distance at the positions of a solution, by the exact shapes.
fn least_distance(arm: &Arm, case: &Value, solution: &Value) -> Value {
    let named = arm.chain.variables().iter().map(|variable| variable.name.clone());
    let named: serde_json::Map<_, _> = named.zip(solution.as_array().unwrap().clone()).collect();
    let positions = text_of(&file("scene_positions.json", &json!([named]).to_string()));
    let obstacles = text_of(&file("scene_obstacles.json", &case["obstacles"].to_string()));
    let urdf = urdf("arm7.urdf");
    let asked = ["collisions", "--urdf", &urdf, "--positions", &positions, "--obstacles", &obstacles];
    parse(&succeeds(&asked))[0].clone()
}

#[test]
fn evaluate_solves_scenes() {
    let arm = &common::bundled_arms()[0];
    file("scene_arm.urdf", &std::fs::read_to_string(urdf("arm7.urdf")).unwrap());
    let mut scenes = scenes(arm);
    // A time limit that holds on a busy machine.
    let (report, plain) = evaluate("plain", &scenes, &["--timeout-ms", "60000"]);
    assert_eq!((&report["seed"], &report["solved"]), (&json!("start"), &json!(3)));
    assert!(plain[0] == plain[1] && plain[0] == plain[2], "{plain}");
    let positions: Vec<f64> = serde_json::from_value(plain[0].clone()).unwrap();
    let mut all = arm.robot.neutral_positions();
    arm.chain.write_into(&arm.robot, &positions, &mut all);
    let elbow = arm.robot.link_poses(&all)[arm.robot.link_index("elbow_link").unwrap()].translation.vector;
    scenes["cases"][1]["obstacles"] =
        json!([{"id": "ball", "type": "sphere", "radius": 0.05, "p": elbow.as_slice(), "q_xyzw": [0, 0, 0, 1]}]);
    assert_eq!(least_distance(arm, &scenes["cases"][1], &plain[1])["distance"], json!(0.0));
    let free = ["--avoid-collisions", "--timeout-ms", "60000", "--max-cases", "2", "--margin", "0.01"];
    let (report, solutions) = evaluate("free", &scenes, &free);
    assert_eq!((&report["cases"], &report["solved"]), (&json!(2), &json!(2)));
    for (case, solution) in scenes["cases"].as_array().unwrap().iter().zip(solutions.as_array().unwrap()) {
        let least = least_distance(arm, case, solution);
        assert!(least["distance"].as_f64().unwrap() >= 0.01, "{least}");
        let positions: Vec<f64> = serde_json::from_value(solution.clone()).unwrap();
        let (shift, angle) = common::distance(
            &arm.tip_poses(&positions)[0],
            &arm.tip_poses(&serde_json::from_value::<Vec<f64>>(plain[0].clone()).unwrap())[0],
        );
        assert!(shift <= 2e-5 && angle <= 2e-5, "{shift} m, {angle} rad");
    }
    assert_eq!(evaluate("again", &scenes, &free).1, solutions);
    scenes["cases"].as_array_mut().unwrap().drain(..2);
    let (report, solutions) = evaluate("blocked", &scenes, &["--avoid-collisions", "--timeout-ms", "20"]);
    assert_eq!((&report["solved"], &solutions), (&json!(0), &json!([null])));
}

#[test]
fn bad_scenes_say_which_case_is_wrong() {
    let arm = &common::bundled_arms()[0];
    file("scene_arm.urdf", &std::fs::read_to_string(urdf("arm7.urdf")).unwrap());
    let scenes = scenes(arm);
    let bad = |name: &str, change: &dyn Fn(&mut Value), more: &[&str], words: &[&str]| {
        let mut changed = scenes.clone();
        change(&mut changed);
        let path = text_of(&file(name, &changed.to_string()));
        fails(&[&["evaluate", "--cases", &path, "--timeout-ms", "60000"], more].concat(), words);
    };
    bad("scene_seed.json", &|_| (), &["--seed", "random"], &["--seed has no meaning for a scene file"]);
    bad("scene_start.json", &|file| file["cases"][1]["start"] = json!([1]), &[], &["scene_start.json, case 1", "map"]);
    bad("scene_id.json", &|file| file["cases"][2]["obstacles"][0]["id"] = json!(""), &[], &["case 2", "'id' is empty"]);
    let flat = |file: &mut Value| file["cases"][2]["obstacles"][0]["size"] = json!([0, 1, 1]);
    bad("scene_size.json", &flat, &[], &["scene_size.json, case 2: obstacle 'block': a box has a size of 0 m"]);
    bad("scene_srdf.json", &|file| file["srdf"] = json!("no.srdf"), &["--avoid-collisions"], &["no.srdf"]);
    // Some URDFs of a robot lack joints of a scene.
    let mut wheels = scenes.clone();
    wheels["cases"][0]["start"]["wheel"] = json!(1);
    let path = text_of(&file("wheels.json", &wheels.to_string()));
    let named = run(&["evaluate", "--cases", &path, "--timeout-ms", "60000"]);
    assert!(named.code == 0 && named.err.ends_with("the robot has no joints of these names: wheel\n"), "{}", named.err);
}
