//! Rows of goals of every kind against differences of their values, on robots of every kind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use serde_json::{Value, json};

use crate::kernel::LANES;
use crate::testing::four::Four;
use urdf_ik_goals::{Goal, GoalContext};
use urdf_ik_random::random::Random;
use urdf_ik_random::robots::{Axes, Recipe};
use urdf_ik_robot::Robot;

/// A goal of each kind, also with equal bounds, that random configurations violate.
fn goals_of(random: &mut Random, links: [&str; 2]) -> Vec<Value> {
    let mut vector = || random.vector(1.0).as_slice().to_vec();
    let [link, frame] = links;
    let turn = [0.5, -0.5, 0.5, 0.5];
    vec![
        json!({"type": "position", "link": link, "frame": frame, "p": vector(), "q_xyzw": turn, "point": vector(),
               "lower": [50, -50, null], "upper": [60, -40, 9]}),
        json!({"type": "position", "link": link, "p": vector(), "lower": [9, 9, 9], "upper": [9, 9, 9]}),
        json!({"type": "distance", "link": link, "point": vector(), "frame": frame, "p": vector(), "lower": 90}),
        json!({"type": "distance", "link": link, "p": vector(), "direction": vector(), "lower": 90, "upper": 99}),
        json!({"type": "distance", "link": link, "p": vector(), "direction": vector(), "upper": 0}),
        json!({"type": "cone", "link": link, "frame": frame, "axis": vector(), "direction": vector(), "angle": 1e-9}),
        json!({"type": "cone", "link": link, "axis": vector(), "direction": vector(), "angle": 0}),
        json!({"type": "gaze", "link": link, "frame": frame, "axis": vector(), "p": vector(), "angle": 1e-9}),
        json!({"type": "gaze", "link": link, "axis": vector(), "point": vector(), "p": vector(), "angle": 0}),
        json!({"type": "orientation", "link": link, "frame": frame, "q_xyzw": turn, "lower": [4, 4, 4]}),
        json!({"type": "orientation", "link": link, "q_xyzw": turn, "axes": "frame", "upper": [-4, -4, -4]}),
        json!({"type": "orientation", "link": link, "parameterization": "xyz_euler", "lower": [4, 4, 4]}),
        json!({"type": "joints", "coefficients": {"j0": 2, "j1": -3}, "lower": 1e3, "weight": 3}),
    ]
}

/// The largest difference between the gradient of the squared rows by their Jacobian and by their slopes. Rows of an
/// exact direction have no slopes of their own: their axes turn with the link.
fn worst_slope(recipe: &Recipe, random: &mut Random) -> f64 {
    let (chain, text) = recipe.make(random);
    let robot = Robot::from_urdf(&text).unwrap();
    let positions: Vec<f64> = robot.joints().iter().map(|_| random.between(-1.0, 1.0)).collect();
    let context = GoalContext { robot: &robot, chain: &chain, positions: &positions, frames: &[] };
    let link = &robot.links()[random.below(robot.links().len())].name;
    let goals = goals_of(random, [&chain.tips()[0].link, link]);
    // A random pair of links may not move, and a random chain may lack a joint.
    let goals: Vec<Goal> = goals.iter().filter_map(|goal| Goal::read(goal, &context).ok()).collect();
    assert!(goals.len() >= 5, "{goals:?}");
    let mut four = Four::new(&chain, random);
    four.kernel.set_goals(&[], &goals, 1.0, &mut four.goals);
    four.measure();
    four.linearise();
    let (blocks, variables) = (four.goals.len(), chain.variables().len());
    let (rows, columns) = (four.configurations.rows.clone(), four.configurations.columns.clone());
    let mut worst = 0.0_f64;
    for variable in 0..variables {
        // Over all blocks: both rows of an exact direction may be in different ones.
        let mut sums = [[0.0; 2]; LANES];
        for block in 0..blocks {
            let (slopes, column) = (four.slopes(block, variable, 1e-6), &columns[block * variables + variable]);
            for (lane, [expected, found]) in sums.iter_mut().enumerate() {
                for row in 0..6 {
                    *expected -= rows[block][row].0[lane] * slopes[lane][row];
                    *found += rows[block][row].0[lane] * column[row].0[lane];
                }
            }
        }
        worst = sums
            .iter()
            .fold(worst, |worst, [expected, found]| worst.max((found - expected).abs() / (1.0 + expected.abs())));
    }
    worst
}

#[test]
fn the_jacobian_of_goals_is_the_slope_of_their_rows() {
    let mut random = Random::new(5);
    for recipe in [Recipe::plain(Axes::Any, 7), Recipe::tree(Axes::Mixed, 9, 2), Recipe::tree(Axes::Any, 12, 3)] {
        for _ in 0..30 {
            let worst = worst_slope(&recipe, &mut random);
            assert!(worst < 1e-4, "{recipe:?}: {worst}");
        }
    }
}
