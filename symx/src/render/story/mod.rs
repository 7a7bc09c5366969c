//! The story of a failure, which `symx run` ends with. It has the failure in a sentence, the failing
//! execution beside the closest passing one, and the root cause. Then come the first suggested fix, the
//! inputs, and the commands to continue with; a screen at most.

mod cells;
mod commands;
mod table;
mod wrapped;

pub use commands::Commands;

use super::Look;
use super::headline::{self, headline};
use super::inputs::{DescribedInput, described};
use super::sentences;
use crate::text::{TerminalText, one_line};
use std::fmt::Write;
use symx_checkers::first_fix;
use symx_trace::Input;
use symx_trace::explanation::{Cause, Dependence, Explanation, Limit, Trial};
use symx_trace::failure::Note;
use table::Table;
use wrapped::wrapped;

/// Lines of a story at most: with the prompt, one screen of a terminal.
const MOST_LINES: usize = 25;

/// Lines to which steps are added that do not differ. With the verdict before it (calls, verdict, amount of
/// work, an empty line), a story is a screen then.
const FILLED_LINES: usize = MOST_LINES - 4;

/// Columns of a story at most.
const WIDEST: usize = 120;

/// Orderings of a root cause that are listed; the page and `symx explain` have the others.
const MOST_ORDERS: usize = 2;

/// Lines of one part at most.
const MOST_OF_ONE: usize = 3;

/// The subject of a story.
pub struct Story<'a> {
    /// The failure, explained as far as the budget went.
    pub explanation: &'a Explanation,
    /// The failing thread in this execution and in the one that was found first, where they differ.
    pub exchanged: Option<(&'a str, &'a str)>,
    /// Why the analysis was cut short, if it was.
    pub cut: Option<&'a str>,
    /// The next commands.
    pub commands: Commands<'a>,
}

