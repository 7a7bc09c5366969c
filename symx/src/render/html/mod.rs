//! An explanation as one HTML file that needs nothing else. It has the failure, its cause and the fixes as
//! text, then swim lanes that one steps through, with the source beside them.

mod data;
mod excerpts;
mod folds;
mod layout;

pub use folds::{Fold, folds};
pub use layout::{Row, rows};

use super::headline::headline;
use super::inputs::{DescribedInput, described};
use super::sentences;
use crate::files::source_text::SourceText;
use crate::text::{one_line, shown};
use std::fmt::Write;
use symx_ir::short_file;
use symx_trace::explanation::Limit;
use symx_trace::failure::Note;
use symx_trace::{Explanation, Location};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
/// In the order in which they build on each other.
const SCRIPTS: [&str; 5] = [
    include_str!("model.js"),
    include_str!("lanes.js"),
    include_str!("arrows.js"),
    include_str!("source.js"),
    include_str!("stepping.js"),
];

/// Titles of more bytes are set smaller.
const LONG_TITLE: usize = 80;

/// Data flows described in words; the others are in the lanes.
const MOST_FLOWS: usize = 4;

/// The page.
pub fn page(explanation: &Explanation, source: &SourceText) -> String {
    let data =
        serde_json::to_string(&data::page_data(explanation, source)).expect("plain data encodes into memory");
    let failing = &explanation.failing;
    let (title, failure) = match &failing.failure {
        Some(failure) => (one_line(&failure.message), sentences::where_it_fails(failing, failure)),
        None => ("No failure".into(), "This execution passes.".into()),
    };
    let story = failing.failure.as_ref().map_or_else(String::new, |_| headline(explanation));
    let fields = [
        ("TITLE", escape(&title)),
        ("LONG", if title.len() > LONG_TITLE { " class=\"long\"".into() } else { String::new() }),
        ("STYLE", STYLE.to_owned()),
        ("SUMMARY", summary(explanation)),
        ("STORY", escape(&story)),
        ("FAILURE", escape(&failure)),
        ("CAUSE", cause(explanation)),
        ("FIXES", remedies(explanation)),
        ("LIMITS", limits(explanation)),
        ("STACKS", stacks(explanation)),
        ("INPUTS", inputs(explanation)),
        ("OUTPUT", output(explanation)),
        ("DATA", script_safe(&data)),
        ("SCRIPT", SCRIPTS.concat()),
        ("VERSION", escape(env!("CARGO_PKG_VERSION"))),
    ];
    fill(PAGE, &fields)
}

/// Puts fields into a template, in one pass: what a field says is not looked at again.
pub(super) fn fill(template: &str, fields: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let (name, after) = after.split_once("}}").expect("fields of the template are closed");
        let field = fields.iter().find(|(field, _)| *field == name);
        page.push_str(&field.expect("the template's fields are known").1);
        rest = after;
    }
    page + rest
}

/// Text as HTML.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(shown(character)),
        }
    }
    escaped
}

/// JSON as the content of a script element: nothing in it ends the element or begins a comment.
fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn summary(explanation: &Explanation) -> String {
    let failing = &explanation.failing;
    let count = |number: usize, one: &str, many: &str| {
        format!("{} {}", grouped(number), if number == 1 { one } else { many })
    };
    let kind = failing.failure.as_ref().map(symx_trace::Failure::class);
    // Of one thread that has met no other there is nothing to count.
    let counts = !failing.steps.is_empty();
    let taken = failing.steps.iter().filter(|step| step.is_taken()).count();
    let facts = [
        kind,
        Some(short_file(&explanation.program).to_owned()),
        Some(format!("memory model {}", explanation.memory_model)),
        counts.then(|| count(failing.threads.len(), "thread", "threads")),
        counts.then(|| count(taken, "step", "steps")),
        counts.then(|| count(failing.context_switches as usize, "context switch", "context switches")),
        counts.then(|| count(failing.preemptions as usize, "preemption", "preemptions")),
    ];
    facts.into_iter().flatten().map(|fact| format!("<li>{}</li>", escape(&fact))).collect()
}

