//! The pairs of links that may collide.

use urdf_ik::collision::{ExclusionReason, Pairs};
use urdf_ik::robot::Chain;

use crate::robots::{Shaped, link};

/// A column on a plate, and an arm of three joints with a flange without a shape and a hand. The cover always overlaps
/// the forearm; the upper arm and the hand can swing into the plate.
fn arm() -> Shaped {
    let small = r#"<box size="0.05 0.05 0.05"/>"#;
    let links = [
        link("plate", r#"<box size="2 2 0.02"/>"#),
        link("column", r#"<box size="0.1 0.1 0.2"/>"#),
        link("upper", r#"<box size="0.05 0.05 0.4"/>"#),
        link("fore", r#"<box size="0.05 0.05 0.4"/>"#),
        link("wrist", small),
        link("cover", r#"<box size="0.1 0.1 0.3"/>"#),
        link("flange", ""),
        link("hand", small),
        link("lamp", small),
    ];
    let fixed = |name: &str, parent: &str, xyz: &str| {
        format!(
            r#"<joint name="{name}_mount" type="fixed"><origin xyz="{xyz}"/><parent link="{parent}"/><child link="{name}"/></joint>"#
        )
    };
    let turning = |name: &str, parent: &str, xyz: &str, axis: &str| {
        format!(
            r#"<joint name="{name}_joint" type="revolute"><origin xyz="{xyz}"/><parent link="{parent}"/><child link="{name}"/>
               <axis xyz="{axis}"/><limit lower="-2.5" upper="2.5"/></joint>"#
        )
    };
    let joints = [
        fixed("column", "plate", "0 0 0.11"),
        turning("upper", "column", "0 0 0.35", "0 1 0"),
        turning("fore", "upper", "0 0 0.45", "0 1 0"),
        turning("wrist", "fore", "0 0 0.25", "0 0 1"),
        fixed("cover", "wrist", "0 0 -0.1"),
        fixed("flange", "wrist", "0 0 0.1"),
        turning("hand", "flange", "0 0 0.1", "0 1 0"),
        turning("lamp", "plate", "0.8 0.8 0.5", "0 0 1"),
    ];
    Shaped::new(&format!(r#"<robot name="arm">{}{}</robot>"#, links.concat(), joints.concat()), None)
}

fn names<'a>(shaped: &'a Shaped, pairs: &Pairs) -> Vec<[&'a str; 2]> {
    pairs.checked.iter().map(|&pair| shaped.names(pair)).collect()
}

fn reason(shaped: &Shaped, pairs: &Pairs, links: [&str; 2]) -> Option<ExclusionReason> {
    pairs.excluded.iter().find(|(pair, _)| shaped.names(*pair) == links).map(|(_, reason)| reason.clone())
}

#[test]
fn neighbours_and_what_always_touches_are_left_out() {
    let shaped = arm();
    let pairs = shaped.pairs(None);
    for links in [["column", "upper"], ["upper", "fore"], ["fore", "wrist"], ["wrist", "hand"], ["plate", "lamp"]] {
        assert_eq!(reason(&shaped, &pairs, links), Some(ExclusionReason::Neighbours), "{links:?}");
    }
    assert_eq!(reason(&shaped, &pairs, ["fore", "cover"]), Some(ExclusionReason::AlwaysTouch));
    assert_eq!(pairs.excluded.len(), 6);
    // Links with a shaped link between them are not adjacent; pairs that never touch are checked; pairs of one rigid
    // body are omitted.
    let counted = names(&shaped, &pairs);
    for links in [["plate", "upper"], ["plate", "hand"], ["cover", "hand"], ["column", "lamp"], ["hand", "lamp"]] {
        assert!(counted.contains(&links), "{links:?} is not in {counted:?}");
    }
    assert!(!counted.contains(&["plate", "column"]) && !counted.contains(&["wrist", "cover"]));
    // Eight links with shapes make 28 pairs, two of which are within one rigid body.
    assert_eq!(counted.len() + pairs.excluded.len(), 28 - 2);
    assert_eq!(pairs, arm().pairs(None));
}

#[test]
fn a_chain_has_the_pairs_that_it_moves() {
    let shaped = arm();
    let chain = Chain::new(&shaped.robot, "fore", &["hand"]).unwrap();
    let pairs = Pairs::of_chain(&shaped.robot, &chain, &shaped.shapes, None).unwrap();
    let counted = names(&shaped, &pairs);
    // Wrist, cover and hand move; plate, column, upper arm, forearm and lamp do not, whatever joints they have.
    assert!(counted.contains(&["plate", "wrist"]) && counted.contains(&["cover", "lamp"]));
    let still = ["plate", "column", "upper", "fore", "lamp"];
    assert!(counted.iter().all(|links| !links.iter().all(|link| still.contains(link))), "{counted:?}");
    assert_eq!(counted.len() + pairs.excluded.len(), 5 * 3 + 2);
}

/// The fingers of a hand mimic each other: both move if the chain moves one.
#[test]
fn joints_that_mimic_a_variable_move_with_it() {
    let finger = |name: &str, more: &str| {
        format!(
            r#"<joint name="{name}_joint" type="prismatic"><parent link="palm"/><child link="{name}"/><axis xyz="1 0 0"/>
               <limit lower="-1" upper="1"/>{more}</joint>"#
        )
    };
    let cube = r#"<box size="0.1 0.1 0.1"/>"#;
    let links = [link("palm", ""), link("left", cube), link("right", cube), link("wall", cube)].concat();
    let wall =
        r#"<joint name="mount" type="fixed"><origin xyz="3 0 0"/><parent link="palm"/><child link="wall"/></joint>"#;
    let joints = finger("left", "") + &finger("right", r#"<mimic joint="left_joint" multiplier="-1"/>"#) + wall;
    let shaped = Shaped::new(&format!(r#"<robot name="hand">{links}{joints}</robot>"#), None);
    let chain = Chain::new(&shaped.robot, "palm", &["left"]).unwrap();
    let pairs = Pairs::of_chain(&shaped.robot, &chain, &shaped.shapes, None).unwrap();
    assert_eq!(names(&shaped, &pairs), [["left", "right"]]);
    assert_eq!(reason(&shaped, &pairs, ["right", "wall"]), Some(ExclusionReason::Neighbours));
}

/// With overflowing joint limits no pair is excluded by sampling.
#[test]
fn samples_that_lead_nowhere_leave_nothing_out() {
    let cube = r#"<box size="0.1 0.1 0.1"/>"#;
    let joint = |name: &str, parent: &str| {
        format!(
            r#"<joint name="{name}_joint" type="prismatic"><parent link="{parent}"/><child link="{name}"/><axis xyz="1 0 0"/>
               <limit lower="-1e308" upper="1e308"/></joint>"#
        )
    };
    let links = [link("a", cube), link("b", cube), link("c", cube)].concat();
    let text = format!(r#"<robot name="far">{links}{}{}</robot>"#, joint("b", "a"), joint("c", "b"));
    let shaped = Shaped::new(&text, None);
    assert_eq!(names(&shaped, &shaped.pairs(None)), [["a", "c"]]);
}
