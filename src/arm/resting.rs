//! An arm that nothing moves: as it was published last, beside where it is measured.

use std::time::{Duration, Instant};

use super::following::Deviation;
use crate::robot_in_use::{Configuration, LoadedRobot};

/// How long an arm must be measured in one place after the last command to count as displaced there. Drivers take less to begin a motion:
/// until then the arm is still measured where it was.
pub(super) const REST_TIME: Duration = Duration::from_millis(200);

/// An arm that nothing moves.
pub(super) struct Resting {
    /// As it was published last.
    pub published: Configuration,
    /// Whether a motion led there.
    pub is_commanded: bool,
    /// When it moved last, or a motion or stop was requested.
    pub last_activity: Option<Instant>,
    /// Number of requests by then.
    pub requests: u64,
}

/// Positions of a resting arm: one entry for each joint of the robot.
pub(super) struct Located {
    /// For all that asks where the arm is.
    pub present: Vec<f64>,
    /// What is published from now on.
    pub published: Vec<f64>,
}

impl Resting {
    /// Compares the `measured` positions (one entry a joint) with those published last. Joints outside the chain, which are not commanded,
    /// each have a dead band of their own.
    pub(super) fn locate(&self, measured: Vec<f64>, tolerance: f64, is_measured_at_rest: impl Fn() -> bool) -> Located {
        let Configuration { loaded, positions, .. } = &self.published;
        let LoadedRobot { robot, chain, .. } = &**loaded;
        let is_far =
            |joint: usize| robot.joints()[joint].domain.way(positions[joint], measured[joint]).abs() > tolerance;
        let is_elsewhere = Deviation::greatest(loaded, positions, &measured).difference.abs() > tolerance
            && (!self.is_commanded || is_measured_at_rest());
        if is_elsewhere {
            return Located { present: measured.clone(), published: measured };
        }
        let mut published = positions.clone();
        robot.movable().filter(|joint| is_far(*joint)).for_each(|joint| published[joint] = measured[joint]);
        chain.write_into(robot, &chain.positions_from(positions), &mut published);
        Located { present: if self.is_commanded { published.clone() } else { measured }, published }
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
        Resting { published, is_commanded, last_activity: None, requests: 0 }
    }

    impl Resting {
        /// What is made of joints that are measured so far from where they were published.
        fn with(&self, moves: &[(&str, f64)], is_measured_at_rest: bool) -> Located {
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
            let Located { present, published } = resting.with(&moves, false);
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
            let Located { present, published } = resting.with(&moves, is_measured_at_rest);
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
            let Located { present, published } = resting.with(&[elbow, other], true);
            let moves = if is_taken_over { vec![other] } else { Vec::new() };
            assert_eq!(published, resting.measured(&moves));
            assert_eq!(present, published);
        }
        let fingers = resting.with(&[("left_finger_joint", 0.035)], true).published;
        let mirror = resting.published.loaded.robot.movable_index("left_finger_mirror_joint").unwrap();
        assert_eq!(fingers[mirror] - resting.published.positions[mirror], 0.035);
    }
}
