//! Goals as targets of tips, by which starting points are ranked.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use crate::{Problem, Target};
use urdf_ik_goals::{Aim, Goal, Middle};
use urdf_ik_robot::Chain;

/// A target in the frame of another tip or of the base link.
#[derive(Debug, Clone, Copy)]
pub struct AimedTarget {
    /// The target, with its pose in the frame of `frame` \[m\].
    pub target: Target,
    /// Index of the tip in whose frame the pose is; `None` for the base link's frame.
    pub frame: Option<usize>,
}

/// Targets at the middle of the bounds of goals, for each tip that has goals but no target. One target is in the base
/// link's frame, and one in the frame of each other tip, if goals refer to these frames.
pub fn aimed_targets<'a>(chain: &'a Chain, problem: &'a Problem) -> impl Iterator<Item = AimedTarget> + 'a {
    let tips = 0..if problem.goals.is_empty() { 0 } else { chain.tips().len() };
    let is_free = |tip: &usize| problem.targets.iter().all(|target| target.tip != *tip);
    tips.clone().filter(is_free).flat_map(move |tip| {
        let frames = [None].into_iter().chain(tips.clone().filter(move |frame| *frame != tip).map(Some));
        frames.filter_map(move |frame| {
            let target = aimed_target(chain, tip, frame, problem.goals)?;
            Some(AimedTarget { target, frame })
        })
    })
}

fn aimed_target(chain: &Chain, tip: usize, frame: Option<usize>, goals: &[Goal]) -> Option<Target> {
    let (place, frame) = (&chain.tips()[tip], frame.map(|frame| &chain.tips()[frame]));
    let from = frame.map(|frame| frame.parent);
    let aims = || {
        let aims = goals.iter().filter_map(Goal::aim);
        aims.filter(|aim| aim.place.joint == Some(place.parent) && aim.frame == from)
    };
    let position = aims().find_map(|Aim { place, at, .. }| match at {
        Middle::Position(position) => Some((*position, place.offset.translation.vector)),
        Middle::Orientation(_) => None,
    });
    // Of the frame of the last joint.
    let rotation = aims().find_map(|Aim { place, at, .. }| match at {
        Middle::Position(_) => None,
        Middle::Orientation(rotation) => Some(UnitQuaternion::from(rotation * place.offset.rotation.inverse())),
    });
    let target = match (position, rotation) {
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
    };
    Some(match frame {
        None => target,
        Some(frame) => Target { pose: frame.placement.inv_mul(&target.pose), ..target },
    })
}
