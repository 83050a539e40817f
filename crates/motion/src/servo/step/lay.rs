//! Courses of a servo: laid for new commands, planned on, and followed.

use super::{Course, Servo};
use crate::servo::command::Aim;
use crate::servo::constants::{HALVINGS, LONGEST_STEP, NEAR_SINGULAR, RAMP_SHARE};
use crate::servo::curve::End;
use crate::servo::jerk_bounds::{Limits, State};
use crate::servo::law::{Obstacle, Part};
use crate::servo::line::{Give, TipMotion};
use crate::servo::options::HeldBack;
use crate::servo::ramp::Rates;
use crate::servo::singular_values::SingularValues;
use crate::servo::slide::Task;

impl Course {
    /// Whether it leads farther than to an end nearby that is not where the tips are to be.
    fn leads_on(&self) -> bool {
        matches!(self.curve.end, None | Some(End::Arrived)) || self.curve.reach() > LONGEST_STEP
    }
}

impl Servo {
    /// Lays a course for the aims from where the joints are, with a plan on it. Gives whether there is one.
    pub(super) fn lay_anew(&mut self, period: f64, is_new: bool) -> bool {
        let moves = !self.is_at_rest();
        let slides = self.options.held_back == HeldBack::Slide;
        if slides && !is_new && matches!(self.end_ahead(), Some(End::Limit(_))) {
            return self.lay_beside(moves, period);
        }
        self.write_motions(moves);
        let is_laid = self.lay_first(moves, period, is_new);
        is_laid || slides && matches!(self.trial.curve.end, Some(End::Limit(_))) && self.lay_beside(moves, period)
    }

    /// Lays the first course that leads on; else a short one. Gives whether there is one.
    fn lay_first(&mut self, moves: bool, period: f64, is_new: bool) -> bool {
        let is_laid = self.lay_along(moves, period, Give::OnTheWay);
        if moves || is_laid && self.trial.leads_on() {
            return is_laid;
        }
        // Where nothing may give way, all these lines are one.
        let gives = self.trial.line.gives_way(&self.options);
        if gives && self.lay_along(moves, period, Give::Nothing) && self.trial.leads_on() {
            return true;
        }
        // Where a course ended for good, one that leads nowhere would be laid again and again.
        let may_be_short = is_new || !self.is_on_course || self.course.curve.end == Some(End::Free);
        gives && self.lay_along(moves, period, Give::AtOnce) && self.trial.leads_on()
            || may_be_short && self.lay_along(moves, period, Give::Nothing)
    }

    /// Lays a course along the line. Gives whether there is one.
    fn lay_along(&mut self, moves: bool, period: f64, give: Give) -> bool {
        self.begin_line(moves, give);
        let Self { tracer, course, trial, options, singular, limits, now, .. } = self;
        if moves {
            if !trial.line.keeps_speed(options, &|twist: &[f64]| rates(singular, limits, twist)) {
                return false;
            }
            trial.plan.now = tracer.begin_moving(&mut trial.curve, now);
        } else {
            trial.plan.stand(0.0);
            let came = self.is_on_course.then(|| &course.curve.last().slope[..]);
            if !tracer.begin_at_rest(&mut trial.curve, &trial.line, &now.positions, came) {
                return false;
            }
        }
        self.plan_trial(period)
    }

    /// Begins the line of a course.
    fn begin_line(&mut self, moves: bool, give: Give) {
        let before = (self.is_on_course && !self.course.is_slide).then_some(&self.course.line);
        let Self { tracer, trial, giving_way, aims, held_axes, motions, options, singular, limits, now, .. } = self;
        let rates = |twist: &[f64]| rates(singular, limits, twist);
        let Course { line, curve, is_slide, .. } = trial;
        (curve.end, *is_slide, line.give) = (None, false, give);
        line.set_aims(aims, held_axes);
        line.begin(motions, moves, before, options, &rates);
        if give == Give::AtOnce {
            giving_way.find_at_rest(&mut tracer.jacobian, line, &now.positions, limits);
            line.give_at_once(&giving_way.twists, options, &rates);
        }
    }

    /// Plans the next step on the trial. Gives whether there is a plan.
    pub(super) fn plan_trial(&mut self, period: f64) -> bool {
        std::mem::swap(&mut self.course, &mut self.trial);
        let is_planned = self.plan_on(period, false);
        std::mem::swap(&mut self.course, &mut self.trial);
        is_planned
    }

    /// Writes how the tips move: as the course has it, where they are on it; else as the joints do.
    fn write_motions(&mut self, moves: bool) {
        let Self { course, motions, jacobian, targets, place, now, aims, held_axes, .. } = self;
        let variables = self.limits.len();
        let follows = self.is_on_course && !course.is_slide;
        if follows {
            course.curve.write(course.plan.now.position, place);
        }
        for (tip, motion) in motions.iter_mut().enumerate() {
            let is = TipMotion {
                pose: jacobian.tips()[tip],
                twist: jacobian.twist(tip, &now.velocities),
                rate: jacobian.twist(tip, &now.accelerations) + jacobian.acceleration(tip, &now.velocities),
            };
            *motion = if follows {
                let State { position: time, velocity: rate, acceleration: change } =
                    place[variables].state(course.plan.now);
                let TipMotion { pose, twist, rate: turn } = course.line.at(tip, time);
                TipMotion { pose, twist: twist * rate, rate: twist * change + turn * (rate * rate) }
            } else {
                TipMotion { pose: if self.is_on_course { is.pose } else { targets[tip] }, ..is }
            };
            // A rotation is as the joints have it, unless it is held or the course led it.
            let (held, turns) = (held_axes[tip], aims[tip].turns());
            let is_led = !follows || held == course.line.held_axes[tip];
            let was_commanded = follows && course.line.aims[tip].turns();
            if !(is_led && (held.always || was_commanded && turns)) {
                motion.pose.rotation = is.pose.rotation;
                if turns || held.always {
                    motion.turn_as(&is);
                }
            }
            if !moves {
                *motion = TipMotion::rest(motion.pose);
            }
        }
    }

