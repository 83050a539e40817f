//! Writes XML.

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

/// Effort of joints \[N·m\], which URDF requires.
const EFFORT: &str = "10";
/// Greatest velocity of joints \[rad/s\], which URDF requires, and smooth motions keep.
const VELOCITY: &str = "3";

/// An infallible writer of XML elements.
pub struct Writer(quick_xml::Writer<Vec<u8>>);

impl Writer {
    /// A writer for machines: everything on one line.
    pub(crate) fn new() -> Self {
        Self(quick_xml::Writer::new(Vec::new()))
    }

    /// A writer of readable XML: a declaration, then one line per element.
    pub fn for_people() -> Self {
        let mut writer = Self(quick_xml::Writer::new_with_indent(Vec::new(), b' ', 2));
        writer.write(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        writer
    }

    /// Writes the start tag of the element `name` with these names and values of attributes.
    pub fn open<'a>(&mut self, name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) {
        self.write(Event::Start(Self::element(name, attributes)));
    }

    /// Writes the empty element `name` with these names and values of attributes.
    pub fn empty<'a>(&mut self, name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) {
        self.write(Event::Empty(Self::element(name, attributes)));
    }

    /// Writes the `<limit>` of a joint. `range` is the lower and upper limit \[rad\] of a revolute joint, or `None` for
    /// a continuous one.
    pub fn limit(&mut self, range: Option<[f64; 2]>) {
        let range = range.map(|[lower, upper]| [("lower", lower.to_string()), ("upper", upper.to_string())]);
        let rest = [("effort", EFFORT.to_owned()), ("velocity", VELOCITY.to_owned())];
        self.empty("limit", range.into_iter().flatten().chain(rest));
    }

    /// Writes the end tag of the element `name`.
    pub fn close(&mut self, name: &str) {
        self.write(Event::End(BytesEnd::new(name)));
    }

    /// The complete text.
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
