//! A record of answers, to know whether a change of the source changes any of them:
//! `cargo bench --bench record -- write FILE` writes the bits of the answers to some 60 000 random problems, and
//! `-- compare FILE FILE` compares two such files.
//!
//! Every part of the library that computes has groups of problems. A group is a name and a function from seeded
//! random numbers to a list of numbers; the name gives the seed, so that a new group changes no other. No time
//! limit is set, and only the public interface is used, so that one source serves before and after a change. Bits
//! are comparable on one machine with one compiler: mathematical functions of the standard library differ from
//! system to system.

mod collisions;
mod compare;
mod kinematics;
mod motions;
#[path = "../../../random/src/random.rs"]
#[allow(dead_code, reason = "the tests use the rest of it")]
mod random;
mod record;
mod robots;
mod servo;
mod skeletons;
mod solves;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use random::Random;
use record::Record;
use robots::robots;

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> Fallible<ExitCode> {
    // cargo adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", file] => write(Path::new(file), "").map(|()| ExitCode::SUCCESS),
        ["write", file, part] => write(Path::new(file), part).map(|()| ExitCode::SUCCESS),
        ["compare", before, after] => {
            let [before, after] = [before, after].map(|file| Record::read(Path::new(file)));
            let are_equal = compare::print(&before?, &after?);
            Ok(if are_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        _ => {
            println!(
                "write FILE [PART OF THE GROUPS' NAMES], or compare FILE FILE: cargo bench --bench record -- write FILE"
            );
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Writes the answers of the groups whose names contain `part`.
fn write(file: &Path, part: &str) -> Fallible<()> {
    let robots = robots()?;
    let mut groups = Vec::new();
    for robot in &robots {
        groups.extend(kinematics::groups(robot));
        groups.extend(solves::groups(robot)?);
        groups.extend(motions::groups(robot)?);
        groups.extend(servo::groups(robot)?);
    }
    groups.extend(collisions::groups()?);
    groups.extend(skeletons::groups());
    let (start, mut record) = (Instant::now(), Record::default());
    for group in groups.into_iter().filter(|group| group.name.contains(part)) {
        let (name, begun) = (group.name.clone(), Instant::now());
        record.add(group)?;
        println!("{:8.2} s  {name}", begun.elapsed().as_secs_f64());
    }
    record.write(file)?;
    let (problems, seconds) = (record.problems(), start.elapsed().as_secs_f64());
    println!("{problems} problems of {} robots in {seconds:.1} s: {}", robots.len(), file.display());
    Ok(())
}
