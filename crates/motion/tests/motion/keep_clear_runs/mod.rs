//! Runs of an arm among obstacles in simulated time, and a judge of every state. Shared with
//! crates/motion/benches/keep_clear.
//!
//! A run draws commands and events around the arm from its seed.

#![allow(dead_code, reason = "the tests and the bench use their own parts of this file")]

mod judge;
mod subject;

use std::f64::consts::PI;
use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use urdf_ik::collision::{
    Attached, Clearance, Geometry, Obstacle, Scene, SceneScratch, SegmentScratch, World, interpolate_into,
};
use urdf_ik::motion::servo::{Axes, Command, Servo, ServoOptions, TipCommand, TipTwist};
use urdf_ik::motion::{
    FollowOptions, JointMotion, Path, PathOptions, PathProblem, Timing, Trajectory, TransitCheck, follow,
};
use urdf_ik::solver::{Mode, Outcome, Problem, Reason, Target, Unreached};

use crate::common::Random;
use judge::Judge;
pub use judge::Judged;
pub use subject::Subject;

pub const MARGIN: f64 = 0.01;
/// Time between two states \[s\].
pub const PERIOD: f64 = 0.01;
/// Maximum step of a joint in stepwise motion \[rad\].
const MAX_STEP: f64 = 0.02;
/// Minimum distance of pairs at the start, in margins: links of a UR5 are never much farther from each other.
const ROOM: f64 = 1.2;

/// The commands of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    Smooth,
    Steps,
    Twists,
    Jogs,
    Paths,
    Stops,
    Mixed,
}

impl Commands {
    pub const ALL: [Self; 7] =
        [Self::Smooth, Self::Steps, Self::Twists, Self::Jogs, Self::Paths, Self::Stops, Self::Mixed];

    /// The next command.
    fn next(self, random: &mut Random) -> Self {
        match self {
            Self::Mixed => Self::ALL[random.below(6)],
            Self::Stops if random.unit() < 0.7 => Self::Smooth,
            other => other,
        }
    }
}

/// The events around the arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Events {
    None,
    Added,
    Moved,
    Attached,
}

impl Events {
    pub const ALL: [Self; 4] = [Self::None, Self::Added, Self::Moved, Self::Attached];
}

/// The source of the motion.
enum Mover {
    Motion,
    Steps { goal: Vec<f64>, begun: bool },
    Servo(Box<Servo>, Input),
}

enum Input {
    Tip(TipCommand),
    Jog(Vec<f64>),
    Rest,
}

/// A command until a time.
struct Order {
    commands: Commands,
    until: f64,
    target: Target,
}

/// A run in progress.
pub struct Run<'a> {
    subject: &'a Subject,
    random: Random,
    commands: Commands,
    events: Events,
    world: World,
    scene: Scene,
    motion: JointMotion,
    mover: Mover,
    order: Order,
    next_event: f64,
    time: f64,
    segment: SegmentScratch,
    judge: Judge,
}

impl<'a> Run<'a> {
    /// A run among a few obstacles; `None` if no free start was found.
    pub fn new(subject: &'a Subject, commands: Commands, events: Events, seed: u64) -> Option<Self> {
        let mut random = Random::new(seed);
        let (mut world, mut scratch) = (World::default(), SceneScratch::default());
        let alone = subject.scene(&world);
        let start = (0..100).find_map(|_| {
            let start = random.positions(&subject.arm.chain);
            alone.is_free(&start, ROOM * MARGIN, &mut scratch).then_some(start)
        })?;
        let mut scene = alone;
        for index in 0..3 + random.below(6) {
            let (obstacle, pose) = obstacle(&mut random);
            let mut with = world.clone();
            with.add(&format!("obstacle{index}"), obstacle, pose).unwrap();
            let candidate = subject.scene(&with);
            if candidate.is_free(&start, ROOM * MARGIN, &mut scratch) {
                (world, scene) = (with, candidate);
            }
        }
        let target = Target::new(0, subject.tip(&start));
        Some(Self {
            subject,
            random,
            commands,
            events,
            world,
            scene,
            motion: JointMotion::new(&subject.arm.chain, &subject.limits, &start).unwrap(),
            mover: Mover::Motion,
            order: Order { commands, until: 0.0, target },
            next_event: 1.0,
            time: 0.0,
            segment: SegmentScratch::default(),
            judge: Judge::default(),
        })
    }

    /// Runs for so many seconds.
    pub fn judge(mut self, seconds: f64) -> Judged {
        let mut judged = Judged { least: f64::INFINITY, ..Judged::default() };
        while self.time < seconds && judged.broken.is_none() {
            let before = self.positions().to_vec();
            self.happen();
            self.command();
            judged.held += usize::from(self.step());
            self.time += PERIOD;
            let stands = self.stands();
            judged.moved += largest_move(&before, self.positions());
            let positions = self.positions().to_vec();
            let (least, broken) = self.judge.check(&self.scene, &positions, stands);
            judged.least = judged.least.min(least);
            judged.broken = broken.map(|broken| format!("{:.2} s, {:?}: {broken}", self.time, self.order.commands));
        }
        judged
    }

