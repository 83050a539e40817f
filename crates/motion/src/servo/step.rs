//! The servo: one step after the other.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use thiserror::Error;

use super::command::{Command, CommandError};
use super::contacts::Contacts;
use super::jerk_bounds::{Limits, State};
use super::options::ServoOptions;
use super::ramp::{Ramp, Rates};
use super::reference::Reference;
use super::report::{Hold, Report};
use super::resolve::{Resolved, Resolver, Wish};
use super::scout::Scout;
use super::tracker::Tracker;
use crate::MotionLimits;
use crate::generator::State as Joints;
use crate::keeper::{HandOver, Keeper};
use urdf_ik_collision::Clearance;
use urdf_ik_mathematics::vectors::dot;
use urdf_ik_robot::{Chain, Variable};
use urdf_ik_solver::Solver;

/// The joints are led to velocities that they are to have so many periods ahead, and at least so long \[s\].
const PERIODS_AHEAD: f64 = 4.0;
const LEAST_TIME_AHEAD: f64 = 0.012;
/// Targets are approached with this gain over the time ahead.
const GAIN: f64 = 0.25;
/// The share of the velocity limits that is used: jerks are constant over a period, so an end of an acceleration is a little late.
const VELOCITY_SHARE: f64 = 0.9999;
/// With a smaller scale the tips do not stop on their way, but the joints all in proportion.
const LEAST_SCALE_TO_STOP: f64 = 0.8;
/// A smaller scale is as good as none.
const LEAST_SCALE: f64 = 1e-6;
/// Slower than this the joints are put to rest \[rad/s or m/s\].
const AT_REST: f64 = 1e-7;

/// The chain has more variables than a servo can steer in time: a step costs their number cubed.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("a servo steers at most {} joints, and the chain has {variables}", Servo::MAX_VARIABLES)]
pub struct TooManyVariables {
    /// Number of variables of the chain.
    pub variables: usize,
}

