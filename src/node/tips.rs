//! The names under which each tip link has its topics.

use crate::parameters::Refusal;

/// What stands before the names of a tip's topics: for each tip the private namespace with the tip's name, where there are several,
/// and for the first the private namespace alone.
///
/// # Errors
/// [`Refusal`] where two tips come to the same name.
pub(super) fn scopes(tip_links: &[String]) -> Result<Vec<Vec<String>>, Refusal> {
    if tip_links.len() < 2 {
        return Ok(vec![vec!["~/".into()]]);
    }
    let names: Vec<String> = tip_links.iter().map(|link| topic_name(link)).collect();
    for (index, name) in names.iter().enumerate() {
        if let Some(other) = names[..index].iter().position(|other| other == name) {
            return Err(Refusal(format!(
                "tip_links: the topics of '{}' and '{}' would both be named ~/{name}/…: give one of the links another name",
                tip_links[other], tip_links[index]
            )));
        }
    }
    let own = names.into_iter().map(|name| vec![format!("~/{name}/")]);
    let mut scopes: Vec<Vec<String>> = own.collect();
    scopes[0].push("~/".into());
    Ok(scopes)
}

/// A link's name as part of a topic's: letters, digits and underscores, not beginning with a digit.
fn topic_name(link: &str) -> String {
    let name: String = link.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(links: &[&str]) -> Result<Vec<Vec<String>>, Refusal> {
        scopes(&links.iter().map(|link| (*link).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_tip_has_the_short_names_and_each_of_several_its_own() {
        assert_eq!(of(&[]).unwrap(), [["~/"]]);
        assert_eq!(of(&["hand"]).unwrap(), [["~/"]]);
        assert_eq!(of(&["left-hand", "7th.tool"]).unwrap(), [vec!["~/left_hand/", "~/"], vec!["~/_7th_tool/"]]);
    }

    #[test]
    fn names_that_become_the_same_are_refused() {
        let refusal = of(&["a", "left-hand", "left_hand"]).unwrap_err().0;
        assert!(refusal.contains("'left-hand' and 'left_hand'"), "{refusal}");
    }
}
