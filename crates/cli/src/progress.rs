//! The progress of long computations, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// A progress bar with the label `what` for `steps` steps. It is drawn when it advances, at most twenty times a second,
/// without a thread, and disappears when dropped.
pub fn bar(what: &'static str, steps: usize) -> ProgressBar {
    // The template is a valid constant.
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps as u64).with_style(style).with_message(what).with_finish(ProgressFinish::AndClear)
}
