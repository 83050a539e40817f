//! Writes XML into memory, with escaped attributes.

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

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
