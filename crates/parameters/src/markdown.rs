//! The table of parameters for users.

use std::fmt::Write;

use super::table::TABLE;

/// The table of all parameters in Markdown, as in `docs/parameters.md`.
pub fn markdown() -> String {
    let mut text =
        String::from("| parameter | type | default | bounds | when | meaning |\n|---|---|---|---|---|---|\n");
    for parameter in TABLE.iter() {
        let value = &parameter.default;
        let unit = if parameter.unit.is_empty() { String::new() } else { format!(" \\[{}\\]", parameter.unit) };
        let when = parameter.takes_effect;
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "| `{}`{unit} | {} | `{value}` | {} | {when} | {} |",
            parameter.name,
            value.type_name(),
            parameter.bounds_text(),
            parameter.sentence
        );
    }
    text
}
