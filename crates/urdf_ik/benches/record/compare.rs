//! Compares two records.

use crate::record::{Answers, Record};

/// The difference of two lists of answers to the same problems.
#[derive(Default)]
struct Difference {
    /// Problems with a differing bit.
    problems: usize,
    /// Those of them whose answers have different lengths.
    other_shapes: usize,
    /// The largest difference of two numbers, and its problem; infinite if only one of them is a number.
    greatest: Option<(f64, usize)>,
}

impl Difference {
    fn of(before: &[Vec<f64>], after: &[Vec<f64>]) -> Self {
        let mut all = Self::default();
        for (problem, (before, after)) in before.iter().zip(after).enumerate() {
            let differ = |(a, b): &(&f64, &f64)| a.to_bits() != b.to_bits();
            let apart = before.iter().zip(after).filter(differ).map(|(a, b)| {
                let apart = (a - b).abs();
                if apart.is_nan() { f64::INFINITY } else { apart }
            });
            let is_other_shape = before.len() != after.len();
            let greatest = apart.reduce(f64::max);
            all.problems += usize::from(greatest.is_some() || is_other_shape);
            all.other_shapes += usize::from(is_other_shape);
            if let Some(apart) = greatest.filter(|apart| all.greatest.is_none_or(|(greatest, _)| *apart > greatest)) {
                all.greatest = Some((apart, problem));
            }
        }
        all
    }

    /// The line of a group.
    fn print(&self, name: &str, problems: usize) {
        let greatest = self.greatest.map(|(apart, problem)| format!("by up to {apart:.1e} (number {problem})"));
        let shapes = match self.other_shapes {
            0 => String::new(),
            count => format!(", {count} of them have more or fewer numbers"),
        };
        println!("{name}: {} of {problems} differ {}{shapes}", self.problems, greatest.unwrap_or_default());
    }
}

/// Prints the differences of two records. Returns whether there are none.
pub fn print(before: &Record, after: &Record) -> bool {
    let mut are_equal = true;
    for Answers { name, answers } in &before.groups {
        let Some(other) = after.groups.iter().find(|group| group.name == *name) else {
            println!("{name}: only in the first record");
            are_equal = false;
            continue;
        };
        let difference = Difference::of(answers, &other.answers);
        if answers.len() != other.answers.len() {
            println!("{name}: {} problems, and {} in the second record", answers.len(), other.answers.len());
        }
        if difference.problems > 0 {
            difference.print(name, answers.len());
        }
        are_equal &= difference.problems == 0 && answers.len() == other.answers.len();
    }
    for group in after.groups.iter().filter(|group| before.groups.iter().all(|other| other.name != group.name)) {
        println!("{}: only in the second record", group.name);
        are_equal = false;
    }
    if are_equal {
        println!("all {} answers in {} groups have the same bits", before.problems(), before.groups.len());
    }
    are_equal
}
