//! Shared by the benches: arguments, case files, counts and times.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use urdf_ik::robot::{Chain, Robot};

use super::read_json;

/// A case file, as `urdf_ik evaluate` reads it.
pub struct CaseFile {
    /// Name of the robot.
    pub robot: String,
    pub chain: Arc<Chain>,
    pub cases: Vec<Value>,
}

impl CaseFile {
    pub fn read(path: &Path) -> Self {
        let file = read_json(path);
        let text = |name: &str| file[name].as_str().unwrap_or_else(|| panic!("{}: no {name}", path.display()));
        let robot = Robot::from_urdf_file(path.parent().unwrap().join(text("urdf"))).unwrap();
        let chain = Arc::new(Chain::new(&robot, text("base_link"), &[text("tip_link")]).unwrap());
        Self { robot: text("robot").to_owned(), chain, cases: file["cases"].as_array().unwrap().clone() }
    }
}

/// The arguments of a bench, without the options of cargo.
pub fn words() -> Vec<String> {
    std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect()
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn number(count: usize) -> f64 {
    count as f64
}

/// The result of `work`, and its duration \[µs\].
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64() * 1e6)
}

/// The least duration of `runs` runs \[µs\]: other load only adds to it.
pub fn least_time(runs: usize, mut run: impl FnMut()) -> f64 {
    (0..runs).map(|_| timed(&mut run).1).fold(f64::INFINITY, f64::min)
}

/// Times of many runs \[µs\].
#[derive(Default)]
pub struct Times(pub Vec<f64>);

impl Times {
    /// Runs `work` and adds its duration.
    pub fn add<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (done, time) = timed(work);
        self.0.push(time);
        done
    }

    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / number(self.0.len())
    }

    /// The time that a percentage of the runs does not exceed.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted[(sorted.len() - 1) * percent / 100]
    }
}
