//! A failure sketch as text: a lane a thread, time downwards, what predicts the failure marked.

mod page;

pub use page::{no_sketch_page, sketch_page};

use super::{Look, place};
use crate::files::source_text::SourceText;
use crate::text::{counted, one_line, visible};
use std::collections::HashMap;
use symx_ir::short_file;
use symx_trace::sketch::{
    FollowedProfiles, LineAccess, NoSketch, Predictor, PredictorType, RankedPredictor, RunCounts, Sketch,
    SketchLine,
};
use symx_trace::{AccessMode, Location, ThreadName};

/// Widest lane.
const WIDEST: usize = 56;

/// The sketch.
pub fn sketch(sketch: &Sketch, look: Look) -> String {
    let mut text = String::new();
    let failure = &sketch.failure;
    let at = place(&failure.location);
    text += &format!("failure sketch: {} ({at}), {}\n", one_line(&failure.message), failure.thread.label());
    text += &format!("{}\n", counts(&sketch.runs));
    text += &sketch.followed.map_or_else(String::new, |followed| estimated(followed) + "\n");
    text += "\n";
    text += &predictors(sketch);
    text += &lanes(sketch, look);
    for limit in &sketch.limits {
        text += &format!("note: {}\n", one_line(limit));
    }
    text
}

/// The message where no execution fails.
pub fn no_sketch(without: &NoSketch) -> String {
    let mut text = format!("no sketch: {}\n", none_fails(without));
    without.limits.iter().for_each(|limit| text += &format!("note: {}\n", one_line(limit)));
    text
}

fn none_fails(without: &NoSketch) -> String {
    format!("none of {} fails", counted(without.runs.passing.into(), "execution"))
}

fn counts(runs: &RunCounts) -> String {
    let all = runs.failing + runs.passing + runs.otherwise;
    let other = match runs.otherwise {
        0 => String::new(),
        otherwise => format!("; {otherwise} fail otherwise and do not count"),
    };
    let executions = counted(all.into(), "execution");
    format!("{executions}: {} with this failure, {} passing{other}", runs.failing, runs.passing)
}

/// What is known of profiles, and what is not.
fn estimated(FollowedProfiles { profiles, paths, executions }: FollowedProfiles) -> String {
    let [profiles, paths, executions] =
        [(profiles, "profile"), (paths, "different path"), (executions, "execution")]
            .map(|(count, noun)| counted(count.into(), noun));
    format!("{profiles}, {paths}; values and orders are estimates from {executions} made up along them")
}

fn predictors(sketch: &Sketch) -> String {
    if sketch.predictors.is_empty() {
        return "no predictor tells failing executions from passing ones\n\n".into();
    }
    let mut text = String::from("best predictors (F-measure with beta = 0.5):\n");
    for (ranked, number) in sketch.predictors.iter().zip(0..) {
        text += &format!(" {} {}\n", mark(number), words(ranked));
        text += &format!("     {}\n", score_words(ranked, sketch));
    }
    text + "\n"
}

/// A score with the executions that it stands on.
fn score_words(ranked: &RankedPredictor, sketch: &Sketch) -> String {
    let score = &ranked.score;
    let is_estimated = sketch.followed.is_some() && ranked.predictor.of_type() != PredictorType::Branch;
    format!(
        "F = {:.2}, precision {:.2}, recall {:.2}{}: holds in {} of {} failing and {} of {} passing executions",
        score.f_measure(),
        score.precision(),
        score.recall(),
        if is_estimated { " (estimated)" } else { "" },
        runs(score.failing),
        runs(score.all_failing),
        runs(score.passing),
        runs(score.all_passing)
    )
}

/// A number of runs, of which some may count in part.
fn runs(count: f64) -> String {
    if count.fract() == 0.0 { format!("{count:.0}") } else { format!("{count:.1}") }
}

/// The mark of a predictor in the lanes.
fn mark(number: u32) -> String {
    let letter = char::from_u32('A' as u32 + number % 26).unwrap_or('*');
    format!("[{letter}]")
}

