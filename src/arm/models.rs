//! Models of concurrent commands, stops and robot changes with the real owners of locks. loom runs each in all orders
//! in which its threads can take the locks; a deadlock is an error too.

use std::sync::Arc;
use std::time::{Duration, Instant};

use loom::thread;
use r2r::sensor_msgs::msg::JointState;
use urdf_ik_parameters::{Settings, Value, Values};

use super::activity::MotionCondition;
use super::configuration_motion::ConfigurationMotion;
use super::shared_state::SharedState;
use super::sources::{Source, Sources};
use crate::reports::Refused;
use crate::robot_in_use::{LoadedRobot, ReadyRobot, description};
use crate::ros::OrderedLock;

const TIMEOUT: Duration = Duration::from_millis(100);
/// Of each thread \[words\].
const STACK: usize = 1 << 17;

/// The bundled arm with this number of joints.
fn robot(joints: usize) -> ReadyRobot {
    let file = format!("{}/urdf/arm{joints}.urdf", env!("CARGO_MANIFEST_DIR"));
    let mut values = Values::default();
    values.set("tip_links", Value::Texts(vec!["tool0".into()])).unwrap();
    let settings = Settings::new(&values, None).unwrap();
    description::load(std::fs::read_to_string(file).unwrap(), false, &settings).unwrap()
}

/// The two owners, with a stream of joint velocities and one of poses, of which each message arrives at the same time.
struct Owners {
    sources: OrderedLock<Sources>,
    state: SharedState,
    now: Instant,
}

impl Owners {
    fn new(robot: &ReadyRobot) -> Arc<Self> {
        let now = Instant::now();
        let mut sources = Sources::new(1);
        for source in [Source::Jog, Source::Pose(0)] {
            sources.gate(source).admit(now, false).unwrap();
        }
        let owners = Self { sources: OrderedLock::new(sources), state: SharedState::default(), now };
        owners.replace_robot(robot);
        Arc::new(owners)
    }

    fn replace_robot(&self, ReadyRobot { loaded, initial, limits }: &ReadyRobot) {
        let motion = ConfigurationMotion::new(Arc::clone(loaded), initial.clone(), limits).unwrap();
        let mut state = self.state.lock();
        state.replace_robot(motion, JointState::default());
        self.state.update_snapshot(&state);
    }

    fn loaded(&self) -> Arc<LoadedRobot> {
        Arc::clone(&self.state.snapshot().configuration.as_ref().unwrap().loaded)
    }

    /// Moves `loaded` at once, as [`Output::move_to`](super::Output::move_to) does.
    fn move_robot(&self, loaded: &Arc<LoadedRobot>, condition: MotionCondition) -> Result<(), Refused> {
        let mut state = self.state.lock();
        state.activity.check(condition)?;
        state.permitted_motion_of(loaded)?.place(vec![0.1; loaded.robot.joints().len()]);
        state.note_request("a motion");
        self.state.update_snapshot(&state);
        Ok(())
    }

    /// A message of joint velocities.
    fn jog(&self) -> Result<(), Refused> {
        let loaded = self.loaded();
        self.sources.take(Source::Jog, self.now, false, |_| self.move_robot(&loaded, MotionCondition::None))
    }

    /// A target pose: it is counted, admitted, solved, and moves the arm.
    fn target(&self) -> Result<(), Refused> {
        let discards = self.state.snapshot().activity.discards;
        self.sources.lock().gate(Source::Pose(0)).admit(self.now, false)?;
        self.move_robot(&self.loaded(), MotionCondition::NotDiscardedSince(discards))
    }

    fn stop(&self) {
        self.sources.stop(
            || self.state.discard_targets(),
            || {
                let mut state = self.state.lock();
                state.brake().unwrap();
                state.note_request("a stop");
                self.state.update_snapshot(&state);
            },
        );
    }
}

/// Starts `work` in a thread.
fn start(owners: &Arc<Owners>, work: impl FnOnce(&Owners) + Send + 'static) -> thread::JoinHandle<()> {
    let owners = Arc::clone(owners);
    thread::Builder::new().stack_size(STACK).spawn(move || work(&owners)).unwrap()
}

/// Runs `model` in all orders of locks, beginning with the first of the robots.
fn run(model: fn(&Arc<Owners>, &[ReadyRobot; 2])) {
    let robots = Arc::new([6, 7].map(robot));
    loom::model(move || {
        let robots = Arc::clone(&robots);
        // The thread of the model itself has a smaller stack.
        let model = move || model(&Owners::new(&robots[0]), &robots);
        thread::Builder::new().stack_size(STACK).spawn(model).unwrap().join().unwrap();
    });
}

/// A stream goes on while the arm is stopped: no earlier command moves it afterwards, and later ones are refused.
fn assert_stopped(owners: &Arc<Owners>, command: fn(&Owners) -> Result<(), Refused>) {
    let stream = start(owners, move |owners| drop([command(owners), command(owners)]));
    owners.stop();
    stream.join().unwrap();
    assert_eq!(owners.state.snapshot().activity.latest, "a stop");
    assert!(command(owners).unwrap_err().sentence.contains("stopped"));
}

#[test]
fn a_stop_outlasts_a_stream_of_velocities() {
    run(|owners, _| assert_stopped(owners, Owners::jog));
}

#[test]
fn a_stop_outlasts_a_stream_of_targets() {
    run(|owners, _| assert_stopped(owners, Owners::target));
}

#[test]
fn a_command_moves_only_the_robot_that_it_was_for() {
    run(|owners, [_, second]| {
        let stream = start(owners, |owners| drop([owners.target(), owners.jog()]));
        let before = owners.loaded();
        owners.replace_robot(second);
        assert!(owners.move_robot(&before, MotionCondition::None).is_err());
        stream.join().unwrap();
        let snapshot = owners.state.snapshot();
        let configuration = snapshot.configuration.as_ref().unwrap();
        assert!(Arc::ptr_eq(&configuration.loaded, &second.loaded));
        assert_eq!(configuration.positions.len(), second.loaded.robot.joints().len());
        assert_eq!(configuration.positions == second.initial, snapshot.activity.latest == "another robot");
    });
}

#[test]
fn readers_see_whole_states_in_order() {
    run(|owners, [_, second]| {
        let stream = start(owners, |owners| drop(owners.jog()));
        let reader = start(owners, |owners| {
            let _ = owners.sources.lock().is_active(Source::Jog, TIMEOUT);
            let mut requests = 0;
            for _ in 0..2 {
                let snapshot = owners.state.snapshot();
                let configuration = snapshot.configuration.as_ref().unwrap();
                assert_eq!(configuration.positions.len(), configuration.loaded.robot.joints().len());
                assert!(requests <= snapshot.activity.requests, "an earlier state after a later one");
                requests = snapshot.activity.requests;
            }
        });
        owners.replace_robot(second);
        stream.join().unwrap();
        reader.join().unwrap();
        let published = owners.state.snapshot().activity.requests;
        assert_eq!(published, owners.state.lock().activity.requests);
    });
}
