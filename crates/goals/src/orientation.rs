//! Bounds of an orientation, as a rotation vector or by Euler angles.

use std::sync::Arc;

use nalgebra::{IsometryMatrix3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use crate::drawing::{Drawing, Grip, GripValue, Region, Subject};
use crate::frames::{Aim, Between, Configuration, GoalContext, Middle, Places, Relative, middle};
use crate::goal::{Kind, Requirement, Unit, check_intervals};
use crate::rows::{Row, Rows};
use urdf_ik_mathematics::spatial::{rotation_from, rotation_vector};
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::Fields;
use urdf_ik_text::named_values;

/// Cosine of the second Euler angle below which the first and the third turn about the same axis.
const MIN_COSINE: f64 = 1e-9;
/// Angle below which series replace quotients that vanish \[rad\].
const SMALL_ANGLE: f64 = 1e-4;
/// Cosine of an angle up to which it is near half a turn, where sines lose the axis.
const MAX_HALF_TURN_COSINE: f64 = -0.999;

named_values! {
    /// The three numbers \[rad\] that describe a rotation E.
    pub enum Parameterization("parameterization", "parameterizations") {
        /// The rotation vector log E.
        RotationVector = "rotation_vector",
        /// a, b and c of E = Rx(a) Ry(b) Rz(c), with b between ±π/2.
        XyzEuler = "xyz_euler",
    }
}

/// The rotation E = R(q)ᵀ R(link), from an orientation q to that of a link, both in a frame, has its three numbers
/// within bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Orientation {
    /// The link and the frame; the point has no effect.
    pub between: Between,
    /// The orientation q in the frame: a rotation matrix, whose columns are the axes of q.
    pub centre: Matrix3<f64>,
    /// The choice of the three numbers.
    pub parameterization: Parameterization,
    /// True if the components of a rotation vector are along the axes of the frame instead of those of q.
    pub along_frame: bool,
    /// Lower bounds of the three numbers \[rad\]; −∞ leaves that side unbounded.
    pub lower: [f64; 3],
    /// Upper bounds of the three numbers \[rad\]; +∞ leaves that side unbounded.
    pub upper: [f64; 3],
}

impl Orientation {
    pub(crate) fn read(fields: &mut Fields, context: &GoalContext) -> Result<Arc<dyn Kind>, Malformed> {
        let between = Between::read(fields, context)?;
        let centre = rotation_from(fields.numbers_or("q_xyzw", [0.0, 0.0, 0.0, 1.0])?)?;
        let parameterization = match fields.optional("parameterization") {
            Some(_) => fields.text("parameterization")?.parse()?,
            None => Parameterization::RotationVector,
        };
        let along_frame = match fields.optional("axes").map(|_| fields.text("axes")).transpose()? {
            None | Some("target") => false,
            Some("frame") => true,
            Some(axes) => return Err(format!("its 'axes' are '{axes}'; they must be 'target' or 'frame'").into()),
        };
        Ok(Arc::new(Self {
            between,
            centre: centre.to_rotation_matrix().into_inner(),
            parameterization,
            along_frame,
            lower: fields.bounds("lower", f64::NEG_INFINITY)?,
            upper: fields.bounds("upper", f64::INFINITY)?,
        }))
    }

    /// The numbers of E, and the matrix whose row i is the derivative of number i by an angular velocity along the axes
    /// of q.
    fn numbers(&self, rotation: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
        match self.parameterization {
            Parameterization::XyzEuler => euler_angles(rotation),
            Parameterization::RotationVector => {
                let (vector, inverse) = logarithm(rotation);
                if self.along_frame { (self.centre * vector, self.centre * inverse) } else { (vector, inverse) }
            }
        }
    }
}

impl Kind for Orientation {
    fn requirement(&self) -> Requirement {
        Requirement { unit: Unit::Radian, rows: 3, subject: "the orientation is outside its bounds" }
    }

    fn places(&self) -> Option<Places> {
        Some(self.between.places())
    }

    fn aim(&self) -> Option<Aim> {
        middle(&self.lower, &self.upper)?;
        let centre = Rotation3::from_matrix_unchecked(self.centre);
        Some(self.between.aim(|frame| Middle::Orientation(frame.offset.rotation * centre)))
    }

