//! docs/limits.md: its numbers match the code.

use std::fs;

use crate::root;

/// The number of a cell, with its unit of bytes.
fn number(cell: &str) -> f64 {
    let (unit, digits) = match cell.split_once(" MiB").or(cell.split_once(" KiB")) {
        Some((digits, _)) => (if cell.contains('M') { f64::from(1 << 20) } else { f64::from(1 << 10) }, digits),
        None => (1.0, cell.trim_end_matches(" bytes")),
    };
    unit * digits.replace(' ', "").parse::<f64>().unwrap()
}

/// The value of a constant: a number, or a shifted one.
fn value(expression: &str) -> f64 {
    let plain = |digits: &str| digits.replace('_', "").parse::<f64>().unwrap();
    match expression.split_once(" << ") {
        Some((number, shift)) => plain(number) * plain(shift).exp2(),
        None => plain(expression),
    }
}

#[test]
fn the_limits_are_those_of_the_code() {
    let page = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let rows: Vec<Vec<&str>> = page.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    let rows: Vec<_> = rows.iter().filter(|cells| cells.len() == 7 && cells[5].starts_with('`')).collect();
    assert!(rows.len() > 20, "{} limits", rows.len());
    for row in rows {
        let [file, constant] = [row[4], row[5]].map(|cell| cell.trim_matches('`'));
        let code = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let definition = code.lines().find(|line| line.contains(&format!("const {constant}: ")));
        let definition = definition.unwrap_or_else(|| panic!("{file} has no {constant}"));
        let (_, expression) = definition.trim_end_matches(';').split_once(" = ").unwrap();
        assert_eq!(number(row[2]), value(expression), "{constant} of {file}");
    }
}
