//! Goals as targets of tips, by which starting points are ranked.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use crate::{Problem, Target};
use urdf_ik_goals::{Aim, Goal, Middle};
use urdf_ik_robot::Chain;

/// The pose in the middle of the bounds of goals, for each tip without a target that they lead somewhere.
pub fn aimed_targets<'a>(chain: &'a Chain, problem: &'a Problem) -> impl Iterator<Item = Target> + 'a {
    let tips = 0..if problem.goals.is_empty() { 0 } else { chain.tips().len() };
    let is_free = |tip: &usize| problem.targets.iter().all(|target| target.tip != *tip);
    tips.filter(is_free).filter_map(|tip| aimed_target(chain, tip, problem.goals))
}

fn aimed_target(chain: &Chain, tip: usize, goals: &[Goal]) -> Option<Target> {
    let place = &chain.tips()[tip];
    let aims = || goals.iter().filter_map(|goal| goal.kind().aim()).filter(|aim| aim.place.joint == Some(place.parent));
    let position = aims().find_map(|Aim { place, at }| match at {
        Middle::Position(position) => Some((position, place.offset.translation.vector)),
        Middle::Orientation(_) => None,
    });
    // Of the frame of the last joint.
    let rotation = aims().find_map(|Aim { place, at }| match at {
        Middle::Position(_) => None,
        Middle::Orientation(rotation) => Some(UnitQuaternion::from(rotation * place.offset.rotation.inverse())),
    });
    Some(match (position, rotation) {
        (None, None) => return None,
        // Without an orientation, the tip is about where the point is.
        (Some((position, _)), None) => Target::new(tip, Translation3::from(position).into()).position_only(),
        (None, Some(rotation)) => {
            Target::new(tip, Isometry3::from_parts(Translation3::identity(), rotation) * place.placement)
                .with_free_axes([true, true, true, false, false, false])
        }
        (Some((position, point)), Some(rotation)) => {
            let origin = Translation3::from(position - rotation * point);
            Target::new(tip, Isometry3::from_parts(origin, rotation) * place.placement)
        }
    })
}
