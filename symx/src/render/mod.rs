//! Text for people: failures with their source, stacks, schedules.

mod covered;
#[cfg(test)]
mod example;
mod explanation;
mod failure;
mod headline;
mod html;
mod inputs;
mod interchange;
mod lanes;
mod races;
mod sentences;
mod sketch;
mod snippet;
mod stacks;
mod story;
mod summary;
mod symbolic_trace;
mod with_sentences;

pub use covered::covered;
pub use explanation::explanation;
pub use failure::{brief_failure, failure, warnings};
pub use html::page;
pub use interchange::{Witness, WitnessSource, chrome_trace, dot, graphml, sarif, yaml};
pub use races::candidates::candidates;
pub use races::race;
pub use sentences::{advised, flipped, place};
pub use sketch::{no_sketch, no_sketch_page, sketch, sketch_page};
pub use story::{Commands, Story, story};
pub use summary::{contradiction, summary};
pub use symbolic_trace::symbolic_trace;
pub use with_sentences::ExplanationWithSentences;

use crate::files::source_text::SourceText;
use crate::options::Color;
use annotate_snippets::Renderer;
use std::io::IsTerminal;

/// How reports look on a terminal.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// Whether they are coloured.
    pub coloured: bool,
    /// The source they show.
    pub source: &'a SourceText,
}

impl<'a> Look<'a> {
    /// Of a report for `stream`.
    pub fn new(color: Color, stream: &impl IsTerminal, source: &'a SourceText) -> Self {
        Self { coloured: coloured(color, stream), source }
    }

    fn renderer(self) -> Renderer {
        if self.coloured { Renderer::styled() } else { Renderer::plain() }
    }
}

/// Whether text for `stream` is coloured.
pub fn coloured(color: Color, stream: &impl IsTerminal) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let is = |name: &str, test: fn(&str) -> bool| std::env::var(name).is_ok_and(|value| test(&value));
            let is_plain = is("NO_COLOR", |value| !value.is_empty()) || is("TERM", |value| value == "dumb");
            stream.is_terminal() && !is_plain
        }
    }
}