    /// Extends the curve of the course as far as it is needed, and plans the next step on it: as fast as the stop after it
    /// allows. Gives whether there is a plan; the course may have one.
    pub(super) fn plan_on(&mut self, period: f64, has_plan: bool) -> bool {
        let now = self.course.plan.now;
        self.extend_course(now.position + 2.0 * LONGEST_STEP);
        if !self.course.curve.has_length() {
            return false;
        }
        let wanted = self.planner.wanted_jerk(&self.course.curve, now, &self.limits, period);
        if self.try_jerk(now, wanted, period) {
            return true;
        }
        let (mut low, mut high) = (self.planner.least_jerk(&self.course.curve, now, &self.limits), wanted);
        // The plan that is held begins with such a jerk.
        if !has_plan && !self.try_jerk(now, low, period) {
            return false;
        }
        // At rest a stop costs little, and the less it leaves to the end, the better.
        let halvings = if now == State::at_rest(now.position) { HALVINGS[0] } else { HALVINGS[1] };
        for _ in 0..halvings {
            let middle = 0.5 * (low + high);
            if self.try_jerk(now, middle, period) {
                low = middle;
            } else {
                high = middle;
            }
        }
        true
    }

    /// Whether the course leads where the tips are to be, or to poses in place of which there are newer ones now.
    pub(super) fn goes_on(&self) -> bool {
        let leads =
            |(aim, led_to): (&Aim, &Aim)| aim == led_to || matches!((aim, led_to), (Aim::Pose(_), Aim::Pose(_)));
        self.aims.iter().zip(&self.course.line.aims).all(leads)
    }

    /// Goes on along the plan that is held.
    pub(super) fn follow_plan(&mut self, period: f64) {
        let Self { course: Course { line, curve, plan, is_slide }, place, next, limits, targets, .. } = self;
        curve.write(plan.now.position, place);
        self.time_passed = -place[limits.len()].0[0];
        plan.advance(period);
        curve.write(plan.now.position, place);
        for (i, limits) in limits.iter().enumerate() {
            let State { position, velocity, acceleration } = place[i].state(plan.now);
            // Only rounding can bring it outside.
            next.positions[i] = limits.domain.clamp(position);
            (next.velocities[i], next.accelerations[i]) = (velocity, acceleration);
        }
        let time = place[limits.len()].0[0];
        self.time_passed += time;
        curve.forget_before(plan.now.position);
        if !*is_slide {
            for (tip, target) in targets.iter_mut().enumerate() {
                *target = line.reference(tip, time);
            }
            line.forget_before(time);
        }
    }

    /// Plans a jerk for a period, and a stop after it. The curve is extended as far as that needs. Where there is such a stop, it is held.
    fn try_jerk(&mut self, now: State, jerk: f64, period: f64) -> bool {
        loop {
            let Course { curve, .. } = &self.course;
            let found = self.planner.plan(curve, now, Part { time: period, jerk }, &self.limits, &mut self.tried);
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
        let Self {
            course: Course { line, curve, is_slide, .. },
            tracer,
            slider,
            giving_way,
            options,
            singular,
            limits,
            ..
        } = self;
        let rates = |twist: &[f64]| rates(singular, limits, twist);
        let before = curve.reach();
        while curve.reach() < way && curve.end.is_none() && !curve.is_full() {
            if *is_slide {
                let task = Task { aims: &line.aims, held_axes: &line.held_axes, limits, options };
                slider.extend(curve, &mut tracer.jacobian, task);
                continue;
            }
            let time = curve.last().place[limits.len()];
            if line.gives_way(options) {
                giving_way.find(&mut tracer.jacobian, line, curve.last(), limits);
                line.give_way(time, &giving_way.twists, options, &rates);
            }
            let ahead = time + 2.0 * LONGEST_STEP;
            if !line.extend(ahead, options, &rates) && line.end().is_none() {
                break;
            }
            tracer.extend(curve, line);
        }
        curve.reach() > before
    }
}

/// How fast a velocity of the tips along a unit twist may change within a share of the limits of the joints.
fn rates(singular: &SingularValues, limits: &[Limits], twist: &[f64]) -> Rates {
    const GREATEST: Rates = Rates { acceleration: 20.0, jerk: 400.0 };
    let mut rates = GREATEST;
    for (i, limits) in limits.iter().enumerate() {
        let share = singular.response(twist, i, NEAR_SINGULAR).abs();
        rates.acceleration = rates.acceleration.min(limits.acceleration / share);
        rates.jerk = rates.jerk.min(limits.jerk / share);
    }
    rates.times(RAMP_SHARE)
}