/// Joints that follow velocity commands. See the [module](super).
#[derive(Debug)]
pub struct Servo {
    chain: Arc<Chain>,
    options: ServoOptions,
    resolver: Resolver,
    scout: Scout,
    contacts: Contacts,
    reference: Reference,
    /// The scale of the wish, which changes smoothly.
    pace: Ramp,
    /// Commanded velocities of the variables.
    ramp: Ramp,
    /// Whether the variables are commanded, and not the tips.
    follows_variables: bool,
    /// The share of the wish that was met last.
    last: Resolved,
    /// The scale that limits, singularities and what is ahead allowed last.
    allowed: f64,
    now: Joints,
    /// Where the joints will be after a step.
    next: Joints,
    keeper: Keeper,
    /// Where the variables will be the time ahead.
    ahead: Vec<f64>,
    tracker: Tracker,
    /// Commanded velocities of the variables, as slow as the tips need them.
    commanded: Vec<f64>,
    report: Report,
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
        let still = vec![0.0; positions.len()];
        let frees = (0..chain.tips().len()).map(|tip| solver.sensible_free_axes(tip)[3..].contains(&true));
        let resolver = Resolver::new(&chain, solver.length_scale(), joint_limits(&chain, limits));
        let mut servo = Self {
            scout: Scout::new(&resolver),
            resolver,
            reference: Reference::new(solver.length_scale(), frees),
            contacts: Contacts::default(),
            pace: Ramp::new(1),
            ramp: Ramp::new(positions.len()),
            follows_variables: false,
            last: Resolved::FREE,
            allowed: 1.0,
            now: Joints::at_rest(positions),
            next: Joints::at_rest(positions),
            keeper: Keeper::new(&chain.domains(), limits),
            ahead: still.clone(),
            tracker: Tracker::new(still.len()),
            commanded: still,
            report: Report {
                scale: 1.0,
                smallest_singular_value: None,
                holds: Vec::with_capacity(positions.len() + 4),
            },
            options,
            chain,
        };
        servo.follow_tips(0.0);
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
        self.reference.pose(tip)
    }

    /// Sets the limits from the next step on. They must be finite.
    pub fn set_limits(&mut self, limits: &MotionLimits) {
        self.resolver.limits = joint_limits(&self.chain, limits);
        self.scout = Scout::new(&self.resolver);
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
        self.follow_tips(0.0);
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
            self.follow_tips(0.0);
        }
        self.write_report(None);
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
        let time = (PERIODS_AHEAD * period).max(LEAST_TIME_AHEAD);
        self.look_ahead(time);
        self.contacts.find(clearance, &self.ahead, &self.resolver.limits);
        let limited_tip = match command {
            Command::Velocities(velocities) => self.follow_joints(velocities, period),
            Command::Rest if self.follows_variables || self.stops_by_joints() => {
                self.stop_variables(period);
                None
            }
            _ => self.follow_targets(command, (period, time)),
        };
        self.advance(period, time, clearance);
        self.write_report(limited_tip);
        checked.map(|()| &self.report)
    }

    /// Predicts where the variables will be, and looks at that configuration.
    fn look_ahead(&mut self, time: f64) {
        for (i, limits) in self.resolver.limits.iter().enumerate() {
            let moved = time * (self.now.velocities[i] + 0.5 * time * self.now.accelerations[i]);
            self.ahead[i] = limits.domain.clamp(self.now.positions[i] + moved);
        }
        self.resolver.look_at(&self.ahead);
    }

    /// Goes over to commands for the tips: the targets begin where the tips will be.
    fn follow_tips(&mut self, time: f64) {
        self.look_ahead(time);
        self.follows_variables = false;
        let jacobian = &self.resolver.tips.jacobian;
        let twists = jacobian.rows.chunks_exact(self.now.positions.len()).map(|row| {
            let acceleration = dot(row, &self.now.accelerations);
            [dot(row, &self.now.velocities) + time * acceleration, acceleration]
        });
        self.reference.begin(jacobian.tips(), twists);
        self.last = Resolved::FREE;
        (self.pace.velocity[0], self.pace.acceleration[0]) = (1.0, 0.0);
    }

    /// Finds the velocities that lead the tips to their targets.
    fn follow_targets(&mut self, command: &Command, (period, time): (f64, f64)) -> Option<usize> {
        if self.follows_variables {
            self.follow_tips(time);
        }
        let Self { reference, resolver, options, last, contacts, ahead, .. } = self;
        let pace = &mut self.pace;
        let advanced = reference.advance(command, (period, last.scale), options, |twist, scale| {
            // The joints do only that share of it.
            resolver.rates(twist).over(scale.max(LEAST_SCALE))
        });
        if advanced.begins_anew {
            (pace.velocity[0], pace.acceleration[0]) = (1.0, 0.0);
        }
        let (tips, rates) = (resolver.tips.jacobian.tips(), |twist: &[f64]| resolver.rates(twist));
        reference.write_wish(tips, GAIN / time, (last.is_blocked, period), options, rates);
        let wish = Wish { twist: &reference.wish, weights: &reference.weights };
        *last = resolver.resolve(ahead, &wish, contacts);
        let rates = Rates::of_shares(&resolver.limits, resolver.velocities.iter().copied());
        let patience = reference.patience(rates, |row| resolver.twist(row));
        let (foresight, variable) = self.scout.foresight(resolver, ahead, &wish);
        last.fastest = variable.or(last.fastest);
        let stops = matches!(command, Command::Rest);
        self.allowed = last.scale * patience * foresight;
        let other = if stops { 0.0 } else { patience * foresight };
        last.scale = keep_pace(pace, resolver, [last.scale, other], period);
        if stops && pace.is_at_rest() {
            reference.stop();
            last.scale = 1.0;
        }
        advanced.limited_tip
    }

    /// Finds the velocities that follow those commanded, all of them slower where a tip would be too fast. Gives that tip.
    fn follow_joints(&mut self, velocities: &[f64], period: f64) -> Option<usize> {
        let Self { resolver, options, reference, commanded, .. } = self;
        let jacobian = &resolver.tips.jacobian;
        let (mut scale, mut limited) = (1.0, None);
        for tip in 0..jacobian.tips().len() {
            let speed =
                |first| Vector3::from_fn(|axis, _| dot(jacobian.row(6 * tip + first + axis), velocities)).norm();
            let allowed = options.scale(speed(0) * reference.length_scale, speed(3));
            if allowed < scale {
                (scale, limited) = (allowed, Some(tip));
            }
        }
        commanded.iter_mut().zip(velocities).for_each(|(commanded, velocity)| *commanded = scale * velocity);
        self.follow_velocities(period);
        limited
    }

    /// Finds the velocities that go over to those commanded.
    fn follow_velocities(&mut self, period: f64) {
        if !self.follows_variables {
            self.follows_variables = true;
            self.ramp.velocity.copy_from_slice(&self.now.velocities);
            self.ramp.acceleration.copy_from_slice(&self.now.accelerations);
        }
        let Self { ramp, resolver, last, contacts, commanded, .. } = self;
        let limits = &resolver.limits;
        ramp.advance(commanded, period, |direction| Rates::of_shares(limits, direction.iter().copied()));
        *last = resolver.bound(&ramp.velocity, contacts);
    }

    /// Whether the tips would take long to stop on their way: where that needs faster and faster joints, or these are not yet where they
    /// were wanted.
    fn stops_by_joints(&self) -> bool {
        (self.allowed < LEAST_SCALE_TO_STOP || self.tracker.is_behind) && !self.is_at_rest()
    }

    fn stop_variables(&mut self, period: f64) {
        self.commanded.fill(0.0);
        self.follow_velocities(period);
    }

    /// Moves the joints on, towards the velocities found.
    fn advance(&mut self, period: f64, time: f64, clearance: Option<&Clearance>) {
        let Self { tracker, resolver, now, next, .. } = self;
        let rows = if self.follows_variables { &[][..] } else { &resolver.tips.jacobian.rows };
        tracker.choose(now, (&resolver.velocities, rows), &resolver.limits, (period, time));
        for (i, limits) in resolver.limits.iter().enumerate() {
            let after = State::of(now, i).after(period, tracker.jerks[i]);
            // Only rounding can bring it outside.
            next.positions[i] = limits.domain.clamp(after.position);
            (next.velocities[i], next.accelerations[i]) = (after.velocity, after.acceleration);
        }
        let moves = next.velocities.iter().chain(&resolver.velocities).any(|v| v.abs() > AT_REST);
        let is_commanded = if self.follows_variables { !self.ramp.is_at_rest() } else { !self.reference.is_at_rest() };
        if !moves && !is_commanded {
            next.velocities.fill(0.0);
            next.accelerations.fill(0.0);
        }
        match clearance {
            None => self.keeper.forget(),
            Some(clearance) => {
                if !self.keeper.check_state(now, next, period, clearance) {
                    *next = self.keeper.follow(now, period, Some(clearance));
                }
            }
        }
        std::mem::swap(now, next);
    }

    fn write_report(&mut self, limited_tip: Option<usize>) {
        let Report { scale, smallest_singular_value, holds } = &mut self.report;
        holds.clear();
        if let Some(near) = &self.keeper.stopped_by {
            holds.push(Hold::Contact { pair: near.pair, distance: near.distance });
        }
        *smallest_singular_value = (!self.follows_variables).then(|| self.resolver.tips.smallest_singular_value());
        *scale = self.last.scale;
        let Resolver { velocities, lower, upper, .. } = &self.resolver;
        if self.last.is_bounded {
            if let Some(near) = self.contacts.pressing(velocities) {
                holds.push(Hold::Contact { pair: near.pair, distance: near.distance });
            }
            for (variable, velocity) in velocities.iter().enumerate() {
                if *velocity <= lower[variable] || *velocity >= upper[variable] {
                    holds.push(Hold::JointLimit { variable });
                }
            }
        }
        if self.last.is_singular {
            holds.push(Hold::Singularity);
        }
        if let Some(variable) = self.last.fastest {
            holds.push(Hold::JointSpeed { variable });
        }
        if let Some(tip) = limited_tip {
            holds.push(Hold::TipSpeed { tip });
        }
    }
}

