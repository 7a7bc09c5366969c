//! The line on stderr that shows how far an exploration is.

use crate::text::percent;
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;
use symx_posix_explore::Progress;

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
        self.say(elapsed, || message(progress, elapsed));
    }

    /// The same of another message.
    pub fn say(&mut self, elapsed: Duration, message: impl FnOnce() -> String) {
        if self.bar.is_hidden() || elapsed < QUIET_START || elapsed < self.shown + Duration::from_millis(100)
        {
            return;
        }
        self.shown = elapsed;
        self.bar.set_message(message());
        self.bar.tick();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: &Progress, elapsed: Duration) -> String {
    let estimate = match (progress.bound, progress.done) {
        // Further bounds may follow: how long that takes is not known.
        (Some(bound), Some(done)) => format!(", {bound}: {} done (est.)", percent(done.fraction())),
        (Some(bound), None) => format!(", {bound}"),
        (None, Some(done)) => estimate(done.fraction(), elapsed),
        (None, None) => String::new(),
    };
    let explored = match progress.states {
        0 => format!(
            "{} executions, {} blocked",
            HumanCount(progress.executions),
            HumanCount(progress.blocked)
        ),
        states => format!("{} states", HumanCount(states)),
    };
    format!(
        "{explored}, {} open, {} instructions, {} s{estimate}",
        HumanCount(progress.open),
        HumanCount(progress.instructions),
        elapsed.as_secs()
    )
}

/// How much is done, and how long the rest would take at the same pace.
fn estimate(done: f64, elapsed: Duration) -> String {
    let left = elapsed.as_secs_f64() * (1.0 - done) / done.max(1e-9);
    // A time hours away is known too badly to be given in seconds.
    let left =
        if left > 360_000.0 { "days".to_owned() } else { format!("{:#}", HumanDuration(seconds(left))) };
    format!(", {} done (est.), {left} left", percent(done))
}

fn seconds(number: f64) -> Duration {
    Duration::from_secs(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_posix_explore::BoundKind;

    #[test]
    fn the_line_says_how_far_it_is() {
        let progress = Progress { executions: 12_345, open: 3, ..Progress::default() };
        let line = message(&progress, Duration::from_secs(7));
        assert_eq!(line, "12,345 executions, 0 blocked, 3 open, 0 instructions, 7 s");
        let line = message(&Progress { states: 2_000, ..progress }, Duration::from_secs(7));
        assert_eq!(line, "2,000 states, 3 open, 0 instructions, 7 s");
        let line = message(&Progress { done: None, ..progress }, Duration::from_secs(7));
        assert!(!line.contains("done"));
        let bound = Some(BoundKind::Preemptions.at_most(2));
        let line = message(&Progress { bound, ..progress }, Duration::from_secs(7));
        assert!(line.ends_with(", 7 s, at most 2 preemptions"), "{line}");
        assert_eq!(estimate(0.25, Duration::from_secs(40)), ", 25 % done (est.), 2m left");
        assert_eq!(estimate(0.0, Duration::from_secs(40)), ", less than 0.001 % done (est.), days left");
    }
}
