//! Reads text from outside with care: from regular files and standard input, and never more than a bound.
//!
//! A pipe, a device or a folder is refused without waiting for it, so that no path can make the caller hang or
//! run out of memory.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use thiserror::Error;

use crate::names::short;

/// Maximum size of a URDF \[bytes\].
pub const MAX_URDF_BYTES: usize = 16 << 20;
/// Maximum size of a settings text, such as joint positions or joint limits \[bytes\].
pub const MAX_SETTINGS_BYTES: usize = 1 << 20;
/// Maximum size of a data file, such as the cases of a benchmark \[bytes\].
pub const MAX_DATA_BYTES: usize = 256 << 20;

/// Failure to read a file or standard input.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot read {}: {reason}", short(path))]
pub struct ReadError {
    /// Path of the file, as passed by the caller, or `standard input`.
    pub path: String,
    /// Message of the operating system, or the invalid property of the file.
    pub reason: String,
}

/// The text of the file at `path`, of at most `max_bytes` bytes.
///
/// # Errors
/// [`ReadError`] if the path is not a regular file, or the file cannot be read, is larger or is not UTF-8.
pub fn read_text(path: &Path, max_bytes: usize) -> Result<String, ReadError> {
    text(read_bytes(path, max_bytes)?, &path.display().to_string())
}

/// The bytes of the file at `path`, at most `max_bytes`.
///
/// # Errors
/// [`ReadError`] if the path is not a regular file, or the file cannot be read or is larger.
#[doc(hidden)]
pub fn read_bytes(path: &Path, max_bytes: usize) -> Result<Vec<u8>, ReadError> {
    let place = path.display().to_string();
    // Opening a device can already do something to it, so it is not opened.
    check(&path.metadata().map_err(|e| failed(&place, &e))?, &place, max_bytes)?;
    // Whatever has taken the place of the file since then is opened without waiting, and then refused.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = opened.map_err(|e| failed(&place, &e))?;
    check(&file.metadata().map_err(|e| failed(&place, &e))?, &place, max_bytes)?;
    bounded(file, &place, max_bytes)
}

/// The text of standard input, of at most `max_bytes` bytes.
///
/// # Errors
/// [`ReadError`] if standard input cannot be read, is longer than `max_bytes`, or is not UTF-8.
pub fn read_standard_input(max_bytes: usize) -> Result<String, ReadError> {
    let place = "standard input";
    text(bounded(io::stdin().lock(), place, max_bytes)?, place)
}

impl ReadError {
    fn new(place: &str, reason: impl Into<String>) -> Self {
        Self { path: place.to_owned(), reason: reason.into() }
    }
}

/// The failure of the operating system at `place`.
fn failed(place: &str, error: &io::Error) -> ReadError {
    match error.kind() {
        ErrorKind::NotFound => ReadError::new(place, "there is no such file"),
        _ => ReadError::new(place, error.to_string()),
    }
}

/// Checks a file before it is read.
fn check(about: &Metadata, place: &str, max_bytes: usize) -> Result<(), ReadError> {
    let kind = about.file_type();
    if !kind.is_file() {
        let found = match () {
            () if kind.is_dir() => "a directory",
            () if kind.is_fifo() => "a pipe",
            () if kind.is_socket() => "a socket",
            () => "a device",
        };
        return Err(ReadError::new(place, format!("it is {found}, not a regular file")));
    }
    if about.len() > max_bytes as u64 { Err(too_large(place, max_bytes)) } else { Ok(()) }
}

/// Reads to the end. Some regular files, such as those of /proc, have more than the size that they tell.
fn bounded(source: impl Read, place: &str, max_bytes: usize) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    source.take(max_bytes as u64 + 1).read_to_end(&mut bytes).map_err(|e| failed(place, &e))?;
    if bytes.len() > max_bytes { Err(too_large(place, max_bytes)) } else { Ok(bytes) }
}

fn too_large(place: &str, max_bytes: usize) -> ReadError {
    ReadError::new(place, format!("it is larger than {max_bytes} bytes, which is the limit for such a file"))
}

fn text(bytes: Vec<u8>, place: &str) -> Result<String, ReadError> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        ReadError::new(place, format!("byte {at} is not UTF-8 text: save it as UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn refusal(path: &Path, max_bytes: usize) -> String {
        read_text(path, max_bytes).unwrap_err().to_string()
    }

    fn file(name: &str, bytes: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("urdf_ik_files_{}_{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn regular_files_are_read_up_to_the_bound() {
        let path = file("text", "grüße".as_bytes());
        assert_eq!(read_text(&path, 7).unwrap(), "grüße");
        assert!(refusal(&path, 6).ends_with("it is larger than 6 bytes, which is the limit for such a file"));
        std::fs::write(&path, b"gr\xfc\xdfe").unwrap();
        assert!(refusal(&path, 6).ends_with("byte 2 is not UTF-8 text: save it as UTF-8"));
        assert_eq!(read_bytes(&path, 6).unwrap(), b"gr\xfc\xdfe");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(refusal(&path, 6), format!("cannot read {}: there is no such file", path.display()));
    }

    /// A file of /proc tells the size 0.
    #[test]
    fn the_size_that_a_file_tells_is_not_trusted() {
        assert!(refusal(Path::new("/proc/self/maps"), 10).contains("larger than 10 bytes"));
    }

    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        let pipe = std::env::temp_dir().join(format!("urdf_ik_files_{}_pipe", std::process::id()));
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        for (path, found) in
            [(pipe.as_path(), "a pipe"), (Path::new("/dev/zero"), "a device"), (Path::new("/"), "a directory")]
        {
            assert!(refusal(path, 9).ends_with(&format!("it is {found}, not a regular file")), "{found}");
        }
        // As where a pipe takes the place of a file between the check and the opening.
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(&pipe).unwrap();
        assert!(check(&opened.metadata().unwrap(), "it", 9).unwrap_err().reason.contains("a pipe"));
        std::fs::remove_file(&pipe).unwrap();
    }
}
