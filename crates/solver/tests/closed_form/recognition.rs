//! Recognised families, compared with the table of robots in docs/closed-forms.md.

use urdf_ik::solver::NotApplicable;
use urdf_ik::solver::closed_form::ClosedForm;

use crate::common::{self, Arm, all_arms, load};

/// The recognised closed form, in the words of `urdf_ik info`.
fn found(arm: &Arm) -> String {
    match ClosedForm::prepare(&arm.chain) {
        Ok(form) => form.in_words(),
        Err(NotApplicable::NoClosedForm { reason, .. }) => format!("none: {reason}"),
        Err(other) => panic!("{}: {other}", arm.name),
    }
}

#[test]
fn the_table_of_robots_is_true() {
    let text = std::fs::read_to_string(common::root().join("docs/closed-forms.md")).unwrap();
    let mut arms = all_arms();
    for (name, base, tip) in [("arm5", "base", "tool"), ("arm6", "base_link", "tool0")] {
        arms.push(Arm::new(name, load(&format!("{name}.urdf")), base, &[tip]));
    }
    let rows: Vec<String> = arms
        .iter()
        .map(|arm| format!("| `{}` | {} | {} |", arm.name, arm.chain.joints().len(), found(arm).replace('\'', "`")))
        .collect();
    let missing: Vec<&String> = rows.iter().filter(|row| !text.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "docs/closed-forms.md has no such rows:\n{missing:#?}");
}

#[test]
fn what_is_exact_is_so_to_rounding() {
    let arms = all_arms();
    let forms: Vec<_> = arms.iter().filter_map(|arm| Some((arm, ClosedForm::prepare(&arm.chain).ok()?))).collect();
    assert_eq!(forms.len(), 8, "all but the two with prismatic joints have a closed form");
    for (arm, form) in forms {
        let family = form.family();
        if family.exact() {
            assert!(
                family.deviation.parallel.0 < 1e-14 && family.deviation.distance.0 < 1e-14,
                "{}: {family:?}",
                arm.name
            );
        }
    }
}
