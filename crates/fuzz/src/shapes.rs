//! Mesh files and lists of obstacles: refused with a sentence, or shapes with distances.

use std::path::PathBuf;
use std::sync::LazyLock;

use urdf_ik::collision::{BodyDistances, LinkPair, LinkPoses, LinkShapes, Pairs, World, world_from_json};
use urdf_ik::robot::{MeshFolders, Robot};

use crate::check_message;
use crate::robots::ARM;

/// A folder for the files of this process.
pub static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("urdf_ik_fuzz_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
});

/// Two links at a distance, the first with a mesh.
const TWO_LINKS: &str = r#"<robot name="two"><link name="a"><collision><geometry><mesh filename="a.ENDING"/></geometry></collision></link>
  <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0.1 0.2 0.3" rpy="1 2 3"/></joint></robot>"#;

pub fn mesh(ending: &str, bytes: &[u8]) {
    let urdf = TWO_LINKS.replace("ENDING", ending);
    std::fs::write(FOLDER.join("a").with_extension(ending), bytes).unwrap();
    let robot = Robot::from_urdf(&urdf).unwrap();
    let folders = MeshFolders::new([], Some(&FOLDER.join("robot.urdf")));
    let shapes = LinkShapes::of_urdf(&urdf, &robot, &folders).unwrap();
    let places = LinkPoses::new(&robot, &robot.neutral_positions()).unwrap();
    let distance = shapes.distance(&places, LinkPair([0, 1]));
    assert!(distance >= 0.0 && distance.is_infinite() != shapes.faults().is_empty(), "{distance}");
    for fault in shapes.faults() {
        check_message(&fault.to_string());
    }
}

pub fn obstacles(bytes: &[u8]) {
    let Ok(list) = serde_json::from_slice(bytes) else { return };
    match world_from_json(&list, &MeshFolders::new([], None)) {
        Ok(world) => check_world(&world),
        Err(error) => check_message(&error.to_string()),
    }
}

/// Checks that the distances from the links of a robot are numbers.
fn check_world(world: &World) {
    let (robot, urdf) = &*ARM;
    let shapes = LinkShapes::of_urdf(urdf, robot, &MeshFolders::new([], None)).unwrap();
    let pairs = Pairs::of_robot(robot, &shapes, None).unwrap();
    let distances = BodyDistances::new(robot, &shapes, &pairs, world).unwrap();
    let places = LinkPoses::new(robot, &robot.neutral_positions()).unwrap();
    assert!(distances.all(&places).all(|distance| distance >= 0.0));
}
