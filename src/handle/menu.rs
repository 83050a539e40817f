//! The menu of a handle.

use r2r::visualization_msgs::msg::MenuEntry;

use crate::messages::TargetAxes;
use urdf_ik_solver::SolverKind;

/// A menu choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MenuChoice {
    /// The solver of the node.
    Solver(SolverKind),
    /// Drags use the position alone.
    PositionOnly,
    /// Drags keep the current orientation of the tip.
    KeepOrientation,
    /// Moves to the initial configuration.
    ToInitial,
    /// The service `~/reset`.
    Reset,
    /// The service `~/stop`.
    Stop,
}

/// The entry of the submenu of solvers.
const SOLVERS: MenuEntry =
    MenuEntry { id: 1, parent_id: 0, title: String::new(), command: String::new(), command_type: FEEDBACK };
/// The id of the first choice; the others follow.
const FIRST: u32 = 2;
/// Clients answer a choice with feedback.
const FEEDBACK: u8 = MenuEntry::FEEDBACK as u8;
/// All choices in the order of the menu.
const CHOICES: [MenuChoice; 8] = [
    MenuChoice::Solver(SolverKind::Jacobian),
    MenuChoice::Solver(SolverKind::Fabrik),
    MenuChoice::Solver(SolverKind::ClosedForm),
    MenuChoice::PositionOnly,
    MenuChoice::KeepOrientation,
    MenuChoice::ToInitial,
    MenuChoice::Reset,
    MenuChoice::Stop,
];

/// The choice with an id; `None` if the menu has no such entry.
pub(super) fn choice(id: u32) -> Option<MenuChoice> {
    CHOICES.get(usize::try_from(id.checked_sub(FIRST)?).ok()?).copied()
}

/// The menu, with marks at the current settings.
pub(super) fn entries(solver: SolverKind, axes: TargetAxes) -> Vec<MenuEntry> {
    let choices = (FIRST..).zip(CHOICES).map(|(id, choice)| {
        let parent_id = if matches!(choice, MenuChoice::Solver(_)) { SOLVERS.id } else { 0 };
        MenuEntry { id, parent_id, title: title(choice, solver, axes), ..SOLVERS }
    });
    std::iter::once(MenuEntry { title: "Solver".into(), ..SOLVERS }).chain(choices).collect()
}

fn title(choice: MenuChoice, solver: SolverKind, axes: TargetAxes) -> String {
    // RViz draws these marks as boxes.
    let marked = |is_chosen: bool, words: &str| format!("{} {words}", if is_chosen { "[x]" } else { "[ ]" });
    match choice {
        MenuChoice::Solver(kind) => marked(kind == solver, kind.name()),
        MenuChoice::PositionOnly => marked(axes == TargetAxes::Position, "Position only"),
        MenuChoice::KeepOrientation => {
            marked(matches!(axes, TargetAxes::Followable { kept: Some(_) }), "Keep orientation")
        }
        MenuChoice::ToInitial => "To the initial configuration".into(),
        MenuChoice::Reset => "Reset".into(),
        MenuChoice::Stop => "Stop".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_but_the_list_of_solvers_is_a_choice() {
        let entries = entries(SolverKind::Fabrik, TargetAxes::Position);
        let chosen: Vec<Option<MenuChoice>> = entries.iter().map(|entry| choice(entry.id)).collect();
        assert_eq!(chosen[0], None);
        assert_eq!(chosen[1..], CHOICES.map(Some));
        assert_eq!([0, 10, u32::MAX].map(choice), [None; 3]);
        for kind in SolverKind::ALL {
            assert!(CHOICES.contains(&MenuChoice::Solver(kind)), "{kind} should be in the menu");
        }
        let marked: Vec<&str> = entries.iter().filter_map(|entry| entry.title.strip_prefix("[x] ")).collect();
        assert_eq!(marked, ["fabrik", "Position only"]);
    }
}
