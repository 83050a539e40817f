//! Methods that change one field of options or of a problem.

/// Defines methods of a type, each of which returns the value with another value of one of its fields.
///
/// ```
/// #[derive(Debug, Default, PartialEq)]
/// struct Pace {
///     speed: f64,
///     period: f64,
/// }
///
/// impl Pace {
///     urdf_ik_text::setters! {
///         with_speed(speed: f64);
///         with_period(period: f64);
///     }
/// }
///
/// assert_eq!(Pace::default().with_speed(0.1).with_period(0.01), Pace { speed: 0.1, period: 0.01 });
/// ```
#[macro_export]
macro_rules! setters {
    ($($(#[$about:meta])* $name:ident($field:ident: $type:ty);)*) => {$(
        #[doc = concat!("The same with another [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        $(#[doc = ""] #[$about])*
        #[must_use]
        pub fn $name(self, $field: $type) -> Self {
            Self { $field, ..self }
        }
    )*};
}
