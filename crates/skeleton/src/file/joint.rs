//! Joints in files, with angles in degrees.

use nalgebra::Vector3;
use serde::Deserialize;

use super::entries::given;
use crate::{Cone, Limit, Range};
use urdf_ik_mathematics::segments::InputError;
use urdf_ik_text::names::number;

/// A hinge in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a hinge such as {axis: [0, 0, 1], range: [0, 90]}")]
pub(super) struct HingeEntry {
    #[serde(default, deserialize_with = "given")]
    axis: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "given")]
    range: Option<[f64; 2]>,
}

/// A limited ball joint in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a cone such as {up: 60, down: 40, left: 70, right: 30}")]
pub(super) struct ConeEntry {
    up: f64,
    down: f64,
    left: f64,
    right: f64,
    #[serde(default, deserialize_with = "given")]
    twist: Option<[f64; 2]>,
}

/// The limit of a joint in 2 or 3 `dimensions`, of which at most one kind may be given.
pub(super) fn limit(
    hinge: Option<HingeEntry>,
    cone: Option<ConeEntry>,
    fixed: bool,
    dimensions: usize,
) -> Result<Limit, InputError> {
    match (hinge, cone, fixed) {
        (None, None, false) => Ok(Limit::Free),
        (None, None, true) if dimensions == 2 => Ok(Limit::Hinge { axis: Vector3::z(), angle: Range::new(0.0, 0.0) }),
        (None, None, true) => Ok(Limit::Ball { cone: Cone::circular(0.0), twist: Range::new(0.0, 0.0) }),
        (Some(hinge), None, false) => hinge.limit(),
        (None, Some(cone), false) => cone.limit(),
        _ => {
            Err(InputError::model("it has more than one of hinge, cone and fixed; give one, or none for a free joint"))
        }
    }
}

impl HingeEntry {
    fn limit(self) -> Result<Limit, InputError> {
        let axis = Vector3::from(self.axis.unwrap_or([0.0, 0.0, 1.0]));
        if !axis.norm().is_normal() {
            let [x, y, z] = axis.map(number).into();
            return Err(InputError::model(format!("the axis of its hinge is [{x}, {y}, {z}]; give a direction")));
        }
        Ok(Limit::Hinge { axis, angle: range("the range of its hinge", self.range)? })
    }
}

impl ConeEntry {
    fn limit(self) -> Result<Limit, InputError> {
        let Self { up, down, left, right, twist } = self;
        for (side, angle) in [("up", up), ("down", down), ("left", left), ("right", right)] {
            if !(0.0..=180.0).contains(&angle) {
                return Err(InputError::model(format!(
                    "its cone opens by {} degrees {side}; give a number from 0 to 180",
                    number(angle)
                )));
            }
        }
        let [up, down, left, right] = [up, down, left, right].map(f64::to_radians);
        Ok(Limit::Ball { cone: Cone { up, down, left, right }, twist: range("its twist", twist)? })
    }
}

/// A range of angles in degrees, converted to radians; `None` is unlimited.
pub(super) fn range(what: &str, degrees: Option<[f64; 2]>) -> Result<Range, InputError> {
    let Some([lower, upper]) = degrees else { return Ok(Range::ALL) };
    if lower.abs() <= 360.0 && upper.abs() <= 360.0 && lower <= upper {
        return Ok(Range::new(lower.to_radians(), upper.to_radians()));
    }
    let (lower, upper) = (number(lower), number(upper));
    Err(InputError::model(format!(
        "{what} is from {lower} to {upper} degrees; give two angles in ascending order within ±360"
    )))
}
