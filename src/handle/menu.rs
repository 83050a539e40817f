//! The menu of a handle.

use r2r::visualization_msgs::msg::MenuEntry;

use crate::messages::TargetAxes;
use urdf_ik_solver::SolverKind;

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    /// The solver of the node.
    Solver(SolverKind),
    /// Whether drags ask for the position alone.
    PositionOnly,
    /// Whether drags keep the orientation that the tip has now.
    KeepOrientation,
    /// Moves to the initial configuration.
    ToInitial,
    /// The service `~/reset`.
    Reset,
    /// The service `~/stop`.
    Stop,
}

/// The entry that opens the list of solvers.
const SOLVERS: MenuEntry =
    MenuEntry { id: 1, parent_id: 0, title: String::new(), command: String::new(), command_type: FEEDBACK };
/// The number of the first choice; the others follow.
const FIRST: u32 = 2;
/// What a client does with a choice: it sends feedback.
const FEEDBACK: u8 = MenuEntry::FEEDBACK as u8;
/// What can be chosen, in the order of the menu.
const CHOICES: [Choice; 8] = [
    Choice::Solver(SolverKind::Jacobian),
    Choice::Solver(SolverKind::Fabrik),
    Choice::Solver(SolverKind::ClosedForm),
    Choice::PositionOnly,
    Choice::KeepOrientation,
    Choice::ToInitial,
    Choice::Reset,
    Choice::Stop,
];

/// The choice with a number; `None` where the menu has no such entry.
pub(super) fn choice(id: u32) -> Option<Choice> {
    CHOICES.get(usize::try_from(id.checked_sub(FIRST)?).ok()?).copied()
}

/// The menu, with marks before what is chosen now.
pub(super) fn entries(solver: SolverKind, axes: TargetAxes) -> Vec<MenuEntry> {
    let choices = (FIRST..).zip(CHOICES).map(|(id, choice)| {
        let parent_id = if matches!(choice, Choice::Solver(_)) { SOLVERS.id } else { 0 };
        MenuEntry { id, parent_id, title: title(choice, solver, axes), ..SOLVERS }
    });
    std::iter::once(MenuEntry { title: "Solver".into(), ..SOLVERS }).chain(choices).collect()
}

fn title(choice: Choice, solver: SolverKind, axes: TargetAxes) -> String {
    // RViz draws these marks as boxes.
    let marked = |is_chosen: bool, words: &str| format!("{} {words}", if is_chosen { "[x]" } else { "[ ]" });
    match choice {
        Choice::Solver(kind) => marked(kind == solver, kind.name()),
        Choice::PositionOnly => marked(axes == TargetAxes::Position, "Position only"),
        Choice::KeepOrientation => marked(matches!(axes, TargetAxes::Followable { kept: Some(_) }), "Keep orientation"),
        Choice::ToInitial => "To the initial configuration".into(),
        Choice::Reset => "Reset".into(),
        Choice::Stop => "Stop".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_but_the_list_of_solvers_is_a_choice() {
        let entries = entries(SolverKind::Fabrik, TargetAxes::Position);
        let chosen: Vec<Option<Choice>> = entries.iter().map(|entry| choice(entry.id)).collect();
        assert_eq!(chosen[0], None);
        assert_eq!(chosen[1..], CHOICES.map(Some));
        assert_eq!([0, 10, u32::MAX].map(choice), [None; 3]);
        for kind in SolverKind::ALL {
            assert!(CHOICES.contains(&Choice::Solver(kind)), "{kind} should be in the menu");
        }
        let marked: Vec<&str> = entries.iter().filter_map(|entry| entry.title.strip_prefix("[x] ")).collect();
        assert_eq!(marked, ["fabrik", "Position only"]);
    }
}
