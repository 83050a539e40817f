//! Obstacles and attached parts around a robot of boxes, with distances known by hand.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::Isometry3;
use urdf_ik::collision::{
    Attached, Body, Geometry, MAX_OBSTACLES, Obstacle, Scene, SceneScratch, Srdf, World, static_contacts,
};
use urdf_ik::robot::Chain;

use crate::robots::Shaped;

const EDGE: f64 = 0.1;

fn gantry() -> Shaped {
    Shaped::new(include_str!("../../../../tests/node/robots/gantry.urdf"), None)
}

fn cube(edge: f64) -> Arc<Obstacle> {
    let mut obstacle = Obstacle::default();
    obstacle.add_primitive(Geometry::Box { size: [edge; 3] }, &Isometry3::identity()).unwrap();
    Arc::new(obstacle)
}

fn part(shaped: &Shaped, link: &str, place: [f64; 3]) -> Attached {
    Attached {
        obstacle: cube(EDGE),
        pose: Isometry3::translation(place[0], place[1], place[2]),
        link: shaped.robot.link_index(link).unwrap(),
        may_touch: BTreeSet::new(),
    }
}

/// The names of all pairs of the scene of the chain to `tip`, with all joints at 0.
fn pairs(shaped: &Shaped, tip: &str, world: &World, srdf: Option<&Srdf>) -> Vec<String> {
    let chain = Chain::new(&shaped.robot, "rail", &[tip]).unwrap();
    let world = world.with_end_effectors(&shaped.robot, &chain, srdf);
    let links = urdf_ik::collision::Pairs::of_chain(&shaped.robot, &chain, &shaped.shapes, srdf).unwrap();
    let rest = vec![0.0; shaped.robot.joints().len()];
    let scene = Scene::new(&shaped.robot, &chain, &shaped.shapes, &links, &world, &rest).unwrap();
    let mut scratch = SceneScratch::default();
    scene.find_near(&vec![0.0; chain.variables().len()], 10.0, &mut scratch);
    assert_eq!(scratch.near.len(), scene.pairs().len());
    scene.pairs().map(|[first, second]| format!("{first} - {second}")).collect()
}

