//! A picture read by a strict XML reader.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::Event;

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
        let mut svg = Self { elements: Vec::new(), texts: Vec::new(), bytes: text.len() };
        let mut reader = Reader::from_str(&text);
        reader.config_mut().check_end_names = true;
        let (mut depth, mut words) = (0, String::new());
        loop {
            match reader.read_event().unwrap_or_else(|e| panic!("{}: {e}", path.display())) {
                Event::Start(element) => {
                    depth += 1;
                    words.clear();
                    svg.add(&element);
                }
                Event::Empty(element) => svg.add(&element),
                Event::Text(part) => words += &part.decode().unwrap(),
                Event::GeneralRef(part) => words.extend(["&", &part.decode().unwrap(), ";"]),
                Event::End(_) => {
                    depth -= 1;
                    svg.texts.push(words.trim().to_owned());
                    words.clear();
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0, "{}", path.display());
        assert_eq!(svg.elements[0].0, "svg");
        svg
    }

    fn add(&mut self, element: &quick_xml::events::BytesStart) {
        for attribute in element.attributes() {
            attribute.unwrap();
        }
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        self.elements.push((text(element.name().as_ref()), text(element.attributes_raw())));
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
