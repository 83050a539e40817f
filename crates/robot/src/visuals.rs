//! The visual shapes of the links of a URDF.

use std::collections::BTreeSet;

use super::xml::{XmlError, each_element};

/// The visual shapes of a URDF.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visuals {
    /// Number of shapes: meshes, boxes, cylinders and spheres.
    pub count: usize,
    /// Names of the mesh files, as in the URDF.
    pub meshes: BTreeSet<String>,
}

impl Visuals {
    /// Reads the shapes of the URDF `text`, up to the first XML error. The text need not be a valid robot:
    /// [`Robot::from_urdf`](super::Robot::from_urdf) checks that.
    pub fn of_urdf(text: &str) -> Self {
        let mut visuals = Self::default();
        let read: Result<(), XmlError> = each_element(text, 5, |element| {
            if let ["robot", "link", "visual", "geometry", _] = *element.path() {
                visuals.count += 1;
                visuals.meshes.extend(element.get("filename").map(str::to_owned));
            }
            Ok(())
        });
        // Everything before a fault counts.
        drop(read);
        visuals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = r#"<robot name="r"><link name="a">
        <visual><geometry><mesh filename="package://p/a&amp;b.stl" scale="1 1 1"/></geometry></visual>
        <visual><geometry><mesh filename="package://p/a&amp;b.stl"></mesh></geometry></visual>
        <visual><origin xyz="0 0 0"/><geometry><box size="1 1 1"/></geometry></visual>
        <collision><geometry><mesh filename="package://p/collision.stl"/></geometry></collision>
        </link></robot>"#;

    #[test]
    fn shapes_are_counted_and_each_mesh_is_named_once() {
        let visuals = Visuals::of_urdf(ROBOT);
        assert_eq!(visuals.count, 3);
        assert_eq!(visuals.meshes.into_iter().collect::<Vec<_>>(), ["package://p/a&b.stl"]);
    }

    #[test]
    fn any_text_has_visuals_or_none() {
        for end in 0..ROBOT.len() {
            assert!(Visuals::of_urdf(&ROBOT[..end]).count <= 3);
        }
        for text in ["", "no XML", "<a", "</robot>", "<robot><link><visual><geometry><mesh filename=></geometry>"] {
            assert!(Visuals::of_urdf(text).meshes.is_empty(), "{text}");
        }
    }
}
