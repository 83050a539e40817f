//! Writes a list of names as part of a sentence.

/// Greatest number of names in a sentence: enough for most robots, and not too many of a long arm.
const MAX_NAMES: usize = 40;
/// Number of names in a sentence where there are more than that.
const SHOWN_OF_MORE: usize = 10;

/// The names, separated by commas. Of very many names: the first ones, and the number of the others.
pub(crate) fn list(names: &[impl AsRef<str>]) -> String {
    let shown = if names.len() > MAX_NAMES { SHOWN_OF_MORE } else { names.len() };
    let text = names[..shown].iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if shown < names.len() { format!("{text} and {} more", names.len() - shown) } else { text }
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
}
