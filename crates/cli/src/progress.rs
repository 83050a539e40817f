//! The progress of long work, on standard error where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// A bar for `steps` steps of `what`. It draws where it is moved on, twenty times a second at most, and has no thread of its own. Dropped, it
/// leaves nothing behind.
pub fn bar(what: &'static str, steps: usize) -> ProgressBar {
    // The template is a constant; were it wrong, indicatif's own would do.
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps as u64).with_style(style).with_message(what).with_finish(ProgressFinish::AndClear)
}

/// A sign of life for work that has no steps to count, with the seconds since it began. A thread of its own moves it. Dropped, it leaves
/// nothing behind.
pub fn spinner(what: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {msg}, {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    let spinner = ProgressBar::new_spinner().with_style(style).with_message(what).with_finish(ProgressFinish::AndClear);
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}
