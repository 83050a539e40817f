//! The servo: one step after the other.

use std::collections::VecDeque;
use std::sync::Arc;

use nalgebra::{Isometry3, Vector3, Vector6};
use thiserror::Error;

use super::command::{Command, CommandError, TipCommand};
use super::constants::{ARRIVED, FOLLOWS, LONGEST_STEP, NEAR_END, NEAR_SINGULAR, RAMP_SHARES};
use super::contacts::Contacts;
use super::curve::{Curve, End};
use super::held_axes::HeldAxes;
use super::jerk_bounds::Limits;
use super::jog::{Jog, may_begin};
use super::law::{Along, Obstacle, Plan, Planner};
use super::line::{Aim, Line, TipMotion};
use super::options::{HeldBack, ServoOptions};
use super::ramp::Rates;
use super::report::{Hold, Report};
use super::singular_values::SingularValues;
use super::slide::{Slider, Task};
use super::stacked_jacobian::StackedJacobian;
use super::tracer::Tracer;
use crate::MotionLimits;
use crate::generator::State as Joints;
use crate::keeper::{HandOver, Keeper};
use urdf_ik_collision::Clearance;
use urdf_ik_mathematics::vectors::dot;
use urdf_ik_robot::{Chain, Variable};
use urdf_ik_solver::Solver;

/// How far ahead contacts are looked at \[s\].
const TIME_AHEAD: f64 = 0.07;
/// A slow motion along a curve \[rad/s\].
const SLOW: f64 = 0.05;
/// The time over which the share of the speed is taken \[s\], and the most steps in it.
const SHARE_TIME: f64 = 0.05;
const MOST_SHARES: usize = 128;

/// The chain has more variables than a servo can steer in time: a step costs their number cubed.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("a servo steers at most {} joints, and the chain has {variables}", Servo::MAX_VARIABLES)]
pub struct TooManyVariables {
    /// Number of variables of the chain.
    pub variables: usize,
}

/// A curve along a line, and the plan on it that is held.
#[derive(Debug)]
struct Course {
    line: Line,
    curve: Curve,
    plan: Plan,
    /// Whether the curve leads beside the line, because of a joint limit.
    is_slide: bool,
}

/// Joints that follow velocity commands. See the [module](super).
#[derive(Debug)]
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
    trial: Course,
    is_on_course: bool,
    /// What the tips are to do by the last command.
    aims: Vec<Aim>,
    /// Where each tip is to be.
    targets: Vec<Isometry3<f64>>,
    motions: Vec<TipMotion>,
    /// A plan that is tried.
    tried: Plan,
    derivatives: [Vec<f64>; 3],
    jog: Jog,
    contacts: Contacts,
    now: Joints,
    next: Joints,
    keeper: Keeper,
    slider: Slider,
    is_sliding: bool,
    /// Whether the joints have moved already, by this command, to where the line goes on.
    has_stood: bool,
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

impl Course {
    /// Whether it leads farther than to an end nearby that is not where the tips are to be.
    fn leads_on(&self) -> bool {
        matches!(self.curve.end, None | Some(End::Arrived)) || self.curve.reach() > LONGEST_STEP
    }
}

impl Servo {
    /// Greatest number of variables. A step of so many takes some 5 to 15 ms.
    pub const MAX_VARIABLES: usize = 100;

