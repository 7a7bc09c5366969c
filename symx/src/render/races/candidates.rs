//! Candidates for races, and what became of them, as text.

use crate::report::{CandidateEnd, CandidateRank, CandidateReport, CandidateSource, CandidatesReport};
use crate::text::TerminalText;
use std::fmt::Write;
use symx_ir::SourceName;

/// More candidates are not printed: a longer list is of no use.
const MOST: usize = 200;

/// The first of them, those that tell most before others, and how many ended in which way.
pub fn candidates(report: &CandidatesReport) -> String {
    let mut text = TerminalText::default();
    let mut list: Vec<&CandidateReport> = report.list.iter().collect();
    list.sort_by_key(|candidate| candidate.rank());
    for candidate in list.iter().take(MOST) {
        one(&mut text, candidate);
    }
    if let more @ 1.. = report.list.len().saturating_sub(MOST) {
        let place = match report.left_out {
            0 => "all of them in the result file (--json)".into(),
            counted => format!("in the result file (--json), and {counted} that are only counted"),
        };
        let _ = writeln!(text, "and {more} more, {place}");
    }
    let count = |end: CandidateEnd| report.list.iter().filter(|candidate| candidate.end == end).count();
    let ends = [CandidateEnd::Confirmed, CandidateEnd::Refuted, CandidateEnd::Open];
    let all = |end: CandidateEnd| count(end) + if end == report.left_out_end { report.left_out } else { 0 };
    let ends = ends.map(|end| format!("{} {}", all(end), end.name())).join(", ");
    let _ = writeln!(text, "{}: {ends}", counted(report.list.len() + report.left_out, "candidate"));
    let ordered = list.iter().filter(|candidate| candidate.rank() == CandidateRank::OnlyOrdered).count();
    if ordered > 0 {
        let what = "two threads made the accesses to one place, one directly after the other";
        let _ = writeln!(text, "open, and met in an order: {ordered} ({what})");
    }
    let reported = report.list.iter().filter_map(|candidate| candidate.is_static);
    let also = reported.clone().filter(|is_static| *is_static).count();
    if report.list.iter().any(|candidate| candidate.source != CandidateSource::Static) {
        let _ = writeln!(text, "{also} of them are found by the static analysis, too");
    }
    if let Some(reason) = report.analysis_ended {
        let word = reason.word();
        let _ = writeln!(text, "note: the static analysis ended early ({word}): other pairs may race, too");
    }
    for [first, second] in &report.races_elsewhere {
        let places = format!("{}:{} and {}:{}", first.file, first.line, second.file, second.line);
        let _ = writeln!(text, "note: the race of {places} is none of the candidates");
    }
    text.into_string()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn one(text: &mut TerminalText, candidate: &CandidateReport) {
    let objects: Vec<String> = candidate.objects.iter().take(3).map(SourceName::quoted).collect();
    let more = match candidate.objects.len().saturating_sub(3) + candidate.further_objects {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what = if objects.is_empty() { String::new() } else { format!(" on {}{more}", objects.join(", ")) };
    let class = candidate.class.map(|class| format!(" ({})", class.name())).unwrap_or_default();
    let _ = writeln!(text, "candidate {}{what}: {}{class}", candidate.number, candidate.end.name());
    for access in &candidate.accesses {
        let held = match &access.locks[..] {
            [] => String::new(),
            locks => format!(", holds {}", locks.join(", ")),
        };
        let place = &access.location;
        let function =
            if place.function.is_empty() { String::new() } else { format!(" in {}", place.function) };
        let _ = writeln!(text, "    {} at {}:{}{function}{held}", access.kind, place.file, place.line);
    }
    let _ = writeln!(text, "    why: {}", candidate.reason);
    let _ = writeln!(text, "    {}: {}", candidate.end.name(), candidate.why);
}
