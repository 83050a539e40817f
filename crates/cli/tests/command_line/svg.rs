//! A picture read as XML.

use std::collections::BTreeSet;
use std::path::Path;

use urdf_ik::robot::xml::Tree;

/// The content of a picture.
pub struct Svg {
    /// Name and attribute text of each element.
    pub elements: Vec<(String, String)>,
    pub texts: Vec<String>,
    pub bytes: usize,
}

impl Svg {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let root = Tree::read(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(root.name, "svg");
        let attributes = |element: &Tree| {
            let keys: BTreeSet<&str> = element.attributes.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(keys.len(), element.attributes.len(), "{}", path.display());
            element.attributes.iter().flat_map(|(key, value)| [" ", key, "=\"", value, "\""]).collect::<String>()
        };
        let elements = root.descendants().map(|element| (element.name.clone(), attributes(element))).collect();
        let texts = root.descendants().filter(|element| element.name == "text");
        Self { elements, texts: texts.map(|text| text.text.trim().to_owned()).collect(), bytes: text.len() }
    }

    pub fn has(&self, text: &str) -> bool {
        self.texts.iter().any(|found| found.contains(text))
    }

    pub fn count(&self, name: &str) -> usize {
        self.elements.iter().filter(|element| element.0 == name).count()
    }

    /// The distance of a text from the top.
    pub fn height_of(&self, text: &str) -> f64 {
        let at = self.texts.iter().position(|found| found == text).unwrap();
        let element = self.elements.iter().filter(|element| element.0 == "text").nth(at).unwrap();
        let y = element.1.split(" y=\"").nth(1).unwrap();
        y.split('"').next().unwrap().parse().unwrap()
    }

    /// The number of lines with a width.
    pub fn lines(&self, width: u32) -> usize {
        let width = format!("stroke-width=\"{width}\"");
        self.elements.iter().filter(|(name, attributes)| name == "polyline" && attributes.contains(&width)).count()
    }
}