    /// Joints at rest at `positions` of the chain's variables, inside their limits. The `limits` must be finite: see
    /// [`MotionLimits::or`].
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
        let held_axes = (0..tips).map(|tip| HeldAxes::beside(solver.sensible_free_axes(tip))).collect();
        let jacobian = StackedJacobian::new(&chain, solver.length_scale());
        let course = || Course {
            line: Line::new(tips, solver.length_scale()),
            curve: Curve::new(variables),
            plan: Plan::new(),
            is_slide: false,
        };
        let mut servo = Self {
            tracer: Tracer::new(jacobian.clone(), chain.domains(), held_axes),
            planner: Planner::new(variables),
            course: course(),
            trial: course(),
            is_on_course: false,
            aims: vec![Aim::Hold; tips],
            targets: vec![Isometry3::identity(); tips],
            motions: vec![TipMotion::rest(Isometry3::identity()); tips],
            tried: Plan::new(),
            derivatives: [(); 3].map(|()| vec![0.0; variables + 1]),
            limits: joint_limits(&chain, limits),
            singular: SingularValues::new(6 * tips, variables),
            jog: Jog::new(variables),
            contacts: Contacts::default(),
            now: Joints::at_rest(positions),
            next: Joints::at_rest(positions),
            keeper: Keeper::new(&chain.domains(), limits),
            slider: Slider::new(tips, variables),
            is_sliding: false,
            has_stood: false,
            stuck: None,
            limited_tip: None,
            time_passed: 0.0,
            shares: VecDeque::with_capacity(MOST_SHARES),
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

    /// Positions of the variables \[rad or m\], inside their limits.
    #[must_use]
    pub fn positions(&self) -> &[f64] {
        &self.now.positions
    }

    /// Velocities of the variables \[rad/s or m/s\].
    #[must_use]
    pub fn velocities(&self) -> &[f64] {
        &self.now.velocities
    }

    /// Accelerations of the variables \[rad/s² or m/s²\].
    #[must_use]
    pub fn accelerations(&self) -> &[f64] {
        &self.now.accelerations
    }

    /// Whether no joint moves.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.now.is_at_rest()
    }

    /// The pose in the base link's frame to which a tip is led.
    #[must_use]
    pub fn target(&self, tip: usize) -> Isometry3<f64> {
        self.targets[tip]
    }

    /// Sets the limits from the next step on. They must be finite.
    pub fn set_limits(&mut self, limits: &MotionLimits) {
        self.limits = joint_limits(&self.chain, limits);
        self.keeper.set_limits(&self.chain.domains(), limits);
    }

    /// Sets the options from the next step on.
    pub fn set_options(&mut self, options: ServoOptions) {
        self.options = options;
    }

    /// Takes over joints of the same chain that move by something else, and goes on from there.
    pub fn take_over(&mut self, joints: &HandOver) {
        self.now.clone_from(joints.state);
        self.keeper.take_over(joints.keeper);
        self.look();
        self.leave_course();
    }

