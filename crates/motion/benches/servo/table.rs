//! The worst of many cases, figures of a whole robot, and tables of them.

use crate::watch::{TOLERANCE, Usage};

/// The worst value of a kind, with its case.
#[derive(Debug, Clone)]
pub struct Worst {
    pub name: &'static str,
    /// The bound; infinite if the value is only reported.
    pub allowed: f64,
    pub value: f64,
    pub case: String,
    /// Cases above the bound.
    pub failed: usize,
    /// The bound for 99 of 100 cases, and the cases above it.
    pub usual: f64,
    pub unusual: usize,
    pub cases: usize,
}

impl Worst {
    pub fn new(name: &'static str, allowed: f64) -> Self {
        Self { name, allowed, value: 0.0, case: String::new(), failed: 0, usual: f64::INFINITY, unusual: 0, cases: 0 }
    }

    /// With a bound for 99 of 100 cases.
    pub fn usually(self, usual: f64) -> Self {
        Self { usual, ..self }
    }

    /// Adds the worst value of a case.
    pub fn meet(&mut self, value: f64, case: &str) {
        self.cases += 1;
        if value > self.allowed || value.is_nan() {
            self.failed += 1;
        }
        if value > self.usual {
            self.unusual += 1;
        }
        if value > self.value || value.is_nan() {
            (self.value, self.case) = (value, case.to_owned());
        }
    }

    fn has_failed(&self) -> bool {
        self.failed > 0 || 100 * self.unusual > self.cases
    }

    /// One line of a table.
    pub fn print(&self, robot: &str) {
        let word = if self.has_failed() { "FAILED" } else { "ok" };
        let verdict = if self.allowed.is_infinite() {
            "figure".to_owned()
        } else if self.usual.is_infinite() {
            format!("{word} {}", self.failed)
        } else {
            format!("{word} {}, {} over {:.1e}", self.failed, self.unusual, self.usual)
        };
        let allowed = if self.allowed.is_infinite() { "-".to_owned() } else { format!("{:.3e}", self.allowed) };
        println!(
            "{robot:9} {:48} worst {:10.3e} of {allowed:9} {verdict:24} of {:5} cases; {}",
            self.name, self.value, self.cases, self.case
        );
    }
}

/// The worst violation of bounds.
#[derive(Debug, Clone)]
pub struct WorstUsage([Worst; 4]);

impl WorstUsage {
    pub fn new() -> Self {
        Self([
            Worst::new("outside position limits [rad or m]", 1e-9),
            Worst::new("velocity over its bound", TOLERANCE),
            Worst::new("acceleration over its bound", TOLERANCE),
            Worst::new("jerk over its bound", TOLERANCE),
        ])
    }

    pub fn meet(&mut self, usage: &Usage, case: &str) {
        for (order, worst) in self.0.iter_mut().enumerate() {
            let excess = if order == 0 { usage.worst[0] } else { (usage.worst[order] - 1.0).max(0.0) };
            let (sample, joint) = usage.places[order];
            worst.meet(excess, &format!("{case} sample {sample} joint {joint}"));
        }
    }

    pub fn into_rows(self) -> Vec<Worst> {
        self.0.into()
    }
}

/// Prints rows, and the number of failures.
pub fn print(robot: &str, title: &str, rows: &[Worst]) -> usize {
    println!("\n{robot}: {title}");
    for row in rows {
        row.print(robot);
    }
    rows.iter().filter(|row| row.has_failed()).count()
}

/// A figure of a robot, with its threshold if it has one.
pub struct Figure {
    name: String,
    value: f64,
    least: f64,
    most: f64,
}

impl Figure {
    pub fn new(name: &str, value: f64) -> Self {
        Self { name: name.to_owned(), value, least: f64::NEG_INFINITY, most: f64::INFINITY }
    }

    /// The worst excess over position limits \[rad or m\], and over those of velocity, acceleration and jerk as a
    /// fraction.
    pub fn bounds<'a>(usages: impl Iterator<Item = &'a Usage>) -> Self {
        Self::new("joints beyond a bound", usages.map(Usage::excess).fold(0.0, f64::max)).at_most(TOLERANCE)
    }

    pub fn at_least(self, least: f64) -> Self {
        Self { least, ..self }
    }

    pub fn at_most(self, most: f64) -> Self {
        Self { most, ..self }
    }

    fn has_failed(&self) -> bool {
        self.value.is_nan() || self.value < self.least || self.value > self.most
    }

    /// One line of a table.
    fn print(&self, robot: &str) {
        let word = if self.has_failed() { "FAILED" } else { "ok" };
        let verdict = match (self.least.is_finite(), self.most.is_finite()) {
            (true, _) => format!("at least {} {word}", short(self.least)),
            (_, true) => format!("at most {} {word}", short(self.most)),
            _ => "figure".to_owned(),
        };
        println!("{robot:9} {:48} {:>10} {verdict}", self.name, short(self.value));
    }
}

/// A number with four digits or so.
fn short(value: f64) -> String {
    if value == 0.0 || value.abs() >= 0.01 { format!("{value:.3}") } else { format!("{value:.2e}") }
}

/// Prints figures, and returns the number of failures.
pub fn print_figures(robot: &str, title: &str, figures: &[Figure]) -> usize {
    println!("\n{robot}: {title}");
    for figure in figures {
        figure.print(robot);
    }
    figures.iter().filter(|figure| figure.has_failed()).count()
}
