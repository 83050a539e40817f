//! Reads what the `<collision>` elements of a URDF say.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use crate::links::xml::{Element, each_element, numbers};
use crate::shapes::{FARTHEST, Geometry, LEAST_SIZE};
use urdf_ik_text::names::short;

/// The deepest elements are those inside `<geometry>`.
const DEPTH: usize = 5;

/// A `<collision>` of a link.
pub(crate) struct Collision {
    /// Name of the link.
    pub link: String,
    /// Pose of the shape in the link's frame, or what is wrong with it.
    pub origin: Result<Isometry3<f64>, String>,
    /// The shape, or what is wrong with it.
    pub geometry: Result<Geometry, String>,
}

/// The `<collision>` elements of a URDF, in its order.
///
/// # Errors
/// What the XML reader said.
pub(crate) fn collisions(urdf: &str) -> Result<Vec<Collision>, String> {
    let mut collisions: Vec<Collision> = Vec::new();
    let mut link = String::new();
    each_element(urdf, DEPTH, |element: &Element| -> Result<(), String> {
        match (element.path().as_slice(), collisions.last_mut()) {
            (["robot", "link"], _) => element.get("name").unwrap_or_default().clone_into(&mut link),
            (["robot", "link", "collision"], _) => collisions.push(Collision {
                link: link.clone(),
                origin: Ok(Isometry3::identity()),
                geometry: Err("a <collision> has no shape in a <geometry>".to_owned()),
            }),
            (["robot", "link", "collision", "origin"], Some(last)) => last.origin = origin(element),
            (["robot", "link", "collision", "geometry", kind], Some(last)) => last.geometry = geometry(kind, element),
            _ => {}
        }
        Ok(())
    })?;
    Ok(collisions)
}

fn origin(element: &Element) -> Result<Isometry3<f64>, String> {
    let [x, y, z] = values(element, "xyz", "0 0 0", "three finite numbers")?;
    if [x, y, z].iter().any(|length| length.abs() > FARTHEST) {
        return Err(format!("the <origin> of a <collision> is farther than {FARTHEST} m away"));
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

/// The numbers of an attribute of an origin.
fn values<const N: usize>(element: &Element, key: &str, default: &str, expected: &str) -> Result<[f64; N], String> {
    let text = element.get(key).unwrap_or(default);
    numbers(text)
        .ok_or_else(|| format!("the <origin> of a <collision> has {key}=\"{}\", which must be {expected}", short(text)))
}

fn geometry(kind: &str, element: &Element) -> Result<Geometry, String> {
    let size = |key: &str| {
        let text = element.get(key).unwrap_or_default();
        numbers::<1>(text).map(|[size]| size).filter(|size| is_size(*size)).ok_or_else(|| {
            format!(
                "a {} has {key}=\"{}\", which must be a length greater than 0 and at most {FARTHEST} m",
                short(kind),
                short(text)
            )
        })
    };
    match kind {
        "box" => {
            let text = element.get("size").unwrap_or_default();
            let size = numbers::<3>(text).filter(|size| size.iter().all(|size| is_size(*size))).ok_or_else(|| {
                format!("a box has size=\"{}\", which must be three lengths greater than 0", short(text))
            })?;
            Ok(Geometry::Box { size })
        }
        "sphere" => Ok(Geometry::Sphere { radius: size("radius")? }),
        "cylinder" => Ok(Geometry::Cylinder { radius: size("radius")?, length: size("length")? }),
        "capsule" => Ok(Geometry::Capsule { radius: size("radius")?, length: size("length")? }),
        "mesh" => {
            let file = element.get("filename").ok_or_else(|| "a mesh has no filename".to_owned())?.to_owned();
            let text = element.get("scale").unwrap_or("1 1 1");
            let scale = numbers::<3>(text).filter(|scale| scale.iter().all(|s| is_size(s.abs()))).ok_or_else(|| {
                format!(
                    "mesh {} has scale=\"{}\", which must be three numbers that are not 0",
                    short(&file),
                    short(text)
                )
            })?;
            Ok(Geometry::Mesh { file, scale, triangles: 0 })
        }
        other => Err(format!("<{}> is no shape; the shapes are box, cylinder, sphere, capsule and mesh", short(other))),
    }
}

fn is_size(size: f64) -> bool {
    (LEAST_SIZE..=FARTHEST).contains(&size)
}