/// Lets the pace follow its scale, the product of that of the velocities found and another one, within the limits of the joints, and gives
/// the velocities that pace. Gives the pace.
fn keep_pace(pace: &mut Ramp, resolver: &mut Resolver, [scale, other]: [f64; 2], period: f64) -> f64 {
    let goal = scale * other;
    if scale < LEAST_SCALE {
        (pace.velocity[0], pace.acceleration[0]) = (goal, 0.0);
        return goal;
    }
    let rates = resolver.pace_rates([pace.velocity[0], goal], scale);
    pace.advance(&[goal], period, |_| rates);
    // To stand is a goal like any other; what is too fast for something ahead has to become slower at once.
    if pace.velocity[0] < 0.0 || pace.velocity[0] > goal && goal > 0.0 {
        (pace.velocity[0], pace.acceleration[0]) = (goal, 0.0);
    }
    resolver.scale(pace.velocity[0] / scale);
    pace.velocity[0]
}

/// The limits of each variable.
fn joint_limits(chain: &Chain, limits: &MotionLimits) -> Vec<Limits> {
    let variables = chain.variables().iter().enumerate();
    let of = |(i, variable): (usize, &Variable)| Limits {
        domain: variable.domain,
        velocity: VELOCITY_SHARE * limits.velocities[i],
        acceleration: limits.accelerations[i],
        jerk: limits.jerks[i],
    };
    variables.map(of).collect()
}
