//! Arguments that are a file path or the text itself.

use std::path::PathBuf;

use pyo3::prelude::*;

use urdf_ik::files;

use crate::refused;

/// A text, or the path of a file with it.
#[derive(FromPyObject)]
pub enum PathOrText {
    Text(String),
    Path(PathBuf),
}

impl PathOrText {
    /// The text, of at most `max_bytes` bytes, and the file that it is from. `is_text` distinguishes a text from a
    /// path in a string.
    pub fn read(self, is_text: fn(&str) -> bool, max_bytes: usize) -> PyResult<(String, Option<PathBuf>)> {
        let path = match self {
            Self::Text(text) if is_text(&text) => return Ok((text, None)),
            Self::Text(path) => path.into(),
            Self::Path(path) => path,
        };
        Ok((files::read_text(&path, max_bytes).map_err(refused)?, Some(path)))
    }
}

/// XML begins with `<`, which no path does.
pub fn is_xml(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// YAML of more than one entry has several lines, or braces.
pub fn is_yaml(text: &str) -> bool {
    text.contains(['\n', '{'])
}
