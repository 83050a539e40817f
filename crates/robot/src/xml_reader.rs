//! Walks through the elements of a robot description.

use quick_xml::events::{BytesStart, Event};
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