fn words(ranked: &RankedPredictor) -> String {
    let at: Vec<String> = ranked.locations.iter().map(place).collect();
    let of = match ranked.object.as_str() {
        "" => String::new(),
        object => format!(" of {}", visible(object)),
    };
    match &ranked.predictor {
        Predictor::Atomicity { pattern, .. } => {
            let pattern: &str = pattern.into();
            format!(
                "atomicity violation {pattern}{of}: {}, then {} in another thread, then {}",
                at[0], at[1], at[2]
            )
        }
        Predictor::Interleaved { .. } => format!(
            "interleaved accesses{of}: {} and {} in one thread, {} and {} in another, in opposite orders",
            at[0], at[2], at[1], at[3]
        ),
        Predictor::PairAtomicity { .. } => format!(
            "atomicity violation of two variables{of}: {}, then {} in another thread, then {}",
            at[0], at[1], at[2]
        ),
        Predictor::Order { pattern, .. } => {
            let pattern: &str = pattern.into();
            format!("order {pattern}{of}: {} before {} in another thread", at[0], at[1])
        }
        Predictor::Early { .. } => {
            format!("order RW{of}: {} is reached before {}", at[0], at[1])
        }
        Predictor::Value { value, .. } => {
            let object = if ranked.object.is_empty() { "the value" } else { &ranked.object };
            format!("value: {} = {} at {}", visible(object), visible(value), at[0])
        }
        Predictor::Branch { .. } => {
            let Some(target) = &ranked.target else { return format!("branch: {}", at[0]) };
            let is_same_line = target.line == ranked.locations[0].line;
            let [from, to] = [&ranked.locations[0], target].map(|location| match is_same_line {
                true => format!("{}:{}", place(location), location.column),
                false => place(location),
            });
            format!("branch: {from} goes to {to}")
        }
    }
}

fn lanes(sketch: &Sketch, look: Look) -> String {
    let mut sources = SourceLines::default();
    let cells: Vec<Vec<String>> =
        sketch.lines.iter().map(|line| cell(line, sources.line(&line.location, look.source))).collect();
    let titles: Vec<String> = sketch.threads.iter().map(|name| ThreadName::label_of(name)).collect();
    let width = |lane: usize| {
        let own = sketch.lines.iter().zip(&cells).filter(|(line, _)| line.thread as usize == lane);
        let texts = own.flat_map(|(_, cell)| cell).chain([&titles[lane]]);
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    let mut text = row("", &titles.iter().enumerate().collect::<Vec<_>>(), &widths);
    for (line, cell) in sketch.lines.iter().zip(&cells) {
        let marks: String = line.marks.iter().map(|number| mark(*number)).collect();
        for (number, part) in cell.iter().enumerate() {
            let marks = if number == 0 { marks.as_str() } else { "" };
            text += &row(marks, &[(line.thread as usize, part)], &widths);
        }
    }
    let shown = counted(sketch.lines.len() as u64, "line");
    let all = counted(sketch.slice.into(), "statement");
    text + &format!("\n{shown} shown; the backward slice has {all}\n")
}

/// Width of the column of marks.
const MARKS: usize = 10;

fn row(marks: &str, cells: &[(usize, &String)], widths: &[usize]) -> String {
    let mut text = format!("{marks:MARKS$}");
    for (lane, width) in widths.iter().enumerate() {
        let cell = cells.iter().find(|(of, _)| *of == lane).map_or("", |(_, cell)| cell.as_str());
        text += &format!("{cell:width$}  ");
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// A statement: its place and text, and below that what it accesses.
fn cell(line: &SketchLine, source: String) -> Vec<String> {
    let file = short_file(&line.location.file);
    let times = if line.visits > 1 { format!(" (executed {} times)", line.visits) } else { String::new() };
    let fails = if line.fails { "  <- fails" } else { "" };
    let text = cut(&format!("{}:{}  {source}", visible(file), line.location.line));
    let mut parts = vec![format!("{text}{times}{fails}")];
    parts.extend(line.accesses.iter().map(|access| cut(&format!("    {}", accessed(access)))));
    parts
}

fn accessed(access: &LineAccess) -> String {
    let (object, value) = (visible(&access.object), visible(&access.value));
    let value = if value.is_empty() { String::new() } else { format!(" = {value}") };
    match (&access.call, access.mode) {
        (Some(call), _) => format!("{}({object})", visible(&call.name)),
        (None, AccessMode::Read) => format!("reads {object}{value}"),
        (None, AccessMode::Write) => format!("writes {object}{value}"),
        (None, AccessMode::Update) => format!("reads {object}{value} and writes it"),
    }
}

fn cut(text: &str) -> String {
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST - 3).chain("...".chars()).collect(),
        false => text.to_owned(),
    }
}

/// Lines of source files, each file read once.
#[derive(Default)]
struct SourceLines {
    files: HashMap<String, Vec<String>>,
}

impl SourceLines {
    fn line(&mut self, location: &Location, source: &SourceText) -> String {
        let lines = self.files.entry(location.file.clone()).or_insert_with(|| {
            let text = source.read(&location.file).unwrap_or_default();
            text.lines().map(|line| visible(line.trim()).into_owned()).collect()
        });
        lines.get((location.line as usize).wrapping_sub(1)).cloned().unwrap_or_default()
    }
}
