//! `urdf_ik figures`: the figures of docs/how-it-works.md, drawn from what the library computes.

mod blocked;
mod circle;
mod cone;
mod example;
mod humanoid;
mod passes;
mod reach;
mod steps;
mod sub_base;
mod three_link;
mod two_link;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::Failure;
use crate::output::write_file;

/// Draws a figure: the text of an SVG file.
type Draw = fn() -> Result<String, Failure>;

/// The figures by the names of their files.
const FIGURES: [(&str, Draw); 10] = [
    ("passes", passes::draw),
    ("reach", reach::draw),
    ("sub-base", sub_base::draw),
    ("cone", cone::draw),
    ("blocked", blocked::draw),
    ("humanoid", humanoid::draw),
    ("circle", circle::draw),
    ("steps", steps::draw),
    ("two-link", two_link::draw),
    ("three-link", three_link::draw),
];

#[derive(Args)]
pub struct Arguments {
    /// Folder to write them to
    #[arg(long, value_name = "FOLDER")]
    folder: PathBuf,
}

/// Draws every figure and prints where it is.
pub fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
    if !arguments.folder.is_dir() {
        return Err(format!("there is no folder {}", arguments.folder.display()).into());
    }
    for (name, draw) in FIGURES {
        let path = arguments.folder.join(name).with_extension("svg");
        let svg = draw()?;
        write_file(&path, |file| file.write_all(svg.as_bytes()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}
