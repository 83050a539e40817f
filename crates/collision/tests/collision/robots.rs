//! Small robots with shapes, and a folder for their meshes.

use std::path::PathBuf;

use urdf_ik::collision::{LinkPair, LinkPoses, LinkShapes, Pairs, Srdf};
use urdf_ik::robot::{MeshFolders, Robot};

/// A robot with the shapes of its links.
pub struct Shaped {
    pub robot: Robot,
    pub shapes: LinkShapes,
}

impl Shaped {
    /// Meshes are looked up in `folder`.
    pub fn new(urdf: &str, folder: Option<&Folder>) -> Self {
        let robot = Robot::from_urdf(urdf).unwrap();
        let file = folder.map(|folder| folder.0.join("robot.urdf"));
        let shapes = LinkShapes::of_urdf(urdf, &robot, &MeshFolders::new([], file.as_deref())).unwrap();
        Self { robot, shapes }
    }

    /// The link `fixed` with one shape, and the link `free` with another, which six joints move freely.
    pub fn two(fixed: &str, free: &str, folder: Option<&Folder>) -> Self {
        Self::new(&two(fixed, free), folder)
    }

    /// The distance of two links by name at the positions of all joints.
    pub fn distance(&self, links: [&str; 2], positions: &[f64]) -> f64 {
        let places = LinkPoses::new(&self.robot, positions).unwrap();
        self.shapes.distance(&places, LinkPair(links.map(|link| self.robot.link_index(link).unwrap())))
    }

    /// The distance of the two links of [`Shaped::two`] at a translation along x, y, z and three angles about them.
    pub fn apart(&self, positions: [f64; 6]) -> f64 {
        self.distance(["fixed", "free"], &positions)
    }

    pub fn pairs(&self, srdf: Option<&Srdf>) -> Pairs {
        Pairs::of_robot(&self.robot, &self.shapes, srdf).unwrap()
    }

    /// The names of the links of a pair.
    pub fn names(&self, pair: LinkPair) -> [&str; 2] {
        pair.0.map(|link| self.robot.links()[link].name.as_str())
    }

    /// The reasons why shapes are missing.
    pub fn faults(&self) -> Vec<String> {
        self.shapes.faults().iter().map(ToString::to_string).collect()
    }
}

/// The URDF of [`Shaped::two`].
pub fn two(fixed: &str, free: &str) -> String {
    let joint = |kind: &str, at: usize, parent: &str, child: &str| {
        let axis = ["1 0 0", "0 1 0", "0 0 1"][at % 3];
        format!(
            r#"<joint name="j{at}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>
               <limit lower="-3" upper="3"/></joint>"#
        )
    };
    let names = ["fixed", "a", "b", "c", "d", "e", "free"];
    let links: String = names
        .iter()
        .map(|name| {
            link(
                name,
                match *name {
                    "fixed" => fixed,
                    "free" => free,
                    _ => "",
                },
            )
        })
        .collect();
    let kind = |at: usize| if at < 3 { "prismatic" } else { "revolute" };
    let joints: String = (0..6).map(|at| joint(kind(at), at, names[at], names[at + 1])).collect();
    format!(r#"<robot name="two">{links}{joints}</robot>"#)
}

/// A link with a shape, which may be empty.
pub fn link(name: &str, geometry: &str) -> String {
    if geometry.is_empty() {
        return format!(r#"<link name="{name}"/>"#);
    }
    format!(r#"<link name="{name}"><collision><geometry>{geometry}</geometry></collision></link>"#)
}

/// A temporary folder of a test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("urdf_ik_collision_{}_{test}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
