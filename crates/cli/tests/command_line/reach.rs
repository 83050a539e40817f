//! The command `reach`.

#![expect(clippy::cast_precision_loss, reason = "small counts")]

use std::f64::consts::{SQRT_2, TAU};
use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, Matrix4, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;
use urdf_ik::solver::{Mode, Pick, Problem, Solver, Target, Unreached};

use crate::common::{self, Arm};
use crate::shell::{command, fails, file, parse, run, succeeds, text_of, urdf};
use crate::svg::Svg;

const VOXEL: f64 = 0.2;
const ORIENTATIONS: usize = 12;
const MODE: Mode = Mode::Search { pick: Pick::First, attempts: 8, random_seed: 5 };
const SMALL: [&str; 8] = ["--voxel", "0.2", "--orientations", "12", "--attempts", "8", "--random-seed", "5"];

fn output(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The vertices of a PLY, with its properties in order.
fn vertices(path: &Path) -> Vec<[f64; 7]> {
    let text = std::fs::read_to_string(path).unwrap();
    let (header, body) = text.split_once("end_header\n").unwrap();
    let properties: Vec<&str> = header.lines().filter_map(|line| line.strip_prefix("property ")).collect();
    assert_eq!(
        properties,
        ["float x", "float y", "float z", "uchar red", "uchar green", "uchar blue", "float fraction"]
    );
    assert!(header.starts_with("ply\nformat ascii 1.0\n") && header.contains("comment frame base_link\n"), "{header}");
    let vertices: Vec<[f64; 7]> = body
        .lines()
        .map(|line| line.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<_>>().try_into().unwrap())
        .collect();
    assert!(header.contains(&format!("element vertex {}\n", vertices.len())), "{header}");
    vertices
}

/// Orientations on a super-Fibonacci spiral (Alexa 2022), with ψ computed here.
fn spiral(count: usize) -> Vec<UnitQuaternion<f64>> {
    let psi = (0..60).fold(1.5, |psi: f64, _| psi - (psi.powi(4) - psi - 4.0) / (4.0 * psi.powi(3) - 1.0));
    let at = |index: usize| {
        let s = index as f64 + 0.5;
        let t = s / count as f64;
        let (alpha, beta) = (TAU * s / SQRT_2, TAU * s / psi);
        let [x, y] = [alpha.sin(), alpha.cos()].map(|v| v * t.sqrt());
        let [z, w] = [beta.sin(), beta.cos()].map(|v| v * (1.0 - t).sqrt());
        UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
    };
    (0..count).map(at).collect()
}

/// For each voxel of the grid of [`SMALL`] the number of orientations that direct solves reach.
fn counted(arm: &Arm, solver: &Solver, unreached: Unreached) -> Vec<(Vector3<i32>, usize)> {
    let (reach, seed, orientations) = (solver.reach()[0], arm.chain.nominal_positions(), spiral(ORIENTATIONS));
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let mut counts = Vec::new();
    for index in 0..21 * 21 * 21 {
        let voxel = Vector3::new(index % 21 - 10, index / 21 % 21 - 10, index / 441 - 10);
        let centre = voxel.cast::<f64>() * VOXEL;
        let distance = (centre - reach.centre.coords).norm();
        if distance > reach.tip.outer || distance < reach.tip.inner {
            continue;
        }
        let mut solved = |orientation: &&UnitQuaternion<f64>| {
            let targets = [Target::new(0, Isometry3::from_parts(centre.into(), **orientation))];
            let problem = Problem::new(&targets, &seed).with_mode(MODE).with_unreached(unreached);
            solver.solve(&problem, &mut scratch, &mut solution).unwrap();
            solution.is_solved()
        };
        counts.push((voxel, orientations.iter().filter(|orientation| solved(orientation)).count()));
    }
    counts
}

#[test]
fn orientations_are_even() {
    let orientations = spiral(200);
    let sum: Matrix4<f64> = orientations.iter().map(|q| q.coords * q.coords.transpose()).sum();
    let uneven = (sum / 200.0 - Matrix4::identity() / 4.0).amax();
    assert!(uneven < 0.02, "{uneven}");
}

#[test]
fn fractions_are_those_of_direct_solves() {
    let arm = &common::bundled_arms()[0];
    let solver = arm.solver();
    let (path, urdf) = (output("reach.ply"), urdf("arm7.urdf"));
    let report = parse(&succeeds(&[&["reach", "--urdf", &urdf, "--ply", &text_of(&path)], &SMALL[..]].concat()));
    let direct = counted(arm, &solver, Unreached::Stop);
    let reached: Vec<_> = direct.iter().filter(|(_, count)| *count > 0).collect();
    assert!(reached.len() > 100 && reached.len() < direct.len(), "{} of {}", reached.len(), direct.len());
    let vertices = vertices(&path);
    assert_eq!(vertices.len(), reached.len());
    for ([x, y, z, .., fraction], (voxel, count)) in vertices.iter().zip(&reached) {
        let centre = voxel.cast::<f64>() * VOXEL;
        assert!((Vector3::new(*x, *y, *z) - centre).norm() < 1e-6, "{x} {y} {z} {voxel}");
        assert!((fraction - *count as f64 / ORIENTATIONS as f64).abs() < 1e-6, "{fraction} {voxel} {count}");
    }
    let number = |key: &str| report[key].as_f64().unwrap();
    let met: usize = direct.iter().map(|(_, count)| count).sum();
    let mean = met as f64 / (reached.len() * ORIENTATIONS) as f64;
    assert_eq!((number("voxels"), number("reachable_voxels")), (direct.len() as f64, reached.len() as f64));
    assert!((number("mean_fraction") - mean).abs() < 1e-12, "{report} {mean}");
    assert!((number("volume") - reached.len() as f64 * VOXEL.powi(3)).abs() < 1e-9, "{report}");
    assert_eq!((&report["tip"], &report["attempts"]), (&Value::from("tool0"), &Value::from(8)));
    // The search for the closest configuration finds a few more solutions.
    let closest = counted(arm, &solver, Unreached::Closest);
    assert!(direct.iter().zip(&closest).all(|((_, without), (_, with))| without <= with));
    let met_with: usize = closest.iter().map(|(_, count)| count).sum();
    assert!(met_with as f64 <= 1.03 * met as f64, "{met} {met_with}");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let results = ["1", "2"].map(|threads| {
        let (ply, svg) = (output(&format!("threads{threads}.ply")), output(&format!("threads{threads}.svg")));
        let arm = urdf("arm7.urdf");
        let files = ["--ply", &text_of(&ply), "--slices", &text_of(&svg)];
        let arguments = [&["reach", "--urdf", &arm], &SMALL[..], &files].concat();
        assert!(command(&arguments).env("RAYON_NUM_THREADS", threads).output().unwrap().status.success());
        [ply, svg].map(|path| std::fs::read(path).unwrap())
    });
    assert!(results[0] == results[1]);
}

#[test]
fn slices_show_two_cuts_with_a_scale() {
    let path = output("slices.svg");
    let arm = urdf("arm7.urdf");
    succeeds(&[&["reach", "--urdf", &arm, "--slices", &text_of(&path)], &SMALL[..]].concat());
    let svg = Svg::read(&path);
    for text in ["Reach of tool0 from base_link", "cut at y = 0.00 m", "cut at z = 0.20 m", "100 %"] {
        assert!(svg.has(text), "'{text}' is not in {:?}", svg.texts);
    }
    // Ten steps of the scale, the paper, and at least one run of voxels in each row of each cut.
    assert!(svg.count("rect") > 11 + 2 * 8 && svg.count("polyline") >= 4, "{:?}", svg.elements);
    assert!(svg.bytes < 300_000, "{}", svg.bytes);
}

#[test]
fn options_mean_what_they_mean_elsewhere() {
    let arm = urdf("arm7.urdf");
    let number = |more: &[&str], key: &str| {
        let report = parse(&succeeds(&[&["reach", "--urdf", &arm], &SMALL[..], more].concat()));
        report[key].as_f64().unwrap()
    };
    // With free orientations a voxel is reached with all or none.
    assert_eq!(number(&["--free-axes", "rx,ry,rz"], "mean_fraction"), 1.0);
    assert!(number(&["--tip", "hand_link", "--base", "shoulder_lift_link"], "voxels") < number(&[], "voxels"));
    assert!(number(&["--solver", "fabrik"], "reachable_voxels") > 100.0);
    assert!(number(&["--seed", "elbow_joint=-0.5"], "reachable_voxels") > 100.0);
}

/// One joint, whose tip moves on a circle of radius 1 m, off the grid.
fn ring() -> String {
    let turn = common::urdf::turn("turn", "base", "arm", "0.1 0.05 0.02", "0 0 1");
    common::urdf::robot("base arm tip", &(turn + &common::urdf::fixed("end", "arm", "tip", "1 0 0")))
}

#[test]
fn what_makes_no_sense_is_refused() {
    let arm = urdf("arm7.urdf");
    let refused = |more: &[&str], words: &[&str]| fails(&[&["reach", "--urdf", &arm], more].concat(), words);
    for voxel in ["0", "-1", "nan", "inf"] {
        refused(&["--voxel", voxel], &["--voxel is", "above 0"]);
    }
    refused(&["--voxel", "0.001"], &["1.16e10 voxels", "the most is 4e6", "--voxel larger"]);
    refused(&["--voxel", "1e-300"], &["--voxel larger"]);
    refused(&["--voxel", "100"], &["--voxel is 100.0 m", "the reach of 1.130 m"]);
    let turning = text_of(&file("reach_ring.urdf", &ring()));
    fails(&["reach", "--urdf", &turning, "--voxel", "0.3"], &["no voxel of 0.3 m", "1.000 to 1.000 m"]);
    refused(&["--orientations", "0"], &["--orientations"]);
    refused(&["--orientations", "100001"], &["--orientations is 100001", "100000"]);
    refused(&["--orientations", "18446744073709551615"], &["100000"]);
    refused(&["--attempts", "1000000"], &["attempts each make", "the most is 1e10", "fewer --attempts"]);
    refused(&["--tip", "gripper"], &["'gripper'"]);
    refused(&["--position-tolerance", "0"], &["position tolerance"]);
    refused(&["--free-axes", "x,y,z,rx,ry,rz"], &["tool0"]);
    let two = urdf("two_arms.urdf");
    fails(&["reach", "--urdf", &two, "--tip", "left_hand", "--tip", "right_hand"], &["one --tip"]);
    let point = text_of(&file("reach_point.urdf", &common::urdf::one_joint("continuous", "")));
    fails(&["reach", "--urdf", &point], &["only rotates"]);
    for length in ["1e6", "1e300"] {
        let limits = format!("<axis xyz='1 0 0'/><limit lower='0' upper='{length}' effort='1' velocity='1'/>");
        let rail = text_of(&file("reach_rail.urdf", &common::urdf::one_joint("prismatic", &limits)));
        fails(&["reach", "--urdf", &rail], &["voxels"]);
    }
}

#[test]
fn a_bar_is_shown_on_a_terminal_alone() {
    let arm = urdf("arm7.urdf");
    let arguments = [&["reach", "--urdf", &arm], &SMALL[..]].concat();
    assert_eq!(run(&arguments).err, "");
    let line = format!("{} {}", env!("CARGO_BIN_EXE_urdf_ik"), arguments.join(" "));
    let mut script = std::process::Command::new("script");
    let output = script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").output();
    let output = output.expect("script, for a terminal, is part of every Debian (bsdutils)");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("solving") && shown.contains('%') && shown.contains("mean_fraction"), "{shown}");
}
