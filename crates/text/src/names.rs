//! Writes names and numbers from outside as part of a sentence, whatever their length.

use std::borrow::Cow;

/// Greatest number of characters of a name in a sentence.
const MAX_CHARACTERS: usize = 80;
/// Greatest number of characters of a sentence that is part of another one.
const MAX_SENTENCE: usize = 1000;
/// Numbers of more characters than this are written with an exponent.
const MAX_DIGITS: usize = 20;
/// Greatest number of names in a sentence: enough for most robots, and not too many of a long arm.
const MAX_NAMES: usize = 40;
/// Number of names in a sentence where there are more than that.
const SHOWN_OF_MORE: usize = 10;

/// The names, separated by commas, each as in [`short`]. A very long list is truncated and ends with the number of
/// omitted names.
pub fn list(names: &[impl AsRef<str>]) -> String {
    let shown = if names.len() > MAX_NAMES { SHOWN_OF_MORE } else { names.len() };
    let text = names[..shown].iter().map(|name| short(name.as_ref())).collect::<Vec<_>>().join(", ");
    if shown < names.len() { format!("{text} and {} more", names.len() - shown) } else { text }
}

/// A name or another text from outside, for a message. A very long text is truncated and ends with its length. Control
/// characters are escaped because they could forge log lines.
pub fn short(text: &str) -> Cow<'_, str> {
    cut(text, MAX_CHARACTERS)
}

/// A sentence from another program, which may contain names from outside, for a message. Truncated and escaped as in
/// [`short`], but with a much larger maximum length.
pub fn sentence(text: &str) -> Cow<'_, str> {
    cut(text, MAX_SENTENCE)
}

/// The first `max_characters` characters of `text`, or all of it.
pub fn beginning(text: &str, max_characters: usize) -> &str {
    text.char_indices().nth(max_characters).map_or(text, |(end, _)| &text[..end])
}

fn cut(text: &str, max_characters: usize) -> Cow<'_, str> {
    let start = beginning(text, max_characters);
    let is_whole = start.len() == text.len();
    if is_whole && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let plain = |character: char| {
        if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
    };
    let escaped: String = start.chars().map(plain).collect();
    let shown = beginning(&escaped, max_characters);
    if is_whole && shown.len() == escaped.len() {
        return Cow::Owned(escaped);
    }
    Cow::Owned(format!("{shown}… ({} characters)", text.chars().count()))
}

/// The message of a JSON or YAML reader, with Rust type names replaced by plain words.
pub fn plain_words(sentence: &str) -> String {
    let numbers =
        sentence.replace("expected f64", "expected a number").replace("expected usize", "expected a whole number");
    numbers.replace("unit value", "nothing")
}

/// `value` as a decimal, or in scientific notation if that would be very long.
pub fn number(value: f64) -> String {
    let plain = value.to_string();
    if plain.len() > MAX_DIGITS { format!("{value:e}") } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_many_names_are_shown() {
        let names: Vec<String> = (1..=1000).map(|number| format!("j{number}")).collect();
        assert_eq!(list(&names[..0]), "");
        assert_eq!(list(&names[..3]), "j1, j2, j3");
        assert!(list(&names[..MAX_NAMES]).ends_with(", j40"));
        assert_eq!(list(&names), "j1, j2, j3, j4, j5, j6, j7, j8, j9, j10 and 990 more");
        assert!(list(&["x".repeat(1_000_000)]).len() < 200);
    }

    #[test]
    fn long_names_are_cut_and_control_characters_escaped() {
        assert_eq!(short("tool0"), "tool0");
        assert_eq!(short(&"é".repeat(MAX_CHARACTERS)), "é".repeat(MAX_CHARACTERS));
        assert_eq!(short(&"é".repeat(1000)), format!("{}… (1000 characters)", "é".repeat(MAX_CHARACTERS)));
        assert_eq!(short("a\n\u{1b}[31mb"), "a\\n\\u{1b}[31mb");
        // The limit counts escapes as they are shown.
        assert_eq!(short(&"\n".repeat(60)), format!("{}… (60 characters)", "\\n".repeat(MAX_CHARACTERS / 2)));
    }

    #[test]
    fn numbers_keep_their_digits_and_lose_their_zeros() {
        assert_eq!(
            [3.0, -0.25, 1e15, 1e300, -1e-300, f64::NAN].map(number).join(" "),
            "3 -0.25 1000000000000000 1e300 -1e-300 NaN"
        );
        assert_eq!(number(-std::f64::consts::PI), "-3.141592653589793");
    }
}
