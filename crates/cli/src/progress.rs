//! The progress of long computations, on standard error if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// A bar for `steps` steps of `what`. It is drawn when it advances, at most twenty times a second, without a thread.
/// It disappears when dropped.
pub fn bar(what: &'static str, steps: usize) -> ProgressBar {
    // The template is a valid constant.
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps as u64).with_style(style).with_message(what).with_finish(ProgressFinish::AndClear)
}

/// An indicator with the elapsed time, for work without countable steps. A thread moves it. It disappears when dropped.
pub fn spinner(what: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {msg}, {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    let spinner = ProgressBar::new_spinner().with_style(style).with_message(what).with_finish(ProgressFinish::AndClear);
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}
