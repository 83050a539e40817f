//! Enums whose values have names in texts.

use thiserror::Error;

use super::names::short;

/// A text that is not the name of any value of an enum.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no {what} '{}'; the {all} are: {}", short(name), names.join(", "))]
pub struct UnknownName {
    /// The noun for a value in the error message, in the singular.
    pub what: &'static str,
    /// The noun for the values in the error message, in the plural.
    pub all: &'static str,
    /// The rejected text.
    pub name: String,
    /// The valid names.
    pub names: &'static [&'static str],
}

/// Defines enums whose values are written and read by name. The enum's name is followed by the noun for a value in
/// error messages, in the singular and the plural.
///
/// ```
/// urdf_ik_text::named_values! {
///     /// Where the arm goes.
///     pub enum Side("side", "sides") {
///         /// To the left.
///         Left = "left",
///         /// To the right.
///         Right = "right",
///     }
/// }
///
/// assert_eq!("left".parse(), Ok(Side::Left));
/// assert_eq!(Side::Right.to_string(), "right");
/// assert_eq!("up".parse::<Side>().unwrap_err().to_string(), "there is no side 'up'; the sides are: left, right");
/// ```
#[macro_export]
macro_rules! named_values {
    ($(
        $(#[$about:meta])*
        pub enum $type:ident($what:literal, $all:literal) {
            $($(#[$about_value:meta])* $value:ident = $name:literal,)*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type {
            $($(#[$about_value])* $value,)*
        }

        impl $type {
            /// Names of all values, in order of declaration.
            pub const NAMES: [&'static str; [$($name),*].len()] = [$($name),*];
            /// All values, in order of declaration.
            pub const ALL: [Self; Self::NAMES.len()] = [$(Self::$value),*];

            /// Name of the value, as it is written and read.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, $crate::UnknownName> {
                match name {
                    $($name => Ok(Self::$value),)*
                    _ => Err($crate::UnknownName { what: $what, all: $all, name: name.to_owned(), names: &Self::NAMES }),
                }
            }
        }
    )*};
}
