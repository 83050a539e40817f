//! The ranking of starting points by relative goals.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails so")]

use std::sync::Arc;

use serde_json::json;

use super::super::Search;
use super::super::aimed_targets::aimed_targets;
use super::{Ranking, TABLE_SIZE};
use crate::Problem;
use urdf_ik_goals::{Goal, GoalContext};
use urdf_ik_robot::{Chain, ChainPoses, Robot};

#[test]
fn a_configuration_with_the_relative_pose_of_two_tips_is_tried_first() {
    let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/dual_arm.urdf")).unwrap();
    let chain = Arc::new(Chain::new(&robot, "base_link", &["left_hand", "right_hand"]).unwrap());
    let (search, mut at, mut ranking) = (Search::prepare(&chain), ChainPoses::new(&chain), Ranking::new());
    let context = GoalContext { robot: &robot, chain: &chain, positions: &robot.neutral_positions(), frames: &[] };
    for index in 0..TABLE_SIZE {
        let positions = &search.table.positions[index * search.variables()..][..search.variables()];
        chain.forward_kinematics(positions, &mut at);
        let [left, right] = at.tips() else { panic!("{:?}", at.tips()) };
        let relative = right.inv_mul(left);
        let exact = |kind: &str, field: &str, value: &[f64]| {
            json!({"type": kind, "link": "left_hand", "frame": "right_hand", field: value,
                   "lower": [0, 0, 0], "upper": [0, 0, 0]})
        };
        let position = exact("position", "p", relative.translation.vector.as_slice());
        let orientation = exact("orientation", "q_xyzw", relative.rotation.coords.as_slice());
        let goals = Goal::read_all(&[position, orientation], &context).unwrap();
        let problem = Problem::new(&[], positions).with_goals(&goals);
        search.table.rank(search.kernel.level, aimed_targets(&chain, &problem), &goals, &mut ranking);
        assert_eq!(ranking.take(search.kernel.level, 1), index);
    }
}