#[test]
fn a_part_may_touch_the_hand_that_holds_it() {
    let shaped = gantry();
    let mut world = World::default();
    world.attach("part", part(&shaped, "hand", [0.2, 0.0, 0.0])).unwrap();
    let touches_finger = "link 'finger' - attached part 'part'".to_owned();
    // The finger is beyond the tip link, and the chain to the hand does not move it relative to the hand.
    assert!(!pairs(&shaped, "hand", &world, None).contains(&touches_finger));
    assert!(pairs(&shaped, "finger", &world, None).contains(&touches_finger));
    let srdf = |inside: &str| {
        let hand = r#"<end_effector name="gripper" parent_link="carriage" group="gripper"/>"#;
        Srdf::from_text(&format!(r#"<robot name="gantry">{inside}{hand}</robot>"#)).unwrap()
    };
    for (group, touches) in [
        (r#"<group name="gripper"><link name="hand"/><link name="finger"/></group>"#, false),
        (r#"<group name="gripper"><link name="hand"/><joint name="grip"/></group>"#, false),
        (r#"<group name="gripper"><chain base_link="carriage" tip_link="finger"/></group>"#, false),
        (
            r#"<group name="all"><link name="hand"/><link name="finger"/></group>
               <group name="gripper"><group name="all"/></group>"#,
            false,
        ),
        // A group that contains itself.
        (r#"<group name="gripper"><link name="hand"/><group name="gripper"/></group>"#, true),
        (r#"<group name="gripper"><link name="finger"/></group>"#, true),
    ] {
        let found = pairs(&shaped, "finger", &world, Some(&srdf(group)));
        assert_eq!(found.contains(&touches_finger), touches, "{group}");
    }
}

#[test]
fn what_is_detached_stays_where_it_is() {
    let shaped = gantry();
    let mut world = World::default();
    world.attach("part", part(&shaped, "hand", [0.2, 0.0, 0.0])).unwrap();
    let mut positions = vec![0.0; shaped.robot.joints().len()];
    positions[shaped.robot.joint_index("x").unwrap()] = 0.5;
    world.detach("part", &shaped.robot.link_poses(&positions)).unwrap();
    assert_eq!(world.attached().count(), 0);
    let (_, pose) = world.obstacle("part").unwrap();
    assert!((pose.translation.vector - nalgebra::Vector3::new(0.7, 0.0, 0.3)).norm() < 1e-12);
    assert_eq!(world.detach("part", &[]).unwrap_err().to_string(), "there is no obstacle 'part'");
}

#[test]
fn a_name_is_an_obstacle_or_an_attached_part() {
    let shaped = gantry();
    let mut world = World::default();
    world.add("part", cube(EDGE), Isometry3::identity()).unwrap();
    world.attach("part", part(&shaped, "hand", [0.0; 3])).unwrap();
    assert_eq!((world.obstacles().count(), world.attached().count()), (0, 1));
    let refused = world.move_to("part", Isometry3::identity()).unwrap_err().to_string();
    assert_eq!(refused, "'part' is attached to a link, which moves it: detach it first");
    world.add("part", cube(EDGE), Isometry3::identity()).unwrap();
    assert_eq!((world.obstacles().count(), world.attached().count()), (1, 0));
    world.remove("part").unwrap();
    assert!(world.remove("part").is_err());
}

#[test]
fn a_pose_that_is_not_finite_or_too_far_away_is_refused() {
    let shaped = gantry();
    let mut world = World::default();
    world.add("table", cube(EDGE), Isometry3::identity()).unwrap();
    world.attach("part", part(&shaped, "hand", [0.0; 3])).unwrap();
    for place in [f64::NAN, f64::NEG_INFINITY, 2e6] {
        let pose = Isometry3::translation(0.0, place, 0.0);
        let far = part(&shaped, "hand", [place, 0.0, 0.0]);
        for refused in [world.add("table", cube(EDGE), pose), world.move_to("table", pose), world.attach("table", far)]
        {
            let refused = refused.unwrap_err().to_string();
            assert_eq!(refused, "the pose of 'table' is not finite, or farther than 1000000 m away");
        }
    }
    let refused = world.detach("part", &[]).unwrap_err().to_string();
    assert!(refused.starts_with("'part' is attached to the link of index ") && refused.ends_with("there are 0 links"));
    // A refused change has no effect.
    assert_eq!(world.obstacle("table").unwrap().1, &Isometry3::identity());
    assert_eq!(world.attached().count(), 1);
}

#[test]
fn a_scene_of_invalid_positions_or_links_is_refused() {
    let shaped = gantry();
    let chain = Chain::new(&shaped.robot, "rail", &["hand"]).unwrap();
    let pairs = urdf_ik::collision::Pairs::of_chain(&shaped.robot, &chain, &shaped.shapes, None).unwrap();
    let rest = vec![0.0; shaped.robot.joints().len()];
    let refused = |pairs: &urdf_ik::collision::Pairs, world: &World, rest: &[f64]| {
        let scene = Scene::new(&shaped.robot, &chain, &shaped.shapes, pairs, world, rest);
        scene.err().unwrap().to_string()
    };
    let empty = World::default();
    assert!(refused(&pairs, &empty, &rest[1..]).contains("give one position for each"));
    let wrong = vec![f64::NAN; rest.len()];
    assert!(refused(&pairs, &empty, &wrong).contains("is NaN; it must be a finite number"));
    let contacts = static_contacts(&shaped.robot, &chain, &shaped.shapes, None, &empty, &wrong);
    assert!(contacts.is_err());
    let mut world = World::default();
    world.attach("part", Attached { link: 99, ..part(&shaped, "hand", [0.0; 3]) }).unwrap();
    assert!(refused(&pairs, &world, &rest).starts_with("'part' is attached to the link of index 99, but there are"));
    let other = urdf_ik::collision::Pairs { moving: vec![99], ..pairs };
    assert!(refused(&other, &empty, &rest).starts_with("the pairs of links have the link of index 99"));
    let distances = urdf_ik::collision::BodyDistances::new(&shaped.robot, &shaped.shapes, &other, &empty);
    assert!(distances.is_err());
}

#[test]
fn a_world_that_is_too_large_is_named() {
    let mut world = World::default();
    for number in 0..MAX_OBSTACLES {
        world.add(&number.to_string(), cube(EDGE), Isometry3::identity()).unwrap();
    }
    world.check_size().unwrap();
    world.add("one more", cube(EDGE), Isometry3::identity()).unwrap();
    let refused = world.check_size().unwrap_err().to_string();
    assert!(refused.contains("1001 obstacles") && refused.contains("1000"), "{refused}");
}

#[test]
fn what_stands_on_what_stands_is_found() {
    let shaped = gantry();
    let chain = Chain::new(&shaped.robot, "rail", &["hand"]).unwrap();
    let mut world = World::default();
    // The rail's plate ends at -0.51.
    world.add("table", cube(EDGE), Isometry3::translation(0.0, 0.0, -0.56)).unwrap();
    world.add("lower", cube(EDGE), Isometry3::translation(0.0, 0.0, -0.57)).unwrap();
    // The chain moves the carriage, so this is a pair.
    world.add("in the way", cube(EDGE), Isometry3::identity()).unwrap();
    let rest = vec![0.0; shaped.robot.joints().len()];
    let contacts = static_contacts(&shaped.robot, &chain, &shaped.shapes, None, &world, &rest).unwrap();
    assert_eq!(contacts, [[Body::Link("rail".to_owned()), Body::Obstacle("table".to_owned())]]);
}

/// A table with a base, a post and a lid on it: the base moves an arm, the lid turns beside it.
const TABLE: &str = r#"<robot name="table">
  <link name="table"><collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="post"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="lid"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="arm"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="a" type="fixed"><parent link="table"/><child link="base"/><origin xyz="0 0 0.09"/></joint>
  <joint name="b" type="fixed"><parent link="table"/><child link="post"/><origin xyz="0.3 0 0.11"/></joint>
  <joint name="c" type="continuous"><parent link="table"/><child link="lid"/><origin xyz="-0.3 0 0.09"/><axis xyz="0 0 1"/></joint>
  <joint name="d" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>"#;

#[test]
fn links_that_stand_in_each_other_are_found() {
    let shaped = Shaped::new(TABLE, None);
    let chain = Chain::new(&shaped.robot, "base", &["arm"]).unwrap();
    let rest = vec![0.0; shaped.robot.joints().len()];
    let contacts = |srdf: Option<&str>| {
        let srdf = srdf.map(|inside| Srdf::from_text(&format!(r#"<robot name="table">{inside}</robot>"#)).unwrap());
        let found =
            static_contacts(&shaped.robot, &chain, &shaped.shapes, srdf.as_ref(), &World::default(), &rest).unwrap();
        found.into_iter().map(|[first, second]| format!("{} {}", first.name(), second.name())).collect::<Vec<_>>()
    };
    // The lid and the table are neighbours, the post is a centimetre above the table.
    assert_eq!(contacts(None), ["table base"]);
    assert_eq!(contacts(Some("")), ["table base", "table lid"]);
    let base = r#"<disable_collisions link1="base" link2="table" reason="Adjacent"/>"#;
    assert_eq!(contacts(Some(base)), ["table lid"]);
}