/// A number with a comma before each three digits: `100,009`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Text in which `step 4` leads to that step of the failing execution.
fn linked(text: &str) -> String {
    let escaped = escape(text);
    let mut linked = String::new();
    let mut rest = escaped.as_str();
    while let Some(at) = rest.find("step ") {
        let digits = rest[at + 5..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + 5 + digits;
        linked.push_str(&rest[..at]);
        match rest[at + 5..end].parse::<u32>() {
            Ok(number) => {
                let _ =
                    write!(linked, "<a href=\"#step-{number}\" data-step=\"{}\">", number.saturating_sub(1));
                linked.push_str(&rest[at..end]);
                linked.push_str("</a>");
            }
            Err(_) => linked.push_str(&rest[at..end]),
        }
        rest = &rest[end..];
    }
    linked + rest
}

/// Why it fails; where that is unknown, the facts about the failure itself.
fn cause(explanation: &Explanation) -> String {
    let orders: Vec<_> = sentences::ordered_pairs(explanation).collect();
    let notes = notes(explanation);
    if orders.is_empty() && explanation.passing.is_none() {
        let sentence = escape(&sentences::cause(explanation));
        let title = if notes.is_empty() { "Why it fails" } else { "What led there" };
        return format!("<section><h2>{title}</h2>{notes}<p>{sentence}</p></section>");
    }
    let mut html = format!("<section><h2>Why it fails</h2>{notes}");
    if let Some(orders) = sentences::in_words(&explanation.cause) {
        let _ = write!(html, "<p>The {}.</p>", escape(&orders));
    }
    if !orders.is_empty() {
        let _ = write!(html, "<p>{}</p>", escape(&sentences::cause(explanation)));
        // The earlier and the later event each have a line of their own.
        let item = |(first, second): &(String, String)| {
            format!(
                "<li><em></em><span>{}</span><em>before</em><span>{}</span></li>",
                linked(first),
                linked(second)
            )
        };
        let items: String = orders.iter().map(item).collect();
        let checked = sentences::checked(&explanation.cause).unwrap_or_default();
        let _ = write!(html, "<ol class=\"orders\">{items}</ol><p>{}</p>", escape(&checked));
    }
    let flows = sentences::flows(explanation);
    if !flows.is_empty() {
        let more = flows.len().saturating_sub(MOST_FLOWS);
        let item = |flow: &String| format!("<li>{}</li>", linked(flow));
        let mut items: String = flows.iter().take(MOST_FLOWS).map(item).collect();
        if more > 0 {
            let _ = write!(items, "<li>… and {more} more.</li>");
        }
        let _ = write!(html, "<ul class=\"flows\">{items}</ul>");
    }
    if explanation.passing.is_some() {
        let difference = &explanation.difference;
        let steps = difference.failing_steps.len();
        let flows = difference.failing_flows.len().max(difference.passing_flows.len());
        let flows = match flows {
            0 => "no data flow".into(),
            1 => "one data flow".into(),
            flows => format!("{flows} data flows"),
        };
        let steps = if steps == 1 {
            "one of the failing steps".into()
        } else {
            format!("{steps} of the failing steps")
        };
        let _ = write!(
            html,
            "<p>Right: the closest passing execution found. It differs in {steps} and in {flows}.</p>"
        );
    }
    html + "</section>"
}

fn notes(explanation: &Explanation) -> String {
    let notes = explanation.failing.failure.iter().flat_map(|failure| &failure.notes);
    let item = |note: &Note| {
        format!("<li>{} {}</li>", escape(&note.message), code(&sentences::place(&note.location)))
    };
    let items: String = notes.map(item).collect();
    if items.is_empty() { items } else { format!("<ul class=\"notes\">{items}</ul>") }
}

fn remedies(explanation: &Explanation) -> String {
    let sentences = sentences::remedies(explanation);
    if sentences.is_empty() {
        return String::new();
    }
    let items: String = sentences.iter().map(|sentence| format!("<li>{}</li>", linked(sentence))).collect();
    format!("<section><h2>Suggested fixes</h2><ul>{items}</ul></section>")
}

fn limits(explanation: &Explanation) -> String {
    let told = sentences::branches(explanation);
    if explanation.limits.is_empty() && told.is_empty() {
        return String::new();
    }
    let limits = explanation.limits.iter().map(Limit::to_string);
    let items: String =
        told.into_iter().chain(limits).map(|limit| format!("<li>{} </li>", escape(&limit))).collect();
    format!("<section class=\"limits\"><h2>Limits:</h2><ul>{items}</ul></section>")
}

/// The symbolic inputs by name and value, as the story on a terminal has them.
fn inputs(explanation: &Explanation) -> String {
    let row = |input: DescribedInput| {
        let [name, kind, value] = [input.name, input.kind, input.value].map(|text| escape(&text));
        format!("<tr><th scope=\"row\">{name}</th><td>{kind}</td><td><code>{value}</code></td></tr>")
    };
    let rows: String = described(&explanation.inputs).map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    format!("<section class=\"inputs\"><h2>Inputs that trigger it</h2><table>{rows}</table></section>")
}

fn stacks(explanation: &Explanation) -> String {
    let Some(failure) = &explanation.failing.failure else { return String::new() };
    let mut html = String::new();
    let mut stack = |title: String, frames: &[Location]| {
        if frames.is_empty() {
            return;
        }
        let frame = |frame: &Location| {
            let function = if frame.function.is_empty() { "?" } else { &frame.function };
            format!("<li>{} {}</li>", code(function), escape(&sentences::place(frame)))
        };
        let frames: String = frames.iter().map(frame).collect();
        let _ = write!(html, "<h3>{}</h3><ol start=\"0\">{frames}</ol>", escape(&title));
    };
    stack(format!("{}, which fails", explanation.failing.title(&failure.thread)), &failure.stack);
    for note in &failure.notes {
        stack(note.message.clone(), &note.stack);
    }
    for other in &failure.others {
        stack(explanation.failing.title(&other.thread), &other.stack);
    }
    if html.is_empty() {
        return html;
    }
    format!("<details><summary>Stacks</summary><div class=\"stacks\">{html}</div></details>")
}

fn output(explanation: &Explanation) -> String {
    let text = |title: &str, output: &str| match output {
        "" => String::new(),
        output => format!(
            "<details><summary>Output of the {title} execution</summary><pre>{}</pre></details>",
            escape(output)
        ),
    };
    let passing = explanation.passing.as_ref().map_or("", |execution| execution.output.as_str());
    text("failing", &explanation.failing.output) + &text("passing", passing)
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<code>{}</code>", escape(text)) }
}

#[cfg(test)]
mod tests {
    use super::super::example::lost_update;
    use super::*;
    use crate::files::source_text::SourceOptions;

    #[test]
    fn digits_are_grouped() {
        let text = [0, 999, 1_000, 100_009, 12_345_678].map(grouped);
        assert_eq!(text, ["0", "999", "1,000", "100,009", "12,345,678"]);
    }

    #[test]
    fn a_page_says_what_failed_why_and_what_helps() {
        let page = page(&lost_update(), &SourceText::default());
        for part in [
            "<title>assertion failed: count == 2",
            "T0 main fails at count.c:18, in main.",
            "one critical section",
            "data-step=\"1\"",
        ] {
            assert!(page.contains(part), "no `{part}`");
        }
        assert!(!page.contains("{{") && !page.contains("http://") && !page.contains("https://"));
    }

    #[test]
    fn names_do_no_harm() {
        let name = "</script><script>alert(1)</script><!--";
        let mut explanation = lost_update();
        explanation.program = name.into();
        explanation.limits = vec![name.into()];
        explanation.failing.output = name.into();
        let failure = explanation.failing.failure.as_mut().unwrap();
        failure.message = format!("{name} {{{{DATA}}}} &amp; \"'\u{1}");
        failure.stack = vec![Location { function: name.into(), ..Location::default() }];
        for step in &mut explanation.failing.steps {
            step.object = name.into();
            step.value = name.into();
            step.locks = vec![name.into()];
            step.location.file = name.into();
        }
        let folder = tempfile::tempdir().unwrap();
        let source = SourceOptions::default().text([folder.path()]).unwrap();
        let page = page(&explanation, &source);
        let plain = super::page(&lost_update(), &SourceText::default());
        for word in ["<script", "</script", "<!--"] {
            assert_eq!(page.matches(word).count(), plain.matches(word).count(), "`{word}` came through");
        }
        assert!(page.contains("{{DATA}} &amp;amp; &quot;&#39;\u{2401}") && !page.contains('\u{1}'));
    }

    #[test]
    fn steps_that_are_not_reached_are_not_counted() {
        let mut explanation = lost_update();
        assert!(page(&explanation, &SourceText::default()).contains("<li>5 steps</li>"));
        explanation.failing.steps[4].progress = symx_trace::explanation::Progress::NotReached;
        assert!(page(&explanation, &SourceText::default()).contains("<li>4 steps</li>"));
    }

    #[test]
    fn steps_are_links() {
        assert_eq!(
            linked("after step 12 <b> or step x"),
            "after <a href=\"#step-12\" data-step=\"11\">step 12</a> &lt;b&gt; or step x"
        );
    }
}