    fn measure(&self, relative: &Relative, rows: &mut Rows) {
        let (values, derivative) = self.numbers(&self.centre.tr_mul(&relative.rotation));
        for axis in 0..3 {
            let row = Row { value: values[axis], interval: [self.lower[axis], self.upper[axis]] };
            rows.push(row, [Vector3::zeros(), self.centre * derivative.row(axis).transpose()]);
        }
    }

    fn check(&self) -> Result<(), Malformed> {
        if self.along_frame && self.parameterization == Parameterization::XyzEuler {
            return Err("its 'axes' have no meaning for Euler angles".into());
        }
        check_intervals(&self.lower, &self.upper)
    }

    fn drawing(&self, at: &dyn Configuration) -> Option<Drawing> {
        let link = self.between.link.pose(at);
        let (frame, centre) = (&self.between.frame, Rotation3::from_matrix_unchecked(self.centre));
        Some(Drawing {
            region: Region::Axes(IsometryMatrix3::from_parts(link.translation, frame.pose(at).rotation * centre)),
            subject: Subject::Axes(link),
            grip: Grip::drawn_at(link.translation, "q_xyzw", frame, at, GripValue::Orientation(centre)),
        })
    }
}

/// The rotation vector v of length θ, and the inverse of the left Jacobian of rotations at v (Sola et al. 2018, "A
/// micro Lie theory", equation 146): I - \[v\]/2 + (1/θ² - cot(θ/2)/(2θ)) \[v\]², where \[v\]² = v vᵀ - θ² I.
fn logarithm(rotation: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let cosine = 0.5 * (rotation.trace() - 1.0);
    // θ/2 cot(θ/2) beside the vector.
    let (vector, product) = if cosine > MAX_HALF_TURN_COSINE {
        let part = |row, column| 0.5 * (rotation[(row, column)] - rotation[(column, row)]);
        let axis = Vector3::new(part(2, 1), part(0, 2), part(1, 0));
        let sine = axis.norm();
        let over_sine = if sine < SMALL_ANGLE * SMALL_ANGLE { 1.0 } else { sine.atan2(cosine) / sine };
        (axis * over_sine, 0.5 * over_sine * (1.0 + cosine))
    } else {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation));
        let vector = rotation_vector(&rotation);
        (vector, 0.5 * vector.norm() * rotation.w.abs() / rotation.imag().norm())
    };
    let square = vector.norm_squared();
    let factor = if square < SMALL_ANGLE * SMALL_ANGLE { 1.0 / 12.0 } else { (1.0 - product) / square };
    let [x, y, z] = (vector * 0.5).into();
    let skew = Matrix3::new(0.0, -z, y, z, 0.0, -x, -y, x, 0.0);
    (vector, Matrix3::from_diagonal_element(1.0 - factor * square) - skew + vector * vector.transpose() * factor)
}

/// a, b and c of E = Rx(a) Ry(b) Rz(c), and their derivatives by an angular velocity ω = a' x + b' Rx y + c' Rx Ry z.
/// Where b = ±π/2, c is 0, and each derivative is that of its own axis.
fn euler_angles(rotation: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let (sine, cosine) = (rotation[(0, 2)], rotation.fixed_view::<1, 2>(0, 0).norm());
    let second = sine.atan2(cosine);
    if cosine <= MIN_COSINE {
        let (y, x) = (rotation[(2, 1)], rotation[(1, 1)]);
        return (Vector3::new(y.atan2(x), second, 0.0), Matrix3::new(1.0, 0.0, 0.0, 0.0, x, y, sine, 0.0, 0.0));
    }
    // Sine and cosine of a.
    let (y, x) = (-rotation[(1, 2)] / cosine, rotation[(2, 2)] / cosine);
    let third = (-rotation[(0, 1)]).atan2(rotation[(0, 0)]);
    let tangent = sine / cosine;
    let derivative = Matrix3::new(1.0, tangent * y, -tangent * x, 0.0, x, y, 0.0, -y / cosine, x / cosine);
    (Vector3::new(y.atan2(x), second, third), derivative)
}
