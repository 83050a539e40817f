//! A linear relation of joint positions.

use std::sync::Arc;

use crate::frames::GoalContext;
use crate::goal::{Kind, Requirement, Unit, check_intervals};
use crate::rows::Row;
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::Fields;
use urdf_ik_text::names::{number, short};

/// A weighted sum of joint positions lies within bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Joints {
    /// Index of the variable, and factor \[rad or m per rad or m\], of each term. Factors are finite and not 0.
    pub coefficients: Vec<(usize, f64)>,
    /// Lower and upper bound of the sum \[rad or m\]; −∞ or +∞ leaves that side unbounded.
    pub bounds: [f64; 2],
    /// Unit of the sum and its terms.
    pub unit: Unit,
}

impl Joints {
    pub(crate) fn read(fields: &mut Fields, context: &GoalContext) -> Result<Arc<dyn Kind>, Malformed> {
        let GoalContext { robot, chain, .. } = context;
        let mut bounds = [fields.number_or("lower", f64::NEG_INFINITY)?, fields.number_or("upper", f64::INFINITY)?];
        let mut coefficients: Vec<(usize, f64)> = Vec::new();
        let mut units = Vec::new();
        for (name, coefficient) in fields.named_numbers("coefficients")? {
            let joint = robot.joint_index(name).ok_or_else(|| format!("there is no joint '{}'", short(name)))?;
            let rule = robot.joints()[joint].rule(joint);
            let variable = chain.variables().iter().position(|variable| variable.joint == rule.master);
            let variable = variable
                .ok_or_else(|| format!("the joint '{}' is not part of the chain that is solved for", short(name)))?;
            let prismatic = robot.joints()[joint].kind == urdf_ik_robot::JointKind::Prismatic;
            units.push(if prismatic { Unit::Metre } else { Unit::Radian });
            // A mimic joint is at multiplier · master + offset.
            bounds = bounds.map(|bound| bound - coefficient * rule.offset);
            let factor = coefficient * rule.multiplier;
            match coefficients.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, sum)) => *sum += factor,
                None => coefficients.push((variable, factor)),
            }
        }
        let Some(unit) = units.first().copied() else { return Err("its 'coefficients' name no joint".into()) };
        if units.iter().any(|other| *other != unit) {
            return Err("its 'coefficients' mix joints that rotate and joints that translate".into());
        }
        Ok(Arc::new(Self { coefficients, bounds, unit }))
    }

    /// The sum with its bounds. `position` returns the position \[rad or m\] of a variable by its index.
    #[inline]
    pub fn row(&self, position: impl Fn(usize) -> f64) -> Row {
        let value = self.coefficients.iter().map(|(variable, factor)| factor * position(*variable)).sum();
        Row { value, interval: self.bounds }
    }

    /// Index and interval \[rad or m\] (lower, upper end) of the variable, if the sum has only one; `None` otherwise.
    pub fn variable_interval(&self) -> Option<(usize, [f64; 2])> {
        let [(variable, factor)] = self.coefficients[..] else { return None };
        let [one, other] = self.bounds.map(|bound| bound / factor);
        Some((variable, [one.min(other), one.max(other)]))
    }
}

impl Kind for Joints {
    fn requirement(&self) -> Requirement {
        Requirement { unit: self.unit, rows: 1, subject: "the relation of the joints is outside its bounds" }
    }

    fn relation(&self) -> Option<&Self> {
        Some(self)
    }

    fn check(&self) -> Result<(), Malformed> {
        if let Some((_, factor)) = self.coefficients.iter().find(|(_, factor)| !(factor.is_finite() && *factor != 0.0))
        {
            return Err(format!("a coefficient is {}; it must be a finite number other than 0", number(*factor)).into());
        }
        check_intervals(&[self.bounds[0]], &[self.bounds[1]])
    }
}
