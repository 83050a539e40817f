//! Mutations of inputs: bytes, ranges, words of the format, values between quotes and behind colons.

use urdf_ik_testing::Random;

/// Longest range that a mutation moves.
const MAX_RANGE: usize = 60;

/// Mutates an input once; `others` are inputs of the same format, and `words` texts of it.
pub fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], words: &[&str], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + 1 + random.below(MAX_RANGE)).min(bytes.len());
    let word = words.get(random.below(words.len().max(1))).copied().unwrap_or_default().as_bytes();
    match random.below(8) {
        0 if at < end => bytes[at] ^= 1 << random.below(8),
        1 if at < end => drop(bytes.drain(at..end)),
        2 if at < end => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        3 => {
            let Some(other) = others.get(random.below(others.len().max(1))) else { return };
            let from = random.below(other.len().max(1)).min(other.len());
            let to = (from + random.below(MAX_RANGE)).min(other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        4 if random.once_in(4) => bytes.truncate(at),
        5 => drop(bytes.splice(at..at, word.iter().copied())),
        6 if at < end => bytes[at] = u8::try_from(random.below(256)).unwrap_or(0),
        _ => replace_value(bytes, at, word),
    }
}

/// Replaces the next value behind `at`: from a quote to the next one with these, or from a colon, bracket or comma to
/// the end of the value.
fn replace_value(bytes: &mut Vec<u8>, at: usize, value: &[u8]) {
    let found = |from: usize, ends: &[u8]| Some(from + bytes[from..].iter().position(|byte| ends.contains(byte))?);
    let Some(start) = found(at, b"\":[,") else { return };
    let range = if bytes[start] == b'"' {
        found(start + 1, b"\"").map(|end| start..end + 1)
    } else {
        found(start + 1, b",]}\n").map(|end| start + 1..end)
    };
    if let Some(range) = range {
        bytes.splice(range, value.iter().copied());
    }
}
