//! Conversion of parameter values to settings.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Deref;
use std::str::FromStr;
use std::time::Duration;

use super::definition::Definition;
use super::value::{Refusal, Value};
use super::workspace::{Workspace, workspace_from_text};
use urdf_ik_collision::MissingShapes;
use urdf_ik_motion::servo::{HeldBack, Priority};
use urdf_ik_solver::{Pick, SolverKind, Unreached, free_axes_from_names};
use urdf_ik_text::named_values;

/// A type of settings that is parsed from the value of a parameter.
pub trait Setting: Sized {
    /// Parses a checked `value` of `parameter`. `before` is the previous setting, if any.
    ///
    /// # Errors
    /// [`Refusal`] if the value has the wrong type or invalid content.
    fn read(parameter: &Definition, value: Value, before: Option<&Self>) -> Result<Self, Refusal>;
}

impl Definition {
    /// Checks and parses a new value of the parameter.
    ///
    /// # Errors
    /// [`Refusal`] if the value has the wrong type, is out of bounds, or has invalid content.
    pub fn parse<T: Setting>(&self, value: Value) -> Result<T, Refusal> {
        T::read(self, self.check(value)?, None)
    }
}

/// Settings with the type of the value.
macro_rules! plain_settings {
    ($($type:ty = $variant:ident;)*) => {$(
        impl Setting for $type {
            fn read(parameter: &Definition, value: Value, _: Option<&Self>) -> Result<Self, Refusal> {
                if let Value::$variant(value) = value { Ok(value) } else { Err(parameter.of_wrong_type(&value)) }
            }
        }
    )*};
}

plain_settings! {
    bool = Bool;
    i64 = Integer;
    f64 = Double;
    Cow<'static, str> = Text;
    Vec<String> = Texts;
}

/// Settings converted from another type; several types may share an expression.
macro_rules! settings_from {
    ($($from:ty => $($type:ty),+ = $convert:expr;)*) => {$($(
        impl Setting for $type {
            fn read(parameter: &Definition, value: Value, _: Option<&Self>) -> Result<Self, Refusal> {
                let convert: fn($from) -> Result<Self, _> = $convert;
                convert(<$from>::read(parameter, value, None)?).map_err(|e| parameter.refuse(e))
            }
        }
    )+)*};
}

settings_from! {
    Cow<'static, str> => String = |text| Ok::<_, Refusal>(text.into_owned());
    i64 => usize = usize::try_from;
    i64 => u64 = u64::try_from;
    f64 => Duration = Duration::try_from_secs_f64;
    String => SolverKind, Pick, Priority, HeldBack, MissingShapes, OnUnreachable, Motion, CommandUnits, Reliability,
        JacobianMethod = |name| name.parse();
    String => Workspace = |text| workspace_from_text(&text);
}

/// Axes by name; at least one must remain constrained.
impl Setting for [bool; 6] {
    fn read(parameter: &Definition, value: Value, _: Option<&Self>) -> Result<Self, Refusal> {
        let (name, axes) = (parameter.name, Vec::<String>::read(parameter, value, None)?);
        match free_axes_from_names(axes.iter().map(String::as_str)) {
            Ok([true, true, true, true, true, true]) => {
                Err(Refusal(format!("{name} must not have all six axes: nothing would be left of the target")))
            }
            Ok(free) => Ok(free),
            Err(error) => Err(parameter.refuse(error)),
        }
    }
}

/// A setting that is disabled by an empty text or zero.
impl<T: Setting + Default + PartialEq> Setting for Option<T> {
    fn read(parameter: &Definition, value: Value, _: Option<&Self>) -> Result<Self, Refusal> {
        Ok(Some(T::read(parameter, value, None)?).filter(|value| *value != T::default()))
    }
}

named_values! {
    /// Behaviour of the arm for unreachable targets.
    pub enum OnUnreachable("way to answer", "ways to answer") {
        /// Move to the closest pose found.
        Closest = "closest",
        /// Reach the position exactly and the orientation as closely as possible; like `Closest` if the position is
        /// unreachable.
        Position = "position",
        /// Stay in place.
        Hold = "hold",
    }

    /// Kind of motion to a target.
    pub enum Motion("motion", "motions") {
        /// Immediately, or in steps of at most `max_joint_step`.
        Immediate = "immediate",
        /// Within the limits of velocity, acceleration and jerk.
        Smooth = "smooth",
    }

    /// Unit of MoveIt Servo commands.
    pub enum CommandUnits("unit of commands", "units of commands") {
        /// Fractions of the scales, from -1 to 1.
        Unitless = "unitless",
        /// Velocities in m/s and rad/s.
        SpeedUnits = "speed_units",
    }

    /// QoS reliability.
    pub enum Reliability("reliability", "reliabilities") {
        /// Lost messages are sent again.
        Reliable = "reliable",
        /// Messages are sent once.
        BestEffort = "best_effort",
    }

    /// Computation of a step from the Jacobian.
    pub enum JacobianMethod("method", "methods") {
        /// Damped least squares.
        Damped = "damped",
        /// The Moore-Penrose pseudoinverse.
        Pseudoinverse = "pseudoinverse",
    }
}

impl From<OnUnreachable> for Unreached {
    /// The solver's behaviour. With `Hold` its closest pose only provides the reason.
    fn from(way: OnUnreachable) -> Self {
        match way {
            OnUnreachable::Position => Self::Position,
            OnUnreachable::Closest | OnUnreachable::Hold => Self::Closest,
        }
    }
}

/// The parsed content of a text or of the file with that path. The text is kept for comparison with later ones.
#[derive(Debug, Clone, PartialEq)]
pub struct FromText<T> {
    text: String,
    content: T,
}

impl<T> Deref for FromText<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}

impl<T: FromStr<Err: Display> + Clone> Setting for FromText<T> {
    fn read(parameter: &Definition, value: Value, before: Option<&Self>) -> Result<Self, Refusal> {
        let text = String::read(parameter, value, None)?;
        let content = match before.filter(|before| before.text == text) {
            Some(before) => before.content.clone(),
            None => text.parse::<T>().map_err(|e| parameter.refuse(e))?,
        };
        Ok(Self { text, content })
    }
}