    /// The joints as another motion takes them over.
    #[must_use]
    pub fn hand_over(&self) -> HandOver<'_> {
        HandOver { state: &self.now, keeper: &self.keeper }
    }

    /// Moves on by `period` seconds along the way to rest that the joints hold, because what surrounds them is not known.
    pub fn step_unseen(&mut self, period: f64) -> &Report {
        if !self.is_at_rest() {
            self.now = self.keeper.follow(&self.now, period, None);
            self.look();
            self.leave_course();
        }
        self.write_report();
        &self.report
    }

    /// Moves on by `period` seconds as commanded. All steps should have the same period. Without a clearance nothing is allocated.
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

    fn follow_joints(&mut self, velocities: &[f64], period: f64) {
        if self.is_on_course && !may_begin(&self.now, &self.limits) {
            return self.follow_plan(period);
        }
        self.leave_course();
        self.limit_tips(velocities);
        self.jog.follow(&self.slider.velocities, &self.now, &self.limits, period, &mut self.next);
    }

    /// Writes joint velocities, all of them slower where a tip would be too fast.
    fn limit_tips(&mut self, velocities: &[f64]) {
        let Self { jacobian, options, slider, limited_tip, .. } = self;
        // The greatest numbers have no square.
        let size = velocities.iter().fold(1.0, |size: f64, velocity| size.max(velocity.abs()));
        slider.velocities.iter_mut().zip(velocities).for_each(|(slower, velocity)| *slower = velocity / size);
        let mut factor = size;
        for tip in 0..jacobian.tips().len() {
            let row = |row| dot(jacobian.row(6 * tip + row), &slider.velocities);
            let speed = |first| Vector3::from_fn(|axis, _| row(first + axis)).norm();
            let allowed = options.factor(speed(0) * jacobian.unit(0), speed(3), size);
            if allowed < factor {
                (factor, *limited_tip) = (allowed, Some(tip));
            }
        }
        slider.velocities.iter_mut().for_each(|velocity| *velocity *= factor);
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
        } else if !self.is_on_course {
            if !is_stuck {
                self.stuck = self.is_at_rest().then(|| self.trial.curve.end.unwrap_or(End::Singularity));
            }
            self.course.line.aims.copy_from_slice(&self.aims);
            return self.jog.stop(&self.now, &self.limits, period, &mut self.next);
        } else if self.goes_on() {
            self.plan_on(period);
        }
        self.follow_plan(period);
    }

    /// Whether the course leads where the tips are to be, or to poses in place of which there are newer ones now.
    fn goes_on(&self) -> bool {
        let leads =
            |(aim, led_to): (&Aim, &Aim)| aim == led_to || matches!((aim, led_to), (Aim::Pose(_), Aim::Pose(_)));
        self.aims.iter().zip(&self.course.line.aims).all(leads)
    }

    /// Whether the joints stand where the course ends, and may go on from there beside the line, or on it again.
    fn goes_beside(&self) -> bool {
        let slides = self.options.held_back == HeldBack::Slide;
        self.is_at_rest()
            && match self.course.curve.end {
                Some(End::Limit(_)) => slides,
                Some(End::Free) => true,
                _ => false,
            }
    }

    /// Whether contacts are in the way of the line, so that the tips have to go beside it.
    fn must_slide(&mut self, clearance: Option<&Clearance>) -> bool {
        if clearance.is_none() {
            return false;
        }
        let Self { slider, contacts, tracer, limits, options, aims, now, next, derivatives, .. } = self;
        // A few periods ahead, as far as jerks take to change something.
        for (i, limits) in limits.iter().enumerate() {
            let moved = TIME_AHEAD * (now.velocities[i] + 0.5 * TIME_AHEAD * now.accelerations[i]);
            next.positions[i] = limits.domain.clamp(now.positions[i] + moved);
        }
        contacts.find(clearance, &next.positions, limits);
        if self.is_on_course && self.course.line.aims == *aims {
            let Along { way, speed, .. } = self.course.plan.now;
            self.course.curve.write(way, 1, &mut derivatives[..1]);
            let speed = speed.max(SLOW);
            derivatives[0].iter_mut().for_each(|slope| *slope *= speed);
            if contacts.are_kept(&derivatives[0][..limits.len()]) {
                return false;
            }
        }
        tracer.jacobian.find(&next.positions);
        let task = Task { aims, held_axes: &tracer.held_axes, limits, options };
        slider.find(&tracer.jacobian, &next.positions, task, contacts)
    }

    /// Goes on beside the line, along contacts.
    fn slide(&mut self, period: f64) {
        self.is_on_course = false;
        self.is_sliding = true;
        self.course.line.aims.copy_from_slice(&self.aims);
        for (tip, target) in self.targets.iter_mut().enumerate() {
            let (pose, commands) = (&self.jacobian.tips()[tip], self.aims[tip].commands());
            if commands[0] {
                target.translation = pose.translation;
            }
            if commands[1] || !self.tracer.held_axes[tip].are_all() {
                target.rotation = pose.rotation;
            }
        }
        let Self { jog, slider, jacobian, tracer, aims, now, limits, next, options, .. } = self;
        let task = Task { aims, held_axes: &tracer.held_axes, limits, options };
        slider.keep_within_give(jacobian, task, &self.targets);
        slider.keep_direction(&now.velocities);
        jog.follow(&slider.velocities, now, limits, period, next);
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

    /// Lays a course for the aims from where the joints are, with a plan on it. Gives whether there is one.
    fn lay_anew(&mut self, period: f64, is_new: bool) -> bool {
        let moves = !self.is_at_rest();
        let slides = self.options.held_back == HeldBack::Slide;
        if slides && !is_new && matches!(self.end_ahead(), Some(End::Limit(_))) {
            return self.lay_beside(moves, period);
        }
        self.write_motions(moves);
        // The gentler a ramp is, the more of the limits is left for what the joints do already.
        let shares = if moves { &RAMP_SHARES[..] } else { &RAMP_SHARES[..1] };
        let mut is_laid = shares.iter().any(|share| self.lay_with_ramp(*share, moves, period));
        self.has_stood &= !is_new;
        if !(moves || self.has_stood || is_laid && self.trial.leads_on()) {
            self.has_stood = true;
            if self.lay_standing(period) {
                return true;
            }
            is_laid = self.lay_with_ramp(RAMP_SHARES[0], moves, period);
        }
        is_laid || slides && matches!(self.trial.curve.end, Some(End::Limit(_))) && self.lay_beside(moves, period)
    }

    fn lay_with_ramp(&mut self, share: f64, moves: bool, period: f64) -> bool {
        let Self { tracer, trial, aims, motions, options, singular, limits, now, .. } = self;
        let rates = |twist: &[f64]| rates(singular, limits, twist);
        tracer.keep_rows(aims);
        trial.is_slide = false;
        trial.line.aims.copy_from_slice(aims);
        trial.line.ramp_share = share;
        trial.line.begin(motions, moves, options, &rates);
        trial.curve.end = None;
        if moves && !trial.line.keeps_speed(options, &rates) {
            return false;
        }
        if moves {
            trial.plan.now = tracer.begin_moving(&mut trial.curve, now);
        } else {
            trial.plan.stand(0.0);
            if !tracer.begin_at_rest(&mut trial.curve, &trial.line, &now.positions) {
                return false;
            }
        }
        self.plan_trial(period)
    }

    /// Lays a course of joints that move while the tips stand, to where the line goes on. Gives whether there is one.
    fn lay_standing(&mut self, period: f64) -> bool {
        let Self { tracer, trial, now, .. } = self;
        trial.is_slide = false;
        trial.plan.stand(0.0);
        tracer.write_standing(&mut trial.curve, &trial.line, &now.positions) && self.plan_trial(period)
    }

    /// Lays a course beside the line, along what joint limits leave of the twists. Gives whether there is one.
    fn lay_beside(&mut self, moves: bool, period: f64) -> bool {
        let Self { tracer, slider, trial, aims, options, limits, now, .. } = self;
        trial.is_slide = true;
        trial.line.aims.copy_from_slice(aims);
        if moves {
            trial.plan.now = tracer.begin_moving(&mut trial.curve, now);
            slider.begin_moving(&trial.curve);
        } else {
            trial.plan.stand(0.0);
            let task = Task { aims, held_axes: &tracer.held_axes, limits, options };
            if !slider.begin_at_rest(&mut trial.curve, &mut tracer.jacobian, &now.positions, task) {
                trial.curve.end = slider.limit.map(End::Limit);
                return false;
            }
        }
        self.plan_trial(period)
    }

    /// Plans the next step on the trial. Gives whether there is a plan.
    fn plan_trial(&mut self, period: f64) -> bool {
        std::mem::swap(&mut self.course, &mut self.trial);
        let is_planned = self.plan_on(period);
        std::mem::swap(&mut self.course, &mut self.trial);
        is_planned
    }

    /// Writes how the tips move: as the course has it, where they are on it.
    fn write_motions(&mut self, moves: bool) {
        let Self { course, motions, jacobian, targets, derivatives, .. } = self;
        let variables = self.limits.len();
        if self.is_on_course && !course.is_slide {
            let Along { way, speed, acceleration } = course.plan.now;
            course.curve.write(way, 0, derivatives);
            let [time, slope, bend] = [0, 1, 2].map(|order| derivatives[order][variables]);
            let [rate, change] = [slope * speed, bend * speed * speed + slope * acceleration];
            for (tip, motion) in motions.iter_mut().enumerate() {
                let TipMotion { pose, twist, rate: turn } = course.line.at(tip, time);
                *motion = TipMotion { pose, twist: twist * rate, rate: twist * change + turn * (rate * rate) };
            }
        } else {
            for (tip, motion) in motions.iter_mut().enumerate() {
                *motion = TipMotion::rest(if self.is_on_course { jacobian.tips()[tip] } else { targets[tip] });
            }
            if moves {
                self.tracer.write_tip_motions(jacobian, &self.now, motions);
            }
        }
        for (tip, motion) in self.motions.iter_mut().enumerate() {
            if !self.tracer.held_axes[tip].are_all() && !self.aims[tip].commands()[1] {
                motion.pose.rotation = self.jacobian.tips()[tip].rotation;
            }
            if !moves {
                (motion.twist, motion.rate) = (Vector6::zeros(), Vector6::zeros());
            }
        }
    }

    /// Extends the curve of the course as far as it is needed, and plans the next step on it. Gives whether there is a new plan.
    fn plan_on(&mut self, period: f64) -> bool {
        const HALVINGS: usize = 5;
        let now = self.course.plan.now;
        self.extend_course(now.way + 2.0 * LONGEST_STEP);
        if !self.course.curve.has_length() {
            return false;
        }
        let wanted = self.planner.wanted_jerk(&self.course.curve, now, &self.limits, period);
        if self.try_jerk(now, wanted, period) {
            return true;
        }
        let (mut low, mut high) = (self.planner.least_jerk(&self.course.curve, now, &self.limits), wanted);
        if !self.try_jerk(now, low, period) {
            return false;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.try_jerk(now, middle, period) {
                low = middle;
            } else {
                high = middle;
            }
        }
        true
    }

    /// Plans a jerk for a period, and a stop after it. The curve is extended as far as that needs. Where there is such a stop, it is held.
    fn try_jerk(&mut self, now: Along, jerk: f64, period: f64) -> bool {
        loop {
            let Course { curve, .. } = &self.course;
            let found = self.planner.plan(curve, now, Some((period, jerk)), &self.limits, &mut self.tried);
            let reach = curve.reach();
            if found != Err(Obstacle::End) || !self.extend_course(reach + 2.0 * LONGEST_STEP) {
                if found.is_ok() {
                    std::mem::swap(&mut self.course.plan, &mut self.tried);
                }
                return found.is_ok();
            }
        }
    }

    /// Extends the curve up to a way. Gives whether it is longer now.
    fn extend_course(&mut self, way: f64) -> bool {
        let Self { course: Course { line, curve, is_slide, .. }, tracer, slider, options, singular, limits, .. } = self;
        let rates = |twist: &[f64]| rates(singular, limits, twist);
        let before = curve.reach();
        while curve.reach() < way && curve.end.is_none() && !curve.is_full() {
            if *is_slide {
                let task = Task { aims: &line.aims, held_axes: &tracer.held_axes, limits, options };
                slider.extend(curve, &mut tracer.jacobian, task);
                continue;
            }
            let time = curve.last().place[limits.len()];
            let ahead = time + 2.0 * LONGEST_STEP;
            if !line.extend(ahead, options, &rates) && line.end().is_none() {
                break;
            }
            tracer.extend(curve, line);
        }
        curve.reach() > before
    }

    /// Goes on along the plan that is held.
    fn follow_plan(&mut self, period: f64) {
        let Self { course: Course { line, curve, plan, is_slide }, derivatives, next, limits, targets, .. } = self;
        curve.write(plan.now.way, 0, &mut derivatives[..1]);
        self.time_passed = -derivatives[0][limits.len()];
        plan.advance(period);
        let Along { way, speed, acceleration } = plan.now;
        curve.write(way, 0, derivatives);
        for (i, limits) in limits.iter().enumerate() {
            let [place, slope, bend] = [0, 1, 2].map(|order| derivatives[order][i]);
            // Only rounding can bring it outside.
            next.positions[i] = limits.domain.clamp(place);
            next.velocities[i] = slope * speed;
            next.accelerations[i] = bend * speed * speed + slope * acceleration;
        }
        let time = derivatives[0][limits.len()];
        self.time_passed += time;
        curve.forget_before(way);
        if !*is_slide {
            for (tip, target) in targets.iter_mut().enumerate() {
                *target = line.at(tip, time).pose;
            }
            line.forget_before(time);
        }
    }

    /// Moves the joints on to the next state, unless something is in the way.
    fn take_step(&mut self, period: f64, clearance: Option<&Clearance>) {
        let Self { keeper, now, next, .. } = self;
        let is_stopped = match clearance {
            None => {
                keeper.forget();
                false
            }
            Some(clearance) => !keeper.check_state(now, next, period, clearance),
        };
        if is_stopped {
            *next = keeper.follow(now, period, clearance);
        }
        std::mem::swap(now, next);
        self.look();
        if is_stopped {
            self.leave_course();
        }
    }

    /// Notes the share of the commanded speed that the tips, or the joints, had in the last period.
    fn note_share(&mut self, command: &Command, period: f64) {
        let share = match command {
            Command::Rest => None,
            Command::Velocities(_) => {
                let wanted = &self.slider.velocities;
                let squared = dot(wanted, wanted);
                (squared > 0.0)
                    .then(|| 0.5 * (dot(wanted, &self.now.velocities) + dot(wanted, &self.next.velocities)) / squared)
            }
            Command::Tips(_) => self.share_of_tips(period),
        };
        let Some(share) = share else { return self.shares.clear() };
        if self.shares.len() == MOST_SHARES {
            self.shares.pop_front();
        }
        self.shares.push_back([period, share.clamp(0.0, 1.0)]);
        let mut time: f64 = self.shares.iter().map(|[time, _]| time).sum();
        while self.shares.len() > 1 && time - self.shares[0][0] >= SHARE_TIME {
            time -= self.shares[0][0];
            self.shares.pop_front();
        }
    }

    /// The share of the commanded speed that the slowest tip had in the last period.
    fn share_of_tips(&self, period: f64) -> Option<f64> {
        let share = |(tip, aim): (usize, &Aim)| match aim {
            _ if aim.commands() == [false; 2] => None,
            Aim::Hold => None,
            Aim::Twist(twist, axes) => {
                let twist = axes.to_base(&self.jacobian.tips()[tip], twist);
                let (mut along, mut squared) = (0.0, 0.0);
                for row in 0..6 {
                    let (wanted, entries) = (twist[row] / self.jacobian.unit(row), self.jacobian.row(6 * tip + row));
                    // The velocities before and after the period: their mean gives its motion.
                    along += 0.5 * wanted * (dot(entries, &self.now.velocities) + dot(entries, &self.next.velocities));
                    squared += wanted * wanted;
                }
                Some(along / squared)
            }
            Aim::Pose(_) if self.is_on_course => {
                (self.course.curve.end != Some(End::Arrived)).then_some(self.time_passed / period)
            }
            Aim::Pose(_) => (!self.is_at_rest()).then_some(0.0),
        };
        self.aims.iter().enumerate().filter_map(share).reduce(f64::min)
    }

    fn write_report(&mut self) {
        let Report { share, off_line, is_sliding, smallest_singular_value, .. } = &mut self.report;
        let [time, sum] =
            self.shares.iter().fold([0.0; 2], |[all, sum], [time, share]| [all + time, sum + time * share]);
        *share = if time > 0.0 { sum / time } else { 1.0 };
        *is_sliding = self.is_sliding || self.is_on_course && self.course.is_slide && !self.now.is_at_rest();
        let is_commanded = self.aims.iter().any(|aim| *aim != Aim::Hold);
        *smallest_singular_value = is_commanded.then(|| self.singular.smallest());
        *off_line = [0.0; 2];
        let beside = self.is_on_course && self.course.is_slide;
        for (tip, (target, pose)) in self.targets.iter().zip(self.jacobian.tips()).enumerate().filter(|_| !beside) {
            let held = self.tracer.held_axes[tip];
            let apart = held.way(pose, target);
            off_line[0] = off_line[0].max(apart.fixed_rows::<3>(0).norm());
            if held.are_all() || self.aims[tip].turns() {
                off_line[1] = off_line[1].max(apart.fixed_rows::<3>(3).norm());
            }
        }
        self.write_holds();
    }

    /// Writes what holds the arm back, the hardest first.
    fn write_holds(&mut self) {
        let end = self.end_ahead();
        let Self { report: Report { share, holds, is_sliding, .. }, keeper, slider, jog, singular, .. } = self;
        let follows = *share >= FOLLOWS;
        let contact = if self.is_sliding { slider.contact.as_ref() } else { None };
        holds.clear();
        holds.extend(
            keeper
                .stopped_by
                .iter()
                .chain(contact)
                .map(|near| Hold::Contact { pair: near.pair, distance: near.distance }),
        );
        let limit = if *is_sliding { slider.limit } else { None };
        holds.extend(limit.or(jog.limit).map(|variable| Hold::JointLimit { variable }));
        if !follows && holds.is_empty() {
            match end {
                Some(End::Limit(variable)) => holds.push(Hold::JointLimit { variable }),
                Some(_) => holds.push(Hold::Singularity),
                None => {
                    if self.is_on_course && singular.smallest() < NEAR_SINGULAR {
                        holds.push(Hold::Singularity);
                    }
                    let used = |i: usize| (self.now.velocities[i] / self.limits[i].velocity).abs();
                    let busiest = (0..self.limits.len()).max_by(|a, b| used(*a).total_cmp(&used(*b)));
                    holds.extend(busiest.map(|variable| Hold::JointSpeed { variable }));
                }
            }
        }
        holds.extend(self.limited_tip.map(|tip| Hold::TipSpeed { tip }));
    }

    /// Why the line does not go on, where the joints come to rest before that or stand there.
    fn end_ahead(&self) -> Option<End> {
        let Course { curve, plan, .. } = &self.course;
        if !self.is_on_course || curve.reach() - plan.end > NEAR_END {
            return self.stuck;
        }
        // It is not known yet for how long the tip stands.
        let waits = curve.stands_from.map(|_| End::Singularity);
        curve.end.or(waits).filter(|end| *end != End::Arrived)
    }
}

/// How fast a velocity of the tips along a unit twist may change within the limits of the joints.
fn rates(singular: &SingularValues, limits: &[Limits], twist: &[f64]) -> Rates {
    const GREATEST: Rates = Rates { acceleration: 20.0, jerk: 400.0 };
    let mut rates = GREATEST;
    for (i, limits) in limits.iter().enumerate() {
        let share = singular.response(twist, i, NEAR_SINGULAR).abs();
        rates.acceleration = rates.acceleration.min(limits.acceleration / share);
        rates.jerk = rates.jerk.min(limits.jerk / share);
    }
    rates
}

/// The limits of each variable.
fn joint_limits(chain: &Chain, limits: &MotionLimits) -> Vec<Limits> {
    let variables = chain.variables().iter().enumerate();
    let of = |(i, variable): (usize, &Variable)| Limits {
        domain: variable.domain,
        velocity: limits.velocities[i],
        acceleration: limits.accelerations[i],
        jerk: limits.jerks[i],
    };
    variables.map(of).collect()
}
