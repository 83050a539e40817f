//! XML into memory, with whatever stands in an attribute escaped.

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

/// A writer of elements, which cannot fail.
pub(super) struct Writer(quick_xml::Writer<Vec<u8>>);

impl Writer {
    /// For machines: everything on one line.
    pub(super) fn new() -> Self {
        Self(quick_xml::Writer::new(Vec::new()))
    }

    /// For people: a line an element, below an XML declaration.
    pub(super) fn for_people() -> Self {
        let mut writer = Self(quick_xml::Writer::new_with_indent(Vec::new(), b' ', 2));
        writer.write(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        writer
    }

    /// The start of an element.
    pub(super) fn open<'a>(&mut self, name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) {
        self.write(Event::Start(Self::element(name, attributes)));
    }

    /// An element without children.
    pub(super) fn empty<'a>(&mut self, name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) {
        self.write(Event::Empty(Self::element(name, attributes)));
    }

    /// The end of an element.
    pub(super) fn close(&mut self, name: &str) {
        self.write(Event::End(BytesEnd::new(name)));
    }

    /// All that was written.
    pub(super) fn finish(self) -> String {
        // Nothing but strings went in.
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
        // Writing into a vector never fails: the result carries nothing.
        let _ = self.0.write_event(event);
    }
}
