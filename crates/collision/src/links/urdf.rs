//! Reads the `<collision>` elements of a URDF.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use crate::shapes::geometry::{PRIMITIVES, Sizes};
use crate::shapes::{Geometry, MAX_EXTENT, MIN_SIZE};
use urdf_ik_robot::xml::{Element, XmlError, each_element, numbers};
use urdf_ik_text::Malformed;
use urdf_ik_text::names::short;

/// Depth of the elements inside `<geometry>`, the deepest that are read.
const GEOMETRY_DEPTH: usize = 5;

/// A `<collision>` element of a link.
pub(crate) struct Collision {
    /// Name of the link.
    pub link: String,
    /// Pose of the shape in the link's frame, or its fault.
    pub origin: Result<Isometry3<f64>, Malformed>,
    /// The shape, or its fault.
    pub geometry: Result<Geometry, Malformed>,
}

/// The `<collision>` elements of a URDF, in document order.
///
/// # Errors
/// [`XmlError`] if the text is not well-formed XML.
pub(crate) fn collisions(urdf: &str) -> Result<Vec<Collision>, XmlError> {
    let mut collisions: Vec<Collision> = Vec::new();
    let mut link = String::new();
    each_element(urdf, GEOMETRY_DEPTH, |element| -> Result<(), XmlError> {
        match (element.path().as_slice(), collisions.last_mut()) {
            (["robot", "link"], _) => element.get("name").unwrap_or_default().clone_into(&mut link),
            (["robot", "link", "collision"], _) => collisions.push(Collision {
                link: link.clone(),
                origin: Ok(Isometry3::identity()),
                geometry: Err("a <collision> has no shape in a <geometry>".into()),
            }),
            (["robot", "link", "collision", "origin"], Some(last)) => last.origin = origin(&element),
            (["robot", "link", "collision", "geometry", kind], Some(last)) => last.geometry = geometry(kind, &element),
            _ => {}
        }
        Ok(())
    })?;
    Ok(collisions)
}

fn origin(element: &Element) -> Result<Isometry3<f64>, Malformed> {
    let [x, y, z] = values(element, "xyz", "0 0 0", "three finite numbers")?;
    if [x, y, z].iter().any(|length| length.abs() > MAX_EXTENT) {
        return Err(format!("the <origin> of a <collision> is farther than {MAX_EXTENT} m away").into());
    }
    let rotation = if element.get("quat_xyzw").is_some() && element.get("rpy").is_none() {
        let [x, y, z, w] = values(element, "quat_xyzw", "", "four finite numbers")?;
        UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-9)
            .ok_or("the <origin> of a <collision> has a quat_xyzw of length 0")?
    } else {
        let [roll, pitch, yaw] = values(element, "rpy", "0 0 0", "three finite numbers")?;
        UnitQuaternion::from_euler_angles(roll, pitch, yaw)
    };
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

/// Parses the numbers of an attribute of `<origin>`.
fn values<const N: usize>(element: &Element, key: &str, default: &str, expected: &str) -> Result<[f64; N], Malformed> {
    let text = element.get(key).unwrap_or(default);
    let wrong = || format!("the <origin> of a <collision> has {key}=\"{}\", which must be {expected}", short(text));
    Ok(numbers(text).ok_or_else(wrong)?)
}

fn geometry(kind: &str, element: &Element) -> Result<Geometry, Malformed> {
    if kind == "mesh" {
        let file = element.get("filename").ok_or("a mesh has no filename")?.to_owned();
        let what = format!("mesh {}", short(&file));
        let scale = sizes(element, &what, "scale", "1 1 1", "three numbers that are not 0")?;
        return Ok(Geometry::Mesh { file, scale, triangles: 0 });
    }
    let mut sizes = SizeAttributes { element, what: format!("a {}", short(kind)) };
    let unknown = || format!("<{}> is no shape; the shapes are {PRIMITIVES} and mesh", short(kind));
    Ok(Geometry::primitive(kind, &mut sizes)?.ok_or_else(unknown)?)
}

/// The sizes of a primitive in the attributes of its element. Errors call the primitive `what`.
struct SizeAttributes<'a> {
    element: &'a Element,
    what: String,
}

impl Sizes for SizeAttributes<'_> {
    fn length(&mut self, name: &'static str) -> Result<f64, Malformed> {
        let expected = format!("a length greater than 0 and at most {MAX_EXTENT} m");
        sizes(self.element, &self.what, name, "", &expected).map(|[size]| size)
    }

    fn lengths(&mut self, name: &'static str) -> Result<[f64; 3], Malformed> {
        sizes(self.element, &self.what, name, "", "three lengths greater than 0")
    }
}

/// Parses the sizes in an attribute of `what`. A scale may be negative.
fn sizes<const N: usize>(
    element: &Element,
    what: &str,
    key: &str,
    default: &str,
    expected: &str,
) -> Result<[f64; N], Malformed> {
    let text = element.get(key).unwrap_or(default);
    let is_size = |&size: &f64| (MIN_SIZE..=MAX_EXTENT).contains(&if key == "scale" { size.abs() } else { size });
    let sizes = numbers(text).filter(|sizes| sizes.iter().all(is_size));
    Ok(sizes.ok_or_else(|| format!("{what} has {key}=\"{}\", which must be {expected}", short(text)))?)
}
