//! Topic names after remapping by the rules of rcl: r2r does not expose them, and the graph uses only these.

use r2r::Node;

use crate::Result;

/// The names of a node and its remapping rules.
pub(crate) struct TopicNames {
    namespace: String,
    /// The node's name with its namespace.
    pub node: String,
    rules: Vec<String>,
}

impl TopicNames {
    /// `rules` are `[NODE:]FROM:=TO`, in the order of the command line.
    pub(crate) fn new(node: &Node, rules: Vec<String>) -> Result<Self> {
        Ok(Self { namespace: node.namespace()?, node: node.fully_qualified_name()?, rules })
    }

    /// The full name of a topic after the first matching rule.
    pub(crate) fn resolve(&self, topic: &str) -> String {
        let full = self.expand(topic);
        self.rules.iter().find_map(|rule| self.target_of(rule, &full)).unwrap_or(full)
    }

    /// True if a rule renames the topic.
    pub(crate) fn is_remapped(&self, topic: &str) -> bool {
        self.resolve(topic) != self.expand(topic)
    }

    /// The new name of the topic with this full name by a rule; `None` if it does not match.
    fn target_of(&self, rule: &str, full: &str) -> Option<String> {
        let (from, to) = rule.split_once(":=")?;
        let from = match from.split_once(':') {
            // rostopic://NAME applies only to topics, rosservice://NAME only to services.
            Some(("rostopic", name)) => name.strip_prefix("//")?,
            Some(("rosservice", _)) => return None,
            Some((node, name)) => (self.node.rsplit('/').next() == Some(node)).then_some(name)?,
            None => from,
        };
        (self.expand(from) == full).then(|| self.expand(to))
    }

    fn expand(&self, name: &str) -> String {
        match name.strip_prefix('~') {
            Some(rest) => format!("{}{rest}", self.node),
            None if name.starts_with('/') => name.to_owned(),
            None => format!("{}/{name}", self.namespace.trim_end_matches('/')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(namespace: &str, node: &str, rules: &[&str]) -> TopicNames {
        let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
        TopicNames { namespace: namespace.into(), node: node.into(), rules }
    }

    #[test]
    fn names_are_private_relative_or_absolute() {
        let [root, cell] = [names("/", "/urdf_ik", &[]), names("/cell", "/cell/arm", &[])];
        assert_eq!(["~/status", "status", "/tf"].map(|name| root.resolve(name)), ["/urdf_ik/status", "/status", "/tf"]);
        assert_eq!(
            ["~/status", "status", "/tf"].map(|name| cell.resolve(name)),
            ["/cell/arm/status", "/cell/status", "/tf"]
        );
    }

    #[test]
    fn the_first_rule_that_fits_counts() {
        for rule in [
            "~/target_pose:=/goal",
            "/cell/arm/target_pose:=/goal",
            "arm/target_pose:=/goal",
            "arm:~/target_pose:=/goal",
            "rostopic://~/target_pose:=/goal",
        ] {
            let names = names("/cell", "/cell/arm", &["__node:=arm", rule, "~/target_pose:=late"]);
            assert_eq!(names.resolve("~/target_pose"), "/goal", "{rule}");
            assert!(names.is_remapped("~/target_pose") && !names.is_remapped("~/target_point"), "{rule}");
        }
        assert_eq!(names("/cell", "/cell/arm", &["~/status:=~/state"]).resolve("~/status"), "/cell/arm/state");
    }

    #[test]
    fn other_rules_change_nothing() {
        for rule in
            ["other:~/status:=/x", "rosservice://~/status:=/x", "status:=/x", "~/stat:=/x", "~/status", ":=", ""]
        {
            assert!(!names("/cell", "/cell/arm", &[rule]).is_remapped("~/status"), "{rule}");
        }
    }
}
