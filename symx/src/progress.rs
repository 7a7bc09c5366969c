//! The line on stderr that shows how far an exploration is.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;
use symx_interp::explore::Progress;

/// Explorations shorter than this show nothing.
const QUIET_START: Duration = Duration::from_millis(500);

/// A line redrawn in place on a terminal; nothing where stderr is none.
pub struct ProgressLine {
    bar: ProgressBar,
    shown: Duration,
}

impl ProgressLine {
    /// A line on stderr.
    pub fn on_stderr() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        Self::with(bar)
    }

    /// No line.
    pub fn silent() -> Self {
        Self::with(ProgressBar::hidden())
    }

    fn with(bar: ProgressBar) -> Self {
        let style =
            ProgressStyle::with_template("symx: {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        Self { bar, shown: Duration::ZERO }
    }

    /// Shows `progress` after `elapsed`, at most ten times a second.
    pub fn show(&mut self, progress: &Progress, elapsed: Duration) {
        if self.bar.is_hidden() || elapsed < QUIET_START || elapsed < self.shown + Duration::from_millis(100)
        {
            return;
        }
        self.shown = elapsed;
        self.bar.set_message(message(progress, elapsed));
        self.bar.tick();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: &Progress, elapsed: Duration) -> String {
    format!(
        "{} executions, {} blocked, {} open, {} instructions, {} s",
        HumanCount(progress.executions),
        HumanCount(progress.blocked),
        HumanCount(progress.open),
        HumanCount(progress.instructions),
        elapsed.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let progress = Progress { executions: 12_345, open: 3, ..Progress::default() };
        let line = message(&progress, Duration::from_secs(7));
        assert_eq!(line, "12,345 executions, 0 blocked, 3 open, 0 instructions, 7 s");
    }
}
