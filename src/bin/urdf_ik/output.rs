//! Files that the commands write: checked before the work begins, written after it.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::Failure;

/// A file to write. It is made by an argument's parser, so that a command that could not write it does not begin.
#[derive(Debug, Clone)]
pub struct OutputFile(PathBuf);

impl OutputFile {
    /// A file of any kind, for clap.
    pub fn any(path: &str) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let problem = match path.metadata() {
            Ok(about) if about.is_dir() => Some("it is a directory".to_owned()),
            Ok(_) => access(&path, Access::WRITE_OK).err().map(|e| io::Error::from(e).to_string()),
            Err(e) if e.kind() == ErrorKind::NotFound => folder_problem(&path),
            Err(e) => Some(e.to_string()),
        };
        problem.map_or(Ok(Self(path)), |problem| Err(format!("it cannot be written: {problem}")))
    }

    /// A file whose name ends in `.svg`, for clap.
    pub fn svg(path: &str) -> Result<Self, String> {
        Self::with_ending(path, "svg")
    }

    /// A file whose name ends in `.ply`, for clap.
    pub fn ply(path: &str) -> Result<Self, String> {
        Self::with_ending(path, "ply")
    }

    fn with_ending(path: &str, ending: &str) -> Result<Self, String> {
        let found = Path::new(path).extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
        if found { Self::any(path) } else { Err(format!("its name must end in .{ending}")) }
    }

    /// Writes the file by `content`.
    pub fn write(&self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let write = || {
            let mut file = BufWriter::new(File::create(&self.0)?);
            content(&mut file)?;
            file.flush()
        };
        write().map_err(|e| format!("cannot write {}: {e}", self.0.display()).into())
    }
}

/// What is wrong with the folder of a file that does not exist yet.
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
