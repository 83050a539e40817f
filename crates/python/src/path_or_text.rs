//! Arguments that are a file path or the text itself.

use std::path::PathBuf;

use pyo3::prelude::*;

use urdf_ik::files;

use crate::refused;

/// A text, or the path of a file that contains it.
#[derive(FromPyObject)]
pub enum PathOrText {
    Text(String),
    Path(PathBuf),
}

impl PathOrText {
    /// The text, of at most `max_bytes` bytes, and its source file, if any. `is_text` distinguishes a text from a
    /// path.
    pub fn read(self, is_text: fn(&str) -> bool, max_bytes: usize) -> PyResult<(String, Option<PathBuf>)> {
        let path = match self {
            Self::Text(text) if is_text(&text) => return Ok((text, None)),
            Self::Text(path) => path.into(),
            Self::Path(path) => path,
        };
        Ok((files::read_text(&path, max_bytes).map_err(refused)?, Some(path)))
    }
}

/// True if the string begins with `<`, as XML does and no path.
pub fn is_xml(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// True if the string has several lines or braces, as YAML with more than one entry.
pub fn is_yaml(text: &str) -> bool {
    text.contains(['\n', '{'])
}