/// The story, ending with a line break.
pub fn story(story: &Story<'_>, look: Look<'_>) -> String {
    let explanation = story.explanation;
    let table = Table::new(explanation);
    let mut head = wrapped(&headline(explanation), "", MOST_OF_ONE);
    head.extend(story.exchanged.map(|(title, first)| {
        let told =
            format!("note: {title} fails in the minimised execution below, {first} in the one found first");
        wrapped::cut(&told, WIDEST)
    }));
    head.extend(notes(explanation, &table));
    let mut tail = cause(explanation);
    tail.extend(sentences::branches(explanation).into_iter().take(1).map(|branch| format!("note: {branch}")));
    tail.extend(fix(explanation));
    tail.extend(story.cut.map(|why| format!("note: {why}")));
    tail.extend(inputs(&explanation.inputs));
    tail.extend(story.commands.of_explained());
    // Two empty lines set the executions off.
    let left = |of: usize| of.saturating_sub(head.len() + tail.len() + 2);
    let executions = table.lines(left(MOST_LINES), left(FILLED_LINES), WIDEST);
    let mut text = TerminalText::default();
    let mut lines = head.into_iter();
    if let Some(first) = lines.next() {
        match (look.coloured, first.split_once(": ")) {
            (true, Some((class, rest))) => text.emphasised(class, &format!(": {rest}\n")),
            _ => writeln!(text, "{first}").unwrap_or_default(),
        }
    }
    let gap = [String::new()];
    let (before, after) = if executions.is_empty() { (&gap[..0], &gap[..0]) } else { (&gap[..], &gap[..]) };
    for line in lines.chain(before.to_vec()).chain(executions).chain(after.to_vec()).chain(tail) {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.into_string()
}

/// What the failure's notes say of places that the table does not show, a line each.
fn notes(explanation: &Explanation, table: &Table<'_>) -> Vec<String> {
    let all = explanation.failing.failure.iter().flat_map(|failure| &failure.notes);
    let left = all.filter(|note| !table.shows(&note.location));
    let line = |note: &Note| {
        let place = sentences::place(&note.location);
        let place = if place.is_empty() { place } else { format!(" ({place})") };
        wrapped::cut(&format!("note: {}{place}", one_line(&note.message)), WIDEST)
    };
    left.take(MOST_OF_ONE).map(line).collect()
}

/// The root cause, or that none is known.
fn cause(explanation: &Explanation) -> Vec<String> {
    let cause = &explanation.cause;
    if cause.orders.is_empty() {
        let known = sentences::without_steps(explanation);
        let missing = || explanation.limits.first().map(Limit::to_string);
        let text = known.or_else(missing).unwrap_or_else(|| "root cause not found".into());
        return wrapped(&text, "  ", MOST_OF_ONE);
    }
    let minimal = if cause.is_minimal { " (minimal)" } else { "" };
    let proof = sentences::proof(cause);
    let most = listed_orders(cause).len();
    let order = |(number, (earlier, later)): (usize, &(u32, u32))| {
        let (one, other) = sentences::times(cause, number);
        // In the parentheses of the line.
        let (one, other) = (one.replace(" at its", ""), other.replace(" at its", ""));
        headline::ordering(explanation, (*earlier, *later), (&one, &other))
    };
    let mut lines = Vec::new();
    match &cause.orders[..] {
        [only] => lines.extend(wrapped(
            &format!("root cause{minimal}: {}; {proof}", order((0, only))),
            "  ",
            MOST_OF_ONE,
        )),
        orders => {
            lines.extend(wrapped(&format!("root cause{minimal}, all of these together; {proof}:"), "  ", 2));
            lines.extend(orders.iter().enumerate().take(most).map(|one| format!("  {}", order(one))));
            if orders.len() > most {
                lines.push(format!("  and {} more orderings", orders.len() - most));
            }
        }
    }
    lines
}

/// The orderings of a root cause that are listed.
fn listed_orders(cause: &Cause) -> &[(u32, u32)] {
    let orders = &cause.orders[..];
    if orders.len() > MOST_ORDERS + 1 { &orders[..MOST_ORDERS] } else { orders }
}

/// The inputs under which it happens, a line each.
fn inputs(inputs: &[Input]) -> Vec<String> {
    let shown = if inputs.len() > MOST_OF_ONE { MOST_OF_ONE - 1 } else { inputs.len() };
    let line = |(number, input): (usize, DescribedInput)| {
        let title = if number == 0 { "inputs" } else { "" };
        wrapped::cut(&format!("{title:10} {}", input.text()), WIDEST)
    };
    let mut lines: Vec<String> = described(inputs).take(shown).enumerate().map(line).collect();
    if inputs.len() > shown {
        lines.push(format!("{:10} and {} more inputs", "", inputs.len() - shown));
    }
    lines
}

/// The first suggested fix, or advice by what is wrong.
fn fix(explanation: &Explanation) -> Vec<String> {
    let text = match first_fix(explanation) {
        Some(fix) if !matches!(fix.trial(), Trial::Fails(_)) => {
            format!("{} {}", headline::fix(explanation, fix), sentences::tried(fix.trial()))
        }
        _ => match sentences::advised(&explanation.failing).into_iter().next() {
            Some(advice) => format!("{advice} Not verified: this follows from the class of the failure."),
            None if explanation.dependence != Dependence::Order => {
                "none is verified: no order of events avoids the failure.".into()
            }
            None => "none found.".into(),
        },
    };
    wrapped(&format!("suggested fix: {text}"), "  ", MOST_OF_ONE)
}

#[cfg(test)]
mod tests {
    use super::super::example::lost_update;
    use super::*;
    use crate::files::source_text::SourceText;
    use std::path::Path;
    use symx_trace::explanation::Difference;
    use symx_trace::{InputOrigin, Location};

    fn story_of(explanation: &Explanation) -> String {
        told(explanation, None)
    }

    fn told(explanation: &Explanation, exchanged: Option<(&str, &str)>) -> String {
        let commands = Commands {
            program: Path::new("count.c"),
            folder: Path::new("out"),
            mounts: &[],
            schedule: Some("out/failure-1.schedule.json"),
            page: Some("out/failure-1.html"),
            others: 1,
        };
        let source = SourceText::default();
        let look = Look { coloured: false, source: &source };
        story(&Story { explanation, exchanged, cut: None, commands }, look)
    }

    #[test]
    fn a_lost_update_fits_on_a_screen() {
        let text = story_of(&lost_update());
        let expected = "\
atomicity-violation: `count` (count.c:8): T2 add reads it between T1 add's read and write, which belong together. Then:
assertion failed: count == 2 (:18).

failing execution (count.c), 4 context switches | closest passing execution, 2 context switches
T1 add             T2 add                       | T1 add             T2 add
8 read count = 0                                | 8 read count = 0
                   8 read count = 0             |
8 write count = 1                               | 8 write count = 1
                                                |                    8 read count = 1
                   8 write count = 1            |                    8 write count = 2

root cause (minimal): T2 reads count = 0 (count.c:8), before T1 writes count = 1 (:8); proven for executions with the
  events of this one
suggested fix: hold a mutex around count.c:8 in T1 add and at every other access to `count`. Verified: no failure in any
  execution.
page       out/failure-1.html
replay     symx replay count.c out/failure-1.schedule.json
explain    symx explain count.c out/failure-1.schedule.json
1 more failure: symx explain count.c out/failure-2.schedule.json
";
        assert_eq!(text, expected, "{text}");
    }

    #[test]
    fn a_minimised_execution_that_ends_in_another_thread_says_so() {
        let text = told(&lost_update(), Some(("T1 add", "T2 add")));
        let note = "\nnote: T1 add fails in the minimised execution below, T2 add in the one found first\n";
        assert!(text.contains(note), "{text}");
        assert!(!story_of(&lost_update()).contains("minimised execution below"));
    }

    #[test]
    fn notes_stand_where_no_step_of_the_table_does() {
        let mut explanation = lost_update();
        let shown =
            explanation.failing.steps[explanation.difference.failing_steps[0] as usize].location.clone();
        let elsewhere = Location { line: 3, ..shown.clone() };
        let note = |message: &str, location| Note {
            message: message.into(),
            location,
            thread: None,
            stack: Vec::new(),
        };
        let failure = explanation.failing.failure.as_mut().unwrap();
        failure.notes = vec![note("read here", shown), note("allocated here", elsewhere)];
        let text = story_of(&explanation);
        assert!(
            text.contains("\nnote: allocated here (count.c:3)\n") && !text.contains("read here"),
            "{text}"
        );
    }

    /// The title names the file of the steps that matter; those between them may be of a library's header.
    #[test]
    fn a_step_in_another_file_than_the_title_has_its_file() {
        let mut explanation = lost_update();
        (explanation.passing, explanation.remedies) = (None, Vec::new());
        explanation.difference = Difference { failing_steps: vec![0, 2], ..Difference::default() };
        explanation.cause = Cause { orders: vec![(0, 2)], ..Cause::default() };
        let between = &mut explanation.failing.steps[1];
        (between.thread, between.location.file, between.location.line) = (1, "lib/list.h".into(), 200);
        let text = story_of(&explanation);
        let table = "failing execution (count.c), 4 context switches\nT1 add\n\
            8 read count = 0\nlist.h:200 read count = 0\n8 write count = 1\n";
        assert!(text.contains(table), "{text}");
    }

    #[test]
    fn steps_of_a_library_alone_are_left_out() {
        let mut explanation = lost_update();
        (explanation.passing, explanation.remedies) = (None, Vec::new());
        explanation.difference = Difference { failing_steps: vec![0, 1, 2], ..Difference::default() };
        explanation.failing.steps[1].location.file = "/rustc/5980/library/core/src/sync/atomic.rs".into();
        let text = story_of(&explanation);
        let lines = text.lines().skip_while(|line| !line.starts_with("failing execution (count.c)"));
        let table: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
        assert!(table.len() == 4 && !table.iter().any(|line| line.contains("atomic.rs")), "{text}");
        for step in &mut explanation.failing.steps {
            step.location.file = "/rustc/5980/library/core/src/sync/atomic.rs".into();
        }
        assert!(story_of(&explanation).contains("failing execution (atomic.rs)"), "if nothing else is there");
    }

    #[test]
    fn names_that_do_not_fit_are_a_legend() {
        let mut explanation = lost_update();
        let name = "serve<Channel<std::pair<const Key, std::vector<Value>>, Policy::Bounded>>";
        for execution in std::iter::once(&mut explanation.failing).chain(&mut explanation.passing) {
            execution.threads[1].function = name.into();
        }
        let text = story_of(&explanation);
        let table = format!(
            "\
failing execution (count.c), 4 context switches | closest passing execution, 2 context switches
T1                 T2                           | T1                  T2
8 read count = 0                                | 8 read count = 0
                   8 read count = 0             |
8 write count = 1                               | 8 write count = 1
                                                |                     8 read count = 1
T1: {name}
T2: add
"
        );
        let shown = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
        };
        let (text, table) = (shown(&text), shown(&table));
        assert!(text.windows(table.len()).any(|lines| lines == table), "{text:#?}");
    }

    #[test]
    fn a_story_is_a_screen_however_long_its_parts_are() {
        let mut explanation = lost_update();
        let step = explanation.failing.steps[1].clone();
        explanation.failing.steps.splice(2..2, std::iter::repeat_n(step, 90));
        explanation.difference.failing_steps = (0..90).collect();
        explanation.cause.orders = (0..40).map(|step| (step, step + 1)).collect();
        explanation.inputs = (0..30)
            .map(|number| Input {
                name: format!("n#{number}"),
                bytes: vec![7; 100],
                origin: InputOrigin::Program,
                declared: None,
            })
            .collect();
        let text = story_of(&explanation);
        assert!(text.lines().count() <= MOST_LINES, "{text}");
        assert!(
            text.contains("... ") && text.contains("more orderings") && text.contains("more inputs"),
            "{text}"
        );
    }
}
