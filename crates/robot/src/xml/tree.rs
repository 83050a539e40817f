//! Reads an XML text as a tree.

use std::{iter, mem};

use quick_xml::events::Event;

use super::reader::{Events, XmlError, as_text, attributes, value};

/// Maximum nesting depth of elements: a program recurses as deep to free a tree.
const MAX_DEPTH: usize = 500;
/// Maximum number of elements of a text, which bounds the memory: more than a mesh of a million polygons.
const MAX_ELEMENTS: usize = 2_000_000;

/// An XML element and its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// Name without a namespace prefix.
    pub name: String,
    /// Name and value of each attribute, in the order of the text.
    pub attributes: Vec<(String, String)>,
    /// Text outside the children. References such as `&amp;` are as written.
    pub text: String,
    /// The elements inside, in the order of the text.
    pub children: Vec<Tree>,
}

impl Tree {
    /// Reads the only outermost element of `text`.
    ///
    /// # Errors
    /// [`XmlError`] if the text is not well-formed XML, does not have exactly one outermost element, has more than 2
    /// million elements, or nests them more than 500 deep.
    pub fn read(text: &str) -> Result<Self, XmlError> {
        let mut events = Events::new(text);
        let mut elements = 0;
        // The parent of the outermost element, and later the element that is open.
        let mut element = Self::default();
        let mut parents = Vec::new();
        while let Some(event) = events.next()? {
            match event {
                Event::Start(start) => {
                    elements += 1;
                    if elements > MAX_ELEMENTS || parents.len() >= MAX_DEPTH {
                        let most = format!("an XML text may have {MAX_ELEMENTS} elements, nested {MAX_DEPTH} deep");
                        return Err(events.fault(most));
                    }
                    let name = as_text(start.local_name().as_ref());
                    let child = Self { name, attributes: attributes(&start), ..Self::default() };
                    parents.push(mem::replace(&mut element, child));
                }
                Event::End(_) => {
                    if let Some(parent) = parents.pop() {
                        let child = mem::replace(&mut element, parent);
                        element.children.push(child);
                    }
                }
                Event::Text(text) => element.text += &as_text(&text),
                Event::CData(text) => element.text += &as_text(&text),
                Event::GeneralRef(name) => element.text.extend(["&", &as_text(&name), ";"]),
                _ => {}
            }
        }
        let count = element.children.len();
        let [root] = <[Self; 1]>::try_from(element.children)
            .map_err(|_| events.fault(format!("there must be one outermost element, but there are {count}")))?;
        Ok(root)
    }

    /// Value of the first attribute named `name`; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&str> {
        value(&self.attributes, name)
    }

    /// The children named `name`, in the order of the text.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first child named `name`; `None` if there is none.
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.named(name).next()
    }

    /// The element itself and all elements inside, in the order of the text.
    pub fn descendants(&self) -> impl Iterator<Item = &Self> {
        let mut open = vec![self];
        iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(next.children.iter().rev());
            Some(next)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_names_attributes_texts_and_children() {
        let text = "\u{feff}<?xml version=\"1.0\"?><!-- > --><c:a xmlns:c=\"u\" id=\"&lt;1\">1<b/> 2<![CDATA[<3]]>&amp;<c>4</c></c:a>\n";
        let tree = Tree::read(text).unwrap();
        assert_eq!((tree.name.as_str(), tree.text.as_str()), ("a", "1 2<3&amp;"));
        assert_eq!((tree.get("id"), tree.get("d")), (Some("<1"), None));
        assert_eq!(tree.descendants().map(|element| element.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(tree.child("c").map(|child| child.text.as_str()), Some("4"));
    }

    #[test]
    fn what_is_not_one_tree_is_refused_with_its_line() {
        let deep = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
        assert!(Tree::read(&deep(MAX_DEPTH)).is_ok());
        for (text, line, reason) in [
            ("", 1, "there must be one outermost element, but there are 0"),
            ("<a/>\n<b/>", 2, "there must be one outermost element, but there are 2"),
            ("<a>\n\n<b>", 3, "the text ends inside <b>"),
            (&deep(MAX_DEPTH + 1), 1, "nested 500 deep"),
            (&deep(1_000_000), 1, "nested 500 deep"),
            (&format!("<a>{}</a>", "<b/>".repeat(MAX_ELEMENTS)), 1, "may have 2000000 elements"),
        ] {
            let error = Tree::read(text).unwrap_err();
            assert!(error.line == line && error.reason.contains(reason), "{error}");
        }
    }
}
