//! Writes names, and lists of them, as part of a sentence. Long ones are cut: a name may come from anywhere.

use std::borrow::Cow;

/// Greatest number of names in a sentence: enough for most robots, and not too many of a long arm.
const MAX_NAMES: usize = 40;
/// Number of names in a sentence where there are more than that.
const SHOWN_OF_MORE: usize = 10;
/// Greatest number of characters of one name.
const MAX_CHARACTERS: usize = 100;
/// Greatest number of bytes of a name that is remembered: a sender of names must not fill the memory.
#[cfg_attr(not(feature = "ros"), allow(dead_code, reason = "only the node remembers names"))]
pub(crate) const MAX_BYTES: usize = 1000;

/// The names, separated by commas. Of very many names: the first ones, and the number of the others.
pub(crate) fn list(names: &[impl AsRef<str>]) -> String {
    let shown = if names.len() > MAX_NAMES { SHOWN_OF_MORE } else { names.len() };
    let text = names[..shown].iter().map(|name| shortened(name.as_ref())).collect::<Vec<_>>().join(", ");
    if shown < names.len() { format!("{text} and {} more", names.len() - shown) } else { text }
}

/// The name. Of a very long one: its beginning and its length.
pub(crate) fn shortened(name: &str) -> Cow<'_, str> {
    cut(name, MAX_CHARACTERS)
}

/// The text. Of one with more characters than `max`: that many, and its length.
pub(crate) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}… (cut: it has {} bytes)", &text[..end], text.len())),
    }
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
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let name = "ä".repeat(MAX_CHARACTERS);
        assert_eq!(shortened(&name), name);
        assert_eq!(shortened(&format!("{name}ä")), format!("{name}… (cut: it has 202 bytes)"));
        assert_eq!(list(&["a".repeat(1_000_000)]).len(), MAX_CHARACTERS + "… (cut: it has 1000000 bytes)".len());
    }
}
