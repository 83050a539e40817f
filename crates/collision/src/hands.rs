//! What an attached part may touch: the hand that holds it.

use std::collections::BTreeSet;

use super::srdf::Srdf;
use super::world::{Attached, World};
use urdf_ik_robot::{Chain, JointKind, Robot};

impl World {
    /// The same world, in which each attached part may also touch the hand of its link: the SRDF's end effector that has the link, or
    /// where none has it, all links that are fixed to a tip link of `chain` or beyond it, if the link is one of them.
    #[must_use]
    pub fn with_hands(&self, robot: &Robot, chain: &Chain, srdf: Option<&Srdf>) -> Self {
        let mut world = self.clone();
        for (id, attached) in self.attached() {
            let hand = hand_of(robot, chain, srdf, attached.link);
            let names = hand.into_iter().map(|link| robot.links()[link].name.clone());
            let may_touch = attached.may_touch.iter().cloned().chain(names).collect();
            world.attach(id, Attached { may_touch, ..attached.clone() });
        }
        world
    }
}

/// Indices of the links of the hand that has the link of index `link`.
fn hand_of(robot: &Robot, chain: &Chain, srdf: Option<&Srdf>, link: usize) -> BTreeSet<usize> {
    let by_srdf = srdf.map(|srdf| srdf.end_effectors.links_with(robot, link)).unwrap_or_default();
    if !by_srdf.is_empty() {
        return by_srdf;
    }
    let tips = chain.tips().iter().filter_map(|tip| robot.link_index(&tip.link));
    tips.map(|tip| beyond(robot, chain, tip)).filter(|hand| hand.contains(&link)).flatten().collect()
}

/// The links that are fixed to `tip` or beyond it, up to joints that the chain moves.
fn beyond(robot: &Robot, chain: &Chain, tip: usize) -> BTreeSet<usize> {
    let parent_joint = |link: usize| robot.links()[link].parent_joint.map(|joint| &robot.joints()[joint]);
    let is_fixed = |link: usize| parent_joint(link).is_some_and(|joint| joint.kind == JointKind::Fixed);
    let path: Vec<usize> = robot.links_up_from(tip).collect();
    let first = path.iter().find(|&&link| !is_fixed(link)).copied().unwrap_or(tip);
    let mut links = BTreeSet::from([first]);
    for joint in robot.parents_first().filter(|&joint| !chain.moves(robot, joint)) {
        if links.contains(&robot.joints()[joint].parent) {
            links.insert(robot.joints()[joint].child);
        }
    }
    links
}
