//! Output files: checked before the computation starts, written after it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use serde::Serialize;

use super::Result;

/// Writes an answer as a line of JSON.
///
/// # Errors
/// A message if `out` cannot be written.
pub fn write_line(out: &mut impl Write, answer: &impl Serialize) -> Result {
    serde_json::to_writer(&mut *out, answer)?;
    Ok(writeln!(out)?)
}

/// Writes an answer as indented JSON.
///
/// # Errors
/// A message if `out` cannot be written.
pub fn write_pretty(out: &mut impl Write, answer: &impl Serialize) -> Result {
    serde_json::to_writer_pretty(&mut *out, answer)?;
    Ok(writeln!(out)?)
}

/// The path of an output file. It is checked to be writable before the command starts.
#[derive(Debug, Clone)]
pub struct OutputFile(PathBuf);

/// The destination of an answer.
#[derive(Debug, Clone)]
pub enum AnswerOutput {
    /// Standard output, `-` in place of a file.
    Standard,
    /// A file.
    File(OutputFile),
}

impl AnswerOutput {
    /// Parses an argument, the path of a file or `-`.
    ///
    /// # Errors
    /// A message if the file cannot be written.
    pub fn any(path: &str) -> Result<Self> {
        if path == "-" { Ok(Self::Standard) } else { OutputFile::any(path).map(Self::File) }
    }

    /// The existing file that the answer will replace, if any.
    pub fn replaces(&self) -> Option<&Path> {
        match self {
            Self::File(OutputFile(path)) if path.is_file() => Some(path),
            _ => None,
        }
    }

    /// Writes the text to the file, or to `out` in place of standard output.
    ///
    /// # Errors
    /// A message if the file or `out` cannot be written.
    pub fn write(&self, text: &str, out: &mut impl Write) -> Result {
        match self {
            Self::File(file) => file.write(text),
            Self::Standard => Ok(out.write_all(text.as_bytes())?),
        }
    }
}

impl OutputFile {
    /// Parses an argument, the path of a file with any ending.
    ///
    /// # Errors
    /// A message if the path is `-`, or the file cannot be written.
    pub fn any(path: &str) -> Result<Self> {
        if path == "-" {
            return Err("standard output has the summary: name a file".into());
        }
        let path = PathBuf::from(path);
        let problem = match path.metadata() {
            Ok(about) if about.is_dir() => Some("it is a directory".to_owned()),
            Ok(about) => {
                let denied = access(&path, Access::WRITE_OK).err().map(|e| io::Error::from(e).to_string());
                denied.or_else(|| if about.is_file() { folder_problem(&path) } else { None })
            }
            Err(e) if e.kind() == ErrorKind::NotFound => folder_problem(&path),
            Err(e) => Some(e.to_string()),
        };
        problem.map_or(Ok(Self(path)), |problem| Err(format!("it cannot be written: {problem}").into()))
    }

    /// Parses an argument, the path of a file that ends in `.svg`.
    ///
    /// # Errors
    /// A message if the ending differs, or the file cannot be written.
    pub fn svg(path: &str) -> Result<Self> {
        Self::with_ending(path, "svg")
    }

    /// Parses an argument, the path of a file that ends in `.ply`.
    ///
    /// # Errors
    /// A message if the ending differs, or the file cannot be written.
    pub fn ply(path: &str) -> Result<Self> {
        Self::with_ending(path, "ply")
    }

    fn with_ending(path: &str, ending: &str) -> Result<Self> {
        let found = Path::new(path).extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
        if found { Self::any(path) } else { Err(format!("its name must end in .{ending}").into()) }
    }

    /// Writes the file. An existing file is replaced only by a complete new one, so that a full disk loses nothing.
    /// Anything but a regular file, such as a pipe, is written directly.
    ///
    /// # Errors
    /// A message if the file cannot be written.
    pub fn write(&self, content: impl AsRef<[u8]>) -> Result {
        let (path, content) = (&self.0, content.as_ref());
        // A symbolic link stays; its target is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.clone());
        let written = match target.metadata() {
            Ok(about) if !about.is_file() => {
                File::options().write(true).open(&target).and_then(|mut file| file.write_all(content))
            }
            about => {
                let beside = target.with_file_name(format!(".urdf_ik_{}.part", std::process::id()));
                let written = write_beside(&beside, about.ok().map(|about| about.permissions()), content)
                    .and_then(|()| fs::rename(&beside, &target));
                if written.is_err() {
                    // It may not exist, and the first error matters.
                    let _ = fs::remove_file(&beside);
                }
                written
            }
        };
        written.map_err(|e| format!("cannot write {}: {e}", path.display()).into())
    }
}

fn write_beside(path: &Path, permissions: Option<fs::Permissions>, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(content)?;
    // A full disk may be reported only now.
    file.sync_all()
}

/// The reason why the folder of a file is not writable.
fn folder_problem(path: &Path) -> Option<String> {
    let folder = match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return Some("it has no name".to_owned()),
    };
    if !folder.is_dir() {
        return Some(format!("there is no folder {}", folder.display()));
    }
    access(folder, Access::WRITE_OK).err().map(|e| format!("{}: {}", folder.display(), io::Error::from(e)))
}
