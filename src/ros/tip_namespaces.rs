//! Namespaces of the target topics of each tip link.

use urdf_ik_parameters::Refusal;

/// The namespaces of each tip, with a trailing slash. A single tip uses the node's own namespace. Each of several tips
/// has a namespace with its name below it, and the first also uses the node's own.
///
/// # Errors
/// [`Refusal`] if two tips have the same namespace.
pub(crate) fn of_tips(tip_links: &[String]) -> Result<Vec<Vec<String>>, Refusal> {
    if tip_links.len() < 2 {
        return Ok(vec![vec!["~/".into()]]);
    }
    let names: Vec<String> = tip_links.iter().map(|link| topic_name(link)).collect();
    for (index, name) in names.iter().enumerate() {
        if let Some(other) = names[..index].iter().position(|other| other == name) {
            return Err(Refusal(format!(
                "tip_links: the topics of '{}' and '{}' would both begin with ~/{name}/: give one of the links another name",
                tip_links[other], tip_links[index]
            )));
        }
    }
    let mut namespaces: Vec<Vec<String>> = names.into_iter().map(|name| vec![format!("~/{name}/")]).collect();
    namespaces[0].push("~/".into());
    Ok(namespaces)
}

/// A link name as a part of a topic name: letters, digits and underscores, without a leading digit.
fn topic_name(link: &str) -> String {
    let name: String = link.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(links: &[&str]) -> Result<Vec<Vec<String>>, Refusal> {
        of_tips(&links.iter().map(|link| (*link).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_tip_has_the_nodes_namespace_and_each_of_several_its_own() {
        assert_eq!(of(&[]).unwrap(), [["~/"]]);
        assert_eq!(of(&["hand"]).unwrap(), [["~/"]]);
        assert_eq!(of(&["left-hand", "7th.tool"]).unwrap(), [vec!["~/left_hand/", "~/"], vec!["~/_7th_tool/"]]);
    }

    #[test]
    fn equal_topic_names_are_refused() {
        let refusal = of(&["a", "left-hand", "left_hand"]).unwrap_err().0;
        assert!(refusal.contains("'left-hand' and 'left_hand'"), "{refusal}");
    }
}