    pub fn positions(&self) -> &[f64] {
        match &self.mover {
            Mover::Servo(servo, _) => servo.positions(),
            _ => self.motion.positions(),
        }
    }

    fn stands(&self) -> bool {
        match &self.mover {
            Mover::Servo(servo, _) => servo.is_at_rest(),
            Mover::Motion => self.motion.is_at_rest(),
            Mover::Steps { .. } => true,
        }
    }

    /// Triggers events around the arm from time to time.
    fn happen(&mut self) {
        if self.events == Events::None || self.time < self.next_event {
            return;
        }
        self.next_event = self.time + self.random.between(0.5, 3.0);
        let (obstacle, pose) = obstacle(&mut self.random);
        match self.events {
            Events::None => {}
            Events::Added => self.world.add(&format!("added{}", self.random.below(3)), obstacle, pose).unwrap(),
            Events::Moved => {
                let id = self.world.obstacles().next().map(|(id, ..)| id.to_owned());
                match id {
                    Some(id) => self.world.move_to(&id, pose).unwrap(),
                    None => self.world.add("moved", obstacle, pose).unwrap(),
                }
            }
            Events::Attached => self.attach(obstacle),
        }
        self.scene = self.subject.scene(&self.world);
        self.motion.recheck();
        let (positions, stands) = (self.positions().to_vec(), self.stands());
        self.judge.begin(&self.scene, &positions, stands);
    }

    /// Attaches a part to the tip, or detaches it in place.
    fn attach(&mut self, part: Arc<Obstacle>) {
        let robot = &self.subject.arm.robot;
        let link = robot.link_index(&self.subject.arm.chain.tips()[0].link).unwrap();
        if self.world.attached().next().is_some() {
            let mut all = robot.neutral_positions();
            self.subject.arm.chain.write_into(robot, self.positions(), &mut all);
            self.world.detach("part", &robot.link_poses(&all)).unwrap();
            self.world.remove("part").unwrap();
        } else {
            let pose = Translation3::new(0.0, 0.0, 0.15).into();
            let touches = robot.links().iter().rev().take(4).map(|link| link.name.clone()).collect();
            self.world.attach("part", Attached { link, obstacle: part, pose, may_touch: touches }).unwrap();
        }
    }

    /// Applies the current command.
    fn command(&mut self) {
        if self.time >= self.order.until {
            self.begin_order();
        }
        if matches!(self.order.commands, Commands::Smooth | Commands::Steps) {
            self.follow_target();
        }
    }

    fn begin_order(&mut self) {
        let commands = self.commands.next(&mut self.random);
        let there = self.random.positions(&self.subject.arm.chain);
        let share = self.random.between(0.1, 1.0);
        let mut goal = vec![0.0; there.len()];
        interpolate_into(self.positions(), &there, share, &mut goal);
        let target = Target::new(0, self.subject.tip(&goal));
        self.order = Order { commands, until: self.time + self.random.between(0.2, 1.5), target };
        match commands {
            Commands::Smooth | Commands::Steps | Commands::Mixed => {}
            Commands::Stops => {
                self.take_back();
                let _ = self.motion.stop();
            }
            Commands::Paths => self.follow_path(),
            Commands::Twists => {
                let linear = self.random.direction() * self.random.between(0.02, 0.5);
                let angular = self.random.direction() * self.random.between(0.0, 1.0);
                self.steer(Input::Tip(TipCommand::Twist(TipTwist { tip: 0, linear, angular, axes: Axes::Base })));
            }
            Commands::Jogs => {
                let velocities = (0..there.len()).map(|_| self.random.between(-1.0, 1.0)).collect();
                self.steer(Input::Jog(velocities));
            }
        }
    }

    /// The servo continues with a command, from whatever moved the arm before.
    fn steer(&mut self, input: Input) {
        if let Mover::Servo(_, old) = &mut self.mover {
            *old = input;
            return;
        }
        let Subject { solver, limits, .. } = self.subject;
        let mut servo = Servo::new(solver, limits, ServoOptions::default(), self.motion.positions()).unwrap();
        servo.take_over(&self.motion.hand_over());
        self.mover = Mover::Servo(Box::new(servo), input);
    }

    /// Ends the motion of a servo or of steps.
    fn take_back(&mut self) {
        if let Mover::Servo(servo, _) = &self.mover {
            self.motion.take_over(&servo.hand_over());
        }
        self.mover = Mover::Motion;
    }

