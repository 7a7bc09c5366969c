//! A failure sketch as one HTML file that needs nothing else.

use super::{SourceLines, accessed, counts, estimated, mark, none_fails, score_words, words};
use crate::files::source_text::SourceText;
use crate::render::html::{escape, fill};
use crate::render::place;
use crate::text::one_line;
use symx_ir::short_file;
use symx_trace::ThreadName;
use symx_trace::sketch::{NoSketch, Sketch, SketchLine};

const PAGE: &str = include_str!("page.html");

/// The page.
pub fn sketch_page(sketch: &Sketch, source: &SourceText) -> String {
    let failure = &sketch.failure;
    let title = format!("{} ({})", one_line(&failure.message), place(&failure.location));
    let followed = sketch.followed.map(|followed| format!(". Of {}", estimated(followed)));
    let counts = counts(&sketch.runs) + &followed.unwrap_or_default();
    let fields = [
        ("TITLE", escape(&title)),
        ("COUNTS", escape(&counts)),
        ("PREDICTORS", predictors(sketch)),
        ("LANES", lanes(sketch, source)),
        ("LIMITS", limits(&sketch.limits)),
    ];
    fill(PAGE, &fields)
}

/// The page where no execution fails.
pub fn no_sketch_page(without: &NoSketch) -> String {
    let fields = [
        ("TITLE", escape(&format!("No sketch of {}", one_line(&without.program)))),
        ("COUNTS", escape(&none_fails(without))),
        ("PREDICTORS", "<p>There is no failure to predict.</p>".into()),
        ("LANES", String::new()),
        ("LIMITS", limits(&without.limits)),
    ];
    fill(PAGE, &fields)
}

fn predictors(sketch: &Sketch) -> String {
    if sketch.predictors.is_empty() {
        return "<p>No predictor tells failing executions from passing ones.</p>".into();
    }
    let row = |(ranked, number): (&symx_trace::sketch::RankedPredictor, u32)| {
        let (what, how) = (escape(&words(ranked)), escape(&score_words(ranked, sketch)));
        format!("<tr><td class=\"mark\">{}</td><td>{what}</td><td>{how}</td></tr>\n", mark(number))
    };
    format!("<table>\n{}</table>", sketch.predictors.iter().zip(0..).map(row).collect::<String>())
}

fn lanes(sketch: &Sketch, source: &SourceText) -> String {
    let mut sources = SourceLines::default();
    let titles = sketch
        .threads
        .iter()
        .map(|name| format!("<th scope=\"col\">{}</th>", escape(&ThreadName::label_of(name))));
    let mut rows = format!("<tr><td></td>{}</tr>\n", titles.collect::<String>());
    for line in &sketch.lines {
        let marks: String = line.marks.iter().map(|number| mark(*number)).collect();
        let cell = cell(line, &sources.line(&line.location, source));
        let cells = (0..sketch.threads.len() as u32).map(|lane| match lane == line.thread {
            true => cell.as_str(),
            false => "<td></td>",
        });
        rows += &format!("<tr><td class=\"mark\">{marks}</td>{}</tr>\n", cells.collect::<String>());
    }
    rows
}

fn cell(line: &SketchLine, source: &str) -> String {
    let class = match (line.fails, line.marks.is_empty()) {
        (true, _) => " class=\"fails\"",
        (false, false) => " class=\"marked\"",
        (false, true) => "",
    };
    let file = short_file(&line.location.file);
    let access = |access| format!("<span class=\"access\">{}</span>", escape(&accessed(access)));
    let accesses: String = line.accesses.iter().map(access).collect();
    let at = format!("{}:{}", escape(file), line.location.line);
    format!("<td{class}><span class=\"place\">{at}</span> {}{accesses}</td>", escape(source))
}

fn limits(limits: &[String]) -> String {
    let items = limits.iter().map(|limit| format!("<li>{}</li>", escape(limit)));
    let items: String = items.collect();
    if items.is_empty() { items } else { format!("<h2>Notes</h2><ul>{items}</ul>") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::sketch::{FollowedProfiles, RunCounts, SKETCH_VERSION};
    use symx_trace::{Failure, FailureKind, Location};

    #[test]
    fn what_the_program_is_called_is_no_markup() {
        let location = Location { file: "<b>.c".into(), line: 3, ..Location::default() };
        let sketch = Sketch {
            version: SKETCH_VERSION,
            program: "<b>.c".into(),
            failure: Failure {
                location: location.clone(),
                ..Failure::new(FailureKind::Assert, "assertion failed: <script>")
            },
            runs: RunCounts { failing: 1, passing: 2, otherwise: 0 },
            followed: Some(FollowedProfiles { profiles: 3, paths: 2, executions: 5 }),
            predictors: Vec::new(),
            threads: vec!["0".into()],
            lines: vec![SketchLine {
                thread: 0,
                location,
                visits: 1,
                accesses: Vec::new(),
                marks: Vec::new(),
                fails: true,
            }],
            slice: 1,
            limits: vec!["a < b".into()],
        };
        let page = sketch_page(&sketch, &SourceText::default());
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
        let estimates = "3 profiles, 2 different paths; values and orders are estimates from 5 executions";
        for part in
            [estimates, "3 executions: 1 with this failure", "&lt;b&gt;.c:3", "class=\"fails\"", "a &lt; b"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
