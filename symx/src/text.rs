//! Text that others wrote, without what would command a terminal or turn a line around.
//!
//! Names of files, functions and threads, messages, output and source come from untrusted programs and files.
//! Each form that people read passes such text through here, at the one place where it puts text into its own
//! language.

use annotate_snippets::renderer::{AnsiColor, Style};
use annotate_snippets::{Group, Renderer};
use std::borrow::Cow;
use std::fmt;

/// The character shown for a control character: the picture Unicode has of it, else a replacement. Line
/// breaks and tabs stay.
pub fn shown(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        '\0'..=' ' => char::from_u32(0x2400 + character as u32).filter(|_| character != ' ').unwrap_or(' '),
        '\u{7f}' => '\u{2421}',
        // C1 has commands in one character; the others change the direction in which text runs, or are not
        // seen.
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => char::REPLACEMENT_CHARACTER,
        _ => character,
    }
}

/// Text with pictures in place of its control characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| shown(character) == character) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(shown).collect())
}

/// Text for a terminal. Text written to it is made visible; styles are its own.
#[derive(Default)]
pub struct TerminalText(String);

impl TerminalText {
    /// Adds snippets, whose texts are visible already, and an empty line.
    pub fn snippets(&mut self, renderer: &Renderer, groups: &[Group<'_>]) {
        self.0.push_str(&renderer.render(groups));
        self.0.push_str("\n\n");
    }

    /// Adds excerpts that text belongs to, which follows at once.
    pub fn snippet(&mut self, renderer: &Renderer, groups: &[Group<'_>]) {
        self.0.push_str(&renderer.render(groups));
        self.0.push('\n');
    }

    /// Adds emphasised text, then other text.
    pub fn emphasised(&mut self, text: &str, then: &str) {
        let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        self.0.push_str(&format!("{style}{}{style:#}{}", visible(text), visible(then)));
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Write for TerminalText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(&visible(text));
        Ok(())
    }
}

/// `1 path`, `2 paths`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A share from 0 to 1 for people: with as many digits as say something.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        little if little < 0.001 => "less than 0.001 %".to_owned(),
        small if small < 0.1 => format!("{small:.3} %"),
        small if small < 10.0 => format!("{small:.1} %"),
        percent => format!("{} %", percent.min(99.0).floor()),
    }
}

/// The text on one line, with every character in it visible.
pub fn one_line(text: &str) -> String {
    visible(&text.lines().map(str::trim).collect::<Vec<_>>().join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_said_to_be_all_or_nothing() {
        let shares = [0.0, 0.000_012, 0.000_5, 0.0123, 0.5, 0.999_9];
        let texts = ["less than 0.001 %", "0.001 %", "0.050 %", "1.2 %", "50 %", "99 %"];
        assert_eq!(shares.map(percent), texts);
    }

    #[test]
    fn no_control_character_is_left_but_line_breaks_and_tabs() {
        let every: String = ('\0'..='\u{2fff}').collect();
        let left: Vec<char> = visible(&every).chars().filter(|character| character.is_control()).collect();
        assert_eq!(left, ['\t', '\n']);
        assert_eq!(visible("a\u{1b}[2Jb\u{9b}m\u{202e}c\u{7f}"), "a\u{241b}[2Jb\u{fffd}m\u{fffd}c\u{2421}");
        assert!(matches!(visible("as it is: ä\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_written_for_a_terminal_is_visible() {
        use fmt::Write;
        let mut text = TerminalText::default();
        let name = "f\u{1b}]0;x\u{7}";
        writeln!(text, "in {name}").unwrap();
        assert_eq!(text.into_string(), "in f\u{241b}]0;x\u{2407}\n");
    }
}
