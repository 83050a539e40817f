//! What the values of parameters are read as.

use std::ops::Deref;
use std::time::Duration;

use super::config::{NamedPositions, NamedPositionsError, Yaml};
use super::definition::Definition;
use super::tools::{Tools, ToolsError};
use super::value::{Refusal, Value};
use urdf_ik_collision::MissingShapes;
use urdf_ik_motion::servo::{HeldBack, Priority};
use urdf_ik_solver::{Pick, SolverKind, Unreached, free_axes_from_names};
use urdf_ik_text::files::ReadError;
use urdf_ik_text::named_values;

/// A type as which the value of a parameter is read.
pub(super) trait Setting: Sized {
    /// Reads the `value` of the `parameter`, which had the value `before`.
    ///
    /// # Errors
    /// A [`Refusal`] where the value has no meaning.
    fn read(parameter: &Definition, value: Value, before: Option<&Self>) -> Result<Self, Refusal>;
}

/// Reads values as the types that they have.
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
    String = Text;
    Vec<String> = Texts;
}

/// Reads values as another type first, and then as what the expression makes of that.
macro_rules! settings_from {
    ($($from:ty => $type:ty = $convert:expr;)*) => {$(
        impl Setting for $type {
            fn read(parameter: &Definition, value: Value, _: Option<&Self>) -> Result<Self, Refusal> {
                let convert: fn($from) -> Result<Self, _> = $convert;
                convert(<$from>::read(parameter, value, None)?).map_err(|e| Refusal(format!("{}: {e}", parameter.name)))
            }
        }
    )*};
}

settings_from! {
    i64 => usize = usize::try_from;
    i64 => u64 = u64::try_from;
    f64 => Duration = Duration::try_from_secs_f64;
}

/// Reads values by their names.
macro_rules! named_settings {
    ($($type:ty),*) => {
        settings_from! {$(String => $type = |name| name.parse();)*}
    };
}

named_settings!(
    SolverKind,
    Pick,
    Priority,
    HeldBack,
    MissingShapes,
    OnUnreachable,
    Motion,
    CommandUnits,
    Reliability,
    JacobianMethod
);

/// Axes by name: at least one has to be left.
impl Setting for [bool; 6] {
    fn read(parameter: &Definition, value: Value, _: Option<&Self>) -> Result<Self, Refusal> {
        let (name, axes) = (parameter.name, Vec::<String>::read(parameter, value, None)?);
        match free_axes_from_names(axes.iter().map(String::as_str)) {
            Ok([true, true, true, true, true, true]) => {
                Err(Refusal(format!("{name} must not have all six axes: nothing would be left of the target")))
            }
            Ok(free) => Ok(free),
            Err(error) => Err(Refusal(format!("{name}: {error}"))),
        }
    }
}

/// A setting that the empty text or zero turns off.
impl<T: Setting + Default + PartialEq> Setting for Option<T> {
    fn read(parameter: &Definition, value: Value, _: Option<&Self>) -> Result<Self, Refusal> {
        Ok(Some(T::read(parameter, value, None)?).filter(|value| *value != T::default()))
    }
}

named_values! {
    /// What the arm does when a target cannot be met.
    pub enum OnUnreachable("way to answer", "ways to answer") {
        /// It moves to the closest pose that was found.
        Closest = "closest",
        /// It moves to where the position is reached exactly and the orientation as closely as possible; where the position cannot be
        /// reached, as closest.
        Position = "position",
        /// It holds its position.
        Hold = "hold",
    }

    /// How the arm moves to a target.
    pub enum Motion("motion", "motions") {
        /// At once, or in steps of at most `max_joint_step`.
        Immediate = "immediate",
        /// Within the limits of velocity, acceleration and jerk.
        Smooth = "smooth",
    }

    /// What the numbers of the commands of MoveIt Servo are.
    pub enum CommandUnits("unit of commands", "units of commands") {
        /// Shares of the scales, from -1 to 1.
        Unitless = "unitless",
        /// Velocities in m/s and rad/s.
        SpeedUnits = "speed_units",
    }

    /// The reliability of a quality of service.
    pub enum Reliability("reliability", "reliabilities") {
        /// A message that is lost is sent again.
        Reliable = "reliable",
        /// A message is sent once.
        BestEffort = "best_effort",
    }

    /// How a step is computed from the Jacobian.
    pub enum JacobianMethod("method", "methods") {
        /// Damped least squares.
        Damped = "damped",
        /// The Moore-Penrose pseudoinverse.
        Pseudoinverse = "pseudoinverse",
    }
}

impl From<OnUnreachable> for Unreached {
    /// What the solver is asked for. An arm that holds its position is asked for the reason.
    fn from(way: OnUnreachable) -> Self {
        match way {
            OnUnreachable::Position => Self::Position,
            OnUnreachable::Closest | OnUnreachable::Hold => Self::Closest,
        }
    }
}

/// What a text says, or the file whose path it is, together with that text.
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

/// What can be read from a text, or from the file whose path it is.
pub(super) trait ReadText: Clone {
    type Error: std::fmt::Display;

    fn read_text(text: &str) -> Result<Self, Self::Error>;
}

impl ReadText for Yaml {
    type Error = ReadError;

    fn read_text(text: &str) -> Result<Self, ReadError> {
        Self::read(text)
    }
}

impl ReadText for NamedPositions {
    type Error = NamedPositionsError;

    fn read_text(text: &str) -> Result<Self, NamedPositionsError> {
        Self::read(text)
    }
}

impl ReadText for Tools {
    type Error = ToolsError;

    fn read_text(text: &str) -> Result<Self, ToolsError> {
        Self::read(text)
    }
}

impl<T: ReadText> Setting for FromText<T> {
    fn read(parameter: &Definition, value: Value, before: Option<&Self>) -> Result<Self, Refusal> {
        let text = String::read(parameter, value, None)?;
        let content = match before.filter(|before| before.text == text) {
            Some(before) => before.content.clone(),
            None => T::read_text(&text).map_err(|e| Refusal(format!("{}: {e}", parameter.name)))?,
        };
        Ok(Self { text, content })
    }
}
