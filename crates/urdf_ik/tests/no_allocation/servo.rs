//! A step of a servo allocates nothing, for any command.

use allocation_counter::measure;
use nalgebra::Vector3;
use urdf_ik::motion::servo::{Axes, Command, Servo, ServoOptions, TipCommand, TipPose, TipTwist};

use crate::common::{Random, bundled_arms};

#[test]
fn a_step_of_a_servo_allocates_nothing() {
    for arm in bundled_arms() {
        let mut random = Random::new(5);
        let start = random.positions(&arm.chain);
        let mut servo = Servo::new(&arm.solver(), &arm.limits(), ServoOptions::default(), &start).unwrap();
        for step in 0..600 {
            let mut vector = || Vector3::from_fn(|_, _| random.between(-0.3, 0.3));
            let twist = TipTwist { tip: 0, linear: vector(), angular: vector(), axes: Axes::Tip };
            let pose = TipPose { tip: 0, pose: servo.target(0) };
            let velocities: Vec<f64> = start.iter().map(|_| random.between(-0.5, 0.5)).collect();
            let (twists, poses) = ([TipCommand::Twist(twist)], [TipCommand::Pose(pose)]);
            let command = match step / 20 % 4 {
                0 => Command::Tips(&twists),
                1 => Command::Rest,
                2 => Command::Velocities(&velocities),
                _ => Command::Tips(&poses),
            };
            let allocated = measure(|| assert!(servo.step(0.004, &command, None).is_ok())).count_total;
            assert_eq!(allocated, 0, "{}, step {step}: {command:?}", arm.name);
        }
    }
}
