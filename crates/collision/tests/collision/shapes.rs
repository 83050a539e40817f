//! The shapes of a URDF.

use urdf_ik::collision::{LinkShapes, MissingShapes, Pairs, Scene, World};
use urdf_ik::robot::{Chain, MeshFolders, Robot};

use crate::robots::{Shaped, link};

fn one(collision: &str) -> Shaped {
    Shaped::new(&format!(r#"<robot name="r"><link name="a">{collision}</link></robot>"#), None)
}

#[test]
fn every_shape_says_what_it_is() {
    for (geometry, words) in [
        (r#"<box size="1 2 0.5"/>"#, "box 1 x 2 x 0.5 m"),
        (r#"<cylinder radius="0.1" length="2"></cylinder>"#, "cylinder of radius 0.1 m and length 2 m"),
        (r#"<sphere radius="1e-3"/>"#, "sphere of radius 0.001 m"),
        (r#"<capsule radius="0.1" length="2"/>"#, "capsule of radius 0.1 m and length 2 m"),
    ] {
        let shaped = Shaped::new(&format!(r#"<robot name="r">{}</robot>"#, link("a", geometry)), None);
        let [shape] = shaped.shapes.of_link(0) else { panic!("{geometry}") };
        assert_eq!(shape.geometry.to_string(), words);
        assert_eq!(shaped.shapes.links().collect::<Vec<_>>(), [0]);
    }
}

#[test]
fn shapes_that_are_wrong_are_named() {
    for (geometry, reason) in [
        (r#"<box size="1 2"/>"#, r#"a box has size="1 2", which must be three lengths greater than 0"#),
        (r#"<box size="1 2 -3"/>"#, "three lengths"),
        (r#"<box size="1 2 nan"/>"#, "three lengths"),
        (r#"<sphere radius="0"/>"#, r#"a sphere has radius="0", which must be a length greater than 0"#),
        (r#"<sphere radius="1e300"/>"#, "a length greater than 0 and at most 1000000 m"),
        (r#"<cylinder radius="1"/>"#, r#"a cylinder has length="""#),
        (r#"<capsule length="1" radius="x"/>"#, r#"a capsule has radius="x""#),
        ("<mesh/>", "a mesh has no filename"),
        (r#"<mesh filename="a.stl" scale="1 0 1"/>"#, r#"mesh a.stl has scale="1 0 1""#),
        (r#"<blob radius="1"/>"#, "<blob> is no shape; the shapes are box, sphere, cylinder, capsule and mesh"),
        ("", "a <collision> has no shape"),
    ] {
        let shaped = one(&format!("<collision><geometry>{geometry}</geometry></collision>"));
        let [fault] = shaped.faults().try_into().unwrap();
        assert!(fault.starts_with("link 'a' counts without a shape: ") && fault.contains(reason), "{fault}");
        assert!(shaped.shapes.of_link(0).is_empty());
    }
    for (origin, reason) in [
        (r#"xyz="1 2""#, r#"xyz="1 2", which must be three finite numbers"#),
        (r#"xyz="1 2 1e9""#, "is farther than 1000000 m away"),
        (r#"rpy="0 0 inf""#, r#"rpy="0 0 inf""#),
        (r#"quat_xyzw="0 0 1""#, "which must be four finite numbers"),
        (r#"quat_xyzw="0 0 0 0""#, "a quat_xyzw of length 0"),
    ] {
        let sphere = r#"<geometry><sphere radius="1"/></geometry>"#;
        let shaped = one(&format!("<collision><origin {origin}/>{sphere}</collision>"));
        assert!(shaped.faults()[0].contains(reason), "{:?}", shaped.faults());
    }
}

/// A robot at the limit of shapes is read, one above it is refused.
#[test]
fn too_many_shapes_are_refused() {
    let text = |count: usize| {
        let sphere = r#"<collision><geometry><sphere radius="1"/></geometry></collision>"#;
        format!(r#"<robot name="r"><link name="a">{}</link></robot>"#, sphere.repeat(count))
    };
    let read = |text: &str| LinkShapes::of_urdf(text, &Robot::from_urdf(text).unwrap(), &MeshFolders::new([], None));
    assert_eq!(read(&text(1000)).ok().map(|shapes| shapes.of_link(0).len()), Some(1000));
    let sentence = read(&text(1001)).err().unwrap().to_string();
    assert_eq!(sentence, "the robot description has 1001 collision shapes; it may have 1000");
}

/// Two links with missing meshes are named once each; a link without a collision element has no missing shape.
#[test]
fn missing_shapes_are_refused_unless_they_are_ignored() {
    let mesh = |file: &str| format!(r#"<collision><geometry><mesh filename="{file}"/></geometry></collision>"#);
    let text = |a: &str, b: &str| {
        let joint = |name, parent, child| {
            format!(
                r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>"#
            )
        };
        let links = format!(r#"<link name="a">{a}</link><link name="b">{b}</link><link name="bare"/>"#);
        format!(r#"<robot name="r">{links}{}{}</robot>"#, joint("i", "a", "b"), joint("j", "b", "bare"))
    };
    let missing = |text: &str| {
        let robot = Robot::from_urdf(text).unwrap();
        let shapes = LinkShapes::of_urdf(text, &robot, &MeshFolders::new([], None)).unwrap();
        let chain = Chain::with_defaults(&robot, None, &[]).unwrap();
        let pairs = Pairs::of_chain(&robot, &chain, &shapes, None).unwrap();
        let scene = Scene::new(&robot, &chain, &shapes, &pairs, &World::default(), &robot.neutral_positions()).unwrap();
        assert_eq!(scene.missing_shapes().cloned(), shapes.missing());
        shapes.missing()
    };
    assert_eq!(missing(&text("", "")), None);
    let broken = missing(&text(&(mesh("package://p/a.stl") + &mesh("c.stl")), &mesh("b.obj")));
    assert_eq!(broken.as_ref().unwrap().links, ["a", "b"]);
    let refused = MissingShapes::Refuse.check(broken.as_ref()).unwrap_err().to_string();
    assert!(
        refused.contains(": a, b (mesh package://p/a.stl was not found") && refused.contains("ignore"),
        "{refused}"
    );
    assert_eq!(MissingShapes::Ignore.check(broken.as_ref()), Ok(()));
    assert_eq!(MissingShapes::Refuse.check(None), Ok(()));
}

/// A sphere at the origin of its collision element, with either kind of rotation.
#[test]
fn origins_place_shapes() {
    let placed = |rotation: &str| {
        let capsule = r#"<geometry><capsule radius="0.1" length="2"/></geometry>"#;
        let fixed = format!(
            r#"<sphere radius="0.1"/></geometry></collision><collision><origin xyz="0 0 5" {rotation}/>{capsule}</collision>
               <collision><geometry><sphere radius="0.1"/>"#
        );
        Shaped::two(&fixed, r#"<sphere radius="0.1"/>"#, None).apart([0.0, 3.0, 5.0, 0.0, 0.0, 0.0])
    };
    assert!((placed("") - 2.8).abs() < 1e-9);
    assert!((placed(r#"rpy="1.5707963267948966 0 0""#) - 1.8).abs() < 1e-9);
    assert!((placed(r#"quat_xyzw="1 0 0 1""#) - 1.8).abs() < 1e-9);
}
