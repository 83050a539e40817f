//! The axes of a tip's frame by name.

use thiserror::Error;

use urdf_ik_text::names::short;

/// Names of the axes of a tip's frame, in the order of [`Target::free_axes`](super::Target::free_axes): translations
/// along x, y, z, then rotations about x, y, z.
pub const AXIS_NAMES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Why axis names are not valid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AxisNameError {
    /// No axis has this name.
    #[error("there is no axis '{}'; the axes are: {}", short(.0), AXIS_NAMES.join(", "))]
    Unknown(String),
    /// The axis with this name occurs twice.
    #[error("the axis '{0}' is named twice")]
    Twice(&'static str),
}

/// The free axes with the given [names](AXIS_NAMES). An entry of the result is true if its axis is free, in the order
/// of [`Target::free_axes`](super::Target::free_axes).
///
/// # Errors
/// [`AxisNameError`] if a name is unknown or repeated.
pub fn free_axes_from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<[bool; 6], AxisNameError> {
    let mut free = [false; 6];
    for name in names {
        let axis = AXIS_NAMES.iter().position(|known| *known == name);
        let axis = axis.ok_or_else(|| AxisNameError::Unknown(name.to_owned()))?;
        if std::mem::replace(&mut free[axis], true) {
            return Err(AxisNameError::Twice(AXIS_NAMES[axis]));
        }
    }
    Ok(free)
}

/// Names of the axes whose entry in `free` is true, in the order of [`AXIS_NAMES`].
pub fn names_of_free_axes(free: [bool; 6]) -> Vec<&'static str> {
    AXIS_NAMES.into_iter().zip(free).filter_map(|(name, free)| free.then_some(name)).collect()
}

/// The free axes in English, for example `turn about z`; empty if none is free. `free` has the order of
/// [`AXIS_NAMES`].
pub fn free_axes_in_words(free: [bool; 6]) -> String {
    let group = |what: &str, axes: &[bool]| {
        let names: Vec<&str> = AXIS_NAMES.into_iter().zip(axes).filter_map(|(n, free)| free.then_some(n)).collect();
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let groups = [group("shift along", &free[..3]), group("turn about", &free[3..])];
    groups.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_names() {
        let free = free_axes_from_names(["rz", "x", "y"]).unwrap();
        assert_eq!(free, [true, true, false, false, false, true]);
        assert_eq!(names_of_free_axes(free), ["x", "y", "rz"]);
        assert_eq!(free_axes_in_words(free), "shift along x, y; turn about z");
        assert_eq!(free_axes_in_words([false; 6]), "");
        let error = free_axes_from_names(["x", "yaw"]).unwrap_err();
        assert_eq!(error.to_string(), "there is no axis 'yaw'; the axes are: x, y, z, rx, ry, rz");
        assert_eq!(free_axes_from_names(["rx", "y", "rx"]), Err(AxisNameError::Twice("rx")));
    }
}
