//! The macro that defines settings by a table of parameters.

/// Defines a settings struct from rows and groups, which are settings structs too. The comment of a row
/// describes the field and the parameter. A row has the name after the prefix, the type of the field, the
/// default, the unit, the bounds, and the time at which a value takes effect. The function with the name of a
/// row returns its [`Definition`].
macro_rules! parameters {
    (
        $(#[$attribute:meta])*
        $settings:ident, $prefix:literal {
            $($(#[doc = $sentence:literal])+
            $name:ident: $type:ty = $default:expr, $unit:literal, $bounds:expr, $takes_effect:expr;)*
        }
        $($(#[doc = $group_sentence:literal])+ $group:ident: $group_type:ident;)*
    ) => {
        $(#[$attribute])*
        #[non_exhaustive]
        pub struct $settings {
            $($(#[doc = $sentence])+ pub $name: $type,)*
            $($(#[doc = $group_sentence])+ pub $group: $group_type,)*
        }

        impl $settings {
            $(#[doc = concat!("The parameter `", $prefix, stringify!($name), "`.")]
            pub const fn $name() -> &'static Definition {
                const {
                    &Definition {
                        name: concat!($prefix, stringify!($name)),
                        default: $default,
                        unit: $unit,
                        bounds: $bounds,
                        takes_effect: $takes_effect,
                        sentence: concat!($($sentence),+).trim_ascii_start(),
                    }
                }
            })*

            fn definitions() -> Vec<&'static Definition> {
                [vec![$(Self::$name()),*], $($group_type::definitions()),*].concat()
            }

            /// Parses the values. An unchanged text of `before` is not parsed again, because its file may be gone.
            ///
            /// # Errors
            /// [`Refusal`] of a value with the right type but invalid content, such as joint positions that are
            /// no YAML mapping.
            pub fn new(values: &Values, before: Option<&Self>) -> Result<Self, Refusal> {
                Ok(Self {
                    $($name: Setting::read(Self::$name(), values.of(Self::$name()), before.map(|before| &before.$name))?,)*
                    $($group: $group_type::new(values, before.map(|before| &before.$group))?,)*
                })
            }
        }
    };
}

pub(super) use parameters;
