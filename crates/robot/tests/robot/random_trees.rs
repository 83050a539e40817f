//! Truncated robot descriptions, and random links and joints.

use urdf_ik::robot::{Robot, UrdfError};

use crate::common::{self, Random, urdf};

const FILES: [&str; 3] = ["arm7.urdf", "mixed_joints.urdf", "two_arms.urdf"];

#[test]
fn descriptions_that_end_early_are_refused() {
    let mut random = Random::new(7);
    for file in FILES {
        let text = std::fs::read_to_string(common::urdf_path(file)).unwrap();
        let end = text.rfind("</robot>").unwrap();
        for _ in 0..300 {
            let cut = random.below(end);
            assert!(text.is_char_boundary(cut) && Robot::from_urdf(&text[..cut]).is_err(), "{file} up to {cut}");
        }
    }
}

/// Random links and joints load if and only if they form a tree.
#[test]
fn random_joints_load_where_they_are_a_tree() {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let (mut random, mut trees, mut refused) = (Random::new(8), 0, 0);
    for _ in 0..4000 {
        let links = &NAMES[..=random.below(5)];
        // Occasionally one more joint, or a missing link.
        let count = links.len() - 1 + usize::from(random.below(8) == 0);
        let known = links.len() + usize::from(random.below(30) == 0);
        let joints: Vec<[usize; 2]> = (0..count).map(|_| [(); 2].map(|()| random.below(known))).collect();
        let joint = |(index, [parent, child]): (usize, &[usize; 2])| {
            urdf::fixed(&format!("j{index}"), NAMES[*parent], NAMES[*child], "0 0 1")
        };
        let text = urdf::robot(&links.join(" "), &joints.iter().enumerate().map(joint).collect::<String>());
        match (Robot::from_urdf(&text), is_tree(links.len(), &joints)) {
            (Ok(robot), true) => {
                trees += 1;
                let poses = robot.link_poses(&robot.neutral_positions());
                for (index, [parent, child]) in joints.iter().enumerate() {
                    let up = poses[robot.link_index(NAMES[*child]).unwrap()].translation.z
                        - poses[robot.link_index(NAMES[*parent]).unwrap()].translation.z;
                    assert_eq!(up, 1.0, "joint {index} of {text}");
                }
            }
            (Err(error), false) => {
                refused += 1;
                assert!(!matches!(error, UrdfError::Reader { .. }), "no named error: {error}\n{text}");
            }
            (found, is_tree) => panic!("{is_tree}, but {:?}\n{text}", found.map(|robot| robot.links().len())),
        }
    }
    println!("{trees} trees, {refused} refused");
    assert!(trees > 400 && refused > 400, "{trees} trees, {refused} refused");
}

/// Whether these joints, each from a parent to a child, form one tree of this many links.
fn is_tree(links: usize, joints: &[[usize; 2]]) -> bool {
    let parents = |link| joints.iter().filter(move |joint| joint[1] == link);
    let climbs_to_the_root = |link| {
        let (mut at, mut steps) = (link, 0);
        while let Some([parent, _]) = parents(at).next() {
            (at, steps) = (*parent, steps + 1);
            if steps > links {
                return None;
            }
        }
        Some(at)
    };
    joints.iter().flatten().all(|link| *link < links)
        && (0..links).all(|link| parents(link).count() <= 1 && climbs_to_the_root(link) == climbs_to_the_root(0))
        && climbs_to_the_root(0).is_some()
}
