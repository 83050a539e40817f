//! The stream: requests on standard input, answers on standard output, a line of JSON each.

use std::io::{BufRead, Read, Write};

use serde_json::{Value, json};
use urdf_ik::files::MAX_SETTINGS_BYTES;

use super::answer::AnswerOut;
use super::json::Object;
use super::request::SkeletonRequest;
use super::session::Session;
use crate::input::in_words;
use crate::output::write_line;
use crate::{Failure, Result};

/// Writes the description of the model, then an answer to each line of `input`. The answer to an invalid line is an
/// error in JSON.
///
/// # Errors
/// A message if `input` cannot be read or `out` cannot be written.
pub fn run(session: &mut dyn Session, mut input: impl BufRead, out: &mut impl Write) -> Result {
    write_line(out, &json!({ "model": session.description() }))?;
    out.flush()?;
    while let Some(line) = next_line(&mut input)? {
        match line.and_then(|line| request(&line)) {
            Ok(request) => match session.answer(&request) {
                Ok(answer) => write_line(out, &AnswerOut { id: request.id, ..answer })?,
                Err(failure) => write_line(out, &refusal(&failure, request.id))?,
            },
            Err(failure) => write_line(out, &refusal(&failure, None))?,
        }
        out.flush()?;
    }
    Ok(())
}

fn request(line: &[u8]) -> Result<SkeletonRequest> {
    let Object(request) =
        serde_json::from_slice::<Object<SkeletonRequest>>(line.trim_ascii_end()).map_err(|e| refused(&e))?;
    Ok(request)
}

fn refusal(failure: &Failure, id: Option<Value>) -> Value {
    let mut refusal = json!({ "error": failure.to_string() });
    if let Some(id) = id {
        refusal["id"] = id;
    }
    refusal
}

/// The error of the JSON reader with the column alone, because it counts lines from the current one.
fn refused(error: &serde_json::Error) -> String {
    let (sentence, column) = (error.to_string(), error.column());
    let end = format!(" at line {} column {column}", error.line());
    format!("the line is no request: {} at column {column}", in_words(sentence.trim_end_matches(&end)))
}

/// The next line; `None` at the end of the input. A line that is too long is skipped, which is an error.
fn next_line(input: &mut impl BufRead) -> std::io::Result<Option<Result<Vec<u8>>>> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_SETTINGS_BYTES as u64).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() < MAX_SETTINGS_BYTES || line.ends_with(b"\n") {
        return Ok(Some(Ok(line)));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Err(format!("the line is longer than {MAX_SETTINGS_BYTES} bytes, which is the limit").into())))
}
