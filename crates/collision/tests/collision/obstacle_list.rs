//! Lists of obstacles in JSON, and the exact distances of links from them.

use std::f64::consts::FRAC_1_SQRT_2;

use serde_json::{Value, json};
use urdf_ik::collision::{Body, BodyDistances, LinkPoses, ObstacleListError, World, attach_from_json, world_from_json};
use urdf_ik::robot::MeshFolders;

use crate::common::Random;
use crate::cube;
use crate::robots::{Folder, Shaped};

const AT: [f64; 3] = [0.3, -0.2, 0.5];
/// A quarter turn about z.
const QUARTER: [f64; 4] = [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2];

fn read(list: &Value) -> Result<World, ObstacleListError> {
    world_from_json(list, &MeshFolders::new([], None))
}

fn places(shaped: &Shaped, [x, y, z, a, b, c]: [f64; 6], [along_x, along_y, along_z]: [f64; 3]) -> LinkPoses {
    LinkPoses::new(&shaped.robot, &[x + along_x, y + along_y, z + along_z, a, b, c]).unwrap()
}

/// A moving link is as far from each obstacle as from a link with the same shape at the same pose.
#[test]
fn obstacles_are_where_the_list_says() {
    let folder = Folder::new("obstacles");
    folder.write("cube.stl", cube::stl());
    let folders = MeshFolders::new([], Some(&folder.0.join("list.json")));
    let free = r#"<box size="0.1 0.2 0.3"/>"#;
    let mut random = Random::new(5);
    for (entry, fixed) in [
        (json!({"type": "box", "size": [0.2, 0.4, 0.6], "q_xyzw": QUARTER}), r#"<box size="0.4 0.2 0.6"/>"#),
        (json!({"type": "sphere", "radius": 0.2}), r#"<sphere radius="0.2"/>"#),
        (
            json!({"type": "cylinder", "radius": 0.1, "length": 1, "q_xyzw": QUARTER}),
            r#"<cylinder radius="0.1" length="1"/>"#,
        ),
        (json!({"type": "capsule", "radius": 0.1, "length": 0.5}), r#"<capsule radius="0.1" length="0.5"/>"#),
        (
            json!({"type": "mesh", "file": "cube.stl", "scale": [0.2, 0.4, 0.6], "q_xyzw": QUARTER}),
            r#"<mesh filename="cube.stl" scale="0.4 0.2 0.6"/>"#,
        ),
    ] {
        let mut entry = entry;
        entry["id"] = json!("it");
        entry["p"] = json!(AT);
        let world = world_from_json(&json!([entry]), &folders).unwrap();
        let (alone, both) = (Shaped::two("", free, None), Shaped::two(fixed, free, Some(&folder)));
        let pairs = alone.pairs(None);
        assert_eq!((pairs.checked.len(), pairs.moving.len()), (0, 1));
        let distances = BodyDistances::new(&alone.robot, &alone.shapes, &pairs, &world).unwrap();
        assert_eq!(distances.bodies(), [[Body::Link("free".into()), Body::Obstacle("it".into())]]);
        let mut touching = 0;
        for _ in 0..100 {
            let sample: [f64; 6] = std::array::from_fn(|at| random.between(-1.0, 1.0) * if at < 3 { 0.7 } else { 3.0 });
            let (index, found) = distances.least(&places(&alone, sample, AT)).unwrap();
            let expected = both.apart(sample);
            assert!(index == 0 && (found - expected).abs() < 1e-6, "{entry} at {sample:?}: {found} {expected}");
            touching += usize::from(found == 0.0);
        }
        assert!((2..98).contains(&touching), "{entry}: {touching}");
    }
}

/// A mesh of vertices and faces equals that of a file with the same triangles, and `pose` equals `p` and `q_xyzw`.
#[test]
fn meshes_and_poses_have_several_forms() {
    let folder = Folder::new("forms");
    folder.write("cube.stl", cube::stl());
    let folders = MeshFolders::new([], Some(&folder.0.join("list.json")));
    let base =
        json!({"id": "it", "type": "mesh", "file": "cube.stl", "scale": [0.2, 0.4, 0.6], "p": AT, "q_xyzw": QUARTER});
    let world = world_from_json(&json!([base]), &folders).unwrap();
    let (obstacle, pose) = world.obstacle("it").unwrap();
    let (vertices, faces) = obstacle.triangles(0).unwrap();
    let matrix = pose.to_homogeneous();
    let rows: [[f64; 4]; 4] = std::array::from_fn(|row| std::array::from_fn(|column| matrix[(row, column)]));
    let [x, y, z] = AT;
    let [qx, qy, qz, qw] = QUARTER;
    for pose_given in [json!([x, y, z, qx, qy, qz, qw]), json!(rows)] {
        let entry = json!({"id": "it", "type": "mesh", "vertices": vertices, "faces": faces, "pose": pose_given});
        let other = read(&json!([entry])).unwrap();
        let (other, other_pose) = other.obstacle("it").unwrap();
        assert_eq!(other.triangles(0).unwrap(), (vertices.clone(), faces.clone()));
        assert!((other_pose.inverse() * pose).rotation.angle() < 1e-15 && other_pose.translation == pose.translation);
    }
    let half: Vec<[f64; 3]> = vertices.iter().map(|at| at.map(|x| x / 2.0)).collect();
    let scaled = json!({"id": "it", "type": "mesh", "vertices": half, "faces": faces, "scale": [2, 2, 2], "p": AT});
    assert_eq!(read(&json!([scaled])).unwrap().obstacle("it").unwrap().0.triangles(0).unwrap().0, vertices);
}

/// The smallest distance covers links and obstacles. A link that no joint moves is not checked against obstacles.
#[test]
fn the_least_distance_is_that_of_links_and_obstacles() {
    let shaped = Shaped::two(r#"<sphere radius="0.1"/>"#, r#"<sphere radius="0.1"/>"#, None);
    let list = json!([{"id": "under", "type": "box", "size": [2, 2, 0.1], "p": [0, 0, -0.1]},
                      {"id": "beside", "type": "sphere", "radius": 0.1, "p": [1, 0, 0.5]}]);
    let (world, pairs) = (read(&list).unwrap(), shaped.pairs(None));
    let distances = BodyDistances::new(&shaped.robot, &shaped.shapes, &pairs, &world).unwrap();
    let link = |name: &str| Body::Link(name.into());
    let obstacle = |id: &str| Body::Obstacle(id.into());
    let bodies = [[link("fixed"), link("free")], [link("free"), obstacle("beside")], [link("free"), obstacle("under")]];
    assert_eq!(distances.bodies(), bodies);
    for ([x, y, z], nearest) in
        [([0.0, 0.2, 0.3], 0), ([0.8, 0.3, 0.5], 1), ([0.5, 0.5, 0.2], 2), ([0.0, 0.0, -0.1], 0)]
    {
        let at = places(&shaped, [0.0; 6], [x, y, z]);
        let all: Vec<f64> = distances.all(&at).collect();
        let to = |u: f64, v: f64, w: f64| (x - u).hypot(y - v).hypot(z - w);
        let expected = [to(0.0, 0.0, 0.0) - 0.2, to(1.0, 0.0, 0.5) - 0.2, z + 0.05 - 0.1].map(|d: f64| d.max(0.0));
        assert!(all.iter().zip(expected).all(|(d, e)| (d - e).abs() < 1e-6), "{all:?} {expected:?}");
        assert_eq!(distances.least(&at), Some((nearest, all[nearest])));
    }
}

#[test]
fn attached_parts_have_a_link_and_may_touch_others() {
    let shaped = Shaped::two(r#"<sphere radius="0.1"/>"#, r#"<sphere radius="0.1"/>"#, None);
    let folders = MeshFolders::new([], None);
    let part = json!({"id": "load", "type": "sphere", "radius": 0.1, "p": AT, "link": "free", "may_touch": ["fixed"]});
    let attach = |part: Value| {
        let mut world = World::default();
        attach_from_json(&mut world, &json!([part]), &shaped.robot, &folders).map(|()| world)
    };
    let world = attach(part.clone()).unwrap();
    let (id, attached) = world.attached().next().unwrap();
    assert_eq!((id, attached.link), ("load", shaped.robot.link_index("free").unwrap()));
    assert!(attached.may_touch.contains("fixed") && attached.pose.translation.vector.as_slice() == AT);
    for (field, value, words) in [
        ("link", Value::Null, "its 'link' is null"),
        ("link", json!("nobody"), "no link 'nobody' to attach it to; the links are: fixed, a,"),
        ("may_touch", json!("fixed"), "'may_touch' is wrong"),
        ("radius", json!(-1), "obstacle 'load'"),
    ] {
        let mut wrong = part.clone();
        wrong[field] = value;
        let error = attach(wrong).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn bad_lists_say_which_obstacle_and_what_to_do() {
    let good = json!({"id": "can", "type": "cylinder", "radius": 0.1, "length": 0.2, "p": [0, 0, 1]});
    assert!(read(&json!([good.clone()])).is_ok() && read(&json!([])).is_ok());
    let changed = |key: &str, value: Value| {
        let mut entry = good.clone();
        entry[key] = value;
        json!([entry])
    };
    let without = |key: &str| {
        let mut entry = good.clone();
        entry.as_object_mut().unwrap().remove(key);
        json!([entry])
    };
    let many: Vec<Value> = (0..1001).map(|at| changed("id", json!(at.to_string()))[0].clone()).collect();
    let mesh = |file: &str| json!([{"id": "can", "type": "mesh", "file": file, "p": [0, 0, 0]}]);
    let posed = |pose: Value| json!([{"id": "can", "type": "sphere", "radius": 1, "pose": pose}]);
    let corners = |vertices: Value, faces: Value| json!([{"id": "can", "type": "mesh", "vertices": vertices, "faces": faces, "p": [0, 0, 0]}]);
    for (list, words) in [
        (json!({}), "obstacles must be a JSON list of objects, such as [{"),
        (json!([1]), "obstacles must be a JSON list of objects, such as [{"),
        (json!(many), "there would be 1001 obstacles in all; there may be 1000"),
        (json!([good.clone(), good.clone()]), "obstacle 'can': the list has two of that id"),
        (without("id"), "obstacle number 1 cannot be named: the field 'id' is missing"),
        (changed("id", json!("")), "obstacle number 1 cannot be named: its 'id' is empty"),
        (changed("id", json!(7)), "obstacle number 1 cannot be named: its 'id' is 7; it must be a text"),
        (without("type"), "obstacle 'can': the field 'type' is missing"),
        (without("p"), "obstacle 'can': the field 'p' is missing"),
        (without("length"), "obstacle 'can': the field 'length' is missing"),
        (changed("type", json!("blob")), "its 'type' is 'blob'; it must be box, sphere, cylinder, capsule or mesh"),
        (changed("radius", json!(0)), "a cylinder has a size of 0 m, which must be greater than 0"),
        (changed("radius", json!(-1)), "a cylinder has a size of -1 m"),
        (changed("radius", json!(1e300)), "a size of 1e300 m, which must be greater than 0 and at most 1000000 m"),
        (changed("radius", json!("1")), "its 'radius' is \"1\"; it must be a number"),
        (changed("radius", Value::Null), "its 'radius' is null; it must be a number"),
        (changed("p", json!([0, 0])), "its 'p' is [0,0]; it must be 3 numbers"),
        (changed("p", json!([0, "a", 0, 0])), "it must be 3 numbers"),
        (changed("p", json!([0, 0, 1e7])), "the pose of 'can' is not finite, or farther than 1000000 m away"),
        (changed("q_xyzw", json!([0, 0, 0, 0])), "has the length 0; it must be 1"),
        (changed("q_xyzw", json!([0, 0, 1])), "its 'q_xyzw' is [0,0,1]; it must be 4 numbers"),
        (
            changed("size", json!([1, 1, 1])),
            "the field 'size' is unknown here; there are: id, type, radius, length, p, q_xyzw",
        ),
        (
            changed("pose", json!([0, 0, 0, 0, 0, 0, 1])),
            "the field 'p' is unknown here; there are: id, type, radius, length, pose",
        ),
        (posed(json!([0, 0, 0])), "its 'pose' is [0,0,0]; it must be 4 rows of 4 numbers, or x y z qx qy qz qw"),
        (posed(json!([0, 0, 0, 0, 0, 0, 2])), "has the length 2; it must be 1"),
        (posed(json!([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]])), "is a reflection"),
        (posed(json!([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]])), "the last row"),
        (corners(json!([[0, 0, 0], [1, 0]]), json!([])), "it must be a list of rows of 3 numbers"),
        (corners(json!([[0, 0, 0]]), json!([[0, 0.5, 0]])), "its 'faces' is [[0,0.5,0]]; it must be a list of rows"),
        (corners(json!([[0, 0, 0]]), json!([[0, -1, 0]])), "of indices whole ones"),
        (corners(json!([[0, 0, 0]]), json!([[0, 1, 2]])), "a face has the vertex 1, but there are 1"),
        (corners(json!([[0, 0, 0]]), json!([])), "mesh of its vertices and faces has no triangles"),
        (mesh("no.stl"), "obstacle 'can': mesh no.stl was not found"),
        (
            json!([{"id": "can", "type": "mesh", "file": "a.stl", "scale": [1, 0, 1], "p": [0, 0, 0]}]),
            "numbers that are not 0",
        ),
    ] {
        let sentence = read(&list).err().unwrap().to_string();
        assert!(sentence.contains(words), "'{words}' is not in: {sentence}");
    }
    let long = read(&changed("type", json!("x".repeat(100_000)))).err().unwrap().to_string();
    assert!(long.len() < 500, "{}", long.len());
}
