//! Walks through the elements of an XML text, and writes XML into memory, with escaped attributes.

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use quick_xml::reader::Reader;

use super::UrdfError;

/// Hands over each element that starts, with the names of the elements that it is in. It reads the text once, and keeps only the names of
/// the open elements, so that any depth is possible.
///
/// # Errors
/// [`UrdfError::Xml`] where the text is not well-formed, and what `on_start` refuses.
pub(super) fn each_element(
    text: &str,
    mut on_start: impl FnMut(&[Vec<u8>], &BytesStart) -> Result<(), UrdfError>,
) -> Result<(), UrdfError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    let wrong_at = |position: u64, reason: String| {
        let end = usize::try_from(position).unwrap_or(usize::MAX).min(text.len());
        let line = 1 + text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count();
        Err(UrdfError::Xml { line, reason })
    };
    let mut path: Vec<Vec<u8>> = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                on_start(&path, &start)?;
                path.push(start.name().as_ref().to_vec());
            }
            Ok(Event::Empty(start)) => on_start(&path, &start)?,
            Ok(Event::End(_)) => _ = path.pop(),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(e) => return wrong_at(reader.error_position(), e.to_string()),
        }
    }
    let Some(open) = path.last() else { return Ok(()) };
    wrong_at(reader.buffer_position(), format!("the text ends inside <{}>", String::from_utf8_lossy(open)))
}

/// A writer of XML elements, which cannot fail.
pub struct Writer(quick_xml::Writer<Vec<u8>>);

impl Writer {
    /// A writer for machines: everything on one line.
    pub(super) fn new() -> Self {
        Self(quick_xml::Writer::new(Vec::new()))
    }

    /// A writer for people: an XML declaration, then one line for each element.
    #[must_use]
    pub fn for_people() -> Self {
        let mut writer = Self(quick_xml::Writer::new_with_indent(Vec::new(), b' ', 2));
        writer.write(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        writer
    }

    /// Writes the start of an element.
    pub fn open<'a>(&mut self, name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) {
        self.write(Event::Start(Self::element(name, attributes)));
    }

    /// Writes an element without children.
    pub fn empty<'a>(&mut self, name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) {
        self.write(Event::Empty(Self::element(name, attributes)));
    }

    /// Writes the end of an element.
    pub fn close(&mut self, name: &str) {
        self.write(Event::End(BytesEnd::new(name)));
    }

    /// The whole text.
    #[must_use]
    pub fn finish(self) -> String {
        // All parts were strings, so nothing is lost.
        String::from_utf8_lossy(&self.0.into_inner()).into_owned()
    }

    fn element<'a>(name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) -> BytesStart<'a> {
        let mut start = BytesStart::new(name);
        for (key, value) in attributes {
            start.push_attribute((key, value.as_str()));
        }
        start
    }

    fn write(&mut self, event: Event) {
        // Writing into a vector never fails.
        let _ = self.0.write_event(event);
    }
}
