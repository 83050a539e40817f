//! An arm at rest: its last published and its measured configuration.

use super::activity::Activity;
use super::following::Deviation;
use crate::robot_in_use::{Configuration, LoadedRobot};

/// An arm at rest.
pub(super) struct Resting {
    /// The last published configuration.
    pub published: Configuration,
    pub activity: Activity,
}

/// Positions of an arm at rest (one entry for each joint of the robot).
pub(super) struct RestingPositions {
    /// The current positions for queries, frames and markers.
    pub present: Vec<f64>,
    /// The positions to publish.
    pub published: Vec<f64>,
}

impl Resting {
    /// Compares the `measured` positions (one entry a joint) with the last published ones. VariableLimits outside the
    /// chain, which are not commanded, each have a dead band.
    pub(super) fn locate(
        &self,
        measured: Vec<f64>,
        tolerance: f64,
        is_measured_at_rest: impl Fn() -> bool,
    ) -> RestingPositions {
        let Configuration { loaded, positions, .. } = &self.published;
        let LoadedRobot { robot, chain, .. } = &**loaded;
        let is_far =
            |joint: usize| robot.joints()[joint].domain.way(positions[joint], measured[joint]).abs() > tolerance;
        let is_elsewhere = Deviation::greatest(loaded, positions, &measured).difference.abs() > tolerance
            && (!self.activity.is_commanded || is_measured_at_rest());
        if is_elsewhere {
            return RestingPositions { present: measured.clone(), published: measured };
        }
        let mut published = positions.clone();
        robot.movable().filter(|joint| is_far(*joint)).for_each(|joint| published[joint] = measured[joint]);
        chain.write_into(robot, &chain.positions_from(positions), &mut published);
        RestingPositions { present: if self.activity.is_commanded { published.clone() } else { measured }, published }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::robot_in_use::description;
    use urdf_ik_parameters::{Settings, Value, Values};

    const TOLERANCE: f64 = 0.03;

    /// Two arms at their neutral positions, with a chain to the left hand.
    fn resting(is_commanded: bool) -> Resting {
        let mut values = Values::default();
        values.set("tip_links", Value::Texts(vec!["left_hand".into()])).unwrap();
        let settings = Settings::new(&values, None).unwrap();
        let urdf = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/urdf/two_arms.urdf")).unwrap();
        let loaded = description::load(urdf, false, &settings).unwrap().loaded;
        let positions = loaded.robot.neutral_positions();
        let published = Configuration { loaded, end: positions.clone(), positions };
        Resting { published, activity: Activity { is_commanded, ..Activity::default() } }
    }

    impl Resting {
        /// The result for joints measured at these distances from their published positions.
        fn with(&self, moves: &[(&str, f64)], is_measured_at_rest: bool) -> RestingPositions {
            self.locate(self.measured(moves), TOLERANCE, || is_measured_at_rest)
        }

        fn measured(&self, moves: &[(&str, f64)]) -> Vec<f64> {
            let Configuration { loaded, positions, .. } = &self.published;
            let mut measured = positions.clone();
            for (joint, by) in moves {
                measured[loaded.robot.movable_index(joint).unwrap()] += by;
            }
            loaded.robot.apply_mimic(&mut measured);
            measured
        }
    }

    #[test]
    fn before_a_command_the_measurement_counts_and_is_published_with_a_dead_band() {
        let resting = resting(false);
        for (moves, is_taken_over) in [
            ([("left_elbow_joint", -0.02), ("torso_yaw_joint", 0.007)], false),
            ([("left_elbow_joint", -0.04), ("torso_yaw_joint", 0.007)], true),
        ] {
            let RestingPositions { present, published } = resting.with(&moves, false);
            assert_eq!(present, resting.measured(&moves));
            assert_eq!(published, if is_taken_over { present } else { resting.published.positions.clone() });
        }
    }

    #[test]
    fn after_a_command_the_measurement_counts_where_the_arm_rests_elsewhere() {
        let resting = resting(true);
        let commanded = || resting.published.positions.clone();
        for (by, is_measured_at_rest, is_displaced) in
            [(0.02, true, false), (0.04, true, true), (0.04, false, false), (-0.5, true, true)]
        {
            let moves = [("left_elbow_joint", by), ("torso_yaw_joint", 0.007)];
            let RestingPositions { present, published } = resting.with(&moves, is_measured_at_rest);
            assert_eq!(present, if is_displaced { resting.measured(&moves) } else { commanded() }, "{by}");
            assert_eq!(published, present);
        }
    }

    #[test]
    fn whole_turns_of_a_continuous_joint_are_no_displacement() {
        let located = resting(true).with(&[("left_forearm_yaw_joint", std::f64::consts::TAU - 0.01)], true);
        assert_eq!(located.published, resting(true).published.positions);
    }

    #[test]
    fn joints_outside_the_chain_do_not_displace_the_arm() {
        let resting = resting(true);
        let elbow = ("left_elbow_joint", 0.007);
        for (other, is_taken_over) in [(("right_elbow_joint", 0.2), true), (("right_elbow_joint", 0.02), false)] {
            let RestingPositions { present, published } = resting.with(&[elbow, other], true);
            let moves = if is_taken_over { vec![other] } else { Vec::new() };
            assert_eq!(published, resting.measured(&moves));
            assert_eq!(present, published);
        }
        let fingers = resting.with(&[("left_finger_joint", 0.035)], true).published;
        let mirror = resting.published.loaded.robot.movable_index("left_finger_mirror_joint").unwrap();
        assert_eq!(fingers[mirror] - resting.published.positions[mirror], 0.035);
    }
}
