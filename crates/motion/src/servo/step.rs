//! The servo: one step after the other.

mod beside;
mod inside;
mod joints;
mod lay;
mod told;

use std::collections::VecDeque;
use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use super::command::{Aim, Command, CommandError, TipCommand};
use super::constants::ARRIVED;
use super::curve::{Curve, Derivatives, End};
use super::giving_way::GivingWay;
use super::held_axes::HeldAxes;
use super::jerk_bounds::Limits;
use super::jog::{Jog, may_begin};
use super::law::{Plan, Planner};
use super::line::{Line, TipMotion};
use super::options::ServoOptions;
use super::report::Report;
use super::singular_values::SingularValues;
use super::slide::Slider;
use super::stacked_jacobian::StackedJacobian;
use super::tracer::Tracer;
use crate::MotionLimits;
use crate::contact_rows::ContactRows;
use crate::fail_safe::{FailSafe, HandOver, Surroundings};
use crate::generator::JointState as Joints;
use crate::joint_motion::JointMotion;
use crate::workspace_guard::WorkspaceGuard;
use urdf_ik_collision::Clearance;
use urdf_ik_robot::Chain;
use urdf_ik_solver::Solver;

/// The time over which the share of the speed is taken \[s\].
const SHARE_TIME: f64 = 0.05;
/// The most periods in that time whose shares are kept.
const MAX_SHARES: usize = 128;

/// The chain has more variables than a servo can steer in time: a step costs their number cubed.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("a servo steers at most {} joints, and the chain has {variables}", Servo::MAX_VARIABLES)]
pub struct TooManyVariables {
    /// Number of variables of the chain.
    pub variables: usize,
}

/// A curve along a line, and the plan on it that is held.
#[derive(Debug, Clone)]
struct Course {
    line: Line,
    curve: Curve,
    plan: Plan,
    /// Whether the curve leads beside the line, because of a joint limit.
    is_slide: bool,
}

/// Joints that follow velocity commands. See the [module](super).
#[derive(Debug, Clone)]
pub struct Servo {
    chain: Arc<Chain>,
    options: ServoOptions,
    limits: Vec<Limits>,
    jacobian: StackedJacobian,
    singular: SingularValues,
    tracer: Tracer,
    planner: Planner,
    /// What the joints follow, where they follow a line; and what may take its place.
    course: Course,
    /// The axes that have to be free for the arm of each tip, and the axes of rotation that it holds.
    free_for_arm: Vec<[bool; 6]>,
    held_axes: Vec<HeldAxes>,
    trial: Course,
    is_on_course: bool,
    /// What the tips are to do by the last command.
    aims: Vec<Aim>,
    /// Where each tip is to be.
    targets: Vec<Isometry3<f64>>,
    /// Where each tip was before the last step.
    tips_before: Vec<Isometry3<f64>>,
    motions: Vec<TipMotion>,
    /// A plan that is tried.
    tried: Plan,
    /// Where the course is looked at.
    place: Vec<Derivatives>,
    jog: Jog,
    contacts: ContactRows,
    workspace: WorkspaceGuard,
    now: Joints,
    next: Joints,
    fail_safe: FailSafe,
    /// The motion of joints that started outside their limits, until they rest.
    inward: Option<Box<JointMotion>>,
    slider: Slider,
    giving_way: GivingWay,
    is_sliding: bool,
    /// Why no line leads away from where the joints stand.
    stuck: Option<End>,
    /// The tip that its greatest speed holds back.
    limited_tip: Option<usize>,
    /// How much of the line's time passed in the last period.
    time_passed: f64,
    /// The shares of the commanded speed lately, with their times.
    shares: VecDeque<[f64; 2]>,
    report: Report,
}

impl Servo {
    /// Greatest number of variables. A step of so many takes some 5 to 15 ms.
    pub const MAX_VARIABLES: usize = 100;

