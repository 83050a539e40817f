//! What a URDF shows of the links.

use std::collections::BTreeSet;

use quick_xml::events::BytesStart;

use super::xml::each_element;

/// Where the shapes of a visual are in a URDF.
const SHAPES: [&[u8]; 4] = [b"robot", b"link", b"visual", b"geometry"];

/// The shapes that the links of a URDF show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visuals {
    /// Number of all shapes: meshes, boxes, cylinders and spheres.
    pub count: usize,
    /// The names of the mesh files, as the URDF has them.
    pub meshes: BTreeSet<String>,
}

impl Visuals {
    /// Reads the shapes of `text`. Where it is no XML, those before that place: whether a text is a robot is for
    /// [`Robot::from_urdf`](super::Robot::from_urdf) to say.
    #[must_use]
    pub fn of_urdf(text: &str) -> Self {
        let mut visuals = Self::default();
        let _ = each_element(text, |path, start| {
            visuals.note(path, start);
            Ok(())
        });
        visuals
    }

    /// Notes an element that starts inside the elements of `path`.
    fn note(&mut self, path: &[Vec<u8>], start: &BytesStart) {
        if !path.iter().eq(SHAPES.iter()) {
            return;
        }
        self.count += 1;
        let file = start.try_get_attribute("filename").ok().flatten();
        if let Some(file) = file.and_then(|file| Some(file.unescape_value().ok()?.into_owned())) {
            self.meshes.insert(file);
        }
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
