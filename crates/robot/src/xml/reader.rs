//! Reads the elements of an XML text one after the other.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use thiserror::Error;

use urdf_ik_text::names::sentence;

/// Why a text is not well-formed XML.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {}", sentence(reason))]
pub struct XmlError {
    /// Line of the fault, counted from 1.
    pub line: usize,
    /// Message of the XML reader.
    pub reason: String,
}

/// An XML element: the path of names from the outermost element, and its attributes as written.
pub struct Element {
    path: Vec<String>,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// The names from the outermost element to this one.
    pub fn path(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// Value of the first attribute named `name`; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&str> {
        value(&self.attributes, name)
    }
}

/// Value of the first attribute named `name`.
pub(super) fn value<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// The well-formed attributes of a start tag.
pub(super) fn attributes(start: &BytesStart) -> Vec<(String, String)> {
    let mut attributes = Vec::new();
    for attribute in start.attributes().with_checks(false).flatten() {
        let value = attribute.unescape_value().map_or_else(|_| as_text(&attribute.value), String::from);
        attributes.push((as_text(attribute.key.as_ref()), value));
    }
    attributes
}

pub(super) fn as_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads the tags and texts of an XML text. An empty element is a start tag and an end tag.
pub(super) struct Events<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// Names of the open elements, with the one that has just started and without the one that has just ended.
    pub open: Vec<String>,
}

impl<'a> Events<'a> {
    pub fn new(text: &'a str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let mut reader = Reader::from_str(text);
        reader.config_mut().allow_dangling_amp = true;
        reader.config_mut().expand_empty_elements = true;
        Self { text, reader, open: Vec::new() }
    }

    /// The next event; `None` at the end of the text.
    ///
    /// # Errors
    /// [`XmlError`] if the text is not well-formed XML.
    pub fn next(&mut self) -> Result<Option<Event<'a>>, XmlError> {
        let event = self.reader.read_event();
        let event = event.map_err(|error| self.fault_at(self.reader.error_position(), error.to_string()))?;
        match &event {
            Event::Start(start) => self.open.push(as_text(start.name().as_ref())),
            Event::End(_) => drop(self.open.pop()),
            Event::Eof => {
                let unclosed = |name: &String| Err(self.fault(format!("the text ends inside <{name}>")));
                return self.open.last().map_or(Ok(None), unclosed);
            }
            _ => {}
        }
        Ok(Some(event))
    }

    /// An error at the current position.
    pub fn fault(&self, reason: String) -> XmlError {
        self.fault_at(self.reader.buffer_position(), reason)
    }

    fn fault_at(&self, position: u64, reason: String) -> XmlError {
        let end = usize::try_from(position).unwrap_or(usize::MAX).min(self.text.len());
        XmlError { line: 1 + self.text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count(), reason }
    }
}

/// Calls `visit` for each element at nesting depth `depth` or less (1: the outermost), in the order of the text. Memory
/// is needed only for the names of the open elements, so any nesting is accepted.
///
/// # Errors
/// [`XmlError`] if the text is not well-formed XML, and any error of `visit`.
pub fn each_element<E: From<XmlError>>(
    text: &str,
    depth: usize,
    mut visit: impl FnMut(Element) -> Result<(), E>,
) -> Result<(), E> {
    let mut events = Events::new(text);
    while let Some(event) = events.next()? {
        if let Event::Start(start) = event
            && events.open.len() <= depth
        {
            visit(Element { path: events.open.clone(), attributes: attributes(&start) })?;
        }
    }
    Ok(())
}

/// The `N` finite numbers of a text, separated by white space; `None` for any other text.
pub fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let values: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    <[f64; N]>::try_from(values).ok().filter(|values| values.iter().all(|value| value.is_finite()))
}
