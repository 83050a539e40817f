//! Visits the elements of an XML text, for the readers of collision geometry and of SRDF.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::malformed::Malformed;

/// An element: its name after those of the elements that it stands in, and its attributes as written.
pub(crate) struct Element {
    path: Vec<String>,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// The names from the outermost element to this one.
    pub(crate) fn path(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn read(open: &[String], start: &BytesStart) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut attributes = Vec::new();
        for attribute in start.attributes().with_checks(false).flatten() {
            let value = attribute.unescape_value().map_or_else(|_| text(&attribute.value), String::from);
            attributes.push((text(attribute.key.as_ref()), value));
        }
        let name = text(start.name().as_ref());
        Self { path: open.iter().cloned().chain([name]).collect(), attributes }
    }
}

/// Calls `visit` for each element no deeper than `depth`, in the order of the text.
///
/// # Errors
/// What the XML reader said, and that of `visit`.
pub(crate) fn each_element<E: From<Malformed>>(
    text: &str,
    depth: usize,
    mut visit: impl FnMut(&Element) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().allow_dangling_amp = true;
    // Names of the open elements up to that depth, and the number of all open ones.
    let (mut open, mut deep): (Vec<String>, usize) = (Vec::new(), 0);
    loop {
        match reader.read_event().map_err(Malformed::from)? {
            Event::Start(start) => {
                if deep < depth {
                    let element = Element::read(&open, &start);
                    visit(&element)?;
                    open = element.path;
                }
                deep += 1;
            }
            Event::Empty(start) if deep < depth => visit(&Element::read(&open, &start))?,
            Event::End(_) => {
                deep = deep.saturating_sub(1);
                open.truncate(deep);
            }
            Event::Eof if deep > 0 => return Err(Malformed::from("the text ends inside an element").into()),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}
