//! XML: the elements of a text one after the other, and a writer.

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
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

    /// Value of the first attribute named `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn read(open: &[String], start: &BytesStart) -> Self {
        let mut attributes = Vec::new();
        for attribute in start.attributes().with_checks(false).flatten() {
            let value = attribute.unescape_value().map_or_else(|_| as_text(&attribute.value), String::from);
            attributes.push((as_text(attribute.key.as_ref()), value));
        }
        let name = as_text(start.name().as_ref());
        Self { path: open.iter().cloned().chain([name]).collect(), attributes }
    }
}

fn as_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Calls `visit` for each element up to `depth`, in the order of the text. Memory is needed only for the names of the
/// open elements, so any nesting is accepted.
///
/// # Errors
/// [`XmlError`] if the text is not well-formed XML, and any error of `visit`.
pub fn each_element<E: From<XmlError>>(
    text: &str,
    depth: usize,
    mut visit: impl FnMut(Element) -> Result<(), E>,
) -> Result<(), E> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    let fault = |position: u64, reason: String| {
        let end = usize::try_from(position).unwrap_or(usize::MAX).min(text.len());
        let line = 1 + text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count();
        Err(E::from(XmlError { line, reason }))
    };
    let mut open: Vec<String> = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                if open.len() < depth {
                    visit(Element::read(&open, &start))?;
                }
                open.push(as_text(start.name().as_ref()));
            }
            Ok(Event::Empty(start)) if open.len() < depth => visit(Element::read(&open, &start))?,
            Ok(Event::End(_)) => {
                open.pop();
            }
            Ok(Event::Eof) => match open.last() {
                Some(name) => return fault(reader.buffer_position(), format!("the text ends inside <{name}>")),
                None => return Ok(()),
            },
            Ok(_) => {}
            Err(error) => return fault(reader.error_position(), error.to_string()),
        }
    }
}

/// The `N` finite numbers of a text, separated by white space; `None` for any other text.
pub fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let values: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    <[f64; N]>::try_from(values).ok().filter(|values| values.iter().all(|value| value.is_finite()))
}

/// Effort of joints \[N·m\], which URDF requires.
const EFFORT: &str = "10";
/// Greatest velocity of joints \[rad/s\], which URDF requires, and smooth motions keep.
const VELOCITY: &str = "3";

/// An infallible writer of XML elements.
pub struct Writer(quick_xml::Writer<Vec<u8>>);

impl Writer {
    /// A writer for machines: everything on one line.
    pub(super) fn new() -> Self {
        Self(quick_xml::Writer::new(Vec::new()))
    }

    /// A writer of readable XML: a declaration, then one line per element.
    pub fn for_people() -> Self {
        let mut writer = Self(quick_xml::Writer::new_with_indent(Vec::new(), b' ', 2));
        writer.write(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        writer
    }

    /// Writes the start tag of an element.
    pub fn open<'a>(&mut self, name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) {
        self.write(Event::Start(Self::element(name, attributes)));
    }

    /// Writes an empty element.
    pub fn empty<'a>(&mut self, name: &'a str, attributes: impl IntoIterator<Item = (&'a str, String)>) {
        self.write(Event::Empty(Self::element(name, attributes)));
    }

    /// Writes the `limit` of a revolute joint with `range` \[rad\], or of a continuous joint without one.
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