    /// Joints at rest at `positions` of the chain's variables. The `limits` must be finite: see [`MotionLimits::or`]. Joints outside their
    /// limits come inside under the first command, within the other limits, and then follow it.
    ///
    /// # Errors
    /// [`TooManyVariables`] where the chain has more than [`Servo::MAX_VARIABLES`].
    pub fn new(
        solver: &Solver,
        limits: &MotionLimits,
        options: ServoOptions,
        positions: &[f64],
    ) -> Result<Self, TooManyVariables> {
        if positions.len() > Self::MAX_VARIABLES {
            return Err(TooManyVariables { variables: positions.len() });
        }
        let chain = Arc::clone(solver.chain());
        let (tips, variables) = (chain.tips().len(), positions.len());
        let free_for_arm: Vec<_> = (0..tips).map(|tip| solver.sensible_free_axes(tip)).collect();
        let held_axes: Vec<_> =
            free_for_arm.iter().map(|axes| HeldAxes::of(&Aim::Hold, options.free_axes, *axes)).collect();
        let jacobian = StackedJacobian::new(&chain, solver.length_scale());
        let course = || Course {
            line: Line::new(held_axes.clone(), solver.length_scale()),
            curve: Curve::new(variables, tips),
            plan: Plan::new(),
            is_slide: false,
        };
        let mut servo = Self {
            tracer: Tracer::new(jacobian.clone(), chain.domains()),
            planner: Planner::new(variables),
            course: course(),
            trial: course(),
            free_for_arm,
            held_axes,
            is_on_course: false,
            aims: vec![Aim::Hold; tips],
            targets: vec![Isometry3::identity(); tips],
            tips_before: vec![Isometry3::identity(); tips],
            motions: vec![TipMotion::rest(Isometry3::identity()); tips],
            tried: Plan::new(),
            place: vec![Derivatives::default(); variables + 1],
            limits: Limits::of_chain(&chain, limits),
            singular: SingularValues::new(6 * tips, variables),
            jog: Jog::new(variables),
            contacts: ContactRows::default(),
            workspace: WorkspaceGuard::new(&chain, options.workspace),
            now: Joints::at_rest(positions),
            next: Joints::at_rest(positions),
            fail_safe: FailSafe::new(&chain.domains(), limits),
            inward: None,
            slider: Slider::new(tips, variables),
            giving_way: GivingWay::new(tips, variables),
            is_sliding: false,
            stuck: None,
            limited_tip: None,
            time_passed: 0.0,
            shares: VecDeque::with_capacity(MAX_SHARES),
            report: Report {
                share: 1.0,
                off_line: [0.0; 2],
                is_sliding: false,
                smallest_singular_value: None,
                holds: Vec::with_capacity(variables + 4),
            },
            jacobian,
            options,
            chain,
        };
        servo.look();
        servo.leave_course();
        Ok(servo)
    }

    /// Positions of the variables \[rad or m\]: inside their limits, or no farther outside than at the start.
    pub fn positions(&self) -> &[f64] {
        &self.now.positions
    }

    /// Velocities of the variables \[rad/s or m/s\].
    pub fn velocities(&self) -> &[f64] {
        &self.now.velocities
    }

    /// Accelerations of the variables \[rad/s² or m/s²\].
    pub fn accelerations(&self) -> &[f64] {
        &self.now.accelerations
    }

    /// Whether no joint moves.
    pub fn is_at_rest(&self) -> bool {
        self.now.is_at_rest()
    }

    /// The pose in the base link's frame to which a tip is led.
    pub fn target(&self, tip: usize) -> Isometry3<f64> {
        self.targets[tip]
    }

    /// Sets the limits from the next step on. They must be finite.
    pub fn set_limits(&mut self, limits: &MotionLimits) {
        self.limits = Limits::of_chain(&self.chain, limits);
        self.fail_safe.set_limits(&self.chain.domains(), limits);
    }

    /// Sets the options from the next step on.
    pub fn set_options(&mut self, options: ServoOptions) {
        if self.options != options {
            (self.options, self.stuck) = (options, None);
            self.workspace.set_workspace(options.workspace);
        }
    }

    /// Takes over joints of the same chain that move by something else, and goes on from there.
    pub fn take_over(&mut self, joints: &HandOver) {
        self.now.clone_from(joints.state);
        self.fail_safe.take_over(joints.fail_safe);
        self.inward = None;
        self.look();
        self.leave_course();
    }

    /// Goes on from joints where they are that move with these velocities \[rad/s or m/s\] and accelerations \[rad/s²
    /// or m/s²\], one entry for each variable: those of a servo that was saved.
    ///
    /// # Panics
    /// Where there are not as many as variables.
    pub fn resume(&mut self, velocities: &[f64], accelerations: &[f64]) {
        self.now.velocities.copy_from_slice(velocities);
        self.now.accelerations.copy_from_slice(accelerations);
        self.look();
        self.leave_course();
    }

