//! The stream: requests on standard input, answers on standard output, a line of JSON each.

use std::io::{BufRead, Read, Write};

use serde::Serialize;
use serde_json::json;
use urdf_ik::files::MAX_SETTINGS_BYTES;

use super::answer::Answer;
use super::request::Request;
use super::session::Session;
use crate::Failure;

/// Writes what the model is, and then an answer to each line until the input ends. A line that is wrong is answered by an error.
pub fn run(session: &mut dyn Session, mut input: impl BufRead, out: &mut impl Write) -> Result<(), Failure> {
    write_line(out, &json!({ "model": session.description() }))?;
    while let Some(line) = next_line(&mut input)? {
        match line.and_then(|line| answer(session, &line)) {
            Ok(answer) => write_line(out, &answer)?,
            Err(failure) => write_line(out, &json!({ "error": failure.to_string() }))?,
        }
    }
    Ok(())
}

fn answer(session: &mut dyn Session, line: &[u8]) -> Result<Answer, Failure> {
    // The reason may quote a long text.
    let request: Request =
        serde_json::from_slice(line).map_err(|e| format!("the line is no request: {:.500}", e.to_string()))?;
    session.answer(&request)
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// The next line; the outer `None` at the end of the input. Of a line that is too long nothing is kept.
fn next_line(input: &mut impl BufRead) -> std::io::Result<Option<Result<Vec<u8>, Failure>>> {
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