    /// Solves for the target from the end of the current motion, and begins to move there.
    fn follow_target(&mut self) {
        let is_smooth = self.order.commands == Commands::Smooth;
        let seed = match &self.mover {
            Mover::Steps { goal, .. } => goal.clone(),
            Mover::Motion => self.motion.end().to_vec(),
            Mover::Servo(servo, _) => servo.positions().to_vec(),
        };
        let goal = self.solve(&seed);
        self.take_back();
        if is_smooth {
            let _ = self.motion.move_to(&goal);
        } else {
            let here = self.motion.positions().to_vec();
            self.motion.place(&here);
            self.mover = Mover::Steps { goal, begun: false };
        }
    }

    /// The configuration that the node would choose for the target.
    fn solve(&mut self, seed: &[f64]) -> Vec<f64> {
        let solver = &self.subject.solver;
        let targets = [self.order.target];
        let steps = vec![f64::INFINITY; seed.len()];
        let clearance = Clearance { scene: &self.scene, margin: MARGIN };
        let track =
            Problem::new(&targets, seed).with_mode(Mode::Track { max_step: &steps }).with_clearance(Some(clearance));
        let (mut scratch, mut tracked) = (solver.scratch(), solver.solution());
        solver.solve(&track, &mut scratch, &mut tracked).unwrap();
        let is_settled = tracked.is_solved() || matches!(tracked.outcome, Outcome::Closest(Reason::Collision { .. }));
        if is_settled {
            return tracked.positions;
        }
        let mut searched = solver.solution();
        let search = track.with_mode(Mode::search()).with_unreached(Unreached::Stop);
        solver.solve(&search, &mut scratch, &mut searched).unwrap();
        let mut check = TransitCheck::new(clearance, &mut self.segment);
        let takes = searched.is_solved() && check.fraction(seed, &searched.positions) >= 1.0;
        if takes { searched.positions } else { tracked.positions }
    }

    /// Brakes, plans a path of two lines from where the arm comes to rest, and follows it.
    fn follow_path(&mut self) {
        self.take_back();
        if self.motion.stop().is_err() {
            return;
        }
        let seed = self.motion.end().to_vec();
        let start = self.subject.tip(&seed);
        let mut aside = || Translation3::from(self.random.direction() * self.random.between(0.05, 0.4)) * start;
        let poses = [start, aside(), aside()];
        let Ok(path) = Path::new(&poses, PathOptions::default().with_blend_radius(0.03)) else { return };
        let target = Target::new(0, start).position_only();
        let problem = PathProblem::new(&path, &target, &seed, &self.subject.limits)
            .with_clearance(Some(Clearance { scene: &self.scene, margin: MARGIN }));
        let Ok(followed) = follow(&self.subject.solver, &problem, &FollowOptions::default()) else { return };
        let trajectory = Trajectory::new(&self.subject.arm.chain, &problem, &followed, &Timing::default());
        if let Ok(trajectory) = trajectory {
            let _ = self.motion.follow(trajectory.points.into());
        }
    }

    /// Advances by one period. Returns whether the arm followed its fail-safe motion.
    fn step(&mut self) -> bool {
        let clearance = Clearance { scene: &self.scene, margin: MARGIN };
        match &mut self.mover {
            Mover::Motion => self.motion.advance_if_clear(PERIOD, &clearance) == urdf_ik::motion::Step::Braking,
            Mover::Servo(servo, input) => {
                let command = match input {
                    Input::Tip(command) => Command::Tips(std::slice::from_ref(command)),
                    Input::Jog(velocities) => Command::Velocities(velocities),
                    Input::Rest => Command::Rest,
                };
                servo.step(PERIOD, &command, Some(&clearance)).unwrap();
                false
            }
            Mover::Steps { goal, begun } => {
                let from = self.motion.positions().to_vec();
                let fraction = TransitCheck::new(clearance, &mut self.segment).fraction_ahead(&from, goal, *begun);
                *begun = true;
                let mut next = from.clone();
                interpolate_into(&from, goal, fraction.min(MAX_STEP / largest_move(&from, goal)), &mut next);
                self.motion.place(&next);
                fraction < 1.0
            }
        }
    }
}

/// The largest motion of a variable.
fn largest_move(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max)
}

/// A box or a ball somewhere around the arm.
fn obstacle(random: &mut Random) -> (Arc<Obstacle>, Isometry3<f64>) {
    let geometry = if random.unit() < 0.7 {
        Geometry::Box { size: std::array::from_fn(|_| random.between(0.03, 0.4)) }
    } else {
        Geometry::Sphere { radius: random.between(0.03, 0.15) }
    };
    let mut obstacle = Obstacle::default();
    obstacle.add_primitive(geometry, &Isometry3::identity()).unwrap();
    let (direction, distance) = (random.direction(), random.between(0.25, 0.9));
    let mut place: Vector3<f64> = direction * distance;
    place.z += 0.3;
    let turn =
        UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(random.direction()), random.between(0.0, PI));
    (Arc::new(obstacle), Isometry3::from_parts(place.into(), turn))
}