    /// The joints as another motion takes them over.
    pub fn hand_over(&self) -> HandOver<'_> {
        HandOver { state: &self.now, fail_safe: &self.fail_safe }
    }

    /// The report of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Moves on by `period` seconds along the way to rest that the joints hold, because what surrounds them is not known.
    pub fn step_unseen(&mut self, period: f64) -> &Report {
        if !self.is_at_rest() {
            self.now = self.fail_safe.follow(&self.now, period, None);
            self.inward = None;
            self.look();
            self.leave_course();
        }
        self.write_report();
        &self.report
    }

    /// Moves on by `period` seconds as commanded. All steps should have the same period. Without a clearance and a workspace nothing is allocated.
    ///
    /// # Errors
    /// [`CommandError`] for a command that makes no sense for the chain; the step is made as with [`Command::Rest`].
    pub fn step(
        &mut self,
        period: f64,
        command: &Command,
        clearance: Option<&Clearance>,
    ) -> Result<&Report, CommandError> {
        let checked = command.check(&self.chain);
        let command = if checked.is_ok() { command } else { &Command::Rest };
        (self.jog.limit, self.limited_tip) = (None, None);
        if self.come_inside(period, command, clearance) {
            self.write_report();
            return checked.map(|()| &self.report);
        }
        match command {
            Command::Velocities(velocities) => self.follow_joints(velocities, period),
            Command::Rest => self.rest(period),
            Command::Tips(commands) => self.follow_tips(commands, period, clearance),
        }
        self.take_step(period, clearance);
        self.note_share(command, period);
        self.write_report();
        checked.map(|()| &self.report)
    }

    /// Looks at where the joints are.
    fn look(&mut self) {
        self.jacobian.find(&self.now.positions);
        self.singular.decompose(&self.jacobian);
    }

    /// The joints are not on a course any more: the tips are to be where they are.
    fn leave_course(&mut self) {
        (self.is_on_course, self.stuck, self.is_sliding) = (false, None, false);
        self.aims.fill(Aim::Hold);
        self.targets.copy_from_slice(self.jacobian.tips());
    }

    /// Comes to rest.
    fn rest(&mut self, period: f64) {
        if self.is_on_course {
            self.follow_plan(period);
        } else {
            self.jog.stop(&self.now, &self.limits, period, &mut self.next);
        }
    }

    fn follow_tips(&mut self, commands: &[TipCommand], period: f64, clearance: Option<&Clearance>) {
        let is_new = self.take_aims(commands);
        if self.nothing_is_commanded() {
            return self.rest(period);
        }
        if self.must_slide(clearance) && (!self.is_on_course || may_begin(&self.now, &self.limits)) {
            return self.slide(period);
        }
        if self.is_sliding {
            self.is_sliding = false;
            self.targets.copy_from_slice(self.jacobian.tips());
        }
        let starts = is_new || !self.is_on_course || self.goes_beside();
        let is_stuck = self.stuck.is_some() && !is_new && self.is_at_rest();
        if starts && !is_stuck && self.lay_anew(period, is_new) {
            std::mem::swap(&mut self.course, &mut self.trial);
            (self.is_on_course, self.stuck) = (true, None);
            return self.follow_plan(period);
        }
        if starts && !is_stuck {
            self.stuck = self.is_at_rest().then(|| self.trial.curve.end.unwrap_or(End::Singularity));
        }
        if !self.is_on_course {
            self.course.line.set_aims(&self.aims, &self.held_axes);
            return self.jog.stop(&self.now, &self.limits, period, &mut self.next);
        }
        if self.goes_on() {
            self.plan_on(period, true);
        }
        self.follow_plan(period);
    }

    /// Takes what the tips are to do. Gives whether that is not what the course leads to.
    fn take_aims(&mut self, commands: &[TipCommand]) -> bool {
        let mut is_new = false;
        for (tip, aim) in self.aims.iter_mut().enumerate() {
            let command = commands.iter().find(|command| command.tip() == tip);
            if let Some(TipCommand::Twist(twist)) = command
                && self.options.limited(&twist.linear, &twist.angular).1
            {
                self.limited_tip = Some(tip);
            }
            let wanted = command.map_or(Aim::Hold, |command| Aim::of(command, &self.options));
            let led_to = &self.course.line.aims[tip];
            is_new |= wanted.differs_from(led_to);
            *aim = if wanted.differs_from(led_to) { wanted } else { *led_to };
            self.held_axes[tip] = HeldAxes::of(aim, self.options.free_axes, self.free_for_arm[tip]);
            is_new |= self.held_axes[tip] != self.course.line.held_axes[tip];
        }
        is_new
    }

    /// Whether no tip is to move: none is commanded to, or those that are stand at their poses.
    fn nothing_is_commanded(&self) -> bool {
        let stands = self.is_at_rest();
        self.aims.iter().zip(&self.targets).all(|(aim, at)| match aim {
            Aim::Pose(pose) => stands && self.course.line.distance(at, pose) < ARRIVED,
            Aim::Hold | Aim::Twist(..) => !aim.commands().contains(&true),
        })
    }

    /// Moves the joints on to the next state, unless something is in the way.
    fn take_step(&mut self, period: f64, clearance: Option<&Clearance>) {
        let Self { fail_safe, workspace, now, next, .. } = self;
        let is_stopped = if clearance.is_some() || workspace.is_bounded() {
            !fail_safe.check_state(now, next, period, Surroundings { clearance, workspace })
        } else {
            fail_safe.forget();
            false
        };
        if is_stopped {
            *next = fail_safe.follow(now, period, clearance);
        }
        std::mem::swap(now, next);
        self.tips_before.copy_from_slice(self.jacobian.tips());
        self.look();
        if is_stopped {
            self.leave_course();
        }
    }
}
