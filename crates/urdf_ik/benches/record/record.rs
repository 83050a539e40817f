//! The record: groups of problems and the numbers of their answers, in a file.

use std::fmt::Write;
use std::path::Path;

use crate::{Fallible, Random};

/// Computes the numbers of one answer.
type Answer = dyn FnMut(&mut Random) -> Fallible<Vec<f64>>;

/// Problems of one kind.
pub struct Group {
    pub name: String,
    problems: usize,
    answer: Box<Answer>,
}

/// The numbers of each answer of a group.
pub struct Answers {
    pub name: String,
    pub answers: Vec<Vec<f64>>,
}

/// All answers. In its file, a line with `#` and the name of a group is followed by one line for each problem, with
/// the bits of its numbers.
#[derive(Default)]
pub struct Record {
    pub groups: Vec<Answers>,
}

impl Group {
    pub fn new(
        name: impl Into<String>,
        problems: usize,
        answer: impl FnMut(&mut Random) -> Fallible<Vec<f64>> + 'static,
    ) -> Self {
        Self { name: name.into(), problems, answer: Box::new(answer) }
    }
}

impl Record {
    /// Solves the problems of a group.
    pub fn add(&mut self, Group { name, problems, mut answer }: Group) -> Fallible<()> {
        let solve = |problem| answer(&mut Random::new(seed(&name, problem)));
        let answers = (0..problems).map(solve).collect::<Fallible<_>>().map_err(|e| format!("{name}: {e}"))?;
        self.groups.push(Answers { name, answers });
        Ok(())
    }

    pub fn problems(&self) -> usize {
        self.groups.iter().map(|group| group.answers.len()).sum()
    }

    pub fn write(&self, file: &Path) -> Fallible<()> {
        let mut text = String::new();
        for Answers { name, answers } in &self.groups {
            writeln!(text, "# {name}")?;
            for numbers in answers {
                let words: Vec<String> = numbers.iter().map(|number| format!("{:016x}", number.to_bits())).collect();
                writeln!(text, "{}", words.join(" "))?;
            }
        }
        Ok(std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))?)
    }

    pub fn read(file: &Path) -> Fallible<Self> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut record = Self::default();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("# ") {
                record.groups.push(Answers { name: name.to_owned(), answers: Vec::new() });
                continue;
            }
            let group = record.groups.last_mut().ok_or_else(|| format!("{}: this is no record", file.display()))?;
            let number = |word| u64::from_str_radix(word, 16).map(f64::from_bits);
            group.answers.push(line.split_whitespace().map(number).collect::<Result<_, _>>()?);
        }
        Ok(record)
    }
}

/// The seed of a problem, by its group and its number (FNV-1a).
fn seed(group: &str, problem: usize) -> u64 {
    let bytes = group.bytes().chain(problem.to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
