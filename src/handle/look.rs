//! How a handle looks: its colour and text say what became of the newest target of its tip.

use crate::messages::TargetAxes;
use crate::reports::{LatestTarget, StatusColour};
use urdf_ik_solver::SolverKind;
use urdf_ik_text::names;

/// Greatest number of characters in a line of the text, unless a word is longer.
const LINE: usize = 36;

/// All of a handle but its pose.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    /// Name of the base link's frame, in which the pose of the handle is given.
    pub frame: String,
    /// The name of the tip where there are several.
    pub title: String,
    /// Distance from the middle to about the ends of its arrows \[m\].
    pub size: f64,
    pub colour: StatusColour,
    /// Why the newest target was not reached, or the last choice was refused.
    pub text: String,
    pub solver: SolverKind,
    pub axes: TargetAxes,
}

/// The colour and the text for the newest target of a tip. A `notice` on the menu is newer.
pub(super) fn colour_and_text(newest: Option<&LatestTarget>, notice: Option<&str>) -> (StatusColour, String) {
    if let Some(notice) = notice {
        return (StatusColour::Refused, short(notice));
    }
    let Some(newest) = newest else { return (StatusColour::Neutral, String::new()) };
    let colour = StatusColour::of(newest.verdict);
    let text = match colour {
        StatusColour::Neutral | StatusColour::OnItsWay | StatusColour::Reached => String::new(),
        // The numbers of its sentence change all the time during a drag.
        StatusColour::OutOfReach => "out of reach".into(),
        StatusColour::HeldBack | StatusColour::Refused => short(&newest.sentence),
    };
    (colour, text)
}

/// What a sentence says before its first semicolon, cut and in short lines.
fn short(sentence: &str) -> String {
    let clause = names::short(sentence.split(';').next().unwrap_or_default());
    let mut lines = vec![String::new()];
    let mut last = 0;
    for word in clause.split_whitespace() {
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > LINE {
            lines.push(String::new());
            last += 1;
        }
        if !lines[last].is_empty() {
            lines[last].push(' ');
        }
        lines[last].push_str(word);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::report::Verdict;

    fn of(verdict: Verdict, sentence: &str) -> (StatusColour, String) {
        let newest = LatestTarget {
            tip_link: "tool0".into(),
            pose: None,
            has_orientation: true,
            verdict,
            sentence: sentence.into(),
        };
        colour_and_text(Some(&newest), None)
    }

    #[test]
    fn only_failures_have_a_text() {
        assert_eq!(colour_and_text(None, None), (StatusColour::Neutral, String::new()));
        assert_eq!(of(Verdict::Solved, "solved: 0 m"), (StatusColour::Reached, String::new()));
        assert_eq!(of(Verdict::StepLimited, "the arm arrives in 2 s"), (StatusColour::OnItsWay, String::new()));
        assert_eq!(of(Verdict::OutOfReach, "out of reach: by far"), (StatusColour::OutOfReach, "out of reach".into()));
        let limits = "these joints are at their limits: shoulder, elbow; the closest configuration found is far off";
        assert_eq!(
            of(Verdict::JointLimits, limits),
            (StatusColour::HeldBack, "these joints are at their limits:\nshoulder, elbow".into())
        );
        for verdict in [Verdict::Invalid, Verdict::UnknownFrame, Verdict::NoRobot] {
            assert_eq!(of(verdict, "no"), (StatusColour::Refused, "no".into()));
        }
        assert_eq!(colour_and_text(None, Some("it has none")), (StatusColour::Refused, "it has none".into()));
    }

    #[test]
    fn texts_from_outside_are_cut() {
        let (_, text) = of(Verdict::Invalid, &"x ".repeat(100_000));
        assert!(text.lines().count() <= 4 && text.lines().all(|line| line.chars().count() <= LINE), "{text}");
        assert!(of(Verdict::Invalid, &"x".repeat(100_000)).1.chars().count() < 120);
        assert!(!of(Verdict::Invalid, "a\0b").1.contains('\0'));
    }
}
