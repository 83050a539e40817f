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
    /// Returns the text, and its source file, if any. A file may have at most `max_bytes` bytes. `is_text`
    /// distinguishes a text from a path.
    ///
    /// # Errors
    /// A `urdfik.Error` if the file cannot be read.
    pub fn read(self, is_text: fn(&str) -> bool, max_bytes: usize) -> PyResult<(String, Option<PathBuf>)> {
        let path = match self {
            Self::Text(text) if is_text(&text) => return Ok((text, None)),
            Self::Text(path) => path.into(),
            Self::Path(path) => path,
        };
        Ok((files::read_text(&path, max_bytes).map_err(refused)?, Some(path)))
    }
}

/// True if the first character of the string other than white space is `<`, as in XML.
pub fn is_xml(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// True if the string contains a line break or a brace `{`, as YAML of more than one entry does.
pub fn is_yaml(text: &str) -> bool {
    text.contains(['\n', '{'])
}
