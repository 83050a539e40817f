//! Elements of a COLLADA file by their names.

use roxmltree::Node;

/// The first child of that name.
pub(super) fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|child| child.has_tag_name_of(name))
}

/// Names of elements, whatever the namespace.
pub(super) trait HasTagName {
    /// Whether it is an element of that name.
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl HasTagName for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}
