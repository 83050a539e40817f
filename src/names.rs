//! Lists of names in sentences.

/// Names that a sentence holds at most: enough for most robots, and no more of a long arm than anybody reads.
const MOST: usize = 40;
/// Of more names than that, how many are told.
const TOLD: usize = 10;

/// The names, separated by commas; of very many the first and the number of the others.
pub(crate) fn list(names: &[impl AsRef<str>]) -> String {
    let told = if names.len() > MOST { TOLD } else { names.len() };
    let text = names[..told].iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if told < names.len() { format!("{text} and {} more", names.len() - told) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_the_first_are_told() {
        let names: Vec<String> = (1..=1000).map(|number| format!("j{number}")).collect();
        assert_eq!(list(&names[..0]), "");
        assert_eq!(list(&names[..3]), "j1, j2, j3");
        assert!(list(&names[..MOST]).ends_with(", j40"));
        assert_eq!(list(&names), "j1, j2, j3, j4, j5, j6, j7, j8, j9, j10 and 990 more");
    }
}
